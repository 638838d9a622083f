// parse(print(p)) == p and print(parse(print(p))) == print(p) for random programs.
#include "round_trip.h"

#include <map>
#include <set>

#include "case_count.h"
#include "generator.h"
#include "tile/bind.h"
#include "tile/verifier.h"

namespace tilewright::tile {
namespace {

constexpr std::uint64_t kChunks = 8;
const std::uint64_t kProgramsPerChunk = static_cast<std::uint64_t>(case_count(100, 12));

std::string shown(const GeneratorOptions& options, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + ", size " + std::to_string(options.size) +
         (options.interpretable ? ", interpretable"
          : options.legal       ? ", legal"
                                : ", any");
}

/// Chunks of seeds, so that the tests can share the cores.
class RoundTrip : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  template <class Check>
  void for_each_program(GeneratorOptions options, Check&& check) {
    for (std::uint64_t i = 0; i < kProgramsPerChunk; ++i) {
      const std::uint64_t seed = GetParam() * kProgramsPerChunk + i;
      options.size = i % 10 == 9 ? 60 : i % 2 == 0 ? 12 : 5;
      SCOPED_TRACE(shown(options, seed));
      check(generate_program(seed, options));
      if (HasFailure()) return;
    }
  }
};

void check_bound(const GeneratedProgram& generated) {
  const Result<void> verified = verify(generated.family);
  ASSERT_TRUE(verified) << render(verified.error());
  const Result<Program> bound = bind(generated.family, generated.bindings);
  ASSERT_TRUE(bound) << render(bound.error());
  EXPECT_TRUE(bound->bound());
  EXPECT_TRUE(round_trips(*bound));
}

TEST_P(RoundTrip, OfWhatABuilderAccepts) {
  for_each_program({.legal = false},
                   [](const GeneratedProgram& generated) { EXPECT_TRUE(round_trips(generated.family)); });
}

TEST_P(RoundTrip, OfLegalPrograms) {
  for_each_program({}, [](const GeneratedProgram& generated) {
    EXPECT_TRUE(round_trips(generated.family));
    check_bound(generated);
  });
}

TEST_P(RoundTrip, OfInterpretablePrograms) {
  for_each_program({.interpretable = true}, [](const GeneratedProgram& generated) {
    EXPECT_TRUE(round_trips(generated.family));
    check_bound(generated);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, ::testing::Range(std::uint64_t{0}, kChunks));

// ---- The generator itself ------------------------------------------------------------------------------------------

TEST(Generator, DependsOnItsSeedAlone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const GeneratedProgram first = generate_program(seed);
    EXPECT_EQ(print_program(first.family), print_program(generate_program(seed).family)) << "seed " << seed;
    EXPECT_NE(print_program(first.family), print_program(generate_program(seed + 1).family)) << "seed " << seed;
  }
}

/// What a set of programs contains, by name.
class Census {
 public:
  void add(const Program& program) {
    for (const Op& op : program.ops()) std::visit([&](const auto& payload) { add(program, op, payload); }, op.payload);
    for (const Value& value : program.values()) {
      if (value.placement != MemorySpace::Auto) ++seen_["placed value"];
      ++seen_[value.element.symbolic() ? "type parameter" : std::string(data_type_name(value.element.data))];
    }
    for (const Object& object : program.objects()) {
      if (!object.strides.empty()) ++seen_["strides"];
      if (object.default_value) ++seen_["default"];
      if (object.layout.valid()) ++seen_["layout"];
      if (object.kind == ObjectKind::Temp) ++seen_["temporary"];
    }
  }
  int count(const std::string& name) const {
    const auto found = seen_.find(name);
    return found == seen_.end() ? 0 : found->second;
  }

 private:
  template <class Payload>
  void add(const Program& program, const Op& op, const Payload& payload) {
    ++seen_[Payload::kName];
    detail(program, op, payload);
  }
  template <class Payload>
  void detail(const Program&, const Op&, const Payload&) {}
  void detail(const Program&, const Op&, const UnaryOp& op) { ++seen_["unary " + std::to_string(int(op.kind))]; }
  void detail(const Program&, const Op&, const BinaryOp& op) { ++seen_["binary " + std::to_string(int(op.kind))]; }
  void detail(const Program&, const Op&, const LoadOp& op) {
    if (op.fallback.valid()) ++seen_["fallback"];
    if (op.bounds == BoundsPolicy::Assume) ++seen_["assumed load"];
  }
  void detail(const Program&, const Op&, const MmaOp& op) {
    if (!op.reassociate) ++seen_["ordered mma"];
    if (op.relaxed) ++seen_["relaxed mma"];
  }
  void detail(const Program& program, const Op&, const RegionOp& op) {
    ++seen_["region " + std::to_string(int(op.kind))];
    const auto args = program.list(program.block(op.body).args);
    const auto yields = program.list(program.block(op.body).yields);
    if (op.kind == RegionKind::Reduce && yields.size() > 1) ++seen_["several folds"];
    for (std::size_t j = 0; j < args.size(); ++j) {
      ++seen_["carry"];
      if (yields[j] == args[j]) ++seen_["unused carry"];
      for (std::size_t i = 0; i < args.size(); ++i)
        if (i != j && yields[j] == args[i]) ++seen_["exchanged carry"];
    }
  }
  void detail(const Program& program, const Op& op, const IfOp& branch) {
    if (!op.results.empty()) ++seen_["if with carries"];
    if (program.list(program.block(branch.then_block).yields) == program.list(branch.inits) && !op.results.empty())
      ++seen_["if that assigns in its else alone"];
  }

  std::map<std::string, int> seen_;
};

TEST(Generator, CoversEveryOperationAndForm) {
  Census census, interpretable;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    census.add(generate_program(seed).family);
    interpretable.add(generate_program(seed, {.interpretable = true}).family);
  }
  const std::set<std::string> hard{"opaque", "placed value", "strides"};
  for (const char* name : {"constant",
                           "index",
                           "unary",
                           "binary",
                           "select",
                           "cast",
                           "broadcast",
                           "reindex",
                           "gather",
                           "reduce",
                           "mma",
                           "load",
                           "store",
                           "memory",
                           "barrier",
                           "opaque",
                           "stage",
                           "region",
                           "if",
                           "f32",
                           "f16",
                           "bf16",
                           "i32",
                           "bool",
                           "index",
                           "type parameter",
                           "placed value",
                           "strides",
                           "default",
                           "layout",
                           "temporary",
                           "fallback",
                           "assumed load",
                           "ordered mma",
                           "relaxed mma",
                           "several folds",
                           "carry",
                           "unused carry",
                           "exchanged carry",
                           "if with carries",
                           "if that assigns in its else alone",
                           "region 0",
                           "region 1",
                           "region 2",
                           "region 3"}) {
    EXPECT_GT(census.count(name), 0) << name;
    EXPECT_EQ(interpretable.count(name) > 0, !hard.contains(name)) << name;
  }
  for (int kind = 0; kind <= int(UnaryKind::Floor); ++kind)
    EXPECT_GT(interpretable.count("unary " + std::to_string(kind)), 0) << kind;
  for (int kind = 0; kind <= int(BinaryKind::Or); ++kind)
    EXPECT_GT(interpretable.count("binary " + std::to_string(kind)), 0) << kind;
}

}  // namespace
}  // namespace tilewright::tile
