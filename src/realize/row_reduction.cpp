#include "realize/row_reduction.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "realize/row_reduction_maps.h"

namespace tilewright::realize {

namespace {

struct ConstraintText {
  std::string_view name, rule;
};

constexpr ConstraintText kRowConstraintTexts[] = {
    {"subgroup_size", "a subgroup has 32 workers"},
    {"subgroup_count", "1 to 32 subgroups share a program"},
    {"packed_count", "1 to 8 programs share a group"},
    {"lane_elements", "a worker takes 1, 2, 4 or 8 consecutive elements"},
    {"unroll_factor", "the loop over a worker's elements is unrolled 1 to 16 times"},
    {"packed_subgroups", "programs that share a group have one subgroup each"},
    {"thread_limit", "the workers of a group are at most those of the target"},
    {"packed_programs", "a group has at most as many programs as the launch"},
    {"packed_repeats", "programs that share a group repeat no fold in a loop"},
    {"packed_writes", "programs that share a group load from no buffer that they store to"},
    {"nothing_to_cache", "an input that is kept is immutable and read by several visits at the same elements"},
    {"striped_storage", "what a worker keeps for itself fits max_reduction_striped_scalars_per_worker"},
    {"shared_memory", "the partial results of a group fit its shared memory"},
    {"cover", "a map covers every program and element exactly once"},
};
static_assert(std::size(kRowConstraintTexts) == kRowConstraints);

const ConstraintText& text_of(RowConstraint constraint) {
  return kRowConstraintTexts[static_cast<std::size_t>(constraint)];
}

/// Proofs of the maps of one workload, each made once. Null where there is none.
class CoverProofs {
 public:
  using Cover = std::shared_ptr<const RowCover>;

  Cover of_programs(std::int64_t programs, std::int64_t packed) {
    return find({programs, packed, 0}, [&] { return row_program_map(programs, packed); });
  }
  Cover of_elements(std::int64_t elements, std::int64_t workers, std::int64_t lanes) {
    return find({elements, workers, lanes}, [&] { return row_element_map(elements, workers, lanes); });
  }

 private:
  template <class MakeMap>
  Cover find(std::array<std::int64_t, 3> key, MakeMap make_map) {
    const auto known = covers_.find(key);
    if (known != covers_.end()) return known->second;
    proof::GuardedMap map = make_map();
    auto verdict = proof::prove_map_exact_cover(map);
    auto* proved = std::get_if<proof::Proved<proof::MapExactCover>>(&verdict);
    Cover cover = proved == nullptr ? nullptr : std::make_shared<const RowCover>(std::move(map), std::move(*proved));
    return covers_.emplace(key, std::move(cover)).first->second;
  }

  std::map<std::array<std::int64_t, 3>, Cover> covers_;
};

class CandidateBuilder {
 public:
  CandidateBuilder(const RowReductionWorkload& workload, const RowMapping& mapping, const RowBudget& budget,
                   CoverProofs& proofs)
      : workload_(workload), budget_(budget), proofs_(proofs) {
    candidate_.mapping = mapping;
  }

  RowCandidate run() {
    if (!check_ranges()) return std::move(candidate_);
    count_groups();
    count_steps();
    count_payload();
    count_storage();
    check_packing();
    check_storage();
    if (!candidate_.refusal) prove_covers();
    return std::move(candidate_);
  }

 private:
  const RowMapping& mapping() const { return candidate_.mapping; }

  /// The first broken constraint is the one that is told.
  void require(bool holds, RowConstraint constraint, std::vector<NamedNumber> numbers) {
    if (holds || candidate_.refusal) return;
    std::string reason = std::string(row_constraint_rule(constraint)) + numbers_text(numbers);
    candidate_.refusal = Refusal{row_constraint_name(constraint), std::move(reason), std::move(numbers)};
  }

