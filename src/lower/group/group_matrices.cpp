// Matrix operations as atoms of 8 x 8 x 8: rectangles that subgroups keep, or one atom at a time (seed 1, "Implemented
// matrix mapping family"). The maps are those that realize/fragment_layout.h proves.
#include <algorithm>

#include <fmt/format.h>

#include "lower/group/group_lowering.h"
#include "realize/metal_units.h"
#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;
using realize::kAtomExtent;

namespace {

std::uint16_t extent_of_atoms(std::int64_t atoms) { return static_cast<std::uint16_t>(atoms * kAtomExtent); }

}  // namespace

void GroupLowering::collect_matrices() {
  for (const plan::MatrixPlan& planned : launch_.matrices) {
    const auto form = realize::mma_form(subject_, planned.op);
    TW_CHECK(form.has_value());
    const Op& op = program_.op(planned.op);
    Matrix matrix{&planned, &std::get<MmaOp>(op.payload), *form, program_.list(op.results).front(), 0, {}};
    if (planned.distribution.persistent_accumulator) {
      const auto& region = std::get<RegionOp>(program_.op(planned.region).payload);
      const std::vector<ValueId> yields = program_.list(program_.block(region.body).yields);
      matrix.carry =
          static_cast<std::uint32_t>(std::find(yields.begin(), yields.end(), matrix.result) - yields.begin());
      TW_CHECK(matrix.carry < yields.size());
    }
    matrices_.emplace(planned.op, std::move(matrix));
  }
}

void GroupLowering::lower_mma(OpId id, const MmaOp& op) {
  const auto found = matrices_.find(id);
  if (found == matrices_.end()) return lower_contraction(program_.list(program_.op(id).results).front(), op);
  Matrix& matrix = found->second;
  if (matrix.plan->distribution.is_one_atom())
    lower_jobs(matrix);
  else
    lower_rectangle(matrix);
  fence();
}

void GroupLowering::lower_rectangle(Matrix& matrix) {
  const Rectangle rectangle = own_rectangle(matrix);
  if (matrix.plan->distribution.persistent_accumulator) {
    matrix.resident = multiplied(matrix, rectangle, std::move(matrix.resident));
    return;
  }
  const Fragments start = matrix.plan->overwrites ? Fragments{} : initial(matrix, rectangle);
  const Fragments sums = multiplied(matrix, rectangle, start);
  publish(shared_view(matrix.result, matrix.form.row, matrix.form.column), rectangle, sums);
}

/// Atoms are jobs: in wave w subgroup s makes atom w * G + s of the row-major order. The last wave may be partial; its
/// guard is the same for a whole subgroup.
void GroupLowering::lower_jobs(Matrix& matrix) {
  const std::int64_t columns = matrix.form.columns / kAtomExtent;
  const std::int64_t jobs = matrix.form.rows / kAtomExtent * columns;
  const std::int64_t subgroups = launch_.threads / realize::kSubgroupSize;
  const auto make = [&](kernel::ValueId job) {
    const kernel::ValueId across = b_.const_i64(columns);
    const kernel::ValueId row = b_.mul(b_.binary(BinaryKind::FloorDiv, job, across), kAtomExtent);
    const kernel::ValueId column = b_.mul(b_.binary(BinaryKind::FloorMod, job, across), kAtomExtent);
    const Rectangle rectangle{row, column, 1, 1, extent_of_atoms(1), extent_of_atoms(1)};
    const Fragments sums = multiplied(matrix, rectangle, initial(matrix, rectangle));
    publish(shared_view(matrix.result, matrix.form.row, matrix.form.column), rectangle, sums);
  };
  const std::int64_t whole = jobs / subgroups, rest = jobs % subgroups;
  if (whole == 1) {
    make(subgroup_);
  } else if (whole > 1) {
    const kernel::ValueId zero = b_.const_i64(0), end = b_.const_i64(whole);
    b_.loop(zero, end, 1, [&](kernel::ValueId wave) { make(b_.add(b_.mul(wave, subgroups), subgroup_)); });
  }
  if (rest == 0) return;
  b_.begin_if(b_.compare(kernel::CompareKind::Lt, subgroup_, b_.const_i64(rest)));
  make(b_.add(subgroup_, whole * subgroups));
  b_.end_if();
}

