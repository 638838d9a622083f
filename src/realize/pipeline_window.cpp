#include "realize/pipeline_window.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "analysis/effects.h"
#include "analysis/recurrences.h"
#include "support/checked_math.h"

namespace tilewright::realize {

using tile::ObjectId;
using tile::OpId;
using tile::ValueId;

namespace {

constexpr std::size_t kMostPrefetchedCopies = 8;

class WindowFinder {
 public:
  WindowFinder(const proof::Subject& subject, const Materialization& materialization, OpId op, std::int64_t budget)
      : subject_(subject),
        program_(subject.program),
        materialization_(materialization),
        op_(op),
        region_(std::get<tile::RegionOp>(program_.op(op).payload)),
        budget_(budget) {
    made_.region = op;
  }

  PipelineWindow run() {
    if (region_.window == 1)
      return ordered({PipelineCodes::kWindowOne, "the program asks for window 1", {{"window", 1}}});
    if (region_.interval != 1)
      return ordered({PipelineCodes::kInterval,
                      fmt::format("the initiation interval is {}", region_.interval),
                      {{"interval", region_.interval}}});
    const auto trips = analysis::constant_trips(program_, region_);
    if (!trips) return ordered({PipelineCodes::kTrips, "the number of iterations is not one number"});
    if (*trips <= 1)
      return ordered(
          {PipelineCodes::kTrips, fmt::format("the number of iterations is {}", *trips), {{"trips", *trips}}});
    segments_ = pipeline_segments(program_, region_);
    if (auto fault = form_fault()) return ordered(std::move(*fault));
    if (segments_.size() < 2)
      return ordered({PipelineCodes::kNoCut, "the body has fewer than two stages", {{"stages", 1}}});
    for (std::uint32_t cut = 1; cut < segments_.size(); ++cut) {
      auto refusal = try_cut(cut);
      // What could be reordered but does not fit says more than what could not.
      if (!refusal || made_.cut == 0 || refusal->code == PipelineCodes::kCapacity) made_.refusal = std::move(refusal);
      if (!made_.refusal) return std::move(made_);
    }
    return std::move(made_);
  }

 private:
  PipelineWindow ordered(Refusal refusal) {
    made_.refusal = std::move(refusal);
    return std::move(made_);
  }

  std::optional<Refusal> form_fault() const {
    for (OpId op : program_.block(region_.body).ops) {
      const tile::OpPayload& payload = program_.op(op).payload;
      if (std::holds_alternative<tile::RegionOp>(payload) || std::holds_alternative<tile::IfOp>(payload) ||
          std::holds_alternative<tile::BarrierOp>(payload))
        return Refusal{PipelineCodes::kNotFlat, "the body holds a region, a branch or a barrier"};
      if (std::holds_alternative<tile::MemoryOp>(payload))
        return Refusal{PipelineCodes::kPlaced, "the body has explicit memory"};
      for (ValueId result : program_.list(program_.op(op).results))
        if (program_.value(result).placement != tile::MemorySpace::Auto)
          return Refusal{PipelineCodes::kPlaced, "a tile of the body has a placement"};
    }
    return std::nullopt;
  }

  /// Operations of a phase that do something of their own.
  std::vector<OpId> phase(std::uint32_t begin, std::uint32_t end) const {
    std::vector<OpId> ops;
    for (std::uint32_t i = begin; i < end; ++i) ops.insert(ops.end(), segments_[i].begin(), segments_[i].end());
    return ops;
  }

  bool is_folded(OpId op) const {
    const auto results = program_.list(program_.op(op).results);
    return results.size() == 1 && materialization_.residence[results[0]] == Residence::Folded;
  }

  /// The operations whose work a phase does: its own that are not folded, and what is folded into them.
  std::set<OpId> work_of(const std::vector<OpId>& ops) const {
    std::set<OpId> all;
    std::vector<OpId> todo;
    for (OpId op : ops)
      if (!is_folded(op)) todo.push_back(op);
    while (!todo.empty()) {
      const OpId op = todo.back();
      todo.pop_back();
      if (!all.insert(op).second) continue;
      tile::for_each_operand(program_, program_.op(op).payload, [&](ValueId operand) {
        const OpId maker = program_.value(operand).def;
        if (maker.valid() && is_folded(maker)) todo.push_back(maker);
      });
    }
    return all;
  }

  struct Touched {
    std::set<ObjectId> read, written;
    bool opaque = false;
  };
  Touched touched(const std::set<OpId>& ops) const {
    Touched all;
    for (OpId op : ops) {
      const analysis::Effects effects = analysis::effects_of(program_, op);
      all.read.insert(effects.may_read.begin(), effects.may_read.end());
      all.written.insert(effects.may_write.begin(), effects.may_write.end());
      all.opaque = all.opaque || !effects.opaque.empty();
    }
    return all;
  }

  std::optional<Refusal> write_fault(const Touched& writer, const Touched& other) {
    for (ObjectId written : writer.written)
      for (const std::set<ObjectId>* side : {&other.read, &other.written})
        for (ObjectId object : *side) {
          if (!analysis::may_alias(program_, written, object, subject_.assumptions.aliasing)) {
            made_.relies_on_noalias = made_.relies_on_noalias || analysis::may_alias(program_, written, object, {});
            continue;
          }
          const std::string& name = program_.object(written).name;
          if (written == object)
            return Refusal{PipelineCodes::kOuterWrite, fmt::format("one phase writes {}, the other uses it", name)};
          return Refusal{PipelineCodes::kAliasing,
                         fmt::format("one phase writes {}, which may overlap {}", name, program_.object(object).name)};
        }
    return std::nullopt;
  }

