// Random kernel programs: machine code against the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_count.h"
#include "differential.h"
#include "kernel/printer.h"
#include "kernel/random_program.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

/// The functions whose last bits are the target's give way to others: a last bit may decide a comparison.
Program with_exact_functions(Program program) {
  IdVector<OpId, Op> ops;
  for (Op op : program.ops) {
    if (auto* unary = std::get_if<UnaryOp>(&op.payload)) {
      const bool inexact = unary->kind == UnaryKind::Exp || unary->kind == UnaryKind::Log ||
                           unary->kind == UnaryKind::Tanh || unary->kind == UnaryKind::Sin ||
                           unary->kind == UnaryKind::Cos;
      if (inexact) unary->kind = UnaryKind::Floor;
    }
    ops.push_back(std::move(op));
  }
  program.ops = std::move(ops);
  return program;
}

std::string fault_of(std::uint64_t seed, int size, const Variant& variant) {
  const Program program = with_exact_functions(random_program(seed, size));
  Arena arena(program);
  arena.fill(seed);
  return compare_with_interpreter(program, arena, {variant});
}

/// Looks for the smallest size at which the seed still fails, and shows that program.
void expect_agreement(std::uint64_t seed, int size, const Variant& variant) {
  std::string fault = fault_of(seed, size, variant);
  if (fault.empty()) return;
  int smallest = size;
  for (int smaller = 1; smaller < size; ++smaller) {
    const std::string other = fault_of(seed, smaller, variant);
    if (other.empty()) continue;
    fault = other;
    smallest = smaller;
    break;
  }
  FAIL() << fmt::format("seed {}, size {}: {}\n{}", seed, smallest, fault,
                        print(with_exact_functions(random_program(seed, smallest))));
}

TEST(RandomPrograms, Small) {
  std::vector<Variant> all = variants();
  all.push_back(host_variant());
  all.back().options.opt_level = 1;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(case_count(150, 10)); ++seed)
    expect_agreement(seed, 6, all[seed % all.size()]);
}

TEST(RandomPrograms, Large) {
  std::vector<Variant> all = variants();
  all.push_back(host_variant());
  all.back().options.opt_level = 1;
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) expect_agreement(seed, 25, all[seed % all.size()]);
}

}  // namespace
}  // namespace tilewright::emit_llvm
