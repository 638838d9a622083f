// What the verifier asks of workers that act together: each text breaks one rule.
#include "kernel/group_rules.h"

#include <functional>

#include <gtest/gtest.h>

#include "group_programs.h"
#include "kernel/uniformity.h"
#include "kernel/verifier.h"

namespace tilewright::kernel {
namespace {

void refused(const std::string& text, const std::string& mention) {
  const auto program = parse(text, "test");
  ASSERT_FALSE(program) << text;
  EXPECT_NE(render(program.error()).find(mention), std::string::npos) << render(program.error());
}

/// A kernel of two subgroups with these statements.
std::string body(const std::string& statements) {
  return R"(kernel program p {
  buffer x: f32[64] read
  buffer y: f32[64] readwrite
  kernel p tasks(%t: 4) group 64 of 32 {
    alloc s: f32[64] shared
    alloc z: f32[64] shared row 8 swizzle 1 0 0
    alloc own: f32[64] private
    ring r versions 2 producers 1 consumers 1
    %0: i64 = const 0
    %8: i64 = const 8
    %w: i64 = worker
    %l: i64 = lane
    %g: i64 = subgroup
    %f: f32 = const 1.0
    %varying: i1 = lt %w, %8
    %by_subgroup: i1 = lt %g, %8
    %same: i1 = lt %t, %8
)" + statements +
         "  }\n}\n";
}
void accepted(const std::string& statements) {
  const auto program = parse(body(statements), "test");
  EXPECT_TRUE(program) << render(program.error()) << statements;
}

TEST(GroupRules, OperationsOfAGroupStandWhereAllOfItComes) {
  const std::string fence = "fence 0 compiler group orders shared\n";
  accepted(fence);
  accepted("if %same {\n" + fence + "}\n");
  refused(body("if %varying {\n" + fence + "}\n"), "the group makes this together");
  refused(body("if %by_subgroup {\n" + fence + "}\n"), "the group makes this together");
  refused(body("loop %i = %0 to %w step 1 {\n" + fence + "}\n"), "the group makes this together");
  accepted("loop %i = %0 to %t step 1 {\n" + fence + "}\n");
}

TEST(GroupRules, OperationsOfASubgroupStandWhereAllOfItComes) {
  for (const std::string op :
       {"fence 0 compiler subgroup orders shared\n", "%q: f32 = subgroup_add %f\n", "%q: f32 = shuffle_xor %f, 1\n",
        "%q: f32.8x8 = fragment_fill %f\n", "%q: f32.8x8 = fragment_load s[%0] stride %8\n"}) {
    accepted(op);
    accepted("if %by_subgroup {\n" + op + "}\n");
    accepted("loop %i = %0 to %g step 1 {\n" + op + "}\n");
    refused(body("if %varying {\n" + op + "}\n"), "the subgroup makes this together");
    refused(body("loop %i = %l to %8 step 1 {\n" + op + "}\n"), "the subgroup makes this together");
  }
}

TEST(GroupRules, FragmentsLieAtOnePlace) {
  accepted("%q: f32.8x8 = fragment_load s[%g] stride %8\n");
  refused(body("%q: f32.8x8 = fragment_load s[%l] stride %8\n"), "the index %");
  refused(body("%q: f32.8x8 = fragment_load s[%0] stride %w\n"), "the stride %");
  accepted("%q: f32.8x8 = fragment_load s[%0] stride %8 rows %g columns %8\n");
  refused(body("%q: f32.8x8 = fragment_load s[%0] stride %8 rows %l columns %8\n"), "the number of rows %");
  refused(body("%q: f32.8x8 = fragment_load s[%0] stride %8\nfragment_store s[%0] stride %8 rows %8 columns %l = %q\n"),
          "the number of columns %");
  accepted("%v: f32 = load y[%0]\n%q: f32.8x8 = fragment_fill %v\n");
  refused(body("%v: f32 = load own[%0]\n%q: f32.8x8 = fragment_fill %v\n"), "the element %");
  accepted("%v: f32 = load x[%0]\n%q: f32.8x8 = fragment_fill %v\n");
  refused(body("%v: f32 = load x[%l]\n%q: f32.8x8 = fragment_fill %v\n"), "the element %");
  refused(body("%q: f32.8x8 = fragment_load z[%0] stride %8\n"), "is swizzled");
  refused(body("%q: f32.8x8 = fragment_load own[%0] stride %8\n"), "is private");
}

TEST(GroupRules, CarriesAreAsUniformAsTheirYields) {
  refused(body("%n: i64 = loop %i = %0 to %8 step 1 carry (%c: i64 = %0) {\n%m: i64 = add %c, %l\nyield %m\n}\n"
               "%q: f32.8x8 = fragment_load s[%n] stride %8\n"),
          "the index %");
  accepted(
      "%n: i64 = loop %i = %0 to %8 step 1 carry (%c: i64 = %0) {\n%m: i64 = add %c, %g\nyield %m\n}\n"
      "%q: f32.8x8 = fragment_load s[%n] stride %8\n");
  refused(body("%n: i64 = if %varying {\nyield %0\n} else {\nyield %8\n}\n"
               "%q: f32.8x8 = fragment_load s[%n] stride %8\n"),
          "the index %");
}

TEST(GroupRules, TokensAreWaitedForOnce) {
  const std::string copy = "%k: token = async_copy s[%w] = x[%w] count %0\n";
  accepted(copy + "wait %k\n");
  refused(body(copy), "is not waited for where its block ends");
  refused(body(copy + "wait %k\nwait %k\n"), "is waited for already");
  refused(body(copy + "if %same {\nwait %k\n}\n"), "on one way and not on the other");
  accepted(copy + "if %same {\nwait %k\n} else {\nwait %k\n}\n");
  refused(body(copy + "loop %i = %0 to %8 step 1 {\nwait %k\n}\n"), "stands outside");
  refused(body(copy + "%m: token = loop %i = %0 to %8 step 1 carry (%c: token = %k) {\nyield %c\n}\nwait %m\n"),
          "is a token and is carried");
}

TEST(GroupRules, FencesHaveTheirOwnNumbers) {
  refused(body("fence 3 compiler group\nfence 3 user group\n"), "there are two fences 3");
}

TEST(GroupRules, RingsAreUsedByTheWholeTeam) {
  accepted("ring_acquire r[%t]\n");
  refused(body("ring_acquire r[%g]\n"), "differs between workers");
  refused(body("if %by_subgroup {\nring_acquire r[%t]\n}\n"), "the group makes this together");
}

TEST(GroupRules, RolesShareTheSubgroups) {
  accepted("roles {\na 1 {\nfence 0 compiler group orders shared\n}\nb 1 {\n}\n}\n");
  refused(body("roles {\na 1 {\n}\n}\n"), "the roles have 1 subgroups of 2");
  refused(body("roles {\na 1 {\n}\na 1 {\n}\n}\n"), "two roles a");
  refused(body("if %same {\nroles {\na 1 {\n}\nb 1 {\n}\n}\n}\n"), "roles stand at the top");
  refused(body("roles {\na 1 {\nroles {\nc 2 {\n}\n}\n}\nb 1 {\n}\n}\n"), "roles stand at the top");
}

TEST(GroupRules, TaskLoopsBelongToPersistentKernels) {
  refused(body("tasks %a {\n}\n"), "only a persistent kernel has a task loop");
  refused("kernel program p {\n  kernel p persistent 2 tasks(3) group 32 of 32 {\n  }\n}\n",
          "a persistent kernel has one task loop, not 0");
  refused(
      "kernel program p {\n  kernel p persistent 2 tasks(3) group 32 of 32 {\n    tasks %a {\n    }\n    tasks %b {\n"
      "    }\n  }\n}\n",
      "a persistent kernel has one task loop, not 2");
  refused(body("%o: i64 = group\n"), "only groups of a persistent kernel have an ordinal");
}

TEST(GroupRules, AKernelOfOneWorkerHasNoGroup) {
  refused("kernel program p {\n  kernel p tasks(%t: 1) {\n    %w: i64 = worker\n  }\n}\n", "has no group");
  refused("kernel program p {\n  kernel p tasks(%t: 1) group 48 of 32 {\n  }\n}\n", "no whole subgroups");
}

TEST(GroupRules, Layouts) {
  const auto layout = [](const std::string& text) {
    return "kernel program p {\n  kernel p tasks(%t: 1) group 32 of 32 {\n    alloc a: f32[64] shared " + text +
           "\n  }\n}\n";
  };
  EXPECT_TRUE(parse(layout("row 16 pad 3"), "test"));
  EXPECT_TRUE(parse(layout("row 16 swizzle 2 2 0"), "test"));
  refused(layout("row 24"), "no whole rows of 24");
  refused(layout("row 8 swizzle 2 2 0"), "leaves");
}

TEST(GroupRules, FragmentsAreChosenByTheWholeSubgroup) {
  const std::string two = "%a: f32.8x8 = fragment_fill %f\n%b: f32.8x8 = add %a, %a\n";
  refused(body(two + "%x: f32.8x8 = if %varying {\nyield %a\n} else {\nyield %b\n}\n"), "the condition %");
  accepted(two + "%x: f32.8x8 = if %by_subgroup {\nyield %a\n} else {\nyield %b\n}\n");
  refused(body(two + "%x: f32.8x8 = select %varying, %a, %b\n"), "the condition %");
  refused(body(two + "%x: f32.8x8 = loop %i = %0 to %l step 1 carry (%c: f32.8x8 = %a) {\nyield %c\n}\n"),
          "the high bound %");
  refused(body(two + "if %varying {\n%x: f32.8x8 = mul %a, %b\n}\n"), "the subgroup makes this together");
  refused("kernel program p {\n  kernel p tasks(%t: 1) {\n    %r: i64.8x8 = fragment_row\n  }\n}\n", "has no group");
}

TEST(GroupRules, TheDepthOfAtoms) {
  const std::string load = "%a: f32.8x8 = fragment_load s[%0] stride %8\n";
  const auto atom = [&](const std::string& text) { return load + "%c: f32.8x8 = atom x m 8 n 8 " + text + "\n"; };
  accepted(atom("k %8 subgroup a %a b %a"));
  refused(body(atom("k %0 subgroup a %a b %a")), "the left fragment has 8 columns");
  refused(body(atom("k %t subgroup a %a b %a")), "is no constant");
  refused(body(atom("k dynamic %t subgroup a %a b %a")), "fragments have a static k");
  const std::string view = "view x[%0] stride %8 rows %8 columns %8";
  accepted(atom("k dynamic %t group a " + view + " b " + view));
  refused(body(atom("k dynamic %g group a " + view + " b " + view)), "k %");
  refused(body(atom("k %8 group a " + view + " b view x[%g] stride %8 rows %8 columns %8")), "the index %");
  refused(body(atom("k %8 group a %a b " + view)), "takes views of memory");
}

TEST(GroupRules, RelaxedAtomsHaveSomethingToRound) {
  const std::string load = "%a: f32.8x8 = fragment_load s[%0] stride %8\n%h: f16.8x8 = cast %a\n";
  const auto atom = [&](const std::string& text) { return load + "%c: f32.8x8 = atom x m 8 n 8 " + text + "\n"; };
  accepted(atom("k %8 subgroup relaxed a %a b %a"));
  accepted(atom("k %8 subgroup relaxed a %h b %a"));
  accepted(atom("k %8 subgroup relaxed a %a b %h"));
  accepted(atom("k %8 subgroup a %h b %h"));
  refused(body(atom("k %8 subgroup relaxed a %h b %h")), "no operand is f32");
  const std::string view = "view x[%0] stride %8 rows %8 columns %8";
  accepted(atom("k dynamic %t group relaxed a " + view + " b " + view));
}

TEST(GroupRules, ViewsOfMatrices) {
  const auto program = [](const std::string& matrix, const std::string& origin, const std::string& memory = "m") {
    const std::string text =
        body("%c: f32.8x8 = atom x m 8 n 8 k dynamic %8 subgroup a view " + memory +
             "[%0] stride %8 rows %8 columns %8" + origin + " b view x[%0] stride %8 rows %8 columns %8\n");
    return replaced(text, "  buffer x", "  buffer m: f32[64] read" + matrix + "\n  buffer x");
  };
  const std::string square = " matrix 8 of 8 stride 8", origin = " inner %0 outer %0 step 8";
  const auto found = parse(program(square, origin), "test");
  EXPECT_TRUE(found) << render(found.error());
  EXPECT_TRUE(parse(program(square, ""), "test"));
  refused(program("", origin), "the view begins in a row of buffer m, which is no matrix");
  refused(program(square, origin, "s"), "the view begins in a row of allocation s, which is no matrix");
  refused(program(square, " inner %l outer %0 step 8"), "the place in the row %");
  refused(program(square, " inner %0 outer %l step 8"), "the number of the row %");
  refused(program(square, " inner %f outer %0 step 8"), "the place in the row is f32");
  refused(program(square, " inner %0 outer %f step 8"), "the number of the row is f32");
  refused(program(square, " inner %0 outer %0 step 0"), "the most of k");
  refused(program(square, " inner %0 step 8"), "expected 'outer'");
  refused(program(" matrix 8 of 8 stride 7", ""), "buffer m has rows of 8 that are 7 apart");
  refused(program(" matrix 9 of 8 stride 8", ""),
          "buffer m has 64 elements, and a matrix of 9 rows of 8 with stride 8");
  refused(program(" matrix 1 of 65 stride 65", ""), "a matrix of 1 rows of 65");
  refused(program(" matrix 0 of 8 stride 8", ""), "expected 1 to");
}

TEST(GroupRules, PlacesOfViewsAreWhole) {
  const Program whole = parsed(replaced(
      body(
          "%c: f32.8x8 = atom x m 8 n 8 k dynamic %8 subgroup a view x[%0] stride %8 rows %8 columns %8 inner %0 outer "
          "%0 step 8 b view y[%0] stride %8 rows %8 columns %8\n"),
      "x: f32[64] read", "x: f32[64] read matrix 8 of 8 stride 8"));
  const auto broken = [&](const std::function<void(AtomView&)>& change, const std::string& mention) {
    Program program = whole;
    for (OpId id : program.ops.ids())
      if (auto* atom = std::get_if<AtomOp>(&program.ops[id].payload)) change(atom->a.view);
    const Result<void> result = verify(program);
    ASSERT_FALSE(result);
    EXPECT_NE(render(result.error()).find(mention), std::string::npos) << render(result.error());
  };
  broken([](AtomView& view) { view.index = ValueId(); }, "a view has an index");
  broken([](AtomView& view) { view.origin.inner = ValueId(); }, "names a row and the place in it, or neither");
  broken([](AtomView& view) { view.origin.step = 0; }, "the step of a view is 0");
}

/// What the group holds together is the same in all of its subgroups.
TEST(GroupRules, FragmentsOfTheGroup) {
  const std::string view = "view x[%0] stride %8 rows %8 columns %8";
  const auto product = [&](const std::string& accumulator) {
    return "%p: f32.8x8 = atom x m 8 n 8 k %8 group a " + view + " b " + view + " c " + accumulator + "\n";
  };
  const std::string filled = "%q: f32.8x8 = fragment_fill %f\n", mine = "%q: f32.8x8 = fragment_load s[%g] stride %8\n";
  accepted(filled + product("%q") + "fragment_store together y[%0] stride %8 = %p\n");
  accepted("%q: f32.8x8 = fragment_load together s[%0] stride %8\n" + product("%q"));
  refused(body(mine + product("%q")), "the accumulator %");
  refused(body(mine + "fragment_store together y[%0] stride %8 = %q\n"), "the stored fragment %");
  refused(body("%q: f32.8x8 = fragment_load together s[%g] stride %8\n"), "the index %");
  refused(body(filled + "fragment_store together y[%0] stride %8 rows %g columns %8 = %q\n"), "the number of rows %");
  refused(body(filled + "if %by_subgroup {\nfragment_store together y[%0] stride %8 = %q\n}\n"),
          "the group makes this together");
}

TEST(GroupRules, CopiesThatAreMadeTogether) {
  accepted("%k: token = async_copy s[%0] = x[%0] count %8 together group\nwait %k\n");
  refused(body("%k: token = async_copy s[%l] = x[%0] count %8 together group\nwait %k\n"), "the index %");
  refused(body("%k: token = async_copy own[%0] = x[%0] count %8 together subgroup\nwait %k\n"), "is private");
  refused(body("%k: token = async_copy s[%0] = x[%0] count %8 together group\n"
               "if %by_subgroup {\nwait %k\n} else {\nwait %k\n}\n"),
          "the group makes this together");
  refused(body("%k: token = async_copy s[%w] = x[%w] count %0\nroles {\na 1 {\nwait %k\n}\nb 1 {\n}\n}\n"),
          "inside a role");
}

TEST(Uniformity, OfEachSource) {
  const Program program =
      parsed(body("%r: f32 = load x[%g]\n%u: f32 = load y[%0]\n%e: f32 = subgroup_add %f\n"
                  "%v: i64 = shuffle_index %w, 3\n%d: i64 = add %g, %t\n"));
  const Kernel& kernel = program.kernels[0];
  const UniformityFacts facts = uniformity(program, kernel);
  const auto last = [&](std::size_t from_end) {
    const std::vector<OpId>& ops = program.blocks[kernel.body].ops;
    return facts.of(program.ops[ops[ops.size() - from_end]].results[0]);
  };
  EXPECT_EQ(last(5), Uniformity::Subgroup);
  EXPECT_EQ(last(4), Uniformity::Group);
  EXPECT_EQ(last(3), Uniformity::Group);
  EXPECT_EQ(last(2), Uniformity::Subgroup);
  EXPECT_EQ(last(1), Uniformity::Subgroup);
}

}  // namespace
}  // namespace tilewright::kernel
