// Typed runs of random programs always agree with the exact ones.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "support/half.h"
#include "tile/generator.h"
#include "tile/interpreter_run.h"
#include "tile/parser.h"

namespace tilewright::tile::testing {
namespace {

/// A random expression over the tiles named, as text.
class Expressions {
 public:
  explicit Expressions(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::string real(int depth) {
    if (depth == 0) return pick({"a", "b", "c", "0.5", "-0.0", "3.0"}, "a");
    const std::string x = real(depth - 1);
    switch (next() % 18) {
      case 0:
        return "exp(min(" + x + ", 8.0))";
      case 1:
        return "log(abs(" + x + ") + 0.125)";
      case 2:
        return "sqrt(abs(" + x + "))";
      case 3:
        return "tanh(" + x + ")";
      case 4:
        return "sin(" + x + ")";
      case 5:
        return "cos(" + x + ")";
      case 6:
        return "floor(" + x + ")";
      case 7:
        return "-" + parenthesised(x);
      case 8:
        return "max(" + x + ", " + tile(depth - 1) + ")";
      case 9:
        return "min(" + x + ", " + tile(depth - 1) + ")";
      case 10:
        return "select(" + x + " < " + tile(depth - 1) + ", " + tile(depth - 1) + ", a)";
      case 11:
        return parenthesised(x) + " % " + parenthesised(tile(depth - 1));
      case 12:
        return parenthesised(x) + " / " + parenthesised(tile(depth - 1));
      case 13:
      case 14:
        return parenthesised(x) + " * " + parenthesised(tile(depth - 1));
      case 15:
        return parenthesised(x) + " - " + parenthesised(tile(depth - 1));
      default:
        return parenthesised(x) + " + " + parenthesised(tile(depth - 1));
    }
  }
  /// One that surely is a tile, not a number.
  std::string tile(int depth) { return parenthesised(real(depth)) + " + a * " + pick({"0.0", "0.5", "b"}, "b"); }

 private:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::string pick(const std::vector<std::string>& choices, const std::string& tile) {
    const std::string& chosen = choices[next() % choices.size()];
    return chosen.size() > 1 ? "(" + tile + " * " + chosen + ")" : chosen;
  }
  static std::string parenthesised(const std::string& text) { return "(" + text + ")"; }

  std::uint64_t state_;
};

TEST(Property, TypedElementwiseProgramsAgreeWithExactOnes) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Expressions expressions(seed);
    const std::string text =
        "program p(N; T: type {f32, f16, bf16} = f32) { in A: T[N]\n in B: T[N]\n in C: T[N]\n out Y: T[N]\n out S: "
        "T[2]\n"
        "parallel i in 1 {\n a[m: N] = A[m]\n b[m] = B[m]\n c[m] = C[m]\n y = " +
        expressions.tile(3) + "\n Y[m] = y\n S[0] = sum(y, m)\n S[1] = max(y, m)\n } }";
    for (DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
      Trial run(text, {{"N", 40}}, {{"T", type}});
      run.fill_random(seed, -3, 3);
      ASSERT_EQ(run.disagreement(), "") << text << data_type_name(type);
    }
  }
}

TEST(Property, RandomProgramsOfEveryForm) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const GeneratedProgram generated = generate_program(seed, {.size = 10, .interpretable = true});
    const Result<Program> bound = bind(generated.family, generated.bindings);
    ASSERT_TRUE(bound.has_value()) << seed << "\n" << render(bound.error());
    Trial run(*bound);
    run.fill_random(seed, -2, 2);
    EXPECT_EQ(run.disagreement(), "") << "seed " << seed;
  }
}

/// Small random sizes for the symbols of a family that its requirements accept.
std::optional<Program> bind_randomly(const Program& family, std::mt19937_64& random) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    Bindings bindings;
    for (const Symbol& symbol : family.symbols())
      bindings.numbers[symbol.name] = static_cast<std::int64_t>(random() % (attempt % 3 == 0 ? 3 : 14));
    for (const TypeParam& type : family.type_params())
      bindings.types[type.name] = type.choices[random() % type.choices.size()];
    for (const Param& param : family.params())
      bindings.numbers[param.name] = *std::min_element(param.choices.begin(), param.choices.end());
    if (Result<Program> bound = bind(family, bindings)) return std::move(*bound);
  }
  return std::nullopt;
}

TEST(Property, StandardPrograms) {
  std::mt19937_64 random(17);
  std::size_t elements = 0, unknown = 0, programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TILEWRIGHT_SOURCE_DIR "/programs")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const Result<Program> family = parse_program(text.str(), entry.path().filename());
    ASSERT_TRUE(family.has_value()) << render(family.error());
    for (int trial = 0; trial < 6; ++trial) {
      std::optional<Program> bound = bind_randomly(*family, random);
      ASSERT_TRUE(bound.has_value()) << entry.path();
      Trial run(std::move(*bound));
      run.fill_random(random());
      EXPECT_EQ(run.disagreement(), "") << entry.path();
      const auto outputs = run.exact();
      ASSERT_TRUE(outputs.has_value()) << entry.path();
      for (const auto& [id, output] : *outputs) {
        elements += output.bound.size();
        unknown += static_cast<std::size_t>(std::count(output.bound.begin(), output.bound.end(), HUGE_VAL));
      }
    }
    ++programs;
  }
  EXPECT_GT(programs, 0u);
  EXPECT_LT(unknown * 20, elements);
}

/// A sum of the elements in a random tree, in f32 and then rounded to the type.
double sum_in_random_tree(std::mt19937_64& random, const std::vector<double>& elements, DataType type) {
  std::vector<float> nodes(elements.begin(), elements.end());
  while (nodes.size() > 1) {
    std::swap(nodes[random() % nodes.size()], nodes.back());
    const float last = nodes.back();
    nodes.pop_back();
    nodes[random() % nodes.size()] += last;
  }
  const float total = nodes.empty() ? 0.0f : nodes.front();
  if (type == DataType::F16) return f16_to_f32(f32_to_f16(total));
  return type == DataType::BF16 ? bf16_to_f32(f32_to_bf16(total)) : total;
}

TEST(Property, SumsInEveryOrderAreWithinTheBound) {
  const std::string text =
      "program p(N; T: type {f32, f16, bf16} = f32) { in A: T[N]\n out Y: T[2]\n parallel i in 1 {\n a[k: N] = A[k]\n"
      "Y[0] = sum(a, k)\n s[] = T(0)\n reduce t in N {\n s += A[t]\n }\n Y[1] = s\n } }";
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 200; ++trial) {
    for (DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
      Trial run(text, {{"N", static_cast<std::int64_t>(random() % 60)}}, {{"T", type}});
      run.fill_random(random(), -4, 4);
      const ExactOutput expected = run.exact("Y");
      for (int order = 0; order < 5; ++order) {
        const double found = sum_in_random_tree(random, run.values("A"), type);
        for (std::size_t i : {0, 1})
          EXPECT_EQ(agree(found, expected.value[i], expected.bound[i]), Agreement::Within)
              << found << " against " << expected.value[i] << " +- " << expected.bound[i];
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::tile::testing
