#include "tensor_kernel.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kernel/group_programs.h"
#include "support/half.h"

namespace tilewright::emit_msl {

namespace {

using namespace kernel;

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr int kPadding = 3;  ///< unused elements behind each row
constexpr int kNumbersOfCase = 5;

/// A matrix of each case in one buffer, one after the other.
struct Blocks {
  int rows, columns;
  bool transposed;

  int stride() const { return (transposed ? rows : columns) + kPadding; }
  int size() const { return (transposed ? columns : rows) * stride(); }
  std::size_t at(std::size_t block, int row, int column) const {
    return block * static_cast<std::size_t>(size()) +
           static_cast<std::size_t>(transposed ? column * stride() + row : row * stride() + column);
  }
};

struct Layout {
  explicit Layout(const TensorKernel& kernel)
      : a{kernel.m, kernel.depth, kernel.a_transposed},
        b{kernel.depth, kernel.n, kernel.b_transposed},
        c{kernel.m, kernel.n, kernel.c_transposed},
        d{kernel.m, kernel.n, kernel.d_transposed} {}
  Blocks a, b, c, d;
};

std::string program_text(const TensorKernel& kernel, const Layout& layout, std::size_t cases) {
  std::string text = "kernel program tensors {\n";
  const auto buffer = [&](const char* name, const char* type, std::size_t size, const char* access) {
    text += fmt::format("  buffer {}: {}[{}] {}\n", name, type, size, access);
  };
  const auto elements = [&](const Blocks& blocks) { return cases * static_cast<std::size_t>(blocks.size()); };
  buffer("sizes", "i64", cases * kNumbersOfCase, "read");
  buffer("A", scalar_name(kernel.a), elements(layout.a), "read");
  buffer("B", scalar_name(kernel.b), elements(layout.b), "read");
  buffer("C", "f32", elements(layout.c), "read");
  buffer("D", "f32", elements(layout.d), "readwrite");
  text += fmt::format("  kernel tensors tasks(%t: {}) group 32 of 32 {{\n", cases);
  text += fmt::format("    %per: i64 = const {}\n    %base: i64 = mul %t, %per\n", kNumbersOfCase);
  int number = 0;
  for (const char* name : {"depth", "rows", "columns", "out_rows", "out_columns"}) {
    text += fmt::format("    %n{0}: i64 = const {0}\n    %p{0}: i64 = add %base, %n{0}\n", number);
    text += fmt::format("    %{}: i64 = load sizes[%p{}]\n", name, number++);
  }
  for (const auto& [name, blocks] : {std::pair{"a", layout.a}, {"b", layout.b}, {"c", layout.c}, {"d", layout.d}}) {
    text += fmt::format("    %{0}_size: i64 = const {1}\n    %{0}_at: i64 = mul %t, %{0}_size\n", name, blocks.size());
    text += fmt::format("    %{}_stride: i64 = const {}\n", name, blocks.stride());
  }
  const auto transposed = [](bool yes) { return yes ? " transposed" : ""; };
  if (kernel.accumulates)
    text += fmt::format("    %start: f32.{}x{} = fragment_load C[%c_at] stride %c_stride{}\n", kernel.m, kernel.n,
                        transposed(kernel.c_transposed));
  text +=
      fmt::format("    %sum: f32.{0}x{1} = atom metal.mpp m {0} n {1} k dynamic %depth subgroup", kernel.m, kernel.n);
  text += std::string(kernel.relaxed ? " relaxed" : "");
  text += " a view A[%a_at] stride %a_stride rows %rows columns %depth" + std::string(transposed(kernel.a_transposed));
  text +=
      " b view B[%b_at] stride %b_stride rows %depth columns %columns" + std::string(transposed(kernel.b_transposed));
  text += std::string(kernel.accumulates ? " c %start" : "") + "\n";
  text += fmt::format("    fragment_store D[%d_at] stride %d_stride rows %out_rows columns %out_columns{} = %sum\n",
                      transposed(kernel.d_transposed));
  return text + "  }\n}\n";
}

void set_numbers(BufferBytes& memory, BufferId buffer, ScalarType scalar, const std::vector<float>& numbers) {
  if (scalar == ScalarType::F32) return memory.set(buffer, numbers);
  std::vector<std::uint16_t> halves;
  for (float number : numbers) halves.push_back(scalar == ScalarType::F16 ? f32_to_f16(number) : f32_to_bf16(number));
  memory.set(buffer, halves);
}

}  // namespace

TensorRun::TensorRun(const TensorKernel& kernel, const std::vector<TensorCase>& cases)
    : program_(parsed(program_text(kernel, Layout(kernel), cases.size()))), memory_(program_) {
  const Layout layout(kernel);
  const auto numbers = [&](const Blocks& blocks, float number) {
    return std::vector<float>(cases.size() * static_cast<std::size_t>(blocks.size()), number);
  };
  std::vector<std::int64_t> sizes;
  std::vector<float> a = numbers(layout.a, kAbsent), b = numbers(layout.b, kAbsent), c = numbers(layout.c, kAbsent);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const TensorCase& one = cases[i];
    for (int size : {one.depth, one.rows, one.columns, one.out_rows, one.out_columns}) sizes.push_back(size);
    const auto place = [&](std::vector<float>& to, const Blocks& blocks, const std::vector<float>& from, int rows,
                           int columns, int across) {
      for (int r = 0; r < rows; ++r)
        for (int q = 0; q < columns; ++q) to[blocks.at(i, r, q)] = from[static_cast<std::size_t>(r * across + q)];
    };
    place(a, layout.a, one.a, std::min(one.rows, kernel.m), one.depth, one.depth);
    place(b, layout.b, one.b, one.depth, std::min(one.columns, kernel.n), kernel.n);
    place(c, layout.c, one.c, kernel.m, kernel.n, kernel.n);
    const auto there = [](int extent, int most) { return static_cast<std::uint64_t>(std::clamp(extent, 0, most)); };
    needed_[0] += there(one.rows, kernel.m) * there(one.depth, kernel.depth);
    needed_[1] += there(one.columns, kernel.n) * there(one.depth, kernel.depth);
    products_ += one.rows > 0 && one.columns > 0 && one.depth > 0 ? 1 : 0;
  }
  memory_.set(BufferId{0}, sizes);
  set_numbers(memory_, BufferId{1}, kernel.a, a);
  set_numbers(memory_, BufferId{2}, kernel.b, b);
  memory_.set(BufferId{3}, c);
  // What D must not lose.
  memory_.set(BufferId{4}, numbers(layout.d, -12345.0f));
}

}  // namespace tilewright::emit_msl