GroupLowering::Rectangle GroupLowering::own_rectangle(const Matrix& matrix) {
  const realize::MatrixDistribution& map = matrix.plan->distribution;
  const auto place = [&](BinaryKind kind, std::int64_t others, std::int64_t atoms) {
    return b_.mul(b_.binary(kind, subgroup_, b_.const_i64(others)), atoms * kAtomExtent);
  };
  const kernel::ValueId zero = b_.const_i64(0);
  if (map.is_collective())
    return {zero,
            zero,
            1,
            1,
            extent_of_atoms(map.atom_rows),
            extent_of_atoms(map.atom_columns),
            kernel::Participants::Group};
  Rectangle rectangle{zero, zero, map.atom_rows, map.atom_columns, extent_of_atoms(1), extent_of_atoms(1)};
  // A tensor operation has one fragment for all of it.
  if (has_tensors()) rectangle = {zero, zero, 1, 1, extent_of_atoms(map.atom_rows), extent_of_atoms(map.atom_columns)};
  if (map.subgroups_m > 1) rectangle.row = place(BinaryKind::FloorDiv, map.subgroups_n, map.atom_rows);
  if (map.subgroups_n > 1 && map.subgroups_m > 1)
    rectangle.column = place(BinaryKind::FloorMod, map.subgroups_n, map.atom_columns);
  else if (map.subgroups_n > 1)
    rectangle.column = b_.mul(subgroup_, map.atom_columns * kAtomExtent);
  return rectangle;
}

// ---- Matrices in memory --------------------------------------------------------------------------------------------

GroupLowering::MatrixView GroupLowering::shared_view(ValueId value, AxisId row, AxisId column) {
  const StridedView& view = elements_.view(value);
  const kernel::ValueId begin = view.offset.valid() ? view.offset : b_.const_i64(0);
  return {kernel::Memory(slots_.allocation(view.slot)), begin, view.strides.at(row), view.strides.at(column)};
}

/// Where the store of a direct output puts the accumulator. Its coordinates are linear: output.direct proved it.
GroupLowering::MatrixView GroupLowering::sink_view(OpId id, const Matrix& matrix) {
  const Access& access = elements_.access(id);
  TW_CHECK(access.address.has_value());
  expect_matrix(id, access, matrix.form.row, matrix.form.column);
  return {access.place->memory, index_.emit_invariant(*access.address), access.address->factor_of(matrix.form.row),
          access.address->factor_of(matrix.form.column)};
}

void GroupLowering::expect_matrix(OpId access_op, const Access& access, AxisId row, AxisId column) {
  struct Side {
    std::int64_t step = 0, extent = 1;
  };
  const auto side = [&](AxisId axis) {
    Side found;
    for (std::size_t d = 0; d < access.dimensions.size(); ++d) {
      const auto form = linear_form(program_.index(), access.dimensions[d].coord);
      if (form && form->unit_axis() == axis) found = {access.place->strides[d], access.dimensions[d].extent};
    }
    return found;
  };
  const auto is_compact = [](const Side& inner, const Side& outer) {
    return (inner.extent <= 1 || inner.step == 1) && (outer.extent <= 1 || outer.step >= inner.extent);
  };
  const Side rows = side(row), columns = side(column);
  if (is_compact(columns, rows) || is_compact(rows, columns)) return;
  const OpPayload& payload = program_.op(access_op).payload;
  const auto* load = std::get_if<LoadOp>(&payload);
  const ObjectId object = load != nullptr ? load->object : std::get<StoreOp>(payload).object;
  const LocationId location = program_.op(access_op).location;
  faults_.push_back(
      Diag{DiagCode::Unsupported,
           fmt::format("the plan takes '{}' as a matrix with compact rows or columns, its strides are {} and {}",
                       program_.object(object).name, rows.step, columns.step),
           location.valid() ? program_.place(location) : SourcePlace{},
           "plan for these strides, or pass a view with a stride of 1",
           {}});
}

GroupLowering::Place GroupLowering::place_of(const MatrixView& view, kernel::ValueId row, kernel::ValueId column) {
  kernel::ValueId index = b_.add(view.index, scaled(b_, row, view.row_step));
  index = b_.add(index, scaled(b_, column, view.column_step));
  // An axis of one point has step 0: it fits either way.
  const bool transposed = view.column_step != 1 && view.column_step != 0;
  return {index, b_.const_i64(transposed ? view.column_step : view.row_step), transposed};
}

kernel::ValueId GroupLowering::load_fragment(const MatrixView& view, const Rectangle& rectangle, kernel::ValueId row,
                                             kernel::ValueId column) {
  const auto [index, stride, transposed] = place_of(view, row, column);
  return b_.fragment_load(view.memory, index, stride, rectangle.extent_rows, rectangle.extent_columns, transposed, {},
                          rectangle.participants);
}

