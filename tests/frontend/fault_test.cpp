// Each misuse of the DSL is a fault with its place, and never a crash.
#include <optional>
#include <stdexcept>

#include "frontend/draft_tests.h"

namespace tilewright {
namespace {

using namespace dsl;

class Misuse : public testing::Test {
 public:
  /// One fault at the line that the writer gives.
  template <class Write>
  void expect_one(DiagCode code, Write write) {
    for (auto [i] : s.p.parallel({"i", s.M})) line = write(i);
    expect_fault(frontend::capture(s.p), code, line);
  }

  Sheet s;
  unsigned line = 0;
};

// ---- Bodies of regions ---------------------------------------------------------------------------------------------

TEST_F(Misuse, BreakOutOfABody) {
  expect_one(DiagCode::RegionBody, [&](Index) {
    for (auto [t] : s.p.serial({"t", 3})) break;
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, ReturnOutOfABody) {
  const auto sum_up = [&](Index i) {
    for (auto [a] : s.p.serial({"a", 3}))
      for (auto [b] : s.p.serial({"b", 3})) return s.A(i, a + b).load();
    return s.A(i, 0).load();
  };
  for (auto [i] : s.p.parallel({"i", s.M})) sum_up(i);
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().size(), 2u) << render(program.error());
  for (const Diag& diag : program.error()) EXPECT_EQ(diag.code, DiagCode::RegionBody);
}

TEST_F(Misuse, AnExceptionOutOfABodyAndABranch) {
  try {
    for (auto [i] : s.p.parallel({"i", s.M})) s.p.when(i < 3, [] { throw std::runtime_error("of the author"); });
  } catch (const std::runtime_error&) {
  }
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().size(), 2u) << render(program.error());
  for (const Diag& diag : program.error()) EXPECT_EQ(diag.code, DiagCode::RegionBody);
}

TEST_F(Misuse, ARegionWithoutABody) {
  const auto drop = [](Serial<1>) {};
  expect_one(DiagCode::RegionBody, [&](Index) {
    drop(s.p.serial({"t", 3}));
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, ABodyEnteredTwice) {
  expect_one(DiagCode::RegionBody, [&](Index i) {
    auto region = s.p.serial({"t", 3});
    int bodies = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (auto [t] : region) {
        s.C(i, t).store(0.5);
        ++bodies;
      }
    EXPECT_EQ(bodies, 1);
    return __LINE__ - 8;
  });
}

TEST_F(Misuse, ABodyInsideItself) {
  expect_one(DiagCode::RegionBody, [&](Index) {
    auto region = s.p.serial({"t", 3});
    for (auto [a] : region)
      for (auto [b] : region) ADD_FAILURE();
    return __LINE__ - 3;
  });
}

TEST_F(Misuse, AnOuterRegionEndsFirst) {
  std::optional<Serial<1>> inner;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    inner.emplace(s.p.serial({"t", 3}));
    auto entered = inner->begin();
    s.C(i, (*entered)[0]).store(0.5);
  }
  s.p.require(s.N >= 1);
  inner.reset();
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  for (const Diag& diag : program.error()) EXPECT_EQ(diag.code, DiagCode::RegionBody) << render(diag);
}

TEST_F(Misuse, FinishInsideARegion) {
  for (auto [i] : s.p.parallel({"i", s.M})) expect_fault(frontend::capture(s.p), DiagCode::RegionBody);
}

TEST_F(Misuse, FinishTwice) {
  ASSERT_TRUE(frontend::capture(s.p));
  expect_fault(frontend::capture(s.p), DiagCode::DraftFinished);
}

TEST_F(Misuse, ContinueOnlyEndsTheBody) {
  s.expect_body(
      [&](Index i) {
        for (auto [t] : s.p.serial({"t", 3})) {
          s.C(i, t).store(0.5);
          continue;
        }
      },
      "serial t in 3 {\n C[i, t] = 0.5\n }");
}

// ---- What outlives its block ---------------------------------------------------------------------------------------

TEST_F(Misuse, AnEscapedTile) {
  expect_one(DiagCode::UnknownName, [&](Index i) {
    std::optional<Tile> escaped;
    for (auto [t] : s.p.serial({"t", 3})) escaped.emplace(s.A(i, t));
    s.C(i, 0).store(*escaped + 1.0);
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AnEscapedTileIsAssignedAndFolded) {
  std::optional<Tile> escaped;
  for (auto [i] : s.p.parallel({"i", s.M})) escaped.emplace(s.A(i, 0).named("x"));
  *escaped = 0.5;
  escaped->fold_max(1);
  Tile copy = *escaped;
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), 3u) << render(program.error());
  for (const Diag& diag : program.error()) {
    EXPECT_EQ(diag.code, DiagCode::UnknownName);
    EXPECT_NE(diag.message.find("'x'"), std::string::npos);
  }
}

TEST_F(Misuse, AnEscapedFormula) {
  expect_one(DiagCode::UnknownName, [&](Index i) {
    std::optional<Expr> escaped;
    for (auto [t] : s.p.serial({"t", 3})) escaped.emplace(s.A(i, t) * 2.0);
    const unsigned made = __LINE__ - 1;
    s.C(i, 0).store(*escaped);
    return made;
  });
}

TEST_F(Misuse, AFormulaOfTheOtherBranch) {
  expect_one(DiagCode::UnknownName, [&](Index i) {
    std::optional<Expr> escaped;
    const unsigned made = __LINE__ + 1;
    s.p.when(i < 3, [&] { escaped.emplace(s.A(i, 0) * 2.0); }, [&] { s.C(i, 0).store(*escaped); });
    return made;
  });
}

TEST_F(Misuse, AnEscapedCoordinate) {
  expect_one(DiagCode::UnknownName, [&](Index i) {
    Index last = i;
    for (auto [t] : s.p.serial({"t", 3})) last = t + 1;
    s.C(i, last).store(0.5);
    return __LINE__ - 1;
  });
}

// ---- Other drafts, moved handles -----------------------------------------------------------------------------------

TEST_F(Misuse, HandlesOfAnotherDraft) {
  Sheet other;
  unsigned first = 0;
  for (auto [j] : other.p.parallel({"j", other.M})) {
    Tile theirs = other.A(j, other.n);
    Element T = other.p.type("T", {f16, f32}, f32);
    for (auto [i] : s.p.parallel({"i", s.M})) {
      Tile x = s.A(i, s.n);
      first = __LINE__ + 1;
      s.C(i, s.n).store(x + theirs);
      s.C(i, other.n).store(x);
      s.C(j, s.n).store(x);
      s.C(i, s.n).store(T(x));
      s.C(i, s.n).store(fill({other.n}, 0.5));
      s.p.opaque("f", {other.A});
      x = other.A(j, other.n);
      s.C(i, s.n).store(sum(x, other.n));
    }
  }
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), 8u) << render(program.error());
  for (unsigned k = 0; k < 8; ++k) {
    EXPECT_EQ(program.error()[k].code, DiagCode::ForeignHandle);
    EXPECT_EQ(program.error()[k].place.line, first + k) << render(program.error()[k]);
  }
  EXPECT_TRUE(frontend::capture(other.p));
}

TEST_F(Misuse, AStoreToAnotherDraftIsAFaultThere) {
  Sheet other;
  for (auto [i] : s.p.parallel({"i", s.M})) other.C(0, 0).store(s.A(i, 0));
  expect_fault(frontend::capture(other.p), DiagCode::ForeignHandle, __LINE__ - 1);
  EXPECT_TRUE(frontend::capture(s.p));
}

// NOLINTBEGIN(bugprone-use-after-move,performance-move-const-arg): what happens then is the question
TEST_F(Misuse, AMovedTileIsRead) {
  expect_one(DiagCode::ForeignHandle, [&](Index i) {
    Tile x = s.A(i, s.n);
    Tile y = std::move(x);
    s.C(i, s.n).store(x + y);
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AMovedTileIsAssigned) {
  expect_one(DiagCode::ForeignHandle, [&](Index i) {
    Tile x = s.A(i, s.n);
    Tile y = std::move(x);
    x = y * 2.0;
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, OtherHandlesAreNeverEmpty) {
  s.expect_body(
      [&](Index i) {
        Buffer a = std::move(s.A);
        Axis axis = std::move(s.n);
        Index row = std::move(i);
        Expr x = a(row, axis) * 2.0;
        Expr y = std::move(x);
        s.C(i, s.n).store(x + s.A(i, s.n) - y);
      },
      R"(t = A[i, n] * 2.0
         C[i, n] = t + A[i, n] - t)");
}

// NOLINTEND(bugprone-use-after-move,performance-move-const-arg)

TEST_F(Misuse, ATileOfANumberAlone) {
  expect_one(DiagCode::ForeignHandle, [&](Index i) {
    Tile half = f32(0.5);
    s.C(i, s.n).store(half);
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AfterFinishNothingHappens) {
  std::optional<Tile> tile;
  std::optional<Expr> formula;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    tile.emplace(s.A(i, s.n));
    formula.emplace(*tile * 2.0);
    s.C(i, s.n).store(*formula);
  }
  ASSERT_TRUE(frontend::capture(s.p));
  Tile copy = *tile;
  Tile more = *formula + copy;
  *tile = *formula;
  *tile += 1.0;
  more.fold_add(*tile);
  s.C(0, s.n).store(more);
  for (auto [i] : s.p.parallel({"i", s.M})) ADD_FAILURE();
  s.p.when(s.M > 0, [] { ADD_FAILURE(); });
  Index late = s.p.symbol("Late") + s.p.param("P", {1}, 1);
  Buffer buffer = s.p.in("Late", s.p.type("U", {f32}, f32), {late, s.p.axis("l", late)});
  buffer(late, 0).store(s.p.number(buffer(0, 0) + 1.0));
  s.p.memory("late", f32, {late});
  s.p.require(late > 0);
  s.p.barrier();
  s.p.stage();
  s.p.opaque("late", {buffer, more});
  {
    auto unused = s.p.serial({"t", 3});
  }
}

TEST(Lifetime, HandlesOutliveTheirDraft) {
  std::optional<Sheet> sheet;
  std::vector<Tile> tiles;
  std::vector<Buffer> buffers;
  std::optional<Serial<1>> region;
  {
    sheet.emplace();
    for (auto [i] : sheet->p.parallel({"i", sheet->M})) {
      tiles.push_back(sheet->A(i, sheet->n));
      region.emplace(sheet->p.serial({"t", 3}));
      auto entered = region->begin();
      tiles.push_back(sheet->A((*entered)[0], sheet->n));
    }
    buffers.push_back(sheet->C);
    sheet.reset();
  }
  tiles[0] = tiles[0] + tiles[1];
  buffers[0](0, 0).store(tiles[0]);
  region.reset();
}

// ---- Meaning -------------------------------------------------------------------------------------------------------

TEST_F(Misuse, OneFaultGivesOneDiagnostic) {
  expect_one(DiagCode::TypeMismatch, [&](Index i) {
    Tile bad = s.A(i, s.n) + s.H(i, s.n);
    Tile worse = exp(bad) * bad;
    worse += bad;
    s.C(i, s.n).store(worse);
    return __LINE__ - 4;
  });
}

TEST_F(Misuse, TypesOfStoresAndConditions) {
  std::vector<unsigned> lines;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    lines = {__LINE__ + 1, __LINE__ + 2, __LINE__ + 3, __LINE__ + 4, __LINE__ + 5, __LINE__ + 6};
    s.C(i, s.n).store(s.H(i, s.n));
    s.p.when(i + 1, [] {});
    s.C(i, s.n).store(exp(i));
    s.p.when(s.A(i, s.n) < 0.0, [] {});
    Tile both = s.A(i, s.n) < 0.0 && s.M;
    s.C(i, 0).store(s.A + 1.0);
  }
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), lines.size()) << render(program.error());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(program.error()[k].code, k == 5 ? DiagCode::NotAValue : DiagCode::TypeMismatch);
    EXPECT_EQ(program.error()[k].place.line, lines[k]) << render(program.error()[k]);
  }
}

TEST_F(Misuse, NumbersThatDoNotFit) {
  std::vector<unsigned> lines;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    lines = {__LINE__ + 1, __LINE__ + 2, __LINE__ + 3};
    Tile a = s.H(i, s.n) * 1e6;
    Tile b = s.I(i) + 3000000000;
    s.C(i, 0xffffffffffffffffu).store(0);
  }
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), lines.size()) << render(program.error());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(program.error()[k].code, DiagCode::LiteralOutOfRange);
    EXPECT_EQ(program.error()[k].place.line, lines[k]) << render(program.error()[k]);
  }
}

