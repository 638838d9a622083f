// The printer: texts that print as they are written, and programs whose text needs care.
#include "tile/printer.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "round_trip.h"
#include "tile/builder.h"

namespace tilewright::tile {
namespace {

Program parsed(const std::string& text) {
  Result<Program> program = parse_program(text, "test.tile");
  if (!program) throw std::runtime_error(render(program.error()));
  return std::move(*program);
}

Program finished(Builder& builder) {
  Result<Program> program = builder.finish();
  if (!program) throw std::runtime_error(render(program.error()));
  return std::move(*program);
}

constexpr std::string_view kHead =
    "program p(M, N; BM: {4, 8} = 4, T: type {f16, bf16} = f16) {\n"
    "  in A: f32[M, N]\n"
    "  in H: f16[M]\n"
    "  in I: i32[M]\n"
    "  in alpha: f32 = 1.0\n"
    "  out C: f32[M, N]\n"
    "  parallel i in M {\n";

/// The body as the printer writes it when it reads `body`, each line without its indent of two levels.
std::string printed_body(const std::string& body) {
  std::string text(kHead);
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = body.find('\n', begin);
    text += "    " + body.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  const Program program = parsed(text + "  }\n}\n");
  EXPECT_TRUE(round_trips(program));
  const std::string printed = print_program(program);
  EXPECT_EQ(printed.substr(0, kHead.size()), kHead);
  std::string out;
  for (std::size_t begin = kHead.size(); printed.compare(begin, 4, "  }\n") != 0;) {
    const std::size_t end = printed.find('\n', begin);
    out += printed.substr(begin + 4, end - begin - 3);
    begin = end + 1;
  }
  return out;
}

void expect_verbatim(const std::string& body) { EXPECT_EQ(printed_body(body), body); }

// ---- Whole programs ------------------------------------------------------------------------------------------------

TEST(Printer, KeepsAMatrixProductAsItIsWritten) {
  const std::string text = R"(// C = A * B
//
//   in tiles
program gemm(M, N, K; BM: {32, 64, 128} = 64, BN: {32, 64} = 64, BK: {16, 32} = 32) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {
    acc[m: BM, n: BN] = 0.0
    pipeline s in ceildiv(K, BK) {
      a[m, k: BK] = A[i*BM + m, s*BK + k]
      b[k, n] = B[s*BK + k, j*BN + n]
      acc = mma(a, b, acc)
    }
    C[i*BM + m, j*BN + n] = acc
  }
}
)";
  const Program program = parsed(text);
  EXPECT_EQ(print_program(program), text);
  EXPECT_TRUE(round_trips(program));
}

TEST(Printer, WritesThePermissionsOfAProduct) {
  const auto text = [](const std::string& words) {
    return "program p(N) {\n  in A: f32[N, 8]\n  out C: f32[N, 8]\n  parallel i in N {\n    axis m: 8, n: 8, k: 8\n"
           "    c[m, n] = 0.0\n    C[m, n] = mma(A[m, k], A[k, n], c" +
           words + ")\n  }\n}\n";
  };
  for (const char* words : {"", ", ordered", ", relaxed", ", ordered, relaxed"})
    EXPECT_NE(print_program(parsed(text(words))).find(std::string(words) + ")\n"), std::string::npos) << words;
  EXPECT_EQ(print_program(parsed(text(", relaxed, ordered"))), print_program(parsed(text(", ordered, relaxed"))));
  EXPECT_TRUE(round_trips(parsed(text(", ordered, relaxed"))));
}

