// Checkers of fence.redundant and subgroups.independent: a certificate against the trace that it is about, with a
// hazard scan of their own.
#pragma once

#include <cstdint>

#include "proof/certificate.h"
#include "proof/effect_trace.h"
#include "support/result.h"

namespace tilewright::proof {

/// Lines derived anew; then, over the control flow of the trace, from every step: no step that conflicts with it is
/// reached over the fence without passing another fence that is kept.
Result<void> check_fence_redundant(const Certificate& certificate, const EffectTrace& trace, std::uint32_t fence);

/// Lines derived anew; then every pair of steps, and the form of the trace.
Result<void> check_subgroups_independent(const Certificate& certificate, const EffectTrace& trace);

}  // namespace tilewright::proof
