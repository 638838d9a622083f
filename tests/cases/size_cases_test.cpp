// Integer width and memory limits: rows G2, G10, and the refusals that stand for A3 and split-K.
#include "cases/case_runner.h"
#include "driver/guarded_buffer.h"
#include "tile/bind.h"
#include "tile/interpreter.h"
#include "tile/parser.h"

namespace tilewright::cases {
namespace {

constexpr std::uint16_t kOne = 0x3c00;  // 1.0 in f16

constexpr const char* kMatrixVector = R"(program matvec(N, C) {
  in X: f16[N, C]
  in v: f16[C]
  out Y: f32[N, 1]
  parallel i in N {
    total[] = 0.0
    reduce s in ceildiv(C, 4096) {
      x[c: 4096] = X[i, s*4096 + c]
      w[c] = v[s*4096 + c]
      total += sum(f32(x) * f32(w), c)
    }
    Y[i, 0] = total
  }
})";

constexpr std::int64_t kRows = 16386, kColumns = 131072;

/// More than 2^31 f16 elements, of which only four rows of ones are real memory.
Result<driver::GuardedBuffer> sparse_matrix() {
  auto x = driver::GuardedBuffer::make(DataType::F16, kRows * kColumns);
  if (!x) return x;
  for (std::int64_t row : {std::int64_t{0}, kRows - 3, kRows - 2, kRows - 1})
    std::fill_n(reinterpret_cast<std::uint16_t*>(x->data()) + row * kColumns, kColumns, kOne);
  return x;
}

TEST(SizeCases, G2_MatrixVectorProductPastTwoToTheThirtyOneElements) {
  auto program = Program::parse(kMatrixVector, "case.tile");
  ASSERT_TRUE(program) << render(program.error());
  auto x = sparse_matrix();
  ASSERT_TRUE(x) << render(x.error());
  std::vector<std::uint16_t> v(kColumns, kOne);
  std::vector<float> y(kRows, -1.0f);
  const Arguments arguments{
      {"X", {DataType::F16, x->data(), kRows * kColumns, 0, {kRows, kColumns}, {kColumns, 1}}},
      {"v", {DataType::F16, reinterpret_cast<std::byte*>(v.data()), kColumns, 0, {kColumns}, {1}}},
      {"Y", {DataType::F32, reinterpret_cast<std::byte*>(y.data()), kRows, 0, {kRows, 1}, {1, 1}}}};
  auto kernel = compile(*program, {.numbers = {{"N", kRows}, {"C", kColumns}}, .types = {}});
  ASSERT_TRUE(kernel);
  auto done = kernel->run(arguments);
  ASSERT_TRUE(done) << render(done.error());
  for (std::int64_t row : {kRows - 3, kRows - 2, kRows - 1})
    EXPECT_EQ(y[static_cast<std::size_t>(row)], 131072.0f) << row;
  EXPECT_EQ(y[0], 131072.0f);
  EXPECT_EQ(y[5], 0.0f);
  EXPECT_EQ(x->harmed_guard_bytes(), 0);
}

TEST(SizeCases, G2_TheOracleSamplesRowsOfIt) {
  auto program = tile::parse_program(kMatrixVector, "case.tile");
  ASSERT_TRUE(program);
  auto bound = tile::bind(*program, {.numbers = {{"N", kRows}, {"C", kColumns}}, .types = {}});
  ASSERT_TRUE(bound) << render(bound.error());
  auto x = sparse_matrix();
  ASSERT_TRUE(x);
  std::vector<std::uint16_t> v(kColumns, kOne);
  const tile::ObjectId x_id{0}, v_id{1}, y_id{2};
  tile::Arguments arguments;
  arguments[x_id] = {DataType::F16, x->data(), kRows * kColumns, 0, {kRows, kColumns}, {kColumns, 1}};
  arguments[v_id] = {DataType::F16, reinterpret_cast<std::byte*>(v.data()), kColumns, 0, {kColumns}, {1}};
  std::vector<float> y(kRows);
  arguments[y_id] = {DataType::F32, reinterpret_cast<std::byte*>(y.data()), kRows, 0, {kRows, 1}, {1, 1}};
  tile::InterpreterOptions options;
  options.rows = std::map<tile::ObjectId, std::vector<std::int64_t>>{{y_id, {0, 5, kRows - 3, kRows - 2, kRows - 1}}};
  auto exact = tile::interpret_exact(*bound, arguments, options);
  ASSERT_TRUE(exact) << render(exact.error());
  const tile::ExactOutput& out = exact->at(y_id);
  for (std::int64_t row : {std::int64_t{0}, kRows - 3, kRows - 2, kRows - 1})
    EXPECT_EQ(out.value[static_cast<std::size_t>(row)], 131072.0) << row;
  EXPECT_EQ(out.value[5], 0.0);
}

/// 2^31 and 2^32 elements are legal sizes (refused only when memory ends); 2^63 is not a size.
TEST(SizeCases, G10_TheErrorPrintsTheTrueSize) {
  auto program = Program::load("rowsum");
  ASSERT_TRUE(program);
  for (auto [rows, columns, text] :
       {std::tuple{std::int64_t{1} << 32, std::int64_t{1} << 31, "9223372036854775808"},
        std::tuple{std::int64_t{1} << 40, std::int64_t{1} << 40, "1208925819614629174706176"}}) {
    auto kernel = compile(*program, {.numbers = {{"N", rows}, {"C", columns}}, .types = {}});
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error()[0].code, DiagCode::SizeOverflow);
    EXPECT_NE(render(kernel.error()).find(text), std::string::npos) << render(kernel.error());
  }
  for (auto [rows, columns] : {std::pair{std::int64_t{1} << 16, std::int64_t{1} << 15},
                               std::pair{std::int64_t{1} << 16, std::int64_t{1} << 16}})
    EXPECT_TRUE(compile(*program, {.numbers = {{"N", rows}, {"C", columns}}, .types = {}}));
}

TEST(SizeCases, G10_MemoryThatIsNotThereIsRefusedWithItsSize) {
  auto buffer = driver::GuardedBuffer::make(DataType::F32, std::int64_t{1} << 60);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error()[0].code, DiagCode::OutOfMemory);
  EXPECT_NE(render(buffer.error()).find("4611686018427387904"), std::string::npos) << render(buffer.error());
}

}  // namespace
}  // namespace tilewright::cases