  bool check_ranges() {
    const RowMapping& m = mapping();
    const auto within = [](std::int64_t value, std::int64_t most) { return value >= 1 && value <= most; };
    require(budget_.subgroup_size == kSubgroupSize, RowConstraint::SubgroupSize,
            {{"subgroup_size", budget_.subgroup_size}});
    require(within(m.subgroups_per_program, kMostRowSubgroups), RowConstraint::SubgroupCount,
            {{"subgroups_per_program", m.subgroups_per_program}});
    require(within(m.programs_per_group, kMostPackedPrograms), RowConstraint::PackedCount,
            {{"programs_per_group", m.programs_per_group}});
    const std::int64_t v = m.lane_elements;
    require(v == 1 || v == 2 || v == 4 || v == 8, RowConstraint::LaneElements, {{"lane_elements", v}});
    require(within(m.unroll_factor, kMostRowUnroll), RowConstraint::UnrollFactor, {{"unroll_factor", m.unroll_factor}});
    return !candidate_.refusal;
  }

  void count_groups() {
    const std::int64_t packed = mapping().programs_per_group;
    candidate_.threads = mapping().workers() * packed;
    candidate_.threadgroups = row_program_map(workload_.programs, packed).map.inputs[0];
  }

  /// Rows that stand for elements are dealt out one by one.
  std::int64_t lanes_of(const RowSweep& sweep) const { return sweep.over_rows ? 1 : mapping().lane_elements; }

  void count_steps() {
    for (const RowSweep& sweep : workload_.sweeps) {
      const std::int64_t times = sweep.rows * sweep.executions;
      const std::int64_t chunks = row_chunks(sweep.live_elements, mapping().workers(), lanes_of(sweep));
      candidate_.scalar_rounds += times * chunks * lanes_of(sweep);
      candidate_.useful_steps += times * sweep.live_elements;
    }
  }

  std::int64_t share_of_first(std::int64_t elements, std::int64_t lanes) const {
    return row_elements_of_first_worker(elements, mapping().workers(), lanes);
  }

  void add_accesses(std::int64_t times, std::int64_t elements, std::int64_t lanes, std::int64_t bytes) {
    const std::int64_t share = times * share_of_first(elements, lanes);
    candidate_.payload_accesses_per_program += times * elements;
    candidate_.payload_accesses_per_worker += share;
    candidate_.global_bytes_per_worker += share * bytes;
  }

  void add_private(std::int64_t times, std::int64_t elements, std::int64_t bytes) {
    candidate_.private_bytes_per_worker += times * share_of_first(elements, mapping().lane_elements) * bytes;
  }

  void count_payload() {
    for (const RowSweep& sweep : workload_.sweeps) {
      const std::int64_t times = sweep.rows * sweep.executions;
      if (sweep.kind == RowSweepKind::Store) add_accesses(times, sweep.live_elements, lanes_of(sweep), sweep.bytes);
      if (sweep.kind == RowSweepKind::Retain)
        add_private(times * (1 + sweep.consumers), sweep.live_elements, sweep.bytes);
    }
    const std::int64_t lanes = mapping().lane_elements;
    for (const RowRead& read : workload_.reads)
      if (!mapping().cache_inputs || !read.reused_input)
        add_accesses(read.rows * read.executions, read.live_elements, lanes, read.bytes);
    if (!mapping().cache_inputs) return;
    for (const ReusedInput& input : workload_.reused_inputs) {
      const std::int64_t times = input.rows * input.executions;
      add_accesses(times, input.live_elements, lanes, input.bytes);
      // The first visit writes what the others read.
      add_private(times * input.visits, input.live_elements, input.bytes);
    }
  }

  void count_storage() {
    const auto stripe = [&](std::int64_t rows, std::int64_t elements) {
      const std::int64_t lanes = mapping().lane_elements;
      return rows * row_chunks(elements, mapping().workers(), lanes) * lanes;
    };
    for (const RowSweep& sweep : workload_.sweeps)
      if (sweep.kind == RowSweepKind::Retain)
        candidate_.striped_scalars_per_worker += stripe(sweep.rows, sweep.live_elements);
    if (mapping().cache_inputs)
      for (const ReusedInput& input : workload_.reused_inputs)
        candidate_.striped_scalars_per_worker += stripe(input.rows, input.live_elements);
    if (mapping().subgroups_per_program > 1)
      candidate_.shared_memory_bytes =
          workload_.partial_slots * mapping().subgroups_per_program * mapping().programs_per_group * kPartialBytes;
  }