TEST(Printer, KeepsDeclarationsAndAttributes) {
  const std::string text = R"(program p(S, D, E = -2; B: {-1, 16} = 16, T: type {f16, bf16} = f16) {
  in Q: T[S, D] strides(D, 1)
  in scale: f32 = -0.125
  in limit: f32 = inf
  in flag: bool = true
  in count: i32 = -3
  inout O: f32[S, D]
  temp W: bf16[ceildiv(S, B)*B]
  require D >= 1, "a \"head\"\\\n has a size"
  require S%B != 0
  parallel h in S scope group {
    memory X: T[B, B] in shared layout(r, c) = r*(B + 1) + c
    memory Y: f32[]
    Y[] = scale
    total[m: B] = 0.0
    pipeline s in D window 2 interval 3 {
      stage "load"
      q in private = f32(Q[s*B + m, h])
      stage
      total = total + q
    }
    reduce k in S order fold_left {
      total max= O[k, m]
    }
    parallel w in 4 scope worker {
      barrier subgroup
    }
    barrier
    opaque "f \"g\""(total, flag && true, O, X)
    O[h, m] assume = total * Y[]
  }
  parallel h in D {
    axis t: S
    W[t] = bf16(O[t, h])
  }
}
)";
  const Program program = parsed(text);
  EXPECT_EQ(print_program(program), text);
  EXPECT_TRUE(round_trips(program));
}

// ---- Expressions ---------------------------------------------------------------------------------------------------

TEST(Printer, WritesOperationsWithoutNamesInsideTheirConsumer) {
  expect_verbatim(
      "axis m: BM\n"
      "C[i, m] = (A[i, m] + alpha) * -(2.0 - A[m, i]) / max(A[0, m], 0.0) % 3.0\n");
  expect_verbatim(
      "x[m: BM] = select(A[m, 0] < 1.0 && !(A[0, m] >= 2.0) || I[m] == 3, 0.5, -A[i, m] - (A[0, 0] - A[1, 1]))\n"
      "axis n: N\n"
      "C[i, m] = x + sum(A[m, n], n) - max(A[m, n] * 2.0, n, ordered_tree) - f32(sum(H[n], n, fold_right))\n");
  expect_verbatim("C[i, 0] = A[i, 0] else (A[i, 1] assume else -1.0)\n");
}

TEST(Printer, NamesWhatWouldChangeTheOrderOfOperations) {
  Builder b("p");
  Object object{.name = "A", .kind = ObjectKind::Out};
  object.extents = {b.index().constant(8)};
  const ObjectId a = b.object(object);
  const IndexId i = b.index().coord(b.begin_region({RegionKind::Parallel, {{"i", b.index().constant(8)}}})[0]);
  const ValueId two = b.constant(Literal::of(2.0), kF32);
  const ValueId first = b.load(a, {i});
  const ValueId product = b.binary(BinaryKind::Mul, two, first);
  const ValueId second = b.load(a, {b.index().constant(1)});
  const ValueId third = b.load(a, {b.index().constant(2)});
  b.store(a, {i}, b.binary(BinaryKind::Sub, third, b.binary(BinaryKind::Add, second, product)));
  b.end_region();
  const Program program = finished(b);
  EXPECT_TRUE(round_trips(program));
  EXPECT_EQ(print_program(program), R"(program p() {
  out A: f32[8]
  parallel i in 8 {
    t = f32(2.0) * A[i]
    x = A[1]
    A[i] = A[2] - (x + t)
  }
}
)");
}

TEST(Printer, KeepsIndexTilesApartFromIndexExpressions) {
  expect_verbatim(
      "pos[m: BM, n: N] = i*BM + m - n\n"
      "row[m] = m\n"
      "x[] = i\n"
      "y = f32(max(pos, row) + (i*BM + m) * (x + 3))\n"
      "C[i, 0] = sum(sum(y, m), n) + f32(i < 3) + f32(y[0, i%N] == 2.0)\n");
}

TEST(Printer, WritesNumbersWithTheirTypeWhereNothingElseGivesIt) {
  expect_verbatim(
      "x[m: BM] = f16(0.1)\n"
      "y[m] = i32(-7)\n"
      "z[m] = true\n"
      "w[m] = T(0.5)\n"
      "k[] = 7\n"
      "v = select(z, x * 2.0 + H[m], f16(w) - 65504.0)\n"
      "c[] = 0.25\n"
      "C[i, 0] = f32(sum(v, m)) + c + f32(sum(y % 3, m)) + f32(k)\n");
}

