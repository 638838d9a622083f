// Compiled row programs and attention on memory that ends, or begins, at a page beside which nothing is mapped: what
// they touch outside of a buffer is a crash. And the same bits for any number of threads.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tilewright/compile.h>

#include "support/half.h"

namespace tilewright {
namespace {

/// Memory of whole pages between two that cannot be touched.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    inside_ = (bytes + page_ - 1) / page_ * page_;
    base_ = static_cast<std::byte*>(mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page_, inside_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~Pages() { munmap(base_, inside_ + 2 * page_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* first() const { return base_ + page_; }
  /// Where `bytes` end with the last page.
  std::byte* last(std::size_t bytes) const { return base_ + page_ + inside_ - bytes; }

 private:
  std::size_t page_, inside_ = 0;
  std::byte* base_ = nullptr;
};

struct Case {
  std::string program;
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::vector<std::int64_t>> shapes;  ///< of its buffers
};

std::vector<Case> cases() {
  const auto row = [](const std::string& name, std::vector<std::string> vectors, std::vector<std::string> matrices,
                      std::int64_t rows, std::int64_t columns) {
    Case one{name, {{"N", rows}, {"C", columns}}, {}};
    for (const std::string& buffer : vectors) one.shapes[buffer] = {columns};
    for (const std::string& buffer : matrices) one.shapes[buffer] = {rows, columns};
    return one;
  };
  return {row("softmax", {}, {"X", "Y"}, 5, 131),
          row("softmax", {}, {"X", "Y"}, 4, 128),
          row("rmsnorm", {"gain"}, {"X", "Y"}, 7, 77),
          row("layernorm", {"gain", "shift"}, {"X", "Y"}, 5, 130),
          row("swiglu", {}, {"gate", "up", "Y"}, 3, 145),
          {"attention",
           {{"B", 1}, {"Hq", 2}, {"Hkv", 1}, {"Lq", 37}, {"Lk", 41}, {"D", 19}, {"Dv", 21}},
           {{"Q", {1, 2, 37, 19}}, {"K", {1, 1, 41, 19}}, {"V", {1, 1, 41, 21}}, {"O", {1, 2, 37, 21}}}},
          {"attention",
           {{"B", 1}, {"Hq", 1}, {"Hkv", 1}, {"Lq", 64}, {"Lk", 64}, {"D", 32}, {"Dv", 32}, {"causal", 1}},
           {{"Q", {1, 1, 64, 32}}, {"K", {1, 1, 64, 32}}, {"V", {1, 1, 64, 32}}, {"O", {1, 1, 64, 32}}}},
          {"gemm", {{"M", 35}, {"N", 37}, {"K", 33}}, {{"A", {35, 33}}, {"B", {33, 37}}, {"C", {35, 37}}}}};
}

/// The arguments of one run, every buffer at the end or at the beginning of its pages.
struct Launch {
  std::vector<std::unique_ptr<Pages>> pages;
  Arguments arguments;
  std::vector<std::pair<const std::byte*, std::size_t>> outputs;
  float scalar = 0.25f;
};

void add_buffer(Launch& launch, const BufferInfo& buffer, const std::vector<std::int64_t>& shape, DataType type,
                bool at_end) {
  std::int64_t count = 1;
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; count *= shape[d]) strides[d] = count;
  const std::size_t bytes = static_cast<std::size_t>(count) * data_type_bytes(type);
  launch.pages.push_back(std::make_unique<Pages>(bytes));
  std::byte* data = at_end ? launch.pages.back()->last(bytes) : launch.pages.back()->first();
  for (std::int64_t i = 0; i < count && buffer.role == BufferRole::In; ++i) {
    const float number = static_cast<float>((i * 37 + 11) % 101) / 50.0f - 1.0f;
    const std::uint16_t half = f32_to_bf16(number);
    std::memcpy(data + i * static_cast<std::int64_t>(data_type_bytes(type)),
                type == DataType::F32 ? static_cast<const void*>(&number) : &half, data_type_bytes(type));
  }
  launch.arguments[buffer.name] = {type, data, count, 0, shape, strides};
  if (buffer.role == BufferRole::Out) launch.outputs.emplace_back(data, bytes);
}

std::unique_ptr<Launch> make_launch(const Program& program, const Case& one, DataType type, bool at_end) {
  auto launch = std::make_unique<Launch>();
  for (const BufferInfo& buffer : program.buffers()) {
    if (const auto shape = one.shapes.find(buffer.name); shape != one.shapes.end())
      add_buffer(*launch, buffer, shape->second, type, at_end);
    else
      launch->arguments[buffer.name] = {DataType::F32, reinterpret_cast<std::byte*>(&launch->scalar), 1, 0, {}, {}};
  }
  return launch;
}

TEST(PageEdges, NothingOutsideOfABufferIsTouchedAndThreadsDoNotMatter) {
  for (const Case& one : cases())
    for (const DataType type : {DataType::F32, DataType::BF16}) {
      SCOPED_TRACE(one.program);
      const auto program = Program::load(one.program);
      ASSERT_TRUE(program) << render(program.error());
      const auto kernel = compile(*program, {one.numbers, {{"T", type}}});
      ASSERT_TRUE(kernel) << render(kernel.error());
      std::vector<std::byte> expected;
      for (const bool at_end : {true, false})
        for (const int threads : {1, 2, 3}) {
          const auto launch = make_launch(*program, one, type, at_end);
          const auto ran = kernel->run(launch->arguments, {.threads = threads});
          ASSERT_TRUE(ran) << render(ran.error());
          std::vector<std::byte> found;
          for (const auto& [data, bytes] : launch->outputs) found.insert(found.end(), data, data + bytes);
          if (expected.empty()) expected = found;
          EXPECT_TRUE(expected == found) << threads << " threads";
        }
    }
}

}  // namespace
}  // namespace tilewright