/// The place of every fragment of a rectangle, row-major.
void GroupLowering::each_fragment(const Rectangle& rectangle,
                                  const std::function<void(kernel::ValueId, kernel::ValueId)>& body) {
  for (std::int64_t i = 0; i < rectangle.rows; ++i)
    for (std::int64_t j = 0; j < rectangle.columns; ++j) {
      const kernel::ValueId row = b_.add(rectangle.row, i * rectangle.extent_rows);
      const kernel::ValueId column = b_.add(rectangle.column, j * rectangle.extent_columns);
      body(row, column);
    }
}

// ---- Fragments -----------------------------------------------------------------------------------------------------

bool GroupLowering::is_literal(ValueId value) const {
  const OpId def = program_.value(value).def;
  return def.valid() && storage_.form(value) != ValueForm::Stored &&
         std::holds_alternative<ConstantOp>(program_.op(def).payload);
}

/// The accumulator that the operation starts from.
GroupLowering::Fragments GroupLowering::initial(const Matrix& matrix, const Rectangle& rectangle) {
  return is_literal(matrix.op->c) ? filled(matrix, rectangle, matrix.op->c) : loaded(matrix, rectangle, matrix.op->c);
}

GroupLowering::Fragments GroupLowering::filled(const Matrix& matrix, const Rectangle& rectangle, ValueId literal) {
  const OpPayload& payload = program_.op(program_.value(literal).def).payload;
  const double number = std::get<ConstantOp>(payload).literal.value();
  const kernel::ValueId element = emit_literal(b_, elements_.type(matrix.result), number);
  Fragments fragments;
  for (std::int64_t f = 0; f < rectangle.rows * rectangle.columns; ++f)
    fragments.push_back(b_.fragment_fill(element, rectangle.extent_rows, rectangle.extent_columns));
  return fragments;
}

GroupLowering::Fragments GroupLowering::loaded(const Matrix& matrix, const Rectangle& rectangle, ValueId value) {
  const MatrixView view = shared_view(value, matrix.form.row, matrix.form.column);
  Fragments fragments;
  each_fragment(rectangle, [&](kernel::ValueId row, kernel::ValueId column) {
    fragments.push_back(load_fragment(view, rectangle, row, column));
  });
  return fragments;
}

/// Whether the program permits the operands to be rounded, and there is something to round.
bool GroupLowering::may_round(const Matrix& matrix) const {
  return matrix.op->relaxed && elements_.type(matrix.op->a) == kernel::ScalarType::F32;
}

/// All products along the contraction: for each step of 8, the rows of A and the columns of B are loaded once.
GroupLowering::Fragments GroupLowering::multiplied(const Matrix& matrix, const Rectangle& rectangle,
                                                   Fragments accumulator) {
  if (has_tensors()) return {tensor_product(matrix, rectangle, accumulator)};
  const realize::MmaForm& form = matrix.form;
  const MatrixView a = shared_view(matrix.op->a, form.row, form.contraction);
  const MatrixView b = shared_view(matrix.op->b, form.contraction, form.column);
  const auto step = [&](kernel::ValueId depth, Fragments sums) {
    Fragments left, right;
    for (std::int64_t i = 0; i < rectangle.rows; ++i)
      left.push_back(load_fragment(a, rectangle, b_.add(rectangle.row, i * kAtomExtent), depth));
    for (std::int64_t j = 0; j < rectangle.columns; ++j)
      right.push_back(load_fragment(b, rectangle, depth, b_.add(rectangle.column, j * kAtomExtent)));
    for (std::size_t f = 0; f < sums.size(); ++f) {
      const std::size_t i = f / right.size(), j = f % right.size();
      sums[f] = b_.atom(std::string(realize::atom_family_name(launch_.family)), left[i], right[j], sums[f],
                        elements_.type(matrix.result), may_round(matrix));
    }
    return sums;
  };
  const kernel::ValueId zero = b_.const_i64(0);
  if (form.depth == kAtomExtent) return step(zero, std::move(accumulator));
  const kernel::ValueId end = b_.const_i64(form.depth);
  return b_.loop(zero, end, kAtomExtent, std::move(accumulator),
                 [&](kernel::ValueId depth, const Fragments& sums) { return step(depth, sums); });
}

void GroupLowering::publish(const MatrixView& view, const Rectangle& rectangle, const Fragments& fragments,
                            kernel::FragmentPart part) {
  auto fragment = fragments.begin();
  each_fragment(rectangle, [&](kernel::ValueId row, kernel::ValueId column) {
    const auto [index, stride, transposed] = place_of(view, row, column);
    b_.fragment_store(view.memory, index, stride, *fragment++, transposed, part, rectangle.participants);
  });
}

}  // namespace tilewright::lower