TEST_F(Misuse, ANumberBesideAnInteger) {
  expect_one(DiagCode::TypeMismatch, [&](Index i) {
    Tile x = s.I(i) + 0.5;
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AxesAndRanks) {
  std::vector<unsigned> lines;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    lines = {__LINE__ + 1, __LINE__ + 2, __LINE__ + 3, __LINE__ + 4, __LINE__ + 5};
    Tile a = fill({s.m, s.m}, 0.5);
    Tile b = relabel(s.A(i, s.n), {{s.m, s.k}});
    Tile c = s.A(i);
    Tile d = fill({s.n}, 0.5)(1, 2);
    Tile e = sum(s.A(i, s.n), s.m);
  }
  const DiagCode codes[] = {DiagCode::AxisMismatch, DiagCode::AxisMismatch, DiagCode::RankMismatch,
                            DiagCode::RankMismatch, DiagCode::AxisMismatch};
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), lines.size()) << render(program.error());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(program.error()[k].code, codes[k]) << render(program.error()[k]);
    EXPECT_EQ(program.error()[k].place.line, lines[k]) << render(program.error()[k]);
  }
}

TEST_F(Misuse, ACarryKeepsItsType) {
  expect_one(DiagCode::CarryType, [&](Index i) {
    Tile x = s.A(i, s.n);
    for (auto [t] : s.p.serial({"t", 3})) x = x + s.A(i + s.m, t);
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AParallelRegionAssignsItsSurroundings) {
  expect_one(DiagCode::ParallelCarry, [&](Index i) {
    Tile x = s.A(i, s.n);
    for (auto [g] : s.p.parallel({"g", 3})) x = s.A(g, s.n);
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AReduceRegionReadsOrAssignsItsAccumulator) {
  std::vector<unsigned> lines;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    Tile a = s.p.number(0.0), b = s.p.number(0.0), c = s.p.number(0.0);
    for (auto [t] : s.p.reduce({"t", 3})) {
      lines = {__LINE__ + 1, __LINE__ + 3, __LINE__ + 5};
      a = s.A(i, t);
      b += s.A(i, t);
      b += s.A(i, t);
      c += s.A(i, t);
      s.C(i, t).store(c);
    }
    lines.push_back(__LINE__ + 1);
    a.fold_max(1.0);
  }
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), lines.size()) << render(program.error());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(program.error()[k].code, DiagCode::ReduceAccess) << render(program.error()[k]);
    EXPECT_EQ(program.error()[k].place.line, lines[k]) << render(program.error()[k]);
  }
}

