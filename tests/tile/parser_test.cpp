// The text front door: each form of the grammar, each rule of meaning. Errors are in parser_error_test.cpp.
#include "tile/parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parser_text.h"
#include "tile/lexer.h"
#include "tile/verifier.h"

namespace tilewright::tile {
namespace {

Program parse(const std::string& text) {
  Result<Program> program = parse_program(text, "test.tile");
  if (!program) {
    ADD_FAILURE() << render(program.error());
    return *parse_program("program failed() { }", "");
  }
  return *program;
}

Program parse_body(const std::string& body, const std::string& functions = {}) {
  return parse(text_around(body, functions));
}

void expect_body(const std::string& body, const std::string& expected, const std::string& functions = {}) {
  EXPECT_EQ(body_operations(parse_body(body, functions)), expected) << body;
}

template <class Payload>
Payload only(const Program& program) {
  Payload found{};
  int count = 0;
  for (const Op& op : program.ops()) {
    if (const auto* payload = std::get_if<Payload>(&op.payload)) {
      found = *payload;
      ++count;
    }
  }
  EXPECT_EQ(count, 1) << operations(program);
  return found;
}

const char* const kGemm =
    "// Product of two matrices.\n"
    "//   Second line.\n"
    "program gemm(M, N, K; BM: {32, 64, 128} = 64, BN: {32, 64} = 64, BK: {16, 32} = 32) {\n"
    "  in  A: f32[M, K]\n"
    "  in  B: f32[K, N]\n"
    "  out C: f32[M, N]\n"
    "  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {\n"
    "    acc[m: BM, n: BN] = 0.0\n"
    "    pipeline s in ceildiv(K, BK) {\n"
    "      a[m, k: BK] = A[i*BM + m, s*BK + k]\n"
    "      b[k, n]     = B[s*BK + k, j*BN + n]\n"
    "      acc = mma(a, b, acc)\n"
    "    }\n"
    "    C[i*BM + m, j*BN + n] = acc\n"
    "  }\n"
    "}\n";

// ---- The sample ----------------------------------------------------------------------------------------------------

TEST(ParserSample, Gemm) {
  const Program program = parse(kGemm);
  EXPECT_EQ(
      operations(program),
      "parallel(i, j){constant f32[m, n]; pipeline(s: acc){load f32[m, k]; load f32[k, n]; mma f32[m, n]}; store}");
  EXPECT_EQ(program.name(), "gemm");
  EXPECT_EQ(program.comment(), (std::vector<std::string>{"Product of two matrices.", "  Second line."}));
  EXPECT_EQ(program.symbols().size(), 3u);
  ASSERT_EQ(program.params().size(), 3u);
  EXPECT_EQ(program.params()[ParamId{0}].choices, (std::vector<std::int64_t>{32, 64, 128}));
  EXPECT_EQ(program.params()[ParamId{0}].default_value, 64);
  EXPECT_EQ(program.objects().size(), 3u);
  EXPECT_EQ(program.objects()[ObjectId{2}].kind, ObjectKind::Out);
  EXPECT_TRUE(verify(program));
}

TEST(ParserSample, LineEndsTabsAndByteOrderMarkDoNotMatter) {
  const Program program = parse(kGemm);
  std::string dos = "\xef\xbb\xbf", mac, tabs;
  for (const char* c = kGemm; *c; ++c) {
    dos += *c == '\n' ? std::string("\r\n") : std::string(1, *c);
    mac += *c == '\n' ? '\r' : *c;
    tabs += *c == ' ' ? '\t' : *c;
  }
  EXPECT_TRUE(parse(dos) == program);
  EXPECT_TRUE(parse(mac) == program);
  EXPECT_TRUE(parse(tabs) == program);
  EXPECT_EQ(parse(dos).comment(), program.comment());
}

TEST(ParserSample, PlacesOfOperations) {
  const Program program = parse(kGemm);
  for (const Op& op : program.ops()) {
    if (!std::holds_alternative<MmaOp>(op.payload)) continue;
    const SourcePlace place = program.place(op.location);
    EXPECT_EQ(place.line, 12u);
    EXPECT_EQ(place.column, 13u);
    EXPECT_EQ(place.length, 14u);
    EXPECT_EQ(place.source_line, "      acc = mma(a, b, acc)");
  }
}

TEST(ParserSample, ValuesAreNamed) {
  const Program program = parse(kGemm);
  std::vector<std::string> names;
  for (const Value& value : program.values()) names.push_back(value.name);
  for (const char* name : {"acc", "a", "b"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

// ---- Lexing --------------------------------------------------------------------------------------------------------

TEST(ParserText, StatementsEndAtLineEndsAndSemicolons) {
  expect_body("x[] = 1.0; y[] = 2.0;; z[] =\n  x +\n  y\nw[] = (x\n + y)\nv[] = max(x,\n y)",
              "constant f32[]; constant f32[]; binary f32[]; binary f32[]; binary f32[]");
}

TEST(ParserText, CommentsAndUtf8) {
  expect_body("// f\xc3\xbcr\nx[] = 1.0 // \xe2\x86\x92\nstage_of = 3\nopaque \"\xce\xb1 \\\"x\\\\\\n\\t\"(x)",
              "constant f32[]; opaque");
  const Program program = parse_body("x[] = 1.0\nopaque \"\xce\xb1 \\\"x\\\\\\n\\t\"(x)");
  EXPECT_EQ(program.opaque_symbols(), (std::vector<std::string>{"\xce\xb1 \"x\\\n\t"}));
  EXPECT_EQ(quoted("\xce\xb1 \"x\\\n\t"), "\"\xce\xb1 \\\"x\\\\\\n\\t\"");
}

TEST(ParserText, CommentOfTheProgramIsTheBlockDirectlyBefore) {
  EXPECT_EQ(parse("// far\n\n// near\n//second  \nprogram p() { }").comment(),
            (std::vector<std::string>{"near", "second"}));
  EXPECT_TRUE(parse("// far\n\nprogram p() { }").comment().empty());
  EXPECT_TRUE(parse("fn f(x) { return x } // trailing\nprogram p() { }").comment().empty());
  EXPECT_TRUE(parse("program p() { // inside\n }").comment().empty());
}

TEST(ParserText, NumbersAreExact) {
  for (double value : {0.1, 1e-5, 3.4028234e38, 1.5, 0.0, 16777217.0}) {
    const Program program = parse_body("x[] = f32(" + std::to_string(value) + ")");
    EXPECT_EQ(only<ConstantOp>(program).literal, Literal::of(std::stod(std::to_string(value))));
  }
  EXPECT_EQ(only<ConstantOp>(parse_body("x[] = -0.0")).literal, Literal::of(-0.0));
  EXPECT_EQ(only<ConstantOp>(parse_body("x[] = -inf")).literal, Literal::of(-std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(std::isnan(only<ConstantOp>(parse_body("x[] = nan")).literal.value()));
  EXPECT_EQ(only<ConstantOp>(parse_body("x[] = 1.5E+3")).literal, Literal::of(1500.0));
}

TEST(ParserText, SmallestAndLargestInteger) {
  expect_body("x[] = -9223372036854775808; y[] = 9223372036854775807", "index index[]; index index[]");
}

// ---- Header and declarations ---------------------------------------------------------------------------------------

TEST(ParserDeclarations, ParametersOfBothKinds) {
  const Program program = parse("program p(M; R: {1, 2} = 3, T: type {f32, bf16} = bf16) { in A: T[M, R] }");
  EXPECT_EQ(program.params()[ParamId{0}].choices, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(program.params()[ParamId{0}].default_value, 3);
  EXPECT_EQ(program.type_params()[TypeParamId{0}].choices, (std::vector<DataType>{DataType::F32, DataType::BF16}));
  EXPECT_EQ(program.type_params()[TypeParamId{0}].default_type, DataType::BF16);
  EXPECT_TRUE(program.objects()[ObjectId{0}].element.symbolic());
}

TEST(ParserDeclarations, SymbolsMayHaveADefault) {
  const Program program = parse("program p(M, pad = 0, shift = -2) { }");
  EXPECT_EQ(program.symbols()[SymbolId{0}].default_value, std::nullopt);
  EXPECT_EQ(program.symbols()[SymbolId{1}].default_value, 0);
  EXPECT_EQ(program.symbols()[SymbolId{2}].default_value, -2);
}

TEST(ParserDeclarations, HeadersMayBeEmpty) {
  EXPECT_EQ(parse("program p() { }").symbols().size(), 0u);
  EXPECT_EQ(parse("program p(; B: {1} = 1) { }").params().size(), 1u);
}

TEST(ParserDeclarations, Buffers) {
  const Program program = parse(
      "program p(M, K) {\n"
      "  in A: f32[M, K] strides(K, 1)\n  inout X: bf16[M*2]\n  temp W: f32[ceildiv(M, 4)]\n"
      "  in eps: f32 = 1e-5\n  in beta: f32 = -0.0\n  in n: i32 = -7\n  in flag: bool = true\n  in top: f32 = -inf\n"
      "  out s: f32\n}");
  const auto& objects = program.objects();
  EXPECT_EQ(objects[ObjectId{0}].strides.size(), 2u);
  EXPECT_EQ(objects[ObjectId{1}].kind, ObjectKind::InOut);
  EXPECT_EQ(objects[ObjectId{2}].kind, ObjectKind::Temp);
  EXPECT_EQ(objects[ObjectId{3}].default_value, 1e-5);
  EXPECT_TRUE(std::signbit(*objects[ObjectId{4}].default_value));
  EXPECT_EQ(objects[ObjectId{5}].default_value, -7.0);
  EXPECT_EQ(objects[ObjectId{6}].default_value, 1.0);
  EXPECT_EQ(objects[ObjectId{7}].default_value, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(objects[ObjectId{8}].rank(), 0u);
}

TEST(ParserDeclarations, Requirements) {
  const Program program = parse("program p(M, N; B: {2} = 2) { require M % B == 0, \"M in blocks\"; require N >= 1 }");
  ASSERT_EQ(program.requirements().size(), 2u);
  EXPECT_EQ(program.requirements()[0].comparison, Comparison::Eq);
  EXPECT_EQ(program.requirements()[0].message, "M in blocks");
  EXPECT_EQ(program.requirements()[1].comparison, Comparison::Ge);
  EXPECT_EQ(program.requirements()[1].message, "");
}

TEST(ParserDeclarations, TemporariesBetweenLaunches) {
  const Program program = parse(
      "program p(M) { in A: f32[M]; out C: f32[M]\n parallel i in M { }\n temp W: f32[M]\n"
      " parallel i in M { W[i] = A[i] }\n parallel i in M { C[i] = W[i] } }");
  EXPECT_EQ(operations(program), "parallel(i){}; parallel(i){load f32[]; store}; parallel(i){load f32[]; store}");
}

// ---- Definitions ---------------------------------------------------------------------------------------------------

TEST(ParserDefinitions, AxesAreNewWithAnExtentAndKnownWithout) {
  expect_body("axis p: BM, q: M*2\nx[q, p] = 0.0\ny[p, r: 3] = 1.0", "constant f32[q, p]; constant f32[p, r]");
}

TEST(ParserDefinitions, BracketsOrderTheAxesOfLoads) {
  expect_body("a[m, k] = A[m, k]; b[k, m] = A[m, k]", "load f32[m, k]; load f32[k, m]");
  expect_body("a[n, k, m] = (A[m, k])", "load f32[k, m]; broadcast f32[n, k, m]");
  expect_body("a[] = A[i, 0]; b[m] = A[i, 0]", "load f32[]; load f32[]; broadcast f32[m]");
  expect_body("e[m] = eps", "load f32[]; broadcast f32[m]");
}

TEST(ParserDefinitions, BracketsOrderElementsIndicesAndNumbers) {
  expect_body("x[m, n] = 0.0; y[n, k] = x[k, n]; z[k, n, m] = x[k, n]",
              "constant f32[m, n]; reindex f32[n, k]; reindex f32[k, n]; broadcast f32[k, n, m]");
  expect_body("p[k, m] = m*2 + k; q[m, k] = m", "index index[k, m]; index index[m]; broadcast index[m, k]");
  expect_body("x[m] = 1.0; y[m] = f16(2); z[m] = true; w[m] = T(0.5)",
              "constant f32[m]; constant f16[m]; constant bool[m]; constant T[m]");
  expect_body("x[m] = 3", "index index[]; broadcast index[m]");
}

TEST(ParserDefinitions, BracketsOfOtherExpressionsBroadcastWhenAxesDiffer) {
  expect_body("x[m] = A[m, 0]; y[m] = x + 1.0; z[m, n] = x + 1.0; w[m] = x",
              "load f32[m]; constant f32[]; binary f32[m]; constant f32[]; binary f32[m]; broadcast f32[m, n]");
}

TEST(ParserDefinitions, PlainCopyMakesNoOperation) {
  expect_body("x[m] = 0.0\ny = x\nz = y\nz = exp(z)\nw = x", "constant f32[m]; unary f32[m]");
}

TEST(ParserDefinitions, PlainNumbersAndIndicesAreNamesOnly) {
  expect_body("idx = i*BM + m\nidx = idx + 1\nhalf = 0.5\nx = H[idx, 0] * half\nC[idx, 0] = f32(x)",
              "load f16[m]; constant f16[]; binary f16[m]; cast f32[m]; store");
  expect_body("t = 4\nserial s in 2 {\n u = t + s\n x = A[u, 0]\n}", "serial(s){load f32[]}");
}

TEST(ParserDefinitions, NumbersTakeTheTypeOfTheTileTheyRedefine) {
  expect_body("x = H[m, 0]\nx = 0\nx[m] = 2", "load f16[m]; constant f16[]; constant f16[m]");
}

TEST(ParserDefinitions, Placement) {
  const Program program = parse_body("x[m] in shared = A[m, 0]\ny in private = x + x");
  std::vector<MemorySpace> places;
  for (const Value& value : program.values()) places.push_back(value.placement);
  EXPECT_EQ(places, (std::vector<MemorySpace>{MemorySpace::Shared, MemorySpace::Private}));
  const Program copied = parse_body("x[m] in shared = A[m, 0]; y = x; z[m] = x");
  EXPECT_EQ(copied.values()[ValueId{0}].placement, MemorySpace::Shared);
}

TEST(ParserDefinitions, Memory) {
  const Program program = parse_body(
      "memory P: f32[BM, 8] in shared layout(r, c) = r*(8 + 1) + c\nmemory R: T[2]\nP[m, n] = 0.0\nx = P[m, 0]\n"
      "P[m, n] assume = x");
  EXPECT_EQ(body_operations(program), "memory; memory; constant f32[]; store; load f32[m]; store");
  const Object& memory = program.objects()[ObjectId{9}];
  EXPECT_EQ(memory.name, "P");
  EXPECT_EQ(memory.space, MemorySpace::Shared);
  EXPECT_EQ(memory.layout_axes.size(), 2u);
  EXPECT_EQ(program.axes()[memory.layout_axes[1]].label, "c");
  EXPECT_TRUE(memory.layout.valid());
}

TEST(ParserDefinitions, LayoutUsesVisibleAxes) {
  const Program program = parse_body("memory P: f32[4, 8] layout(m, n) = m*9 + n\nP[m, n] = 0.0");
  const Object& memory = program.objects()[ObjectId{9}];
  EXPECT_EQ(program.axes().size(), 2u);
  EXPECT_EQ(memory.layout_axes.size(), 2u);
}

// ---- Loads, stores, elements ---------------------------------------------------------------------------------------

TEST(ParserAccess, BoundsAndFallbacks) {
  EXPECT_EQ(only<LoadOp>(parse_body("x = A[m, 0] assume")).bounds, BoundsPolicy::Assume);
  EXPECT_EQ(only<StoreOp>(parse_body("C[m, n] assume = 0.0")).bounds, BoundsPolicy::Assume);
  expect_body("x = A[m, 0] else -inf; y = H[m, 0] else 1", "constant f32[]; load f32[m]; constant f16[]; load f16[m]");
  expect_body("x = (A[m, 0] else eps) + 1.0", "load f32[]; load f32[m]; constant f32[]; binary f32[m]");
}

TEST(ParserAccess, ScalarsByNameOrEmptyBrackets) {
  expect_body("x = eps + eps[]", "load f32[]; load f32[]; binary f32[]");
}

TEST(ParserAccess, StoresConvertNumbersAndIndices) {
  expect_body("C[m, n] = 2; D[m, n] = 0.5", "constant f32[]; store; constant T[]; store");
  const Program program = parse("program p(M) { out s: f32; out J: i32[M]\n parallel i in 1 { s[] = 1.0; J[i] = 3 } }");
  EXPECT_EQ(operations(program), "parallel(i){constant f32[]; store; constant i32[]; store}");
}

// ---- Folds and regions ---------------------------------------------------------------------------------------------

TEST(ParserRegions, CarriesOfSerialAndPipeline) {
  expect_body("s[] = 0.0; p[] = 1.0; q[] = 2.0\nserial t in 4 {\n x = p\n p = q\n q = x\n s += p\n}\nC[0, 0] = s + p",
              "constant f32[]; constant f32[]; constant f32[]; serial(t: s: p: q){binary f32[]}; binary f32[]; store");
}

TEST(ParserRegions, FoldsIntoReduce) {
  const Program program = parse_body(
      "s[m] = 0.0; b[] = -inf; l[] = inf\nreduce t in K order fold_left {\n x = A[m, t]\n s += x\n b max= A[0, t]\n"
      " l min= A[1, t]\n}");
  EXPECT_EQ(body_operations(program),
            "constant f32[m]; constant f32[]; constant f32[]; "
            "reduce(t: s: b: l){load f32[m]; load f32[]; load f32[]}");
  for (const Op& op : program.ops()) {
    const auto* region = std::get_if<RegionOp>(&op.payload);
    if (!region || region->kind != RegionKind::Reduce) continue;
    EXPECT_EQ(region->order, FoldOrder::FoldLeft);
    EXPECT_EQ(region->fold(0), FoldKind::Add);
    EXPECT_EQ(region->fold(1), FoldKind::Max);
    EXPECT_EQ(region->fold(2), FoldKind::Min);
  }
}

TEST(ParserRegions, FoldsOutsideReduceRedefine) {
  expect_body("s[m] = 0.0\ns += 1\ns max= A[m, 0]",
              "constant f32[m]; constant f32[]; binary f32[m]; load f32[m]; binary f32[m]");
  expect_body("s[] = 0.0\nreduce t in 2 {\n x = A[0, t]\n x += 1\n s += x\n}",
              "constant f32[]; reduce(t: s){load f32[]; constant f32[]; binary f32[]}");
  expect_body("s[] = 0.0\nreduce t in 2 {\n s += 1\n}", "constant f32[]; reduce(t: s){constant f32[]}");
}

TEST(ParserRegions, Attributes) {
  const Program program = parse_body(
      "parallel u in 2, v in i scope subgroup {\n pipeline s in v window 3 interval 2 scope group { stage\n stage "
      "\"x\" }\n}");
  std::vector<RegionOp> regions;
  for (const Op& op : program.ops())
    if (const auto* region = std::get_if<RegionOp>(&op.payload)) regions.push_back(*region);
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[1].scope, Scope::Subgroup);
  EXPECT_EQ(regions[1].coords.count, 2u);
  EXPECT_EQ(regions[2].window, 3);
  EXPECT_EQ(regions[2].interval, 2);
  EXPECT_EQ(regions[2].scope, Scope::Group);
  EXPECT_EQ(program.stage_labels(), (std::vector<std::string>{"", "x"}));
}

TEST(ParserRegions, HeadersMayContinueOnTheNextLine) {
  expect_body("parallel u in 2,\n   v in 3\n  scope worker\n{\n}", "parallel(u, v){}");
}

TEST(ParserRegions, IfElseChain) {
  expect_body(
      "x[] = 0.0\nif i < 3 {\n x = A[i, 0]\n} else if i == 4 && true {\n x = eps\n}\nelse {\n y = x\n}\nC[0, 0] = x",
      "constant f32[]; index index[]; index index[]; binary bool[]; if{load f32[]}else{index index[]; index index[]; "
      "binary bool[]; constant bool[]; binary bool[]; if{load f32[]}else{}}; store");
}

TEST(ParserRegions, NamesOfSiblingBlocksAreIndependent) {
  expect_body("serial s in 2 { t[q: 2] = 0.0 }\nserial s in 3 { axis q: 5; t[q] = 1.0 }",
              "serial(s){constant f32[q]}; serial(s){constant f32[q]}");
}

TEST(ParserStatements, BarrierStageOpaque) {
  const Program program = parse_body("barrier\nbarrier subgroup\nbarrier group\nx[] = 1.0\nopaque \"f\"(x, A, 2.0, C)");
  EXPECT_EQ(body_operations(program), "barrier; barrier; barrier; constant f32[]; constant f32[]; opaque");
  const OpaqueOp opaque = only<OpaqueOp>(program);
  EXPECT_EQ(opaque.values.count, 2u);
  EXPECT_EQ(opaque.objects.count, 2u);
}

// ---- Expressions ---------------------------------------------------------------------------------------------------

std::int64_t index_of(const std::string& expr) {
  const Program program = parse_body("x[] = " + expr);
  IndexEnvironment environment;
  environment.symbol = [](SymbolId id) -> std::optional<std::int64_t> { return id.index == 0 ? 100 : 7; };
  environment.param = [](ParamId) -> std::optional<std::int64_t> { return 32; };
  environment.coord = [](CoordId) -> std::optional<std::int64_t> { return 5; };
  const auto value = program.index().evaluate(only<IndexValueOp>(program).expr, environment);
  EXPECT_TRUE(value) << expr;
  return value.value_or(0);
}

TEST(ParserExpressions, PrecedenceOfIndexExpressions) {
  EXPECT_EQ(index_of("1 + 2*3"), 7);
  EXPECT_EQ(index_of("(1 + 2)*3"), 9);
  EXPECT_EQ(index_of("10 - 3 - 2"), 5);
  EXPECT_EQ(index_of("100 / 7 / 2"), 7);
  EXPECT_EQ(index_of("M - i*BM % 7"), 94);
  EXPECT_EQ(index_of("1 << 2 + 1"), 8);
  EXPECT_EQ(index_of("6 & 3 ^ 1"), 3);
  EXPECT_EQ(index_of("1 ^ 1 << 4 >> 1"), 9);
  EXPECT_EQ(index_of("-i"), -5);
  EXPECT_EQ(index_of("-7 / 2"), -4);
  EXPECT_EQ(index_of("-7 % 4"), 1);
  EXPECT_EQ(index_of("ceildiv(M, BM)"), 4);
  EXPECT_EQ(index_of("min(M, 3) + max(i, 9)"), 12);
}

TEST(ParserExpressions, PrecedenceOfTiles) {
  // ! binds most, then comparison, && and ||.
  expect_body("b = !(i < 3) && i + 1 == 2 || true",
              "index index[]; index index[]; binary bool[]; unary bool[]; index index[]; index index[]; binary bool[]; "
              "binary bool[]; constant bool[]; binary bool[]");
}

TEST(ParserExpressions, TilesJoinByAxes) {
  expect_body("x = A[m, k] + B[k, n]; y = -x * 2 % 3.0 / 4",
              "load f32[m, k]; load f32[k, n]; binary f32[m, k, n]; unary f32[m, k, n]; constant f32[]; "
              "binary f32[m, k, n]; constant f32[]; binary f32[m, k, n]; constant f32[]; binary f32[m, k, n]");
}

TEST(ParserExpressions, NumbersAdaptToTheTileBesideThem) {
  expect_body("x = 2.0 * H[m, 0]", "load f16[m]; constant f16[]; binary f16[m]");
  expect_body("x = Q[m, 0] + 1", "load T[m]; constant T[]; binary T[m]");
  expect_body("x = I[m] * 3", "load i32[m]; constant i32[]; binary i32[m]");
  expect_body("x[] = 1.0 / 3", "constant f32[]; constant f32[]; binary f32[]");
  expect_body("x = select(i < 2, H[m, 0], 0.0)",
              "index index[]; index index[]; binary bool[]; load f16[m]; constant f16[]; select f16[m]");
}

TEST(ParserExpressions, IndexExpressionsBecomeTilesWhereOneIsNeeded) {
  expect_body("x = f32(i*BM + m)", "index index[m]; cast f32[m]");
  expect_body("x = i + m < M", "index index[m]; index index[]; binary bool[m]");
  expect_body("x[m] = 2*m; y = x + n", "index index[m]; index index[n]; binary index[m, n]");
  expect_body("x = sum(2*m, m); y = abs(m - 2)", "index index[m]; reduce index[]; index index[m]; unary index[m]");
}

TEST(ParserExpressions, I32BesideIndexConverts) {
  expect_body("x = m < len", "load i32[]; index index[m]; cast index[]; binary bool[m]");
  expect_body("x = I[m] + m", "load i32[m]; index index[m]; cast index[m]; binary index[m]");
  expect_body("x = I[m] < 3", "load i32[m]; constant i32[]; binary bool[m]");
}

TEST(ParserExpressions, Casts) {
  expect_body("x = f16(A[m, 0]); y = T(x); z = bool(y); w = i32(m)",
              "load f32[m]; cast f16[m]; cast T[m]; cast bool[m]; index index[m]; cast i32[m]");
  expect_body("x[] = f16(0.5); y[] = index(3); z = f32(true); w = f32(f32(1))",
              "constant f16[]; index index[]; constant bool[]; cast f32[]; constant f32[]");
}

TEST(ParserExpressions, UnaryBuiltins) {
  expect_body("x = exp(log(sqrt(tanh(sin(cos(abs(floor(A[m, 0]))))))))",
              "load f32[m]; unary f32[m]; unary f32[m]; unary f32[m]; unary f32[m]; unary f32[m]; unary f32[m]; "
              "unary f32[m]; unary f32[m]");
  expect_body("x = exp(1.0)", "constant f32[]; unary f32[]");
}

TEST(ParserExpressions, FoldsOverAxesAndElementwiseExtremes) {
  expect_body("x = A[m, k]; y = max(x, k); z = max(x, 0); w = min(x, k, ordered_tree); v = sum(x, m, fold_right)",
              "load f32[m, k]; reduce f32[m]; constant f32[]; binary f32[m, k]; reduce f32[m]; reduce f32[k]");
  EXPECT_EQ(only<ReduceOp>(parse_body("x = sum(A[m, k], m, fold_right)")).order, FoldOrder::FoldRight);
  // Beside an index expression the axis is its coordinate.
  expect_body("x[m] = max(i, m)", "index index[m]");
}

TEST(ParserExpressions, MatrixProducts) {
  for (const std::string words : {"", ", ordered", ", relaxed", ", ordered, relaxed", ", relaxed, ordered"}) {
    const auto mma = only<MmaOp>(parse_body("a = A[m, k]; b = B[k, n]; c[m, n] = 0.0; c = mma(a, b, c" + words + ")"));
    EXPECT_EQ(mma.reassociate, words.find("ordered") == std::string::npos) << words;
    EXPECT_EQ(mma.relaxed, words.find("relaxed") != std::string::npos) << words;
  }
  expect_body("c = matmul(A[m, k], B[k, n], m, n)",
              "load f32[m, k]; load f32[k, n]; constant f32[m, n]; mma f32[m, n]");
  expect_body("a[m, k] = i32(0); b[k, n] = i32(0); c = matmul(a, b, n, m)",
              "constant i32[m, k]; constant i32[k, n]; constant i32[n, m]; mma i32[n, m]");
}

TEST(ParserExpressions, GatherRelabelBroadcastElement) {
  expect_body("x = A[m, k]; y = gather(x, m, I[n], 0)",
              "load f32[m, k]; load i32[n]; constant f32[]; gather f32[k, n]");
  expect_body("x = A[m, k]; axis r: 4; y = relabel(x, m: r); z = relabel(x, m: k, k: m)",
              "load f32[m, k]; reindex f32[r, k]; reindex f32[k, m]");
  expect_body("x = A[m, 0]; y = broadcast(x, n, m); z = broadcast(x, m)",
              "load f32[m]; broadcast f32[n, m]; broadcast f32[m]");
  expect_body("x = broadcast(eps)", "load f32[]; broadcast f32[]");
  expect_body("x = A[m, k]; y = x[3 - m, 0]", "load f32[m, k]; reindex f32[m]");
}

// ---- Functions -----------------------------------------------------------------------------------------------------

TEST(ParserFunctions, AreWrittenOutWhereTheyAreCalled) {
  expect_body("x = A[m, 0]; y = gelu(x) + twice(gelu(x))",
              "load f32[m]; unary f32[m]; binary f32[m]; unary f32[m]; binary f32[m]; binary f32[m]; binary f32[m]",
              "fn twice(x) { return x + x }; fn gelu(x) { t = tanh(x); return x * t }");
}

TEST(ParserFunctions, ParametersMayBeIndicesNumbersAxesAndBuffers) {
  expect_body("x = H[m, n]; y = scaled(x, 0.5, n)", "load f16[m, n]; constant f16[]; binary f16[m, n]; reduce f16[m]",
              "fn scaled(x, s, a) { return sum(x * s, a) }");
  expect_body("x = row(A, i + 1, m)", "load f32[m]; reduce f32[]",
              "fn row(P, r, a) { t[a] = P[a, r]; return sum(t, a) }");
  expect_body("x = f32(off(i, m))", "index index[m]; cast f32[m]", "fn off(r, a) { return r*BM + a + M }");
}

TEST(ParserFunctions, HaveLocalsAxesLoopsAndIfOfTheirOwn) {
  expect_body("m2[] = 1.0; x = f(A[m, 0]); y = f(x)",
              "constant f32[]; load f32[m]; constant f32[q]; serial(s: x){binary f32[m]}; reduce f32[]; binary f32[m]; "
              "constant f32[q]; serial(s: x){binary f32[m]}; reduce f32[]; binary f32[m]",
              "fn f(x) { w[q: 3] = 0.0; serial s in 2 { x = x + x }; m2 = sum(w, q); return x * m2 }");
}

TEST(ParserFunctions, MayCallFunctionsDefinedLater) {
  expect_body("x = outer(eps)", "load f32[]; unary f32[]",
              "fn outer(x) { return inner(x) } fn inner(x) { return exp(x) }");
}

TEST(ParserFunctions, FoldsOfParametersStayInside) {
  expect_body("s[] = 0.0\nreduce t in 2 {\n s += bump(A[0, t])\n}",
              "constant f32[]; reduce(t: s){load f32[]; constant f32[]; binary f32[]}",
              "fn bump(x) { x += 1; return x }");
}

// ---- Names ---------------------------------------------------------------------------------------------------------

TEST(ParserNames, BuiltinsAndAttributesAreNotReserved) {
  expect_body("max[] = 1.0; max = max(max, 2.0); max max= max; scope = 3; window[scope_axis: 4] = 0.0; ordered = max",
              "constant f32[]; constant f32[]; binary f32[]; binary f32[]; constant f32[scope_axis]");
}

TEST(ParserNames, ReservedWordsAndValidNames) {
  for (const char* word : {"in", "out", "parallel", "f32", "i8", "true", "inf", "assume"}) {
    EXPECT_TRUE(is_reserved_word(word)) << word;
    EXPECT_FALSE(is_valid_name(word)) << word;
  }
  for (const char* name : {"a", "_x1", "max", "type", "layout"}) EXPECT_TRUE(is_valid_name(name)) << name;
  for (const char* name : {"", "1a", "a-b", "\xc3\xa4"}) EXPECT_FALSE(is_valid_name(name)) << name;
  EXPECT_FALSE(is_valid_name(std::string(kMaxNameBytes + 1, 'a')));
}

// ---- Larger programs -----------------------------------------------------------------------------------------------

TEST(ParserPrograms, ConvolutionWithPaddingAndStride) {
  const Program program = parse(
      "program conv2d(B, H, W, C, F, P, Q; S: {1, 2} = 1, BQ: {8} = 8) {\n"
      "  in X: f32[B, H, W, C]; in K: f32[3, 3, C, F]; out Y: f32[B, P, Q, F]\n"
      "  require P == (H + 2 - 3) / S + 1\n"
      "  parallel b in B, p in P, t in ceildiv(Q, BQ) {\n"
      "    acc[q: BQ, f: F] = 0.0\n"
      "    serial r in 3, s in 3 {\n"
      "      x[q, c: C] = X[b, p*S + r - 1, (t*BQ + q)*S + s - 1, c]\n"
      "      w[c, f] = K[r, s, c, f]\n"
      "      acc = mma(x, w, acc)\n"
      "    }\n"
      "    Y[b, p, t*BQ + q, f] = acc\n"
      "  }\n}\n");
  EXPECT_EQ(
      operations(program),
      "parallel(b, p, t){constant f32[q, f]; serial(r, s: acc){load f32[q, c]; load f32[c, f]; mma f32[q, f]}; store}");
  EXPECT_TRUE(verify(program));
}

TEST(ParserPrograms, GroupedHeadAttention) {
  const Program program = parse(
      "program attention(B, H, G, S, L, D; BQ: {16} = 16, BK: {16} = 16, T: type {f32, f16} = f32) {\n"
      "  in Q: T[B, H, S, D]; in K: T[B, G, L, D]; in V: T[B, G, L, D]; out O: T[B, H, S, D]\n"
      "  in scale: f32 = 0.125\n"
      "  parallel b in B, h in H, i in ceildiv(S, BQ) {\n"
      "    kv = h / (H / G)\n"
      "    q[m: BQ, d: D] = Q[b, h, i*BQ + m, d]\n"
      "    acc[m, e: D] = 0.0\n"
      "    top[m] = -inf\n"
      "    total[m] = 0.0\n"
      "    pipeline t in ceildiv(L, BK) {\n"
      "      k[n: BK, d] = K[b, kv, t*BK + n, d]\n"
      "      v[n, e] = V[b, kv, t*BK + n, e]\n"
      "      s = matmul(q, k, m, n) * scale\n"
      "      s = select(t*BK + n < L, s, -inf)\n"
      "      best = max(top, max(s, n))\n"
      "      p = exp(s - best)\n"
      "      shrink = exp(top - best)\n"
      "      total = total * shrink + sum(p, n)\n"
      "      acc = mma(T(p), v, acc * shrink)\n"
      "      top = best\n"
      "    }\n"
      "    O[b, h, i*BQ + m, e] = T(acc / total)\n"
      "  }\n}\n");
  EXPECT_TRUE(verify(program));
}

TEST(ParserPrograms, BetaZeroReadsNothing) {
  const Program program = parse(
      "program axpby(M) {\n  in X: f32[M]; inout C: f32[M]; in alpha: f32 = 1.0; in beta: f32 = 0.0\n"
      "  parallel i in ceildiv(M, 8) {\n"
      "    x[m: 8] = X[i*8 + m]\n"
      "    y = x * alpha\n"
      "    if beta != 0.0 { y = y + C[i*8 + m] * beta }\n"
      "    C[i*8 + m] = y\n"
      "  }\n}\n");
  EXPECT_EQ(operations(program),
            "parallel(i){load f32[m]; load f32[]; binary f32[m]; load f32[]; constant f32[]; binary bool[]; "
            "if{load f32[m]; load f32[]; binary f32[m]; binary f32[m]}else{}; store}");
}

}  // namespace
}  // namespace tilewright::tile
