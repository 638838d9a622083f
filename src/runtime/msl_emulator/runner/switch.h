// From one lane to another.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/msl_emulator/runner/worker.h"

namespace tilewright::msl_emulator::runner {

/// Whoever goes on stores the context of whom it came from where that one asked for it.
inline void note_origin(Transfer transfer) { *static_cast<Context*>(transfer.data) = transfer.fctx; }

/// Returns when somebody comes back to the context that is then in `here`.
inline void go_to(Worker& worker, Lane& next, Context& here) {
  worker.lane = &next;
  worker.actor.subgroup = &next.subgroup->clock;
  worker.actor.self = make_stamp(worker.clock.now, next.subgroup->clock.epoch, next.who);
  note_origin(boost::context::detail::jump_fcontext(next.context, &here));
}

/// The first of a mask after a position, around its end.
inline std::uint32_t next_position(std::uint32_t mask, std::uint32_t position) {
  const std::uint32_t later = mask & ~((2u << position) - 1);
  return static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : mask));
}

}  // namespace tilewright::msl_emulator::runner