TEST_F(Misuse, SizesThatDependOnMore) {
  std::vector<unsigned> lines;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    lines = {__LINE__ + 1, __LINE__ + 2, __LINE__ + 3, __LINE__ + 4, __LINE__ + 5};
    Axis a = s.p.axis("a", i);
    for (auto [t] : s.p.serial({"t", s.m})) s.C(i, t).store(0);
    Buffer b = s.p.in("X", f32, {i});
    s.p.require(s.m > 0);
    Buffer d = s.p.memory("d", f32, {s.M - i});
  }
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), lines.size()) << render(program.error());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(program.error()[k].code, DiagCode::NotAValue) << render(program.error()[k]);
    EXPECT_EQ(program.error()[k].place.line, lines[k]) << render(program.error()[k]);
  }
}

TEST(Declaration, Faults) {
  Draft p("family");
  Index N = p.symbol("N");
  const unsigned first = __LINE__ + 1;
  p.symbol("N");
  p.symbols("parallel");
  p.in("two words", f32, {N});
  p.param("B", {}, 4);
  p.type("T", {}, f32);
  p.scalar("count", i32, 0.5);
  p.scalar("flag", bool_type, 2.0);
  p.in("W", DataType::F8E4M3, {N});
  p.require(N > 0 && N > 1);
  p.require(N > 0.5);
  p.in("S", f32, {N, N}, {.strides = {1}});
  const DiagCode codes[] = {DiagCode::Redefinition,  DiagCode::SyntaxError,   DiagCode::SyntaxError,
                            DiagCode::CallArguments, DiagCode::CallArguments, DiagCode::TypeMismatch,
                            DiagCode::TypeMismatch,  DiagCode::ReservedType,  DiagCode::NotAValue,
                            DiagCode::NotAValue,     DiagCode::RankMismatch};
  auto program = frontend::capture(p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), std::size(codes)) << render(program.error());
  for (std::size_t k = 0; k < std::size(codes); ++k) {
    EXPECT_EQ(program.error()[k].code, codes[k]) << render(program.error()[k]);
    EXPECT_EQ(program.error()[k].place.line, first + k) << render(program.error()[k]);
  }
}

