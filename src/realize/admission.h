// Admission of a launch as a cooperative program: whether a group may share its tiles and matrix operations, although
// the program did not say `group` (seed 1, "Automatic composed programs"; background 4.11).
//
// The audit looks at what stands in the launch, never at names. Failure is silent where the admission is automatic: the
// worker mapping remains.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proof/subject.h"
#include "realize/refusal.h"

namespace tilewright::realize {

struct AdmissionCodes {
  static constexpr std::string_view kExplicitScope = "explicit_scope";  ///< the launch is bound to another scope
  static constexpr std::string_view kNestedScope = "nested_scope";      ///< a parallel region inside
  static constexpr std::string_view kOpaque = "opaque";                 ///< a call that nobody knows
  static constexpr std::string_view kBarrier = "barrier";               ///< a barrier of the author
  static constexpr std::string_view kPlaced = "placed";                 ///< memory or a tile with a placement
  static constexpr std::string_view kNoMatrix = "no_matrix";            ///< no mma that may be reassociated
};

/// The first region of the launch, itself among them, that must run as a group, subgroup or vector; none when there is
/// none.
tile::OpId shared_scope(const proof::Subject& subject, std::uint32_t launch);

enum class Admission : std::uint8_t {
  Explicit,   ///< the program says `group`
  Automatic,  ///< it says nothing, and the audit found nothing
  Refused
};

struct AdmissionAnswer {
  Admission admission = Admission::Refused;
  std::optional<Refusal> refusal;
};

AdmissionAnswer admit_cooperative(const proof::Subject& subject, std::uint32_t launch);

}  // namespace tilewright::realize
