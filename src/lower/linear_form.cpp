#include "lower/linear_form.h"

#include "support/checked_math.h"

namespace tilewright::lower {

namespace {

using tile::IndexArena;
using tile::IndexId;
using tile::IndexKind;
using tile::IndexNode;

class Decomposer {
 public:
  explicit Decomposer(const IndexArena& index) : index_(index) {}

  std::optional<LinearForm> run(IndexId expr) {
    if (!add(expr, 1)) return std::nullopt;
    std::erase_if(form_.factors, [](const auto& entry) { return entry.second == 0; });
    return std::move(form_);
  }

 private:
  bool add(IndexId expr, std::int64_t factor) {
    const IndexNode& node = index_[expr];
    switch (node.kind) {
      case IndexKind::Constant:
        return add_constant(node.value, factor);
      case IndexKind::Axis:
        return add_axis(node.axis(), factor);
      case IndexKind::Add:
        return add(node.lhs, factor) && add(node.rhs, factor);
      case IndexKind::Sub: {
        const auto negative = checked_sub(0, factor);
        return negative && add(node.lhs, factor) && add(node.rhs, *negative);
      }
      case IndexKind::Mul:
        return add_product(expr, node, factor);
      case IndexKind::Symbol:
      case IndexKind::Param:
      case IndexKind::Coord:
      case IndexKind::FloorDiv:
      case IndexKind::CeilDiv:
      case IndexKind::Mod:
      case IndexKind::Min:
      case IndexKind::Max:
      case IndexKind::BitAnd:
      case IndexKind::BitXor:
      case IndexKind::ShiftLeft:
      case IndexKind::ShiftRight:
        return add_term(expr, factor);
    }
    return false;
  }

  bool add_constant(std::int64_t value, std::int64_t factor) {
    const auto product = checked_mul(value, factor);
    const auto sum = product ? checked_add(form_.constant, *product) : product;
    if (!sum) return false;
    form_.constant = *sum;
    return true;
  }

  bool add_axis(tile::AxisId axis, std::int64_t factor) {
    std::int64_t& current = form_.factors[axis];
    const auto sum = checked_add(current, factor);
    if (!sum) return false;
    current = *sum;
    return true;
  }

  bool add_product(IndexId expr, const IndexNode& node, std::int64_t factor) {
    auto number = index_.as_constant(node.rhs);
    IndexId other = node.lhs;
    if (!number) {
      number = index_.as_constant(node.lhs);
      other = node.rhs;
    }
    if (!number) return add_term(expr, factor);
    const auto product = checked_mul(*number, factor);
    return product && add(other, *product);
  }

  bool add_term(IndexId expr, std::int64_t factor) {
    if (!index_.axes(expr).empty()) return false;
    form_.terms.emplace_back(factor, expr);
    return true;
  }

  const IndexArena& index_;
  LinearForm form_;
};

}  // namespace

std::optional<tile::AxisId> LinearForm::unit_axis() const {
  if (factors.size() != 1 || factors.begin()->second != 1) return std::nullopt;
  return factors.begin()->first;
}

std::optional<LinearForm> linear_form(const tile::IndexArena& index, tile::IndexId expr) {
  return Decomposer(index).run(expr);
}

}  // namespace tilewright::lower
