// GroupStorage: what becomes of each value of a cooperative launch, and where the group keeps its tiles. The plan has
// decided; this only looks it up.
#pragma once

#include <map>

#include "kernel/builder.h"
#include "lower/elements.h"
#include "lower/slot_pool.h"
#include "lower/value_forms.h"
#include "plan/plan.h"
#include "proof/subject.h"
#include "realize/materialization.h"
#include "tile/program.h"

namespace tilewright::lower {

class GroupStorage final : public ValueForms {
 public:
  GroupStorage(const tile::Program& program, const plan::LaunchPlan& launch,
               const realize::Materialization& materialization)
      : program_(program), launch_(launch), materialization_(materialization) {}

  ValueForm form(tile::ValueId value) const override;
  /// Whether the plan has storage for the value.
  bool has_tile(tile::ValueId value) const { return tile_of(value) != nullptr; }
  const plan::TilePlan* tile_of(tile::ValueId value) const;

  /// Shared storage of the tile, with `versions` copies of it one after the other. Premise: has_tile(value).
  StridedView allocate(tile::ValueId value, std::int64_t versions, SlotPool& slots) const;
  /// Elements from one version to the next, padding included.
  std::int64_t version_elements(tile::ValueId value) const;

 private:
  std::map<tile::AxisId, std::int64_t> strides(tile::ValueId value, std::int64_t padding) const;

  const tile::Program& program_;
  const plan::LaunchPlan& launch_;
  const realize::Materialization& materialization_;
};

}  // namespace tilewright::lower