TEST(Printer, KeepsTheBitsOfNumbers) {
  Builder b("p");
  Object object{.name = "C", .kind = ObjectKind::Out};
  const ObjectId c = b.object(object);
  b.begin_region({RegionKind::Parallel, {{"i", b.index().constant(1)}}});
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers{0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.1,
                                    1e-5,
                                    1e30,
                                    -1e-30,
                                    123456789.0,
                                    5e-324,
                                    inf,
                                    -inf,
                                    nan,
                                    -nan,
                                    1.0 / 3.0,
                                    1e16,
                                    9007199254740993.0,
                                    2.5};
  for (double number : numbers) b.store(c, {}, b.constant(Literal::of(number), kF32));
  b.end_region();
  const Program program = finished(b);
  EXPECT_TRUE(round_trips(program));
  EXPECT_NE(print_program(program).find("C[] = 1e-05\n"), std::string::npos);
  EXPECT_NE(print_program(program).find("C[] = -0.0\n"), std::string::npos);
  EXPECT_NE(print_program(program).find("C[] = -nan\n"), std::string::npos);
}

TEST(Printer, ListsAxesWhereTheirOrderMatters) {
  expect_verbatim(
      "x[n: N, m: BM] = A[m, n]\n"
      "y[m, n] = x\n"
      "z = broadcast(x, n, m)\n"
      "w[m, n] = x[m, n]\n"
      "v[r: BM] = H[r]\n"
      "C[i, n] = sum(x + y + z + w + broadcast(f32(v[m]), n, m), m)\n");
}

// ---- Variables -----------------------------------------------------------------------------------------------------

TEST(Printer, WritesCarriesAsAssignments) {
  expect_verbatim(
      "x[] = 0.0\n"
      "y[] = 1.0\n"
      "serial s in N {\n"
      "  t = x + y\n"
      "  x = y\n"
      "  y = t\n"
      "}\n"
      "if x < y {\n"
      "  x = y\n"
      "} else if y < 2.0 {\n"
      "  y = 2.0 * x\n"
      "}\n"
      "reduce s in N {\n"
      "  x += A[s, 0] * y\n"
      "}\n"
      "C[i, 0] = x\n");
}

TEST(Printer, ExchangesCarriesThroughASecondName) {
  EXPECT_EQ(printed_body("x[] = 0.0\n"
                         "y[] = 1.0\n"
                         "serial s in N {\n"
                         "  old = x\n"
                         "  x = y\n"
                         "  y = old\n"
                         "}\n"
                         "C[i, 0] = x - y\n"),
            "x[] = 0.0\n"
            "y[] = 1.0\n"
            "serial s in N {\n"
            "  x1 = x\n"
            "  x = y\n"
            "  y = x1\n"
            "}\n"
            "C[i, 0] = x - y\n");
}

TEST(Printer, KeepsCarriesThatNothingChanges) {
  expect_verbatim(
      "x[] = 0.0\n"
      "serial s in N {\n"
      "  x = x\n"
      "}\n"
      "if x < 1.0 {\n"
      "  x = x\n"
      "}\n"
      "C[i, 0] = x\n");
}

TEST(Printer, GivesAnIncomingValueThatIsStillNeededASecondName) {
  expect_verbatim(
      "x = alpha + 1.0\n"
      "y = x\n"
      "serial s in N {\n"
      "  y = y * x\n"
      "}\n"
      "C[i, 0] = x + y\n");
}

