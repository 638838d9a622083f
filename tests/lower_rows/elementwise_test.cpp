// Elementwise launches: a task is an element of a program.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kernel/printer.h"
#include "lower/lower_planned.h"
#include "lower_rows/planned_case.h"
#include "realize_rows/row_cases.h"

namespace tilewright::lower {
namespace {

using namespace testing;
using realize::Numbers;
using tile::testing::Trial;

void expect_elements(Trial& trial, std::uint64_t tasks) {
  const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
  const auto plan = element_plan(subject);
  ASSERT_TRUE(plan);
  const kernel::Program program = lowered_by(subject, *plan);
  std::vector<kernel::Counts> counts;
  EXPECT_EQ(kernels_disagree(trial, program, &counts), "") << kernel::print(program);
  EXPECT_EQ(counts[0].tasks, tasks);
}

TEST(ElementwiseLowering, Swiglu) {
  for (const auto& [rows, columns] :
       {std::pair(8, 128), std::pair(5, 97), std::pair(1, 1), std::pair(0, 7), std::pair(7, 0)})
    for (const std::int64_t block : {1, 4})
      for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
        SCOPED_TRACE(fmt::format("{} x {} by {} x 64", rows, columns, block));
        Trial trial(realize::rows_library_text("swiglu"), {{"N", rows}, {"C", columns}, {"BR", block}, {"BC", 64}},
                    {{"T", type}});
        trial.fill_random(1, -4, 4);
        const std::int64_t programs = (rows + block - 1) / block * ((columns + 63) / 64);
        expect_elements(trial, static_cast<std::uint64_t>(programs * block * 64));
      }
}

/// The pairs of rope, to two outputs.
constexpr const char* kRotation = R"(program rotation(B, L, H, D; BL: {8} = 8) {
  in X: f32[B, L, H, D]
  in Z: f32[B, L, H, D]
  in cosine: f32[L, D]
  in sine: f32[L, D]
  out U: f32[B, L, H, D]
  out V: f32[B, L, H, D]
  parallel b in B, i in ceildiv(L, BL), h in H {
    co[l: BL, d: D] = cosine[i*BL + l, d]
    si[l, d] = sine[i*BL + l, d]
    x[l, d] = X[b, i*BL + l, h, d]
    z[l, d] = Z[b, i*BL + l, h, d]
    U[b, i*BL + l, h, d] = x * co - z * si
    V[b, i*BL + l, h, d] = z * co + x * si
  }
})";

TEST(ElementwiseLowering, SeveralStores) {
  for (const auto& [length, heads, size] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t>(16, 2, 4), {13, 3, 3}, {1, 1, 1}}) {
    Trial trial(kRotation, {{"B", 2}, {"L", length}, {"H", heads}, {"D", size}});
    trial.fill_random(2);
    const std::int64_t elements = 2 * ((length + 7) / 8) * heads * 8 * size;
    expect_elements(trial, static_cast<std::uint64_t>(elements));
  }
}

TEST(ElementwiseLowering, SpecialNumbers) {
  const double inf = tile::testing::kInf, nan = tile::testing::kNan;
  Trial trial(realize::rows_library_text("swiglu"), {{"N", 2}, {"C", 6}, {"BR", 1}, {"BC", 8}});
  trial.fill("gate", {nan, inf, -inf, -0.0, 0.0, 1e-40, 1, -1, 100, -100, -200, 3e38});
  trial.fill("up", {1, -0.0, 1, 1, -1, 1, nan, inf, 0.0, 2, -1, 2});
  expect_elements(trial, 16);
}

TEST(ElementwiseLowering, ScalarsFallbacksAndBroadcasts) {
  Trial trial(R"(program p(N, C; BR: {4} = 4) {
  in X: f32[N, C]
  in row: f32[N]
  in column: f32[C]
  in alpha: f32
  in beta: f32
  out Y: f32[N, C]
  out Z: f32[N, C]
  parallel i in ceildiv(N, BR) {
    edge = alpha + beta
    x[r: BR, c: C] = X[i*BR + r, c + 1] else edge
    a[r] = row[i*BR + r]
    b[c] = column[c]
    y = alpha * x + a * b
    Y[i*BR + r, c] = y
    Z[i*BR + r, c] = select(y > 0.0, y, beta * f32(i + r - c))
  }
})",
              {{"N", 6}, {"C", 11}});
  trial.fill_random(3);
  expect_elements(trial, 2 * 4 * 11);
}

