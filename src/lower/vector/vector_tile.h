// One tile of a contraction: a rectangle of accumulators through the depth, and what becomes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "kernel/builder.h"
#include "lower/vector/vector_elements.h"
#include "realize/contraction.h"
#include "realize/vector_mapping.h"

namespace tilewright::lower {

/// An operand as memory: element (outer, depth) lies at base + outer * outer_step + depth * depth_step.
struct OperandView {
  kernel::MemoryRef memory;
  kernel::ValueId base;
  std::int64_t outer_step = 0, depth_step = 0;
};

/// The columns that a worker is busy with.
struct Panel {
  std::int64_t vectors = 1;
  kernel::ValueId column;     ///< the first
  kernel::ValueId last_mask;  ///< lanes of the last vector that exist; none: all
  OperandView a, b;
  std::optional<kernel::AllocationId> packed;
  kernel::ValueId packed_at;  ///< element (depth, column) lies depth * vectors * lanes + column behind it
  std::optional<kernel::AllocationId> partial;  ///< sums of passes: (row, column) at row * width + column behind it
  kernel::ValueId partial_at;
  std::int64_t partial_width = 0;
};

class VectorTile {
 public:
  VectorTile(const realize::Contraction& contraction, const realize::VectorMapping& mapping, kernel::Builder& builder,
             VectorElements& elements)
      : contraction_(contraction), mapping_(mapping), b_(builder), elements_(elements) {}
  /// How far apart neighbouring columns of b lie.
  void set_column_step(std::int64_t step) { b_step_ = step; }

  /// Copies panels of b, steps [from, from + count) of their depth; `each` calls what it is given for every panel.
  void pack(const std::function<void(const std::function<void(const Panel&)>&)>& each, kernel::ValueId from,
            std::int64_t count);
  /// The tile of `rows` rows from `row` on.
  void emit(const Panel& panel, kernel::ValueId row, std::int64_t rows);
  /// The same in passes: first the start of the sums, then steps [from, from + count) of each pass, then the outputs.
  void begin(const Panel& panel, kernel::ValueId row, std::int64_t rows);
  void pass(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId from, std::int64_t count);
  void end(const Panel& panel, kernel::ValueId row, std::int64_t rows);

 private:
  using Values = std::vector<kernel::ValueId>;

  std::uint16_t lanes() const { return static_cast<std::uint16_t>(mapping_.lanes); }
  kernel::ValueId mask_of(const Panel& panel, std::int64_t vector) const {
    return vector + 1 == panel.vectors ? panel.last_mask : kernel::ValueId{};
  }
  VectorPlace place(const Panel& panel, kernel::ValueId row, std::int64_t r, std::int64_t v);
  Values initial(const Panel& panel, kernel::ValueId row, std::int64_t rows);
  Values step(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId depth, Values sums);
  void fetch(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId depth);
  Values steps(const Panel& panel, kernel::ValueId row, std::int64_t rows, std::int64_t from, std::int64_t count,
               kernel::ValueId shift, Values sums);
  kernel::ValueId load_b(const Panel& panel, kernel::ValueId depth, std::int64_t vector);
  void pack_rows(const Panel& panel, kernel::ValueId depth);
  void pack_columns(const Panel& panel, kernel::ValueId first, std::int64_t count);
  kernel::ValueId partial_index(const Panel& panel, kernel::ValueId row, std::int64_t r, std::int64_t v);
  Values partial_sums(const Panel& panel, kernel::ValueId row, std::int64_t rows);
  void keep_partial(const Panel& panel, kernel::ValueId row, std::int64_t rows, const Values& sums);
  bool has_rows_of_b() const { return b_step_ == 1; }
  Values dot_step(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId depth,
                  kernel::ValueId mask, Values sums);
  kernel::ValueId folded(kernel::ValueId sum);
  Values dots(const Panel& panel, kernel::ValueId row, std::int64_t rows);
  void finish(const Panel& panel, kernel::ValueId row, std::int64_t rows, const Values& sums);

  const realize::Contraction& contraction_;
  const realize::VectorMapping& mapping_;
  kernel::Builder& b_;
  VectorElements& elements_;
  std::int64_t b_step_ = 1;
};

}  // namespace tilewright::lower