TEST(Printer, OrdersSecondNamesAsTheCarries) {
  // The builder orders carries by the definition of their variables: here against the order of the values.
  Builder b("p");
  Object object{.name = "C", .kind = ObjectKind::InOut};
  const ObjectId c = b.object(object);
  b.begin_region({RegionKind::Parallel, {{"i", b.index().constant(1)}}});
  const ValueId first = b.constant(Literal::of(1.0), kF32);
  const ValueId second = b.constant(Literal::of(2.0), kF32);
  const VariableId x = b.declare("x", second);
  const VariableId y = b.declare("y", first);
  b.begin_region({RegionKind::Serial, {{"s", b.index().constant(3)}}});
  b.assign(x, b.unary(UnaryKind::Neg, b.read(y)));
  b.assign(y, b.load(c, {}));
  b.end_region();
  b.store(c, {}, b.binary(BinaryKind::Sub, b.read(x), b.read(y)));
  b.end_region();
  const Program program = finished(b);
  EXPECT_TRUE(round_trips(program));
  EXPECT_EQ(print_program(program), R"(program p() {
  inout C: f32
  parallel i in 1 {
    y[] = 1.0
    x[] = 2.0
    y1 = y
    serial s in 3 {
      x = -y1
      y1 = C[]
    }
    C[] = x - y1
  }
}
)");
}

TEST(Printer, FoldsOnlyIntoVariablesOfTheBlockAround) {
  expect_verbatim(
      "x[m: BM] = 0.0\n"
      "serial s in N {\n"
      "  x1 = x\n"
      "  reduce r in M order fold_right {\n"
      "    x1 += A[r, m]\n"
      "  }\n"
      "  x = x1\n"
      "}\n"
      "C[i, m] = x\n");
}

TEST(Printer, PlacesArgumentsAndResults) {
  Builder b("p");
  Object object{.name = "C", .kind = ObjectKind::Out};
  const ObjectId c = b.object(object);
  b.begin_region({RegionKind::Parallel, {{"i", b.index().constant(1)}}});
  const VariableId x = b.declare("x", b.constant(Literal::of(1.0), kF32));
  b.place(b.read(x), MemorySpace::Global);
  b.begin_region({RegionKind::Serial, {{"s", b.index().constant(3)}}});
  b.place(b.read(x), MemorySpace::Shared);
  b.assign(x, b.binary(BinaryKind::Add, b.read(x), b.constant(Literal::of(1.0), kF32)));
  b.end_region();
  b.place(b.read(x), MemorySpace::Private);
  b.store(c, {}, b.read(x));
  b.end_region();
  const Program program = finished(b);
  EXPECT_TRUE(round_trips(program));
  EXPECT_EQ(print_program(program), R"(program p() {
  out C: f32
  parallel i in 1 {
    x[] in global = 1.0
    serial s in 3 {
      x in shared = x
      x = x + 1.0
    }
    x in private = x
    C[] = x
  }
}
)");
}

// ---- Names ---------------------------------------------------------------------------------------------------------

TEST(Printer, MakesNamesThatTheTextAccepts) {
  Builder b("p");
  b.symbol("x");
  Object object{.name = "C", .kind = ObjectKind::Out};
  const ObjectId c = b.object(object);
  b.begin_region({RegionKind::Parallel, {{"in", b.index().constant(2)}}});
  for (const char* name : {"x", "x", "max", "1st", "a b", "f32", "", "x2", "x"}) {
    const ValueId value = b.constant(Literal::of(1.0), kF32);
    b.name_value(value, name);
    b.store(c, {}, value);
    b.store(c, {}, value);
  }
  b.end_region();
  const Program program = finished(b);
  EXPECT_TRUE(round_trips(program));
  const std::string text = print_program(program);
  for (const char* name : {"x1", "max1", "_1st", "a_b", "f32_", "c", "x2"})
    EXPECT_NE(text.find("    " + std::string(name) + "[] = 1.0\n"), std::string::npos) << name << "\n" << text;
}

