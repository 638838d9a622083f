#include "realize/row_reduction_facts.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "realize/row_reduction_internal.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::realize {

using tile::OpId;

namespace {

/// Everything that one program does, in steps of one worker: what a count may be built of.
constexpr std::int64_t kMostRowWork = std::int64_t{1} << 48;

class FactsBuilder {
 public:
  FactsBuilder(const RowStructure& structure, RowFlow flow) : structure_(structure), flow_(std::move(flow)) {}

  RowReductionFacts run() {
    workload_.launch = structure_.launch;
    workload_.programs = structure_.programs;
    workload_.row_axes = structure_.row_axes;
    for (const auto& [region, loop] : structure_.loops)
      if (loop.is_joint) workload_.joint_loops.insert(region);
    if (auto ok = check_counts(); !ok) return std::move(ok).error();
    if (auto ok = check_row_accesses(structure_, flow_, workload_); !ok) return std::move(ok).error();
    collect_row_reads(structure_, flow_, workload_);
    workload_.payload_known = flow_.payload_known;
    workload_.sweeps = std::move(flow_.sweeps);
    std::sort(workload_.sweeps.begin(), workload_.sweeps.end(), [&](const RowSweep& a, const RowSweep& b) {
      return std::pair(structure_.order(a.op), a.carry) < std::pair(structure_.order(b.op), b.carry);
    });
    return std::move(workload_);
  }

 private:
  RowResult<void> check_counts() {
    std::int64_t folds = 0, work = 0;
    for (const RowSweep& sweep : flow_.sweeps) {
      const auto elements = checked_mul(sweep.span.iterations, sweep.span.extent);
      auto steps = elements ? checked_mul(*elements, sweep.rows) : std::nullopt;
      if (steps) steps = checked_mul(std::max<std::int64_t>(*steps, 1), std::max<std::int64_t>(sweep.executions, 1));
      if (steps) steps = checked_add(*steps, work);
      if (!steps || *steps > kMostRowWork)
        return refuse(RowCodes::kTooLarge, sweep.op, fmt::format("one program has more than {} steps", kMostRowWork),
                      {{"most", kMostRowWork}});
      work = *steps;
      if (sweep.kind != RowSweepKind::Fold) continue;
      ++folds;
      if (*elements == 0 || sweep.rows == 0 || sweep.executions == 0)
        return refuse(RowCodes::kNoElements, sweep.op,
                      fmt::format("this fold has elements x rows x executions = {} x {} x {}", *elements, sweep.rows,
                                  sweep.executions),
                      {{"elements", *elements}, {"rows", sweep.rows}, {"executions", sweep.executions}});
      workload_.collectives += sweep.rows * sweep.executions;
      workload_.partial_slots += sweep.rows;
      workload_.elements += sweep.rows * sweep.executions * sweep.live_elements;
      workload_.has_repeated_folds = workload_.has_repeated_folds || sweep.executions > 1;
    }
    if (folds == 0)
      return refuse(RowCodes::kNoFold, structure_.subject->walk.launches[structure_.launch],
                    "nothing is folded over elements of f32", {});
    return {};
  }

  static std::unexpected<Refusal> refuse(std::string_view code, OpId op, std::string reason,
                                         std::vector<NamedNumber> numbers) {
    return std::unexpected(Refusal{code, std::move(reason), std::move(numbers), op});
  }

  const RowStructure& structure_;
  RowFlow flow_;
  RowReductionWorkload workload_;
};

std::string_view sweep_name(RowSweepKind kind) {
  switch (kind) {
    case RowSweepKind::Fold:
      return "fold";
    case RowSweepKind::Store:
      return "store";
    case RowSweepKind::Retain:
      return "retain";
  }
  return {};
}

std::string_view fold_name(tile::FoldKind fold) {
  switch (fold) {
    case tile::FoldKind::Add:
      return "sum";
    case tile::FoldKind::Max:
      return "max";
    case tile::FoldKind::Min:
      return "min";
  }
  return {};
}

}  // namespace

RowReductionFacts row_reduction_facts(const proof::Subject& subject, std::uint32_t launch,
                                      const RowReductionRules& rules) {
  TW_CHECK(subject.program.bound() && launch < subject.walk.launches.size());
  auto structure = scan_row_structure(subject, launch, rules);
  if (!structure) return std::move(structure).error();
  return FactsBuilder(*structure, trace_row_flow(*structure)).run();
}

std::string row_workload_text(const RowReductionWorkload& workload) {
  std::string text = fmt::format(
      "programs {}, collectives {}, slots {}, elements {}{}{}{}\n", workload.programs, workload.collectives,
      workload.partial_slots, workload.elements, workload.has_repeated_folds ? ", repeated" : "",
      workload.reads_written_buffer ? ", reads what it writes" : "", workload.payload_known ? "" : ", payload unknown");
  for (const RowSweep& sweep : workload.sweeps) {
    text += fmt::format("{} op {}: ", sweep_name(sweep.kind), sweep.op.index);
    if (sweep.kind == RowSweepKind::Fold)
      text += fmt::format("{}{} of ", fold_name(sweep.fold), sweep.merged ? " (merged)" : "");
    text += sweep.over_rows ? fmt::format("{} rows", sweep.span.extent)
                            : fmt::format("{} x {} elements ({} live), {} rows", sweep.span.iterations,
                                          sweep.span.extent, sweep.live_elements, sweep.rows);
    text += fmt::format(", {} times, visit {}", sweep.executions, sweep.visit);
    if (sweep.kind == RowSweepKind::Retain) text += fmt::format(", {} consumers", sweep.consumers);
    text += "\n";
  }
  for (const RowRead& read : workload.reads)
    text += fmt::format("read op {} in visit {}: {} elements, {} rows, {} bytes{}\n", read.load.index, read.visit,
                        read.live_elements, read.rows, read.bytes, read.reused_input ? ", reused" : "");
  return text;
}

}  // namespace tilewright::realize
