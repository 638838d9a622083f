// Program walks: the coordinates that a kernel computes, against the host and against proof/traversal.h, whose formula
// is written apart from this one.
#include "lower/traversal.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kernel/interpreter.h"
#include "kernel/printer.h"
#include "kernel/test_memory.h"
#include "kernel/verifier.h"

namespace tilewright::lower {
namespace {

using kernel::ScalarType;

constexpr std::int64_t kMaxInt32 = 0x7fff'ffff;
constexpr std::int64_t kUnwritten = -1;

std::int64_t row_major(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& extents) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < at.size(); ++d) index = index * extents[d] + at[d];
  return index;
}

kernel::ValueId emit_row_major(kernel::Builder& b, const std::vector<kernel::ValueId>& at,
                               const std::vector<std::int64_t>& extents) {
  kernel::ValueId index = b.const_i64(0);
  for (std::size_t d = 0; d < at.size(); ++d) index = b.add(b.mul(index, extents[d]), at[d]);
  return index;
}

ProgramWalk walk_of(const std::vector<std::int64_t>& extents, std::int64_t rows, std::int64_t columns) {
  auto walk = ProgramWalk::make(extents, rows, columns);
  EXPECT_TRUE(walk) << render(walk.error());
  return *walk;
}

void run(const kernel::Program& program, kernel::TestMemory& memory) {
  const auto sound = kernel::verify(program);
  ASSERT_TRUE(sound) << render(sound.error()) << kernel::print(program);
  const auto counts = kernel::interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
}

/// Every program of the launch, in its row-major place, with the ordinal of the task that ran it.
std::vector<std::int64_t> ordinals_of_tasks(const ProgramWalk& walk, const std::vector<std::int64_t>& extents) {
  kernel::Builder b("walks");
  const auto out = b.argument("out", ScalarType::I64, kernel::Access::Write, walk.programs());
  const auto task = b.begin_kernel("walk", walk.task_extents());
  const auto at = walk.coordinates(b, task);
  const kernel::ValueId program = emit_row_major(b, at, extents);
  b.store(out, program, emit_row_major(b, task, walk.task_extents()));
  b.end_kernel();
  const kernel::Program made = b.finish();
  kernel::TestMemory memory(made);
  memory.set(out, std::vector<std::int64_t>(static_cast<std::size_t>(walk.programs()), kUnwritten));
  run(made, memory);
  return memory.get<std::int64_t>(out);
}

/// One grid and, around it, batches.
void expect_walk(std::vector<std::int64_t> batches, std::int64_t rows, std::int64_t columns, std::int64_t height,
                 std::int64_t width) {
  SCOPED_TRACE(fmt::format("{} x {} by {} x {}, {} batch domains", rows, columns, height, width, batches.size()));
  std::vector<std::int64_t> extents = std::move(batches);
  extents.insert(extents.end(), {rows, columns});
  const ProgramWalk walk = walk_of(extents, height, width);
  const proof::Traversal expected{rows, columns, height, width};
  EXPECT_EQ(walk.is_permuted(), !expected.is_identity());
  EXPECT_EQ(walk.task_extents().size(), walk.is_permuted() ? 1u : extents.size());
  const std::vector<std::int64_t> found = ordinals_of_tasks(walk, extents);
  for (std::int64_t program = 0; program < walk.programs(); ++program) {
    const std::int64_t grid = rows * columns, place = program % grid;
    const auto ordinal = expected.ordinal_of({place / columns, place % columns});
    ASSERT_TRUE(ordinal);
    ASSERT_EQ(found[static_cast<std::size_t>(program)], program / grid * grid + *ordinal) << "program " << program;
    ASSERT_EQ(row_major(walk.coordinates_of_ordinal(found[static_cast<std::size_t>(program)]), extents), program);
  }
}

TEST(Traversal, The480GridsAndRectangles) {
  int cases = 0;
  for (const std::int64_t rows : {1, 2, 3, 7, 8, 17})
    for (const std::int64_t columns : {1, 2, 5, 16, 33})
      for (const std::int64_t height : {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{64}})
        for (const std::int64_t width : {std::int64_t{1}, std::int64_t{3}, std::int64_t{8}, kMaxInt32}) {
          expect_walk({}, rows, columns, height, width);
          ++cases;
        }
  EXPECT_EQ(cases, 480);
}

TEST(Traversal, BatchesAreKept) {
  for (const auto& batches : {std::vector<std::int64_t>{3}, {2, 3}, {1}, {1, 1, 2}})
    for (const auto& [height, width] : {std::pair(2, 2), std::pair(3, 4), std::pair(64, 2), std::pair(1, 2)})
      expect_walk(batches, 5, 7, height, width);
}