  std::optional<Refusal> try_cut(std::uint32_t cut) {
    const std::set<OpId> producer = work_of(phase(0, cut));
    const std::set<OpId> consumer = work_of(phase(cut, static_cast<std::uint32_t>(segments_.size())));
    const Touched first = touched(producer), second = touched(consumer);
    if (first.opaque || second.opaque) return Refusal{PipelineCodes::kOpaque, "the body holds an opaque call"};
    if (auto fault = write_fault(first, second)) return fault;
    if (auto fault = write_fault(second, first)) return fault;
    if (reads_a_carry(producer))
      return Refusal{PipelineCodes::kProducerReads, "the producer reads what an earlier iteration left"};
    return count_versions(cut, producer, consumer);
  }

  bool reads_a_carry(const std::set<OpId>& ops) const {
    const auto arguments = program_.list(program_.block(region_.body).args);
    return std::any_of(ops.begin(), ops.end(), [&](OpId op) {
      bool reads = false;
      tile::for_each_operand(program_, program_.op(op).payload, [&](ValueId operand) {
        reads = reads || std::find(arguments.begin(), arguments.end(), operand) != arguments.end();
      });
      return reads;
    });
  }

  std::optional<Refusal> count_versions(std::uint32_t cut, const std::set<OpId>& producer,
                                        const std::set<OpId>& consumer) {
    std::vector<ValueId> versions;
    std::int64_t bytes = 0;
    for (OpId op : producer) {
      const auto results = program_.list(program_.op(op).results);
      if (results.size() != 1) continue;
      const bool is_uniform = materialization_.residence[results[0]] == Residence::Uniform;
      const StoredTile* tile = materialization_.tile_of(results[0]);
      if (tile == nullptr && !is_uniform) continue;
      const auto& uses = subject_.uses.of(results[0]);
      const bool flows = std::any_of(uses.begin(), uses.end(), [&](const analysis::Use& use) {
        return consumer.contains(use.op) || use.kind == analysis::UseKind::Yield;
      });
      if (!flows) continue;
      // A number that every worker keeps has a second version too, which takes no storage of the group.
      versions.push_back(results[0]);
      bytes += tile == nullptr ? 0 : tile->bytes;
    }
    if (versions.empty()) return Refusal{PipelineCodes::kNoFlow, "no tile flows from producer to consumer"};
    if (made_.cut != 0 && bytes > budget_) return made_.refusal;
    made_.cut = cut;
    made_.versions = std::move(versions);
    made_.version_bytes = bytes;
    made_.fits = bytes <= budget_;
    if (made_.fits) return std::nullopt;
    return Refusal{PipelineCodes::kCapacity,
                   fmt::format("second versions take {} bytes, {} are left", bytes, budget_),
                   {{"version_bytes", bytes}, {"budget", budget_}}};
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  const Materialization& materialization_;
  OpId op_;
  const tile::RegionOp& region_;
  std::int64_t budget_;
  std::vector<std::vector<OpId>> segments_;
  PipelineWindow made_;
};

}  // namespace

std::vector<std::vector<OpId>> pipeline_segments(const tile::Program& program, const tile::RegionOp& region) {
  std::vector<std::vector<OpId>> segments(1);
  for (OpId op : program.block(region.body).ops) {
    const bool is_cut = std::holds_alternative<tile::StageCutOp>(program.op(op).payload);
    if (is_cut && (segments.size() > 1 || !segments[0].empty())) segments.emplace_back();
    if (!is_cut) segments.back().push_back(op);
  }
  return segments;
}

std::vector<PipelineWindow> pipeline_windows(const proof::Subject& subject, const Materialization& materialization,
                                             std::int64_t budget_bytes) {
  std::vector<PipelineWindow> windows;
  for (OpId op : subject.walk.order) {
    const auto* region = std::get_if<tile::RegionOp>(&subject.program.op(op).payload);
    if (region == nullptr || region->kind != tile::RegionKind::Pipeline) continue;
    if (subject.walk.places[op].launch != materialization.launch) continue;
    windows.push_back(WindowFinder(subject, materialization, op, budget_bytes).run());
  }
  return windows;
}

std::optional<std::int64_t> late_prefetch_scalars(const proof::Subject& subject, const Materialization& materialization,
                                                  const PipelineWindow& window, const std::set<OpId>& resident,
                                                  std::int64_t threads) {
  const tile::Program& program = subject.program;
  const auto& region = std::get<tile::RegionOp>(program.op(window.region).payload);
  const std::vector<std::vector<OpId>> segments = pipeline_segments(program, region);
  std::int64_t scalars = 0;
  std::size_t copies = 0;
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (OpId op : segments[i]) {
      const tile::OpPayload& payload = program.op(op).payload;
      if (i >= window.cut) {
        if (!resident.contains(op)) return std::nullopt;
        continue;
      }
      const auto* load = std::get_if<tile::LoadOp>(&payload);
      if (load == nullptr || program.object(load->object).kind == tile::ObjectKind::Memory) return std::nullopt;
      const StoredTile* tile = materialization.tile_of(program.list(program.op(op).results)[0]);
      if (tile == nullptr || program.value(tile->value).element.data != DataType::F32) return std::nullopt;
      scalars += (tile->elements + threads - 1) / threads;
      ++copies;
    }
  return copies <= kMostPrefetchedCopies ? std::optional(scalars) : std::nullopt;
}

}  // namespace tilewright::realize
