// Places of operations and dominance on hand-made nests.
#include "analysis/walk.h"

#include <gtest/gtest.h>

#include "analysis/programs.h"

namespace tilewright::analysis {
namespace {

using tile::OpId;
using tile::Program;

/// Stores Y[n] = n mark each statement: mark(n) is the store to Y[n].
class Marks {
 public:
  explicit Marks(const Program& program) : program_(program), walk_(walk(program)) {}

  OpId at(std::int64_t n) const {
    for (OpId id : stores_of(program_, "Y"))
      if (program_.index().as_constant(program_.list(std::get<tile::StoreOp>(program_.op(id).payload).coords)[0]) == n)
        return id;
    ADD_FAILURE() << "no mark " << n;
    return {};
  }
  bool dominates(std::int64_t a, std::int64_t b) const { return surely_dominates(walk_, at(a), at(b)); }
  const Walk& walked() const { return walk_; }

 private:
  const Program& program_;
  Walk walk_;
};

const char* const kNest = R"(program p(N; T: {0, 2} = 2) {
  out Y: f32[64]
  in flag: f32
  parallel i in 3 {
    Y[0] = 0.0
    serial s in T {
      Y[1] = 0.0
      pipeline t in 4, u in 2 {
        Y[2] = 0.0
        Y[3] = 0.0
      }
      Y[4] = 0.0
    }
    Y[5] = 0.0
    if flag > 0.0 {
      Y[6] = 0.0
      serial v in 2 {
        Y[7] = 0.0
      }
      Y[8] = 0.0
    } else {
      Y[9] = 0.0
    }
    Y[10] = 0.0
  }
  parallel i in 1 {
    Y[11] = 0.0
  }
})";

TEST(Walk, PlacesEveryOperation) {
  const Program program = bound_program(kNest, {{"N", 1}});
  const Marks marks(program);
  const Walk& w = marks.walked();
  EXPECT_EQ(w.order.size(), program.ops().size());
  for (std::size_t k = 0; k < w.order.size(); ++k) EXPECT_EQ(w.places[w.order[k]].order, k);
  EXPECT_EQ(w.launches.size(), 2u);
  EXPECT_EQ(w.places[marks.at(10)].launch, 0u);
  EXPECT_EQ(w.places[marks.at(11)].launch, 1u);
  EXPECT_EQ(w.places[w.launches[1]].launch, 1u);

  const Nest& inner = w.nest(marks.at(3));
  ASSERT_EQ(inner.regions.size(), 3u);
  EXPECT_EQ(inner.regions[0].kind, tile::RegionKind::Parallel);
  EXPECT_EQ(inner.regions[1].kind, tile::RegionKind::Serial);
  EXPECT_EQ(inner.regions[2].kind, tile::RegionKind::Pipeline);
  EXPECT_EQ(inner.regions[2].coords,
            (std::vector<tile::CoordId>{coord_named(program, "t"), coord_named(program, "u")}));
  EXPECT_EQ(inner.role, BlockRole::RegionBody);
  EXPECT_EQ(inner.owner, inner.regions[2].region);
  EXPECT_EQ(inner.depth, 3u);
  EXPECT_EQ(w.loop_depth(marks.at(3)), 2u);
  EXPECT_LT(w.places[marks.at(2)].position, w.places[marks.at(3)].position);
  EXPECT_TRUE(inner.branches.empty());

  const Nest& branch = w.nest(marks.at(7));
  ASSERT_EQ(branch.branches.size(), 1u);
  EXPECT_TRUE(branch.branches[0].in_then);
  EXPECT_EQ(branch.branches[0].region_depth, 1u);
  EXPECT_EQ(branch.regions.size(), 2u);
  EXPECT_FALSE(w.nest(marks.at(9)).branches[0].in_then);
  EXPECT_EQ(w.nest(marks.at(9)).role, BlockRole::Else);

  EXPECT_TRUE(w.encloses(w.launches[0], marks.at(7)));
  EXPECT_FALSE(w.encloses(w.launches[1], marks.at(7)));
  EXPECT_FALSE(w.encloses(w.launches[0], w.launches[0]));
  EXPECT_EQ(w.ancestor_in(marks.at(7), program.root()), w.launches[0]);
  EXPECT_EQ(w.ancestor_in(marks.at(0), w.places[marks.at(7)].block), OpId{});
}

