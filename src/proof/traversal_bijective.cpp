#include "proof/traversal_bijective.h"

#include <fmt/format.h>

#include "proof/issuer.h"
#include "support/check.h"

namespace tilewright::proof {

namespace {

/// A length cut into whole pieces and a rest.
struct Cut {
  std::int64_t pieces = 0, piece = 0, rest = 0;

  Cut(std::int64_t length, std::int64_t size) : pieces(length / size), piece(size), rest(length % size) {}
  std::int64_t length() const { return pieces * piece + rest; }
};

/// (2): the rectangles of a band of h rows add up to the band, and all but the last have the h*C programs by which the
/// formula divides.
bool band_is_partitioned(const Traversal& traversal, std::int64_t h) {
  const Cut rectangles(traversal.columns, traversal.clamped_columns());
  const std::int64_t programs = rectangles.pieces * (h * rectangles.piece) + h * rectangles.rest;
  return rectangles.rest < rectangles.piece && rectangles.length() == traversal.columns &&
         programs == h * traversal.columns;
}

/// (3): likewise for the bands of the grid, with R*W programs.
bool grid_is_partitioned(const Traversal& traversal) {
  const Cut bands(traversal.rows, traversal.rectangle_rows);
  if (bands.pieces > 0 && !band_is_partitioned(traversal, bands.piece)) return false;
  if (bands.rest > 0 && !band_is_partitioned(traversal, bands.rest)) return false;
  const std::int64_t programs = bands.pieces * (bands.piece * traversal.columns) + bands.rest * traversal.columns;
  return bands.rest < bands.piece && bands.length() == traversal.rows && programs == traversal.rows * traversal.columns;
}

Refuted refuted_traversal(const Traversal& traversal, std::string_view code) {
  Witness witness{{{"rows", traversal.rows},
                   {"columns", traversal.columns},
                   {"rectangle_rows", traversal.rectangle_rows},
                   {"rectangle_columns", traversal.rectangle_columns},
                   {"ordinal", code == TraversalBijective::kGridOverflow ? std::int64_t{1} << 32 : 0}},
                  traversal_fault_text(traversal)};
  return {code, std::move(witness)};
}

}  // namespace

Verdict<TraversalBijective> prove_traversal_bijective(const Traversal& traversal) {
  switch (traversal_fault(traversal)) {
    case TraversalFault::None:
      break;
    case TraversalFault::EmptyGrid:
      return Unknown{TraversalBijective::kEmptyGrid, traversal_fault_text(traversal)};
    case TraversalFault::EmptyRectangle:
      return refuted_traversal(traversal, TraversalBijective::kEmptyRectangle);
    case TraversalFault::GridOverflow:
      return refuted_traversal(traversal, TraversalBijective::kGridOverflow);
    case TraversalFault::RectangleOverflow:
      return refuted_traversal(traversal, TraversalBijective::kRectangleOverflow);
  }
  TW_CHECK(grid_is_partitioned(traversal));
  Certificate certificate{{}, traversal_subject(traversal), kNoOperation, {}, {}};
  certificate.fields = {
      {"grid", fmt::format("{} x {}", traversal.rows, traversal.columns)},
      {"rectangle", fmt::format("{} x {}", traversal.rectangle_rows, traversal.clamped_columns())},
      {"programs", fmt::format("{}", traversal.rows * traversal.columns)},
  };
  return Issuer::issue<TraversalBijective>(std::move(certificate));
}

Hash128 traversal_subject(const OpenTraversal& traversal) {
  return HashBuilder()
      .add_bytes("traversal of any grid")
      .add_int(traversal.rectangle_rows)
      .add_int(traversal.rectangle_columns)
      .finish();
}

Verdict<TraversalBijective> prove_traversal_bijective(const OpenTraversal& traversal) {
  // A grid of one program is the smallest that a launch can have: a rectangle that fails there fails everywhere.
  const Traversal smallest{1, 1, traversal.rectangle_rows, traversal.rectangle_columns};
  if (traversal_fault(smallest) != TraversalFault::None) {
    const auto verdict = prove_traversal_bijective(smallest);
    return std::get<Refuted>(verdict);
  }
  Certificate certificate{{}, traversal_subject(traversal), kNoOperation, {}, {}};
  certificate.premises = {
      {Guarantor::Launch, "rows and columns are at least 1; rows * columns and rectangle rows * columns fit 32 bits"}};
  certificate.fields = {
      {"grid", "any rows x any columns"},
      {"rectangle", fmt::format("{} x {}", traversal.rectangle_rows, traversal.rectangle_columns)},
      {"programs", "rows * columns"},
  };
  return Issuer::issue<TraversalBijective>(std::move(certificate));
}

}  // namespace tilewright::proof