TEST(ElementwiseLowering, StoresWithEdgesOfTheirOwn) {
  Trial trial(R"(program p(N, C; BR: {4} = 4) {
  in X: f32[N + 1, C]
  out Y: f32[N, C]
  out Z: f32[N + 1, C]
  parallel i in ceildiv(N, BR), j in ceildiv(C, 8) {
    x[r: BR, c: 8] = X[i*BR + r, j*8 + c]
    Y[i*BR + r, j*8 + c] = x * 2.0
    Z[i*BR + r, j*8 + c] = x + 1.0
  }
})",
              {{"N", 6}, {"C", 11}});
  trial.fill_random(6);
  expect_elements(trial, 2 * 2 * 4 * 8);
}

TEST(ElementwiseLowering, SeveralLaunches) {
  Trial trial(R"(program p(N) {
  in X: f32[N]
  temp T: f32[N]
  out Y: f32[N]
  parallel i in ceildiv(N, 8) {
    x[e: 8] = X[i*8 + e]
    T[i*8 + e] = x + 1.0
  }
  parallel i in N {
    Y[i] = T[i] * T[i]
  }
})",
              {{"N", 21}});
  trial.fill_random(4);
  expect_elements(trial, 24);
}

/// Operations of a kind that pass the test.
template <class Payload, class Test>
std::size_t count_ops(const kernel::Program& program, Test&& test) {
  std::size_t count = 0;
  for (const kernel::Op& op : program.ops)
    if (const auto* payload = std::get_if<Payload>(&op.payload); payload != nullptr && test(*payload)) ++count;
  return count;
}

TEST(ElementwiseLowering, EdgesAreTestedOnce) {
  const auto all = [](const auto&) { return true; };
  const auto masked = [](const auto& access) { return access.mask.valid(); };
  for (const std::int64_t columns : {128, 100}) {
    Trial trial(realize::rows_library_text("swiglu"), {{"N", 5}, {"C", columns}, {"BR", 4}, {"BC", 64}});
    const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
    const kernel::Program program = lowered_by(subject, *element_plan(subject));
    EXPECT_EQ(count_ops<kernel::IfOp>(program, all), 1u);
    EXPECT_EQ(count_ops<kernel::CompareOp>(program, all), columns == 100 ? 2u : 1u);
    EXPECT_EQ(count_ops<kernel::LoadOp>(program, masked) + count_ops<kernel::StoreOp>(program, masked), 0u);
  }
}

/// Each shared value is computed once: as many loads as the elements of the inputs that a task needs.
TEST(ElementwiseLowering, ValuesAreComputedOnce) {
  Trial trial(kRotation, {{"B", 1}, {"L", 8}, {"H", 2}, {"D", 4}});
  trial.fill_random(5);
  const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
  std::vector<kernel::Counts> counts;
  ASSERT_EQ(kernels_disagree(trial, lowered_by(subject, *element_plan(subject)), &counts), "");
  const auto& memory = counts[0].of(kernel::MemoryKind::Buffer);
  EXPECT_EQ(memory.loads, 4 * counts[0].tasks);
  EXPECT_EQ(memory.stores, 2 * counts[0].tasks);
}

Result<kernel::Program> lowered_large(std::int64_t rows, std::int64_t columns) {
  const tile::Program program = realize::rows_program(R"(program p(N, C) {
  in X: f32[N, C]
  out Y: f32[N, C]
  parallel i in N {
    x[c: C] = X[i, c]
    Y[i, c] = x + 1.0
  }
})",
                                                      {{"N", rows}, {"C", columns}});
  const proof::Subject subject = proof::make_subject(program, realize::apart());
  return lower_planned(subject, {}, *element_plan(subject), sets::Context());
}

TEST(ElementwiseLowering, MoreElementsThanADeviceNumbers) {
  // 2^32 - 1 = 65535 * 65537.
  const auto legal = lowered_large(65'535, 65'537);
  ASSERT_TRUE(legal) << render(legal.error());
  EXPECT_EQ(legal->kernels[0].task_extents, (std::vector<std::int64_t>{0xffff'ffff}));
  const auto beyond = lowered_large(65'536, 65'536);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error()[0].code, DiagCode::LaunchTooLarge);
  EXPECT_NE(beyond.error()[0].message.find("65536 x 65536"), std::string::npos) << beyond.error()[0].message;
}

}  // namespace
}  // namespace tilewright::lower