TEST(Walk, DominanceInLoopsThatRun) {
  const Program program = bound_program(kNest, {{"N", 1}, {"T", 2}});
  const Marks marks(program);
  EXPECT_TRUE(marks.dominates(0, 1));
  EXPECT_TRUE(marks.dominates(0, 10));
  EXPECT_TRUE(marks.dominates(1, 2));
  EXPECT_TRUE(marks.dominates(2, 3));
  EXPECT_TRUE(marks.dominates(2, 4));
  EXPECT_TRUE(marks.dominates(3, 5));
  EXPECT_TRUE(marks.dominates(2, 7));
  EXPECT_TRUE(marks.dominates(3, 11)) << "launches run in order";
  // Not backwards, not along a backedge, not itself.
  EXPECT_FALSE(marks.dominates(1, 0));
  EXPECT_FALSE(marks.dominates(3, 2));
  EXPECT_FALSE(marks.dominates(4, 1));
  EXPECT_FALSE(marks.dominates(2, 2));
  EXPECT_FALSE(marks.dominates(11, 0));
}

TEST(Walk, ALoopThatMayHaveNoTripsDominatesNothingOutside) {
  const Program none = bound_program(kNest, {{"N", 1}, {"T", 0}});
  const Program open = family_of(kNest);
  for (const Program* program : {&none, &open}) {
    const Marks marks(*program);
    EXPECT_TRUE(marks.dominates(1, 2));
    EXPECT_TRUE(marks.dominates(2, 4)) << "the inner loop has four trips";
    for (std::int64_t inside : {1, 2, 3, 4})
      for (std::int64_t outside : {5, 6, 10, 11}) EXPECT_FALSE(marks.dominates(inside, outside)) << inside;
  }
  const Walk sized = walk(open, {.symbols = {}, .params = {{tile::ParamId{0}, {1, 8}}}});
  EXPECT_TRUE(surely_dominates(sized, Marks(open).at(1), Marks(open).at(5))) << "the caller promises a trip";
}

TEST(Walk, BranchesDominateNothingOutside) {
  const Program program = bound_program(kNest, {{"N", 1}});
  const Marks marks(program);
  EXPECT_TRUE(marks.dominates(5, 6));
  EXPECT_TRUE(marks.dominates(5, 9));
  EXPECT_TRUE(marks.dominates(6, 8));
  EXPECT_TRUE(marks.dominates(7, 8));
  for (std::int64_t inside : {6, 7, 8, 9})
    for (std::int64_t outside : {10, 11}) EXPECT_FALSE(marks.dominates(inside, outside));
  EXPECT_FALSE(marks.dominates(6, 9));
  EXPECT_FALSE(marks.dominates(9, 6));
}

TEST(Walk, RegionsAndTheirContentsDoNotDominateEachOther) {
  const Program program = bound_program(kNest, {{"N", 1}});
  const Marks marks(program);
  const Walk& w = marks.walked();
  const OpId loop = w.nest(marks.at(2)).owner;
  EXPECT_FALSE(surely_dominates(w, loop, marks.at(2)));
  EXPECT_FALSE(surely_dominates(w, marks.at(2), loop));
  EXPECT_TRUE(surely_dominates(w, loop, marks.at(4)));
  EXPECT_TRUE(surely_dominates(w, marks.at(1), loop));
}

TEST(Walk, ATripCountThatDependsOnOuterCoordinates) {
  const Program program = bound_program(R"(program p(N) {
    out Y: f32[64]
    parallel i in 3 {
      serial s in i + 1 { Y[1] = 0.0 }
      serial t in i { Y[2] = 0.0 }
      Y[3] = 0.0
    }
  })",
                                        {{"N", 1}});
  const Marks marks(program);
  EXPECT_TRUE(marks.dominates(1, 3));
  EXPECT_FALSE(marks.dominates(2, 3));
}

}  // namespace
}  // namespace tilewright::analysis