TEST_F(Misuse, LayoutsWindowsAndBarriers) {
  std::vector<unsigned> lines;
  for (auto [i] : s.p.parallel({"i", s.M})) {
    lines = {__LINE__ + 1, __LINE__ + 2, __LINE__ + 3, __LINE__ + 4, __LINE__ + 5};
    s.p.memory("a", f32, {4, 8}, Space::Shared, {{s.m}, s.m});
    s.p.memory("b", f32, {4}, Space::Shared, {{}, s.M});
    for (auto [t] : s.p.pipeline({"t", 3}).window(-1)) s.C(i, t).store(0);
    for (auto [t] : s.p.pipeline({"t", 3}).interval(70000)) s.C(i, t).store(0);
    s.p.barrier(Scope::Device);
  }
  const DiagCode codes[] = {DiagCode::RankMismatch, DiagCode::RankMismatch, DiagCode::PipelinePolicy,
                            DiagCode::PipelinePolicy, DiagCode::ScopeNesting};
  auto program = frontend::capture(s.p);
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), lines.size()) << render(program.error());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(program.error()[k].code, codes[k]) << render(program.error()[k]);
    EXPECT_EQ(program.error()[k].place.line, lines[k]) << render(program.error()[k]);
  }
}

TEST_F(Misuse, AnIndexExpressionWithoutBound) {
  expect_one(DiagCode::NestingTooDeep, [&](Index i) {
    Index huge = i;
    for (int t = 0; t < 100; ++t) huge = huge + huge;
    s.C(i, huge).store(0.5);
    return __LINE__ - 1;
  });
}

TEST_F(Misuse, AFormulaOfNumbersWithoutBound) {
  expect_one(DiagCode::NestingTooDeep, [&](Index i) {
    Expr huge = f32(0.5);
    for (int t = 0; t < 10000; ++t) huge = exp(huge);
    const unsigned formed = __LINE__ - 1;
    s.C(i, 0).store(huge);
    return formed;
  });
}

TEST_F(Misuse, TheVerifierKnowsThePlacesToo) {
  const unsigned outside = __LINE__ + 1;
  s.C(0, 0).store(s.A(0, 0));
  auto program = verified(s.p);
  ASSERT_FALSE(program);
  for (const Diag& diag : program.error()) {
    EXPECT_EQ(diag.code, DiagCode::TopLevelForm);
    EXPECT_EQ(diag.place.line, outside) << render(diag);
    EXPECT_NE(diag.place.file.find("fault_test.cpp"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright
