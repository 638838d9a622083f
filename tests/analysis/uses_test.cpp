// Use lists, escapes and pure slices.
#include "analysis/uses.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/programs.h"

namespace tilewright::analysis {
namespace {

using tile::OpId;
using tile::Program;
using tile::ValueId;

const char* const kText = R"(program p(N) {
  in X: f32[8]
  in flag: f32
  out Y: f32[8]
  parallel i in 1 {
    axis m: 8
    start[m] = X[m]
    acc = start
    serial s in 3 {
      fresh[m] = X[m + s]
      squared = fresh * fresh
      acc = acc + squared
    }
    if flag > 0.0 {
      halved = acc * 0.5
      acc = halved
    }
    final = exp(acc)
    Y[m] = final
  }
})";

ValueId result_of(const Program& program, OpId op) { return program.list(program.op(op).results)[0]; }
ValueId named(const Program& program, const char* label) { return result_of(program, op_named(program, label)); }

TEST(Uses, OperandsInitsAndYields) {
  const Program program = bound_program(kText, {{"N", 1}});
  const Uses u = uses(program);
  const auto regions = ops_of<tile::RegionOp>(program);
  OpId loop;
  for (OpId id : regions)
    if (std::get<tile::RegionOp>(program.op(id).payload).kind == tile::RegionKind::Serial) loop = id;
  const auto& region = std::get<tile::RegionOp>(program.op(loop).payload);
  const OpId branch = ops_of<tile::IfOp>(program)[0];

  EXPECT_EQ(u.of(named(program, "start")), (std::vector<Use>{{UseKind::Init, loop, 0, {}}}));
  const OpId squared = op_named(program, "squared");
  EXPECT_EQ(u.of(named(program, "fresh")),
            (std::vector<Use>{{UseKind::Operand, squared, 0, {}}, {UseKind::Operand, squared, 1, {}}}));
  EXPECT_FALSE(u.single_use(named(program, "fresh")));
  EXPECT_TRUE(u.single_use(result_of(program, squared)));

  const ValueId argument = program.list(program.block(region.body).args)[0];
  EXPECT_EQ(u.definitions[argument], (Definition{DefinitionKind::RegionCarry, loop, 0}));
  const ValueId yield = program.list(program.block(region.body).yields)[0];
  EXPECT_EQ(u.single_use(yield), (Use{UseKind::Yield, loop, 0, region.body}));
  EXPECT_EQ(u.definitions[result_of(program, loop)], (Definition{DefinitionKind::RegionResult, loop, 0}));
  EXPECT_EQ(u.definitions[result_of(program, branch)], (Definition{DefinitionKind::IfResult, branch, 0}));

  // The loop's result is what enters the branch, what its then block reads, and what its else block yields.
  const auto& of_loop = u.of(result_of(program, loop));
  ASSERT_EQ(of_loop.size(), 3u);
  EXPECT_EQ(of_loop[0], (Use{UseKind::Init, branch, 0, {}}));
  EXPECT_EQ(of_loop[1].kind, UseKind::Operand);
  EXPECT_EQ(of_loop[2].kind, UseKind::Yield);
  EXPECT_EQ(of_loop[2].block, std::get<tile::IfOp>(program.op(branch).payload).else_block);
  const ValueId condition = std::get<tile::IfOp>(program.op(branch).payload).condition;
  EXPECT_EQ(u.single_use(condition), (Use{UseKind::Operand, branch, 0, {}}));
}

TEST(Uses, EveryOperandAndYieldIsListedOnce) {
  for (const std::string& name : library_names()) {
    const Program program = small_library_program(name);
    const Uses u = uses(program);
    std::size_t listed = 0, expected = 0;
    for (const auto& list : u.uses) listed += list.size();
    for (const tile::Op& op : program.ops()) tile::for_each_operand(program, op.payload, [&](ValueId) { ++expected; });
    for (const tile::Block& block : program.blocks()) expected += program.list(block.yields).size();
    EXPECT_EQ(listed, expected) << name;
    for (ValueId id : program.values().ids()) {
      const OpId def = program.value(id).def;
      if (def.valid()) {
        EXPECT_EQ(u.definitions[id].op, def) << name;
      } else {
        EXPECT_EQ(u.definitions[id].kind, DefinitionKind::RegionCarry) << name;
      }
    }
  }
}

TEST(Uses, Escapes) {
  const Program program = bound_program(kText, {{"N", 1}});
  const Uses u = uses(program);
  const OpId fresh = op_named(program, "fresh"), squared = op_named(program, "squared");
  const auto both = escapes(program, u, {fresh, squared});
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].value, result_of(program, squared));
  const OpId sum = both[0].use.op;
  const auto three = escapes(program, u, {fresh, squared, sum});
  ASSERT_EQ(three.size(), 1u) << "the yield is outside";
  EXPECT_EQ(three[0].use.kind, UseKind::Yield);
  const OpId loop = three[0].use.op;
  const auto all = escapes(program, u, {fresh, squared, sum, loop});
  for (const Escape& escape : all) EXPECT_EQ(escape.value, result_of(program, loop));
  EXPECT_EQ(all.size(), 3u);
  // The loop alone: its argument is seen by an operation that was not given.
  const auto alone = escapes(program, u, {loop});
  EXPECT_EQ(std::count_if(alone.begin(), alone.end(), [&](const Escape& e) { return e.use.op == sum; }), 1);
}

TEST(Uses, PureSlices) {
  const Program program = bound_program(kText, {{"N", 1}});
  const Uses u = uses(program);
  const PureSlice down = pure_uses_of(program, u, named(program, "fresh"));
  EXPECT_EQ(down.ops.size(), 2u) << "the square and the sum";
  EXPECT_EQ(down.values.size(), 3u);
  ASSERT_EQ(down.exits.size(), 1u);
  EXPECT_EQ(down.exits[0].kind, UseKind::Yield);

  const PureSlice last = pure_uses_of(program, u, named(program, "final"));
  EXPECT_TRUE(last.ops.empty());
  ASSERT_EQ(last.exits.size(), 1u);
  EXPECT_EQ(last.exits[0].op, stores_of(program, "Y")[0]);

  const PureSources up = pure_sources_of(program, u, down.values.back());
  EXPECT_EQ(up.ops.size(), 2u);
  EXPECT_EQ(up.ops.back(), program.value(down.values.back()).def);
  EXPECT_EQ(up.leaves.size(), 2u) << "the carry and the load";
  const PureSources leaf = pure_sources_of(program, u, named(program, "fresh"));
  EXPECT_EQ(leaf.leaves, (std::vector{named(program, "fresh")}));
  EXPECT_TRUE(leaf.ops.empty());
}

}  // namespace
}  // namespace tilewright::analysis
