#include "lower/direct/direct_refusals.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/roles.h"
#include "kernel/group_ops.h"
#include "kernel/values.h"
#include "support/checked_math.h"
#include "support/result.h"
#include "target/atom_legality.h"
#include "tile/bind.h"

namespace tilewright::lower {

namespace {

using namespace tile;

constexpr const char* kOtherRoute = "--route planned";

class DirectRefusals {
 public:
  DirectRefusals(const Program& program, const ValueForms& values, const DirectDevice& device)
      : program_(program), values_(values), device_(device) {}

  Diags run() {
    for (OpId id : program_.ops().ids()) {
      at_ = id;
      std::visit([&](const auto& payload) { check(payload); }, program_.op(id).payload);
      for (ValueId result : program_.list(program_.op(id).results)) check_placement(result);
    }
    return std::move(diags_);
  }

 private:
  void refuse(std::string message, std::string hint) {
    const LocationId location = program_.op(at_).location;
    diags_.push_back(Diag{DiagCode::Unsupported,
                          "the direct route " + std::move(message),
                          location.valid() ? program_.place(location) : SourcePlace{},
                          std::move(hint),
                          {}});
  }

  template <class Payload>
  void check(const Payload&) {}

  void check(const OpaqueOp& op) {
    refuse(fmt::format("cannot make the opaque call '{}'", program_.opaque_symbols()[op.symbol]),
           "write what it does as tile operations");
  }
  void check(const MemoryOp& op) {
    refuse(fmt::format("has no explicit memory, such as '{}'", program_.object(op.object).name), kOtherRoute);
  }
  void check(const RegionOp& op) {
    const bool is_launch =
        std::ranges::any_of(program_.block(program_.root()).ops, [&](OpId launch) { return launch == at_; });
    const bool is_served =
        op.scope == Scope::Auto || (is_launch && (op.scope == Scope::Device || op.scope == Scope::Group));
    if (!is_served)
      refuse("runs a program by one group and its inner regions in order, and this region is bound to another scope",
             "leave the scope out, or --route planned");
  }
  void check_placement(ValueId value) {
    const MemorySpace space = program_.value(value).placement;
    if (space == MemorySpace::Auto || space == MemorySpace::Shared) return;
    refuse(fmt::format("keeps tiles in shared memory, and '{}' is placed elsewhere", program_.value(value).name),
           "make it shared, or leave the placement out");
  }

  std::int64_t volume(const std::vector<AxisId>& axes) const {
    std::int64_t product = 1;
    for (AxisId axis : axes)
      product = checked_mul(product, bound_extent(program_, axis)).value_or(std::numeric_limits<std::int64_t>::max());
    return product;
  }

  void check(const MmaOp& op) {
    const ValueId result = program_.list(program_.op(at_).results).front();
    if (values_.form(result) == ValueForm::Dead) return;
    const analysis::MmaRoles roles = analysis::mma_roles(program_, at_);
    const std::int64_t m = volume(roles.rows), n = volume(roles.columns), k = volume(roles.contraction);
    if (m == 0 || n == 0 || k == 0) return;
    const std::string& name = program_.value(result).name;
    const std::string what = fmt::format(
        "makes an mma by one {} over the whole tile, and '{}' is {} x {} x {} (rows, "
        "columns, contraction)",
        device_.tensor_operation.name, name.empty() ? "mma" : name, m, n, k);
    if (!op.reassociate)
      return refuse(what + ": the order of its sum is fixed, that of a tensor operation is its own", kOtherRoute);
    const auto type = [&](ValueId value) { return program_.value(value).element.data; };
    if (const auto why = target::why_elements_illegal(device_.tensor_operation, {type(op.a), type(op.b), type(result)}))
      return refuse(what + ": " + why->reason, "other element types, or --route planned");
    const target::AtomShape shape{.m = m, .n = n, .k = k, .static_k = false};
    if (const auto why = target::why_illegal(device_.tensor_operation, shape))
      return refuse(what + ": " + why->reason, "tiles of other extents, or --route planned");
    if (m > kernel::kMaxFragmentExtent || n > kernel::kMaxFragmentExtent || k > kernel::kMaxAtomDepth)
      return refuse(fmt::format("{}: rows and columns are at most {}, the contraction at most {}", what,
                                kernel::kMaxFragmentExtent, kernel::kMaxAtomDepth),
                    "smaller tiles");
  }

  const Program& program_;
  const ValueForms& values_;
  const DirectDevice& device_;
  OpId at_;
  Diags diags_;
};

}  // namespace

Result<void> check_direct(const Program& bound, const ValueForms& values, const DirectDevice& device) {
  Diags refusals = DirectRefusals(bound, values, device).run();
  if (!refusals.empty()) return std::unexpected(std::move(refusals));
  return {};
}

}  // namespace tilewright::lower
