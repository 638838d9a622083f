// How much one task computes, roughly: the runtime needs to know which launches are too small to share.
#include <algorithm>
#include <optional>

#include "emit/llvm/emit_internal.h"
#include "support/checked_math.h"

namespace tilewright::emit_llvm {

namespace {

using namespace kernel;

constexpr std::int64_t kUnknownTrips = 16;
/// A call of the math library against an arithmetic operation.
constexpr std::int64_t kMathCall = 20;

std::int64_t saturating_add(std::int64_t a, std::int64_t b) { return checked_add(a, b).value_or(INT64_MAX); }
std::int64_t saturating_mul(std::int64_t a, std::int64_t b) { return checked_mul(a, b).value_or(INT64_MAX); }

class Estimate {
 public:
  Estimate(const Program& program, std::int64_t unknown_trips)
      : program_(program), unknown_trips_(unknown_trips), constants_(program.values.size()) {
    for (const Op& op : program.ops) {
      const auto* constant = std::get_if<ConstOp>(&op.payload);
      if (constant != nullptr && op.results.size() == 1) constants_[op.results[0].index] = constant->integer;
    }
  }
  std::int64_t block(BlockId id) const {
    std::int64_t sum = 0;
    if (!id.valid()) return sum;
    for (OpId op : program_.blocks[id].ops) sum = saturating_add(sum, work(program_.ops[op]));
    return sum;
  }

 private:
  std::int64_t work(const Op& op) const {
    if (const auto* loop = std::get_if<LoopOp>(&op.payload)) return saturating_mul(trips(*loop), block(loop->body));
    if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
      return std::max(block(branch->then_block), block(branch->else_block));
    }
    if (std::holds_alternative<ConstOp>(op.payload)) return 0;
    if (const auto* store = std::get_if<StoreOp>(&op.payload)) return program_.values[store->value].lanes;
    const std::int64_t lanes = op.results.empty() ? 1 : program_.values[op.results[0]].lanes;
    const auto* unary = std::get_if<UnaryOp>(&op.payload);
    const bool math = unary != nullptr && unary->kind >= UnaryKind::Exp && unary->kind <= UnaryKind::Cos &&
                      unary->kind != UnaryKind::Sqrt;
    return lanes * (math ? kMathCall : 1);
  }
  std::int64_t trips(const LoopOp& loop) const {
    const std::optional<std::int64_t>& low = constants_[loop.low.index];
    const std::optional<std::int64_t>& high = constants_[loop.high.index];
    if (!low || !high) return unknown_trips_;
    const std::int64_t distance = checked_sub(*high, *low).value_or(INT64_MAX);
    return distance <= 0 ? 0 : (distance - 1) / loop.step + 1;
  }

  const Program& program_;
  std::int64_t unknown_trips_;
  std::vector<std::optional<std::int64_t>> constants_;
};

}  // namespace

std::int64_t estimate_work(const Program& program, const Kernel& kernel) {
  // The loops of unknown length in a kernel of ranges are those over its tasks.
  return Estimate(program, kernel.ranges ? 1 : kUnknownTrips).block(kernel.body);
}

}  // namespace tilewright::emit_llvm
