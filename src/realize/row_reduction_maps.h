// Index maps of row reductions: which worker has which element, and which group has which program.
#pragma once

#include <cstdint>

#include "proof/index_map.h"
#include "realize/row_reduction_facts.h"

namespace tilewright::realize {

/// Elements 0 .. elements - 1 dealt out to workers, `lane_elements` consecutive ones at a time:
/// (chunk, worker, lane) to (workers * chunk + worker) * lane_elements + lane, guarded where the last chunk is partial.
proof::GuardedMap row_element_map(std::int64_t elements, std::int64_t workers, std::int64_t lane_elements);
/// Chunks of that map.
std::int64_t row_chunks(std::int64_t elements, std::int64_t workers, std::int64_t lane_elements);
/// How many elements worker 0 has, which has the most.
std::int64_t row_elements_of_first_worker(std::int64_t elements, std::int64_t workers, std::int64_t lane_elements);

/// (group, packed) to group * programs_per_group + packed, guarded where the last group is partial.
proof::GuardedMap row_program_map(std::int64_t programs, std::int64_t programs_per_group);
/// The program that a subgroup runs: its own, or where there is none the last one again, without its stores.
proof::IndexMap row_replay_map(std::int64_t programs, std::int64_t programs_per_group);

/// Element to (iteration of the joint loop, position on the element axis).
proof::IndexMap row_span_map(const RowSpan& span);

}  // namespace tilewright::realize
