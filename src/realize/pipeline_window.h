// Pipeline windows: whether two iterations of a pipeline region may be in flight, and what that costs.
//
// Window 2 cuts the body at one of its stage cuts into a producer and a consumer: prologue, steady state (produce i +
// 1, consume i), drain; every tile that flows from producer to consumer has a second version (background 4.14). Window
// 1 is the ordered loop, always legal. Cuts are tried in the order of the text; the first that is legal is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proof/subject.h"
#include "realize/materialization.h"
#include "realize/refusal.h"

namespace tilewright::realize {

struct PipelineCodes {
  static constexpr std::string_view kWindowOne = "window_one";          ///< the program asks for order
  static constexpr std::string_view kInterval = "interval";             ///< an initiation interval other than 1
  static constexpr std::string_view kTrips = "trips";                   ///< not a number above 1
  static constexpr std::string_view kNoCut = "no_cut";                  ///< fewer than two segments
  static constexpr std::string_view kNotFlat = "not_flat";              ///< a region, a branch or a barrier in the body
  static constexpr std::string_view kPlaced = "placed";                 ///< explicit memory, or a tile with a placement
  static constexpr std::string_view kOpaque = "opaque";                 ///< a call that nobody knows
  static constexpr std::string_view kOuterWrite = "outer_write";        ///< one phase writes what the other touches
  static constexpr std::string_view kAliasing = "aliasing";             ///< the same, by possible overlap
  static constexpr std::string_view kProducerReads = "producer_reads";  ///< the producer reads a carry
  static constexpr std::string_view kNoFlow = "no_flow";                ///< no tile flows from producer to consumer
  static constexpr std::string_view kCapacity = "capacity";             ///< the second versions do not fit
};

/// The whole answer for one region.
struct PipelineWindow {
  tile::OpId region;
  std::uint32_t cut = 0;                ///< segments before it are the producer; 0: ordered
  std::vector<tile::ValueId> versions;  ///< tiles with a second version, in the order of the text
  std::int64_t version_bytes = 0;
  std::optional<Refusal> refusal;  ///< why window 2 is not legal; of the last cut tried

  bool relies_on_noalias = false;  ///< only the promise keeps the phases apart
  bool fits = false;               ///< the second versions fit by themselves

  /// The phases may run one iteration apart. Storage for it is another matter.
  bool may_reorder() const { return cut != 0; }
  bool may_overlap() const { return cut != 0 && fits; }
};

/// The body of a pipeline region, cut into its segments: what stands after each stage cut, or all of it without cuts. A
/// cut before the first operation begins no segment of its own.
std::vector<std::vector<tile::OpId>> pipeline_segments(const tile::Program& program, const tile::RegionOp& region);

/// One answer each pipeline region of the launch, in the order of the text. budget_bytes: shared storage left for the
/// second versions of any one of them; several together are compared with the limit where they are planned. Premise: no
/// region has an interval of 0 (the verifier).
std::vector<PipelineWindow> pipeline_windows(const proof::Subject& subject, const Materialization& materialization,
                                             std::int64_t budget_bytes);

/// Late prefetch of a resident loop: one shared slot, the copies of the next iteration wait in private scalars of the
/// workers: write shared, fence, load next, consume, fence. Legal when the producer is at most 8 copies of f32 tiles
/// from buffers, and the consumer is `resident` matrix operations alone: those whose accumulators stay in fragments.
/// Scalars a worker holds with `threads` workers; nothing when it is not legal. Premise: window.may_reorder().
std::optional<std::int64_t> late_prefetch_scalars(const proof::Subject& subject, const Materialization& materialization,
                                                  const PipelineWindow& window, const std::set<tile::OpId>& resident,
                                                  std::int64_t threads);

}  // namespace tilewright::realize