TEST(Traversal, NoRectangleIsTheGridItself) {
  for (const auto& extents : {std::vector<std::int64_t>{}, {6}, {4, 5}, {2, 3, 4}, {2, 1, 3, 2}}) {
    const ProgramWalk walk = walk_of(extents, 1, 1);
    EXPECT_EQ(walk.task_extents(), extents);
    const auto found = ordinals_of_tasks(walk, extents);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], static_cast<std::int64_t>(i));
      EXPECT_EQ(row_major(walk.coordinates_of_ordinal(found[i]), extents), found[i]);
    }
  }
  const ProgramWalk empty = walk_of({4, 0}, 2, 2);
  EXPECT_EQ(empty.programs(), 0);
  EXPECT_EQ(empty.task_extents(), (std::vector<std::int64_t>{4, 0}));
}

/// The row-major places of these ordinals, as a kernel computes them.
std::vector<std::int64_t> places_in_kernel(const ProgramWalk& walk, const std::vector<std::int64_t>& extents,
                                           const std::vector<std::int64_t>& ordinals) {
  const auto count = static_cast<std::int64_t>(ordinals.size());
  kernel::Builder b("places");
  const auto in = b.argument("in", ScalarType::I64, kernel::Access::Read, count);
  const auto out = b.argument("out", ScalarType::I64, kernel::Access::Write, count);
  const auto task = b.begin_kernel("places", {count});
  const auto at = walk.coordinates_of_ordinal(b, b.load(in, task[0]));
  b.store(out, task[0], emit_row_major(b, at, extents));
  b.end_kernel();
  const kernel::Program made = b.finish();
  kernel::TestMemory memory(made);
  memory.set(in, ordinals);
  run(made, memory);
  return memory.get<std::int64_t>(out);
}

TEST(Traversal, LaunchesBetweenInt32AndUint32) {
  struct Large {
    std::vector<std::int64_t> batches;
    proof::Traversal grid;
  };
  const Large launches[] = {{{}, {50'000, 50'001, 8, 32}},
                            {{}, {65'535, 65'537, 4, 16}},
                            {{}, {2, kMaxInt32, 2, 999}},
                            {{}, {4'000'000'000, 1, 64, 1}},
                            {{3}, {30'000, 40'000, 7, 11}}};
  for (const Large& large : launches) {
    const std::int64_t grid = large.grid.rows * large.grid.columns;
    std::vector<std::int64_t> extents = large.batches;
    extents.insert(extents.end(), {large.grid.rows, large.grid.columns});
    const ProgramWalk walk = walk_of(extents, large.grid.rectangle_rows, large.grid.rectangle_columns);
    ASSERT_GT(walk.programs(), kMaxInt32);
    std::vector<std::int64_t> ordinals{0, 1, kMaxInt32 - 1, kMaxInt32, kMaxInt32 + 1, walk.programs() - 1};
    for (std::int64_t i = 1; i < 2'000; ++i) ordinals.push_back(i * 2'654'435'761 % walk.programs());
    const auto places = places_in_kernel(walk, extents, ordinals);
    for (std::size_t i = 0; i < ordinals.size(); ++i) {
      const auto place = large.grid.place_of(ordinals[i] % grid);
      ASSERT_TRUE(place);
      const std::int64_t expected = ordinals[i] / grid * grid + place->row * large.grid.columns + place->column;
      EXPECT_EQ(places[i], expected) << ordinals[i];
      EXPECT_EQ(row_major(walk.coordinates_of_ordinal(ordinals[i]), extents), expected);
    }
  }
}

void expect_refused(const std::vector<std::int64_t>& extents, std::int64_t rows, std::int64_t columns, DiagCode code,
                    const std::vector<std::string>& mentions) {
  const auto walk = ProgramWalk::make(extents, rows, columns);
  ASSERT_FALSE(walk);
  EXPECT_EQ(walk.error()[0].code, code);
  for (const std::string& part : mentions)
    EXPECT_NE(walk.error()[0].message.find(part), std::string::npos) << walk.error()[0].message;
}

TEST(Traversal, LaunchesThatNoDeviceNumbersAreRefused) {
  // 2^32 - 1 = 65535 * 65537.
  EXPECT_EQ(walk_of({65'535, 65'537}, 1, 1).programs(), kMostTasks);
  EXPECT_EQ(walk_of({65'535, 65'537}, 8, 32).programs(), kMostTasks);
  expect_refused({65'536, 65'536}, 1, 1, DiagCode::LaunchTooLarge, {"65536 x 65536 programs", "4294967295"});
  expect_refused({2, kMaxInt32, 2}, 2, 2, DiagCode::LaunchTooLarge, {"2 x 2147483647 x 2 programs"});
  expect_refused({INT64_MAX, INT64_MAX}, 1, 1, DiagCode::LaunchTooLarge, {"9223372036854775807 x 9223372036854775807"});
  expect_refused({3, 65'536}, 65'536, 2, DiagCode::BadOption, {"65536 rows x 65536 columns", "4294967295"});
  expect_refused({8}, 2, 2, DiagCode::BadOption, {"2 x 2", "it has 1"});
  expect_refused({8, 8}, 0, 2, DiagCode::BadOption, {"0 rows", "2 columns"});
  EXPECT_EQ(walk_of({0, INT64_MAX, INT64_MAX}, 1, 1).programs(), 0);
}

}  // namespace
}  // namespace tilewright::lower
