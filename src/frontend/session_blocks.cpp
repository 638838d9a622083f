// Blocks and tiles of a session.
#include <algorithm>

#include "frontend/session.h"

namespace tilewright::dsl {

// ---- Blocks --------------------------------------------------------------------------------------------------------

bool Session::is_open(BlockToken block) const {
  return block == kRootBlock ||
         std::any_of(blocks_.begin(), blocks_.end(), [&](const Block& open) { return open.token == block; });
}

Session::OpenedRegion Session::open_region(tile::RegionSpec spec) {
  const tile::RegionKind kind = spec.kind;
  std::vector<tile::CoordId> coords = builder_.begin_region(std::move(spec));
  blocks_.push_back({next_block_++, kind, false});
  return {blocks_.back().token, std::move(coords)};
}

void Session::open_branches(tile::ValueId condition) {
  builder_.begin_if(condition);
  blocks_.push_back({next_block_++, tile::RegionKind::Serial, true});
}

bool Session::close_inside(BlockToken block, const Place& place) {
  if (finished_ || block == kRootBlock || !is_open(block)) return false;
  while (blocks_.back().token != block) {
    fault(place, DiagCode::RegionBody, "a region is still open where the region around it ends",
          "write regions as for (auto [i] : p.serial({\"i\", n})) { .. }");
    close_innermost();
  }
  make_pending({});
  return true;
}

BlockToken Session::next_branch(BlockToken first, const Place& place) {
  if (!close_inside(first, place)) return first;
  builder_.begin_else();
  blocks_.back().token = next_block_++;
  return blocks_.back().token;
}

void Session::close_innermost() {
  if (blocks_.back().is_branch)
    builder_.end_if();
  else
    builder_.end_region();
  blocks_.pop_back();
}

void Session::close(BlockToken block, const Place& place) {
  if (!close_inside(block, place)) return;
  at(place);
  close_innermost();
}

// ---- Tiles ---------------------------------------------------------------------------------------------------------

std::size_t Session::declare(std::string label, tile::ValueId value) {
  Variable variable{{}, label, tile::kF32, block()};
  if (value.valid()) variable.element = builder_.type_of(value).element;
  variable.id = builder_.declare(std::move(label), value);
  variables_.push_back(std::move(variable));
  return variables_.size() - 1;
}

bool Session::check_scope(std::size_t variable, const Place& place) {
  const Variable& known = variables_[variable];
  if (is_open(known.block)) return true;
  fault(place, DiagCode::UnknownName,
        (known.label.empty() ? "a tile" : "'" + known.label + "'") + " is used outside the region that defines it",
        "define it before the region and assign it inside");
  return false;
}

tile::ValueId Session::read(std::size_t variable, const Place& place) {
  if (finished_ || !check_scope(variable, place)) return {};
  at(place);
  return builder_.read(variables_[variable].id);
}

void Session::assign(std::size_t variable, tile::ValueId value, const Place& place) {
  if (finished_ || !check_scope(variable, place)) return;
  at(place);
  Variable& known = variables_[variable];
  builder_.assign(known.id, value);
  if (!known.label.empty()) builder_.name_value(value, known.label);
  if (value.valid() && known.block == block()) known.element = builder_.type_of(value).element;
}

void Session::fold(std::size_t variable, tile::FoldKind kind, tile::ValueId value, const Place& place) {
  if (finished_ || !check_scope(variable, place)) return;
  at(place);
  builder_.fold(variables_[variable].id, kind, value);
}

bool Session::inside_reduce(std::size_t variable) const {
  auto open = blocks_.rbegin();
  for (; open != blocks_.rend() && open->token != variables_[variable].block; ++open)
    if (!open->is_branch && open->kind == tile::RegionKind::Reduce) return true;
  return false;
}

}  // namespace tilewright::dsl