TEST(Printer, NamesEveryMemoryOfABlockApart) {
  // A function is written out where it is called; so is the memory that it declares.
  const char* const text = R"(fn reversed(x, e) {
  memory t: f32[4]
  t[e] = x
  return t[3 - e]
}
program p(M) {
  in X: f32[M]
  out Y: f32[M]
  parallel i in ceildiv(M, 4) {
    axis e: 4
    memory t: f32[4]
    t[e] = X[4*i + e]
    y = t[e]
    Y[4*i + e] = reversed(reversed(y, e), e)
  }
})";
  const auto program = parse_program(text, "test.tile");
  ASSERT_TRUE(program) << render(program.error());
  const std::string printed = print_program(*program);
  EXPECT_NE(printed.find("memory t2: f32[4]"), std::string::npos) << printed;
  const auto again = parse_program(printed, "again.tile");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_TRUE(*again == *program) << printed;
}

TEST(Printer, UsesANameAgainWhenItsValueIsNotNeededAnyMore) {
  expect_verbatim(
      "x[m: BM] = A[i, m]\n"
      "x = x * x\n"
      "x[n: N] = sum(x, m) + A[i, n]\n"
      "C[i, n] = x\n");
}

TEST(Printer, DeclaresAxesAroundAllTheirUses) {
  expect_verbatim(
      "axis m: BM\n"
      "serial s in N {\n"
      "  x[m] = A[s, m]\n"
      "  C[i, m] = x\n"
      "}\n"
      "serial s in N {\n"
      "  x[m, n: N] = A[n, m]\n"
      "  C[i, n] = sum(x, m)\n"
      "}\n");
}

TEST(Printer, KeepsLinesOfModerateLength) {
  Builder b("p");
  Object object{.name = "C", .kind = ObjectKind::InOut};
  const ObjectId c = b.object(object);
  b.begin_region({RegionKind::Parallel, {{"i", b.index().constant(2)}}});
  ValueId sum = b.load(c, {});
  for (int i = 0; i < 3000; ++i) sum = b.binary(BinaryKind::Add, sum, b.constant(Literal::of(i), kF32));
  b.store(c, {}, sum);
  b.end_region();
  EXPECT_TRUE(round_trips(finished(b)));
}

// ---- Index expressions ---------------------------------------------------------------------------------------------

TEST(PrintIndex, WritesTheFewestParentheses) {
  const char* const kTexts[] = {"M - (N - 3)",
                                "M - N - 3",
                                "M*(N + 1)",
                                "(M + N)*2",
                                "M/(N*2)",
                                "M/N*2",
                                "M%(N%3)",
                                "M%N%3",
                                "-3*M",
                                "M*-3",
                                "M - -3",
                                "0 - M",
                                "ceildiv(M + 1, N)",
                                "min(M, max(N, 2)) + 1",
                                "M & 7",
                                "(M & 7) << 2",
                                "M & 7 << N",
                                "M + N & 3",
                                "M + (N & 3)",
                                "M ^ N & 3",
                                "M ^ (N & 3)",
                                "M >> 1 << 2",
                                "M >> (1 << N)",
                                "(M << 1)*2",
                                "1/0 + M",
                                "M + (N + 2)",
                                "M*(N*2)",
                                "-9223372036854775808 + M"};
  for (const std::string text : kTexts) {
    const Program program = parsed("program p(M, N) {\n  require M == " + text + "\n}\n");
    ASSERT_EQ(program.requirements().size(), 1u);
    EXPECT_EQ(print_index(program, program.requirements()[0].rhs), text);
    EXPECT_TRUE(round_trips(program));
  }
}

TEST(PrintIndex, ShowsLabels) {
  const Program program =
      parsed("program p(M) {\n  out C: f32[M]\n  parallel i in M {\n    x[m: M] = 0.0\n    C[i*4 + m] = x\n  }\n}\n");
  for (const Op& op : program.ops()) {
    const auto* store = std::get_if<StoreOp>(&op.payload);
    if (store != nullptr) {
      EXPECT_EQ(print_index(program, program.list(store->coords)[0]), "i*4 + m");
    }
  }
}

}  // namespace
}  // namespace tilewright::tile
