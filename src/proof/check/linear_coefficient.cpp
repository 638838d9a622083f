#include "proof/check/linear_coefficient.h"

#include <algorithm>

namespace tilewright::proof::check {

std::optional<std::int64_t> linear_coefficient(const tile::IndexArena& index, tile::IndexId expr, tile::IndexKind kind,
                                               std::uint32_t leaf) {
  const tile::IndexNode& node = index[expr];
  const auto held = index.leaves(expr, kind);
  if (std::find(held.begin(), held.end(), leaf) == held.end()) return 0;
  if (tile::is_index_leaf(node.kind)) return 1;
  const auto a = linear_coefficient(index, node.lhs, kind, leaf), b = linear_coefficient(index, node.rhs, kind, leaf);
  std::int64_t result = 0;
  if (!a || !b) return std::nullopt;
  if (node.kind == tile::IndexKind::Add && !__builtin_add_overflow(*a, *b, &result)) return result;
  if (node.kind == tile::IndexKind::Sub && !__builtin_sub_overflow(*a, *b, &result)) return result;
  if (node.kind != tile::IndexKind::Mul) return std::nullopt;
  const auto left = index.as_constant(node.lhs), right = index.as_constant(node.rhs);
  if (right && !__builtin_mul_overflow(*a, *right, &result)) return result;
  if (left && !__builtin_mul_overflow(*left, *b, &result)) return result;
  return std::nullopt;
}

}  // namespace tilewright::proof::check
