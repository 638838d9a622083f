// ValuePlan: what becomes of each tile value in the scalar lowering, and how long its storage is needed.
//
// Worked out from the program alone, before anything is emitted:
//   - a value that nobody needs is Dead;
//   - rank 0 is Scalar;
//   - constants, index expressions and rearrangements of other values are Free: recomputed at each use;
//   - an element-wise value or a load whose one consumer stands in the same block and evaluates it no more often than
//     it has elements is Fused into the consumer's loop. A load only when no store that may touch its object stands
//     between it and the loop, the loop's own store included;
//   - with `mma_loads`, a load whose one consumer is an mma of the same block that multiplies it is Fused into that, on
//     the same condition;
//   - everything else is Stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lower/value_forms.h"
#include "tile/program.h"

namespace tilewright::lower {

/// An operation in its block; position == number of operations stands for the yields.
struct Place {
  tile::BlockId block;
  std::size_t position = 0;
  bool operator==(const Place&) const = default;
};

class ValuePlan final : public ValueForms {
 public:
  explicit ValuePlan(const tile::Program& program, bool mma_loads = false);

  ValueForm form(tile::ValueId value) const override { return facts_[value].form; }
  /// Where the value is defined; arguments: position 0.
  Place home(tile::ValueId value) const { return facts_[value].home; }
  /// Every place that reads the value's elements, through Fused and Free values too. A region or if that takes the
  /// value as several inits is listed as often.
  const std::vector<Place>& reads(tile::ValueId value) const { return facts_[value].reads; }
  /// Position in the home block after which the value is not needed.
  std::size_t last_use(tile::ValueId value) const { return facts_[value].last_use; }
  /// Values defined in the block that are not needed after the position.
  std::vector<tile::ValueId> ending_at(Place place) const;

  Place place_of(tile::OpId op) const { return op_places_[op]; }
  /// No execution reads the value after `place` has run, until the value is defined again. Reads by the operation at
  /// `place` itself are not counted.
  bool dead_after(tile::ValueId value, Place place) const;
  /// Reads of the value by the operation at `place` or inside it: in all, and of them those by the operation itself.
  struct ReadCount {
    std::size_t all = 0, direct = 0;
  };
  ReadCount reads_at(tile::ValueId value, Place place) const;

  std::int64_t volume(const std::vector<tile::AxisId>& axes) const;

 private:
  struct Facts {
    ValueForm form = ValueForm::Dead;
    Place home;
    std::vector<Place> reads;
    std::size_t last_use = 0;
    Place root;  ///< Fused: the operation in whose loop it is computed
  };
  struct Owner {
    tile::OpId op;  ///< none for the root block
    bool is_loop = false;
  };

  void index_block(tile::BlockId block, Owner owner);
  void classify_block(tile::BlockId block);
  void classify_op(tile::OpId op);
  void classify_value(tile::ValueId value, tile::OpId def);
  bool fits_consumer(tile::ValueId value, tile::OpId def);
  bool accepts(tile::OpId consumer, tile::ValueId operand) const;
  std::int64_t evaluations(tile::OpId consumer, tile::ValueId operand) const;
  bool load_may_move(const tile::LoadOp& load, Place from, Place root) const;
  void finish_value(tile::ValueId value);
  void add_use(tile::ValueId value, Place place, tile::OpId consumer);
  std::optional<Place> lifted(Place place, tile::BlockId to) const;
  bool inside_one_run(tile::BlockId block, tile::BlockId home) const;

  struct Use {
    Place place;
    tile::OpId consumer;  ///< none for a yield
  };

  bool is_mma_load(tile::OpId consumer, tile::ValueId operand) const;

  const tile::Program& program_;
  bool mma_loads_;
  IdVector<tile::ValueId, Facts> facts_;
  IdVector<tile::ValueId, std::vector<Use>> uses_;
  IdVector<tile::OpId, Place> op_places_;
  IdVector<tile::BlockId, Owner> owners_;
  IdVector<tile::BlockId, std::map<std::size_t, std::vector<tile::ValueId>>> ending_;
  std::map<tile::OpId, std::set<tile::ObjectId>> stores_;  ///< of stores, regions and ifs
  std::map<std::pair<tile::BlockId, std::size_t>, std::size_t> root_sizes_;
};

}  // namespace tilewright::lower
