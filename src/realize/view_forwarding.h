// View forwarding: the operands of tensor operations that read an input where it lies, in place of a snapshot in shared
// storage (seed 1, "MPP cost model boundary"; background 4.3, 4.4).
//
// A view is a rectangle of the input: its two axes each move one dimension by 1, and no other axis moves any; rows of
// declared strides are compact, free ones are for the launch to check.
//
// Strict: every element of the tile lies inside the input. Guarded: it may end inside
// the tile, and a proof says where; needs the capability bounded_k or bounded_mnk. Guarded forwarding is a transaction
// of the whole launch: it stands only if every mma that may be reassociated has both operands from a view or from
// storage, and a plan. That last part is for the planner, which drops the trial otherwise.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "proof/access_in_bounds.h"
#include "proof/extent_bounded.h"
#include "proof/load_forwardable.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "realize/materialization.h"
#include "realize/mma_form.h"
#include "sets/context.h"

namespace tilewright::realize {

struct ForwardingRequest {
  bool guarded = false;  ///< bounded views may be used
  bool bounded_k = false, bounded_mnk = false;
};

enum class ViewKind : std::uint8_t {
  Plain,      ///< the whole tile lies inside the input
  BoundedK,   ///< the contraction may end inside the tile, rows and columns do not
  BoundedMnk  ///< any extent may end inside the tile
};
std::string_view view_kind_name(ViewKind kind);  ///< "plain", "bounded_k", "bounded_mnk"

/// A view that stands for the values of one load. The tokens are what allows it.
struct ForwardedView {
  tile::OpId load;
  std::vector<tile::ValueId> values;  ///< that need no storage: the load's, and its relabellings; sorted
  proof::Proved<proof::LoadForwardable> forwardable;
  std::optional<proof::Proved<proof::AccessInBounds>> inside;  ///< Plain
  bool needs_compact_rows = false;                             ///< for the launch to check: the strides are free
};

/// Why a load may not be read where it lies, though its proofs are there; of an mma, why an operand has no view.
inline constexpr std::string_view kViewNotProjected = "not_projected";
inline constexpr std::string_view kViewStrides = "strides";
inline constexpr std::string_view kViewReach = "reach";
inline constexpr std::string_view kViewComputed = "computed";      ///< the operand is no load, nor a relabelling of one
inline constexpr std::string_view kViewCapability = "capability";  ///< bounded views are off, and the tile ends inside
inline constexpr std::string_view kViewShared = "shared";  ///< another use, or the other operand, needs the snapshots

/// Whether one of the dimensions that two axes move has stride 1 and the other at least its extent.
enum class RowLayout : std::uint8_t { Compact, Free, Other };
RowLayout row_layout(const tile::Program& program, tile::ObjectId object, const analysis::Orientation& orientation);
/// Whether the offset of every element of a tile from its first one fits 32 bits, as a tensor of Metal counts it.
/// Premise: row_layout is not Other. What is not known to fit does not.
bool is_within_reach(const tile::Program& program, tile::ObjectId object, const analysis::Orientation& orientation,
                     tile::AxisId row, tile::AxisId column);
/// Whether the dimension has stride 1.
RowLayout vector_layout(const tile::Program& program, tile::ObjectId object, std::size_t dimension);

/// The axis of a load that an axis of the operand has become by relabelling; none when it has become none.
tile::AxisId axis_behind(const tile::Program& program, const std::vector<tile::ValueId>& chain, tile::AxisId axis);

/// What an mma gets from views: positions in ViewForwarding::views, or none for an operand in storage.
struct MmaViews {
  tile::OpId op;
  ViewKind kind = ViewKind::Plain;
  std::array<std::optional<std::size_t>, 2> operand;
  std::optional<proof::Proved<proof::ExtentBoundedK>> bounded_k;
  std::optional<proof::Proved<proof::ExtentBoundedMn>> bounded_mnk;
};

struct ViewForwarding {
  std::vector<ForwardedView> views;      ///< in the order of the text
  std::vector<MmaViews> mmas;            ///< one each mma of the launch, in the order of the text
  std::vector<proof::Finding> findings;  ///< every question that was asked, in order
  std::vector<Refusal> refusals;         ///< of loads and operands
  bool any() const { return !views.empty(); }
  const MmaViews* of(tile::OpId mma) const;
};

/// All views that the proofs allow. A load is forwarded only if each mma that uses it takes it.
ViewForwarding forward_views(const proof::Subject& subject, std::uint32_t launch, const ForwardingRequest& request,
                             const sets::Context& context);

/// The same launch without the storage and the work of the forwarded values.
Materialization without_views(Materialization materialization, const proof::Subject& subject,
                              const ViewForwarding& forwarding);

}  // namespace tilewright::realize
