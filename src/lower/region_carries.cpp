#include "lower/region_carries.h"

#include "lower/fold_rules.h"

namespace tilewright::lower {

using namespace tile;

std::vector<RegionCarry> region_carries(const Program& program, OpId id) {
  const auto& region = std::get<RegionOp>(program.op(id).payload);
  const std::vector<ValueId> inits = program.list(region.inits);
  const std::vector<ValueId> args = program.list(program.block(region.body).args);
  const std::vector<ValueId> yields = program.list(program.block(region.body).yields);
  const std::vector<ValueId> results = program.list(program.op(id).results);
  std::vector<RegionCarry> carries;
  for (std::size_t j = 0; j < inits.size(); ++j) {
    const Value& result = program.value(results[j]);
    RegionCarry carry{inits[j], {}, yields[j], results[j], result.axes.empty(), scalar_type(result.element.data), {}};
    if (region.kind == RegionKind::Reduce) {
      carry.fold = region.fold(j);
      carry.type = fold_type(carry.fold, carry.type);
    } else {
      carry.arg = args[j];
    }
    carries.push_back(carry);
  }
  return carries;
}

}  // namespace tilewright::lower
