// Effects of operations: what each kind of operation touches and whether workers make it together.
#include "kernel/effects.h"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "group_programs.h"
#include "kernel/op_rules.h"
#include "kernel/printer.h"

namespace tilewright::kernel {
namespace {

const char* const kEveryKind = R"(kernel program p {
  buffer x: f32[64] read
  buffer y: f32[64] write
  scalar s: f32
  kernel p tasks(%t: 1) group 64 of 32 {
    alloc a: f32[64] shared
    alloc h: f32[4] private
    ring r versions 1 producers 2 consumers 2
    %0: i64 = const 0
    %8: i64 = const 8
    %64: i64 = const 64
    %w: i64 = worker
    %v: f32 = load x[%w]
    %sv: f32 = load s[%0]
    store h[%0] = %v
    %sum: f32 = subgroup_add %v
    %moved: f32 = shuffle_xor %v, 1
    %f: f32.8x8 = fragment_load a[%0] stride %8
    %z: f32.8x8 = fragment_fill %sv
    %d: f32.8x8 = atom metal.mpp m 8 n 8 k %8 subgroup a view x[%0] stride %8 rows %8 columns %8 b view a[%0] stride %8 rows %8 columns %8
    fragment_store y[%0] stride %8 = %d
    %token: token = async_copy a[%0] = x[%0] count %64 together group
    wait %token
    ring_acquire r[%0]
    fence 0 compiler subgroup orders shared
    loop %i = %0 to %8 step 1 {
      %p: f32 = load h[%0]
      store a[%w] = %p
      store y[%w] = %p
    }
  }
}
)";

/// "load x: kind access reads x" for the operations that do more than compute.
std::map<std::string, std::string> all_effects(const Program& program, bool within) {
  const char* const kinds[] = {"value", "access", "fragment", "exchange", "fence", "copy", "ring", "control"};
  std::map<std::string, std::string> lines;
  for (OpId id : program.blocks[program.kernels[0].body].ops) {
    const OpEffects effects = within ? effects_within(program, id) : effects_of(program, id);
    std::string text = kinds[static_cast<std::size_t>(effects.kind)];
    const auto list = [&](const char* word, const std::vector<MemoryRef>& memories) {
      for (MemoryRef memory : memories) text += std::string(" ") + word + " " + memory_label(program, memory);
    };
    list("reads", effects.reads), list("writes", effects.writes);
    if (effects.together) text += *effects.together == Participants::Group ? " by group" : " by subgroup";
    const std::string line = print_op(program, program.ops[id]);
    const std::size_t begin = line.find(" = ") == std::string::npos || line[0] != '%' ? 0 : line.find(" = ") + 3;
    const std::string word = line.substr(begin, line.find_first_of(" [", begin) - begin);
    if (!lines.contains(word)) lines[word] = text;
  }
  return lines;
}

TEST(Effects, EachKindOfOperation) {
  const Program program = parsed(kEveryKind);
  const auto lines = all_effects(program, false);
  EXPECT_EQ(lines.at("const"), "value");
  EXPECT_EQ(lines.at("worker"), "value");
  EXPECT_EQ(lines.at("load"), "access reads buffer x");
  EXPECT_EQ(lines.at("store"), "access writes allocation h");
  EXPECT_EQ(lines.at("subgroup_add"), "exchange by subgroup");
  EXPECT_EQ(lines.at("shuffle_xor"), "exchange by subgroup");
  EXPECT_EQ(lines.at("fragment_load"), "fragment reads allocation a by subgroup");
  EXPECT_EQ(lines.at("fragment_fill"), "value by subgroup");
  EXPECT_EQ(lines.at("atom"), "fragment reads buffer x reads allocation a by subgroup");
  EXPECT_EQ(lines.at("fragment_store"), "fragment writes buffer y by subgroup");
  EXPECT_EQ(lines.at("async_copy"), "copy reads buffer x writes allocation a by group");
  EXPECT_EQ(lines.at("wait"), "copy");
  EXPECT_EQ(lines.at("ring_acquire"), "ring by group");
  EXPECT_EQ(lines.at("fence"), "fence by subgroup");
  EXPECT_EQ(lines.at("loop"), "control");
}

TEST(Effects, BlocksCountWhole) {
  const Program program = parsed(kEveryKind);
  EXPECT_EQ(all_effects(program, true).at("loop"), "control reads allocation h writes buffer y writes allocation a");
  const OpEffects all = effects_of_block(program, program.kernels[0].body);
  EXPECT_EQ(all.reads.size(), 3u);
  EXPECT_EQ(all.writes.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(all.writes, memory_before));
}

TEST(Effects, AScalarBufferIsAValue) {
  const Program program = parsed(kEveryKind);
  for (OpId id : program.ops.ids())
    for (MemoryRef memory : effects_of(program, id).reads)
      EXPECT_TRUE(!memory.buffer.valid() || program.buffers[memory.buffer].kind != BufferKind::Scalar);
  EXPECT_TRUE(is_private(program, {{}, AllocationId{1}}));
  EXPECT_FALSE(is_private(program, {{}, AllocationId{0}}));
  EXPECT_FALSE(is_private(program, {BufferId{0}, {}}));
}

}  // namespace
}  // namespace tilewright::kernel
