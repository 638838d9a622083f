#include "lower/scalar_refusals.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/program.h"
#include "support/result.h"
#include "tile/typing.h"

namespace tilewright::lower {

namespace {

using namespace tile;

const char* space_name(MemorySpace space) {
  switch (space) {
    case MemorySpace::Auto:
      return "auto";
    case MemorySpace::Private:
      return "private";
    case MemorySpace::Shared:
      return "shared";
    case MemorySpace::Cluster:
      return "cluster";
    case MemorySpace::Global:
      return "global";
    case MemorySpace::Tensor:
      return "tensor";
  }
  return "?";
}

bool has_space(MemorySpace space) {
  return space == MemorySpace::Auto || space == MemorySpace::Private || space == MemorySpace::Shared;
}

/// What the CPU cannot do, wherever it stands in the program.
class Refusals {
 public:
  explicit Refusals(const Program& program) : program_(program) {}

  Diags run() {
    for (const Op& op : program_.ops()) check_op(op);
    // Every kernel's own block is the first level.
    if (depth(program_.root()) > kernel::kMaxNesting - 1)
      refuse({},
             fmt::format("the regions and tiles of '{}' make more than {} loops inside each other", program_.name(),
                         kernel::kMaxNesting),
             "nest fewer regions");
    return std::move(diags_);
  }

 private:
  void refuse(LocationId location, std::string message, std::string hint) {
    diags_.push_back(Diag{DiagCode::Unsupported,
                          std::move(message),
                          location.valid() ? program_.place(location) : SourcePlace{},
                          std::move(hint),
                          {}});
  }

  void check_op(const Op& op) {
    if (const auto* opaque = std::get_if<OpaqueOp>(&op.payload))
      refuse(op.location,
             fmt::format("the CPU cannot make the opaque call '{}'", program_.opaque_symbols()[opaque->symbol]),
             "write what it does as tile operations");
    if (const auto* memory = std::get_if<MemoryOp>(&op.payload)) {
      const Object& object = program_.object(memory->object);
      check_space(op.location, object.space, object.name);
    }
    for (ValueId result : program_.list(op.results))
      check_space(op.location, program_.value(result).placement, program_.value(result).name);
  }

  void check_space(LocationId location, MemorySpace space, const std::string& name) {
    if (has_space(space)) return;
    refuse(location, fmt::format("'{}' must live in {} memory, which the CPU does not have", name, space_name(space)),
           "use private or shared, or leave the placement out");
  }

  /// Loops and conditions inside each other that the block may become.
  int depth(BlockId id) const {
    int deepest = 0;
    for (OpId op : program_.block(id).ops) deepest = std::max(deepest, depth_of(program_.op(op)));
    return deepest;
  }

  int depth_of(const Op& op) const {
    // Tests around and inside of the loops, and a fold's own loop.
    constexpr int kTests = 4;
    std::vector<AxisId> axes;
    const auto join = [&](ValueId value) { axes = join_axes(axes, program_.list(program_.value(value).axes)); };
    for (ValueId result : program_.list(op.results)) join(result);
    for_each_operand(program_, op.payload, join);
    if (const auto* store = std::get_if<StoreOp>(&op.payload))
      for (IndexId coord : program_.list(store->coords)) axes = join_axes(axes, program_.index().axes(coord));
    int deepest = static_cast<int>(axes.size()) + kTests;
    if (const auto* region = std::get_if<RegionOp>(&op.payload))
      deepest = std::max(deepest, depth(region->body)) + static_cast<int>(region->coords.count);
    if (const auto* branch = std::get_if<IfOp>(&op.payload))
      deepest = std::max({deepest, depth(branch->then_block), depth(branch->else_block)}) + 1;
    return std::min(deepest, 1 << 20);
  }

  const Program& program_;
  Diags diags_;
};

}  // namespace

Result<void> check_scalar(const Program& bound) {
  Diags refusals = Refusals(bound).run();
  if (!refusals.empty()) return std::unexpected(std::move(refusals));
  return {};
}

}  // namespace tilewright::lower