  void check_packing() {
    const std::int64_t packed = mapping().programs_per_group;
    require(packed == 1 || mapping().subgroups_per_program == 1, RowConstraint::PackedSubgroups,
            {{"subgroups_per_program", mapping().subgroups_per_program}, {"programs_per_group", packed}});
    require(candidate_.threads <= budget_.max_threads, RowConstraint::ThreadLimit,
            {{"threads", candidate_.threads}, {"limit", budget_.max_threads}});
    require(packed <= workload_.programs, RowConstraint::PackedPrograms,
            {{"programs_per_group", packed}, {"programs", workload_.programs}});
    require(packed == 1 || !workload_.has_repeated_folds, RowConstraint::PackedRepeats,
            {{"programs_per_group", packed}, {"collectives", workload_.collectives}});
    require(packed == 1 || !workload_.reads_written_buffer, RowConstraint::PackedWrites,
            {{"programs_per_group", packed}});
  }

  void check_storage() {
    require(!mapping().cache_inputs || !workload_.reused_inputs.empty(), RowConstraint::NothingToCache, {});
    require(candidate_.striped_scalars_per_worker <= budget_.max_striped_scalars_per_worker,
            RowConstraint::StripedStorage,
            {{"scalars", candidate_.striped_scalars_per_worker}, {"budget", budget_.max_striped_scalars_per_worker}});
    require(candidate_.shared_memory_bytes <= budget_.shared_memory_bytes, RowConstraint::SharedMemory,
            {{"bytes", candidate_.shared_memory_bytes}, {"limit", budget_.shared_memory_bytes}});
  }

  void add_cover(CoverProofs::Cover cover, std::int64_t points) {
    require(cover != nullptr, RowConstraint::Cover, {{"points", points}});
    candidate_.covers.push_back(std::move(cover));
  }

  void prove_covers() {
    add_cover(proofs_.of_programs(workload_.programs, mapping().programs_per_group), workload_.programs);
    std::set<std::pair<std::int64_t, std::int64_t>> lengths;
    for (const RowSweep& sweep : workload_.sweeps)
      if (sweep.live_elements > 0) lengths.emplace(sweep.live_elements, lanes_of(sweep));
    for (const auto& [elements, lanes] : lengths)
      add_cover(proofs_.of_elements(elements, mapping().workers(), lanes), elements);
    if (candidate_.refusal) candidate_.covers.clear();
  }

  const RowReductionWorkload& workload_;
  const RowBudget& budget_;
  CoverProofs& proofs_;
  RowCandidate candidate_;
};

}  // namespace

std::string_view row_constraint_name(RowConstraint constraint) { return text_of(constraint).name; }
std::string_view row_constraint_rule(RowConstraint constraint) { return text_of(constraint).rule; }

RowCandidate row_candidate(const RowReductionWorkload& workload, const RowMapping& mapping, const RowBudget& budget) {
  CoverProofs proofs;
  return CandidateBuilder(workload, mapping, budget, proofs).run();
}

std::vector<RowCandidate> row_candidates(const RowReductionWorkload& workload, const RowMapping& like,
                                         const RowBudget& budget) {
  const std::int64_t subgroups = std::max<std::int64_t>(budget.max_threads / kSubgroupSize, 1);
  CoverProofs proofs;
  std::vector<RowCandidate> candidates;
  for (std::int64_t s = 1; s <= std::min(kMostRowSubgroups, subgroups); ++s)
    for (std::int64_t q = 1; q <= (s == 1 ? std::min(kMostPackedPrograms, subgroups) : 1); ++q) {
      RowMapping mapping = like;
      mapping.subgroups_per_program = s;
      mapping.programs_per_group = q;
      candidates.push_back(CandidateBuilder(workload, mapping, budget, proofs).run());
    }
  return candidates;
}

}  // namespace tilewright::realize
