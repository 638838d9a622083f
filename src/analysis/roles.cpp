#include "analysis/roles.h"

#include "tile/typing.h"

namespace tilewright::analysis {

const tile::MmaOp* as_mma(const tile::Program& program, tile::OpId op) {
  return std::get_if<tile::MmaOp>(&program.op(op).payload);
}

MmaRoles mma_roles(const tile::Program& program, tile::OpId op) {
  const tile::MmaOp* mma = as_mma(program, op);
  TW_CHECK(mma != nullptr);
  const auto a = program.list(program.value(mma->a).axes);
  const auto b = program.list(program.value(mma->b).axes);
  const auto c = program.list(program.value(mma->c).axes);
  MmaRoles roles;
  for (tile::AxisId axis : c) {
    const bool in_a = tile::contains(a, axis);
    const bool in_b = tile::contains(b, axis);
    TW_CHECK(in_a || in_b);
    (in_a && in_b ? roles.batch : in_a ? roles.rows : roles.columns).push_back(axis);
  }
  for (tile::AxisId axis : a)
    if (!tile::contains(c, axis)) roles.contraction.push_back(axis);
  return roles;
}

}  // namespace tilewright::analysis
