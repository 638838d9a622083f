#include "realize/row_reduction_maps.h"

#include <algorithm>

#include "proof/index_map_layouts.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::realize {

namespace {

std::int64_t rounded_up(std::int64_t count, std::int64_t unit) { return count / unit + (count % unit == 0 ? 0 : 1); }

}  // namespace

std::int64_t row_chunks(std::int64_t elements, std::int64_t workers, std::int64_t lane_elements) {
  return rounded_up(rounded_up(elements, lane_elements), workers);
}

std::int64_t row_elements_of_first_worker(std::int64_t elements, std::int64_t workers, std::int64_t lane_elements) {
  const std::int64_t chunk = workers * lane_elements;
  return elements / chunk * lane_elements + std::min(elements % chunk, lane_elements);
}

proof::GuardedMap row_element_map(std::int64_t elements, std::int64_t workers, std::int64_t lane_elements) {
  TW_CHECK(elements >= 1 && workers >= 1 && lane_elements >= 1);
  const std::int64_t chunks = row_chunks(elements, workers, lane_elements);
  const std::int64_t chunk = workers * lane_elements;
  const auto padded = checked_mul(chunks, chunk);
  TW_CHECK(padded.has_value());
  proof::GuardedMap guarded;
  guarded.map = proof::affine_map({chunks, workers, lane_elements}, {elements}, {{{chunk, lane_elements, 1}, 0}});
  if (*padded != elements) guarded.guards.push_back({guarded.map.results[0], elements});
  return guarded;
}

proof::GuardedMap row_program_map(std::int64_t programs, std::int64_t programs_per_group) {
  TW_CHECK(programs >= 1 && programs_per_group >= 1);
  proof::GuardedMap guarded;
  guarded.map = proof::affine_map({rounded_up(programs, programs_per_group), programs_per_group}, {programs},
                                  {{{programs_per_group, 1}, 0}});
  if (programs % programs_per_group != 0) guarded.guards.push_back({guarded.map.results[0], programs});
  return guarded;
}

proof::IndexMap row_replay_map(std::int64_t programs, std::int64_t programs_per_group) {
  proof::IndexMap map = row_program_map(programs, programs_per_group).map;
  map.results[0] = map.arena.make(tile::IndexKind::Min, map.results[0], map.arena.constant(programs - 1));
  return map;
}

proof::IndexMap row_span_map(const RowSpan& span) { return proof::unflatten_map({span.iterations, span.extent}); }

}  // namespace tilewright::realize
