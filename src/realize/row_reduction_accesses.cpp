// Loads and stores of a row reduction: that no worker sees what another one writes, that no two stores meet, and what
// the visits read.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/effects.h"
#include "proof/index_map_layouts.h"
#include "proof/statement.h"
#include "realize/row_reduction_internal.h"
#include "support/checked_math.h"

namespace tilewright::realize {

using analysis::Access;
using analysis::AffineForm;
using analysis::Leaf;
using tile::AxisId;
using tile::OpId;

namespace {

std::unexpected<Refusal> refuse_access(std::string_view code, OpId op, OpId other, std::string reason,
                                       std::vector<NamedNumber> numbers = {}) {
  return std::unexpected(Refusal{code, std::move(reason), std::move(numbers), op, other});
}

class AccessCheck {
 public:
  AccessCheck(const RowStructure& structure, const RowFlow& flow, RowReductionWorkload& workload)
      : structure_(structure), program_(structure.program()), flow_(flow), workload_(workload) {}

  RowResult<void> run() {
    for (OpId op : structure_.ops)
      if (const Access* access = structure_.subject->accesses.of(op))
        (access->is_store ? stores_ : loads_).push_back(access);
    for (std::size_t i = 0; i < stores_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (auto ok = check_apart(*stores_[i], *stores_[j]); !ok) return ok;
    for (const Access* load : loads_)
      for (const Access* store : stores_)
        if (auto ok = check_source(*load, *store); !ok) return ok;
    for (const Access* store : stores_)
      if (auto ok = check_once(*store); !ok) return ok;
    workload_.premises = proof::common_premises(*structure_.subject);
    if (needs_promise_) workload_.premises.push_back({promise_guarantor(), promise().premise()});
    return {};
  }

 private:
  const analysis::AliasPromise& promise() const { return structure_.subject->assumptions.aliasing; }
  proof::Guarantor promise_guarantor() const {
    return promise().origin == analysis::AliasPromise::Origin::Caller ? proof::Guarantor::Caller
                                                                      : proof::Guarantor::Launch;
  }
  std::string text_of(const Access& access) const { return proof::access_text(program_, access); }
  std::string name_of(tile::ObjectId object) const { return program_.object(object).name; }

  /// Different objects that only the promise keeps apart.
  bool promised_apart(tile::ObjectId a, tile::ObjectId b) {
    const bool relies = a != b && analysis::may_alias(program_, a, b, {});
    needs_promise_ = needs_promise_ || relies;
    return relies;
  }

  RowResult<void> check_apart(const Access& a, const Access& b) {
    if (a.object == b.object)
      return refuse_access(RowCodes::kStoredTwice, a.op, b.op,
                           fmt::format("{} is stored to by {} and by {}", name_of(a.object), text_of(b), text_of(a)));
    if (analysis::may_alias(program_, a.object, b.object, promise()))
      return refuse_access(
          RowCodes::kStoredTwice, a.op, b.op,
          fmt::format("{} and {} may overlap, and both are stored to", name_of(b.object), name_of(a.object)));
    promised_apart(a.object, b.object);
    return {};
  }

  RowResult<void> check_source(const Access& load, const Access& store) {
    if (load.object != store.object) {
      if (analysis::may_alias(program_, load.object, store.object, promise()))
        return refuse_access(RowCodes::kSourceMayAlias, load.op, store.op,
                             fmt::format("{} may overlap {}, which {} writes", name_of(load.object),
                                         name_of(store.object), text_of(store)));
      promised_apart(load.object, store.object);
      return {};
    }
    workload_.reads_written_buffer = true;
    const auto refuse_written = [&](std::string_view why) {
      return refuse_access(RowCodes::kSourceWritten, load.op, store.op,
                           fmt::format("{} and {} touch one object, and {}", text_of(load), text_of(store), why));
    };
    const RowFlow::Reach& reach = flow_.loads.at(load.op);
    const AxisId loaded = structure_.element_axis(analysis::own_axes(program_, load.op));
    const AxisId stored = structure_.element_axis(analysis::own_axes(program_, store.op));
    if (!loaded.valid() || !stored.valid()) return refuse_written("every worker loads what one of them stores");
    if (reach.is_moved) return refuse_written("an element is needed at another place than its own");
    if (structure_.span_of(load.op, loaded) != structure_.span_of(store.op, stored) ||
        access_key(structure_, load) != access_key(structure_, store))
      return refuse_written("they are not shown to touch the same element at the same place of the row");
    const std::uint32_t from = structure_.order(load.op), written = structure_.order(store.op);
    for (std::uint32_t index : reach.sweeps) {
      const RowSweep& sweep = flow_.sweeps[index];
      if (sweep.span != structure_.span_of(load.op, loaded))
        return refuse_written("it is used over other elements than it is loaded over");
      if (from < written && written < time_of(sweep))
        return refuse_written("the store comes before the last use of the load");
    }
    return {};
  }

  /// When a sweep evaluates its elements, as a place in the text. A region that folds does so at the end of its body.
  std::uint32_t time_of(const RowSweep& sweep) const {
    const auto* region = std::get_if<tile::RegionOp>(&program_.op(sweep.op).payload);
    if (region == nullptr) return structure_.order(sweep.op);
    return structure_.order(program_.block(region->body).ops.back());
  }

  /// Different iterations, rows and elements of one program store to different elements: proved of the map that the
  /// affine coordinates are. Where it stands in the object does not matter, and so coordinates of the launch do not.
  RowResult<void> check_once(const Access& store) {
    std::vector<Leaf> leaves;
    std::vector<std::int64_t> inputs;
    for (const analysis::Dimension& dimension : store.domain.dimensions) {
      if (dimension.region == structure_.subject->walk.launches[structure_.launch]) continue;
      leaves.push_back(dimension.is_coord() ? Leaf::of(dimension.coord) : Leaf::of(dimension.axis));
      inputs.push_back(std::max<std::int64_t>(*dimension.constant_extent, 1));
    }
    const auto refuse_store = [&](std::string why) {
      return refuse_access(RowCodes::kStoreNotOnce, store.op, {},
                           fmt::format("{} is not shown to write every element at most once: {}", text_of(store), why));
    };
    std::vector<proof::AffineResult> results;
    std::vector<std::int64_t> outputs;
    for (const analysis::AccessDimension& dimension : store.dimensions)
      if (dimension.form && dimension.form->is_linear())
        if (!add_result(*dimension.form, leaves, inputs, results, outputs))
          return refuse_store("its coordinates do not fit 64 bits");
    const proof::IndexMap map = proof::affine_map(inputs, outputs, results);
    const auto total = proof::prove_map_total_in_bounds(map);
    const auto* bounded = std::get_if<proof::Proved<proof::MapTotalInBounds>>(&total);
    if (bounded == nullptr) return refuse_store("its coordinates do not fit 64 bits");
    auto verdict = proof::prove_map_injective(map, *bounded);
    if (auto* proved = std::get_if<proof::Proved<proof::MapInjective>>(&verdict)) {
      workload_.store_proofs.push_back(std::move(*proved));
      return {};
    }
    if (const auto* unknown = std::get_if<proof::Unknown>(&verdict)) return refuse_store(unknown->reason);
    return refuse_store(collision_text(std::get<proof::Refuted>(verdict), leaves));
  }

  /// The form without its constant and the coordinates of the launch, moved such that its smallest value is 0.
  static bool add_result(const AffineForm& form, const std::vector<Leaf>& leaves,
                         const std::vector<std::int64_t>& inputs, std::vector<proof::AffineResult>& results,
                         std::vector<std::int64_t>& outputs) {
    proof::AffineResult result;
    std::optional<std::int64_t> low = 0, high = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      result.coefficients.push_back(form.coefficient(leaves[i]));
      const auto last = checked_mul(result.coefficients[i], inputs[i] - 1);
      if (!last || !low || !high) return false;
      low = checked_add(*low, std::min<std::int64_t>(*last, 0));
      high = checked_add(*high, std::max<std::int64_t>(*last, 0));
    }
    const auto count = low && high ? checked_sub(*high, *low) : std::nullopt;
    if (!count || *count == INT64_MAX || *low == INT64_MIN) return false;
    result.constant = -*low;
    results.push_back(std::move(result));
    outputs.push_back(*count + 1);
    return true;
  }

  std::string collision_text(const proof::Refuted& refuted, const std::vector<Leaf>& leaves) const {
    std::string text;
    for (const proof::Witness::Coordinate& coordinate : refuted.witness.point) {
      const bool is_other = coordinate.name.starts_with("other_");
      const auto position = std::stoul(coordinate.name.substr(is_other ? 7 : 1));
      const Leaf leaf = leaves.at(position);
      const std::string name = leaf.kind == tile::IndexKind::Axis ? program_.axes()[AxisId{leaf.index}].label
                                                                  : program_.coords()[tile::CoordId{leaf.index}].name;
      text += fmt::format("{}{} = {}", text.empty() ? "" : position == 0 ? " and " : ", ", name, coordinate.value);
    }
    return text + " meet";
  }

  const RowStructure& structure_;
  const tile::Program& program_;
  const RowFlow& flow_;
  RowReductionWorkload& workload_;
  std::vector<const Access*> loads_, stores_;
  bool needs_promise_ = false;
};

/// A leaf as a key names it: joint coordinates and element axes by their role, so that equal places of two loops match.
std::string leaf_key(const RowStructure& structure, OpId op, AxisId element, const Leaf& leaf) {
  if (element.valid() && leaf == Leaf::of(element)) return "e";
  if (const OpId joint = structure.joint_loop_of(op); joint.valid()) {
    const std::vector<tile::CoordId>& coords = structure.loops.at(joint).coords;
    for (std::size_t d = 0; d < coords.size(); ++d)
      if (leaf == Leaf::of(coords[d])) return fmt::format("j{}", d);
  }
  return fmt::format("{}{}", leaf.kind == tile::IndexKind::Axis ? "a" : "c", leaf.index);
}

}  // namespace

std::string access_key(const RowStructure& structure, const Access& access) {
  const AxisId element = structure.element_axis(analysis::own_axes(structure.program(), access.op));
  std::string key = fmt::format("o{}", access.object.index);
  for (OpId loop : structure.stepped_loops_of(access.op)) key += fmt::format(" in {}", loop.index);
  if (const OpId joint = structure.joint_loop_of(access.op); joint.valid())
    for (const std::int64_t extent : structure.loops.at(joint).extents) key += fmt::format(" by {}", extent);
  for (const analysis::AccessDimension& dimension : access.dimensions) {
    if (!dimension.form || !dimension.form->is_linear()) return key + fmt::format(" alone {}", access.op.index);
    key += fmt::format("; {}", dimension.form->constant);
    std::vector<std::string> terms;
    for (const analysis::Term& term : dimension.form->terms)
      terms.push_back(
          fmt::format(" + {} {}", term.coefficient, leaf_key(structure, access.op, element, term.factors[0])));
    std::sort(terms.begin(), terms.end());
    for (const std::string& term : terms) key += term;
  }
  return key;
}

RowResult<void> check_row_accesses(const RowStructure& structure, const RowFlow& flow, RowReductionWorkload& workload) {
  return AccessCheck(structure, flow, workload).run();
}

namespace {

/// Reads of one key at one span: what a worker could keep.
struct ReadGroup {
  ReusedInput input;
  std::set<std::uint32_t> visits;
  std::vector<std::size_t> reads;  ///< indices
};

std::string reuse_key(const RowStructure& structure, const Access& access, const RowRead& read) {
  const std::string fallback =
      access.fallback_literal
          ? fmt::format("{:x}", access.fallback_literal->bits)
          : fmt::format("v{}", access.fallback == analysis::FallbackKind::Value ? access.fallback_value.index : 0);
  return fmt::format("{} | {} {} {} | {} {} {}", access_key(structure, access), static_cast<int>(access.bounds),
                     static_cast<int>(access.fallback), fallback, read.span.iterations, read.span.extent, read.rows);
}

std::vector<RowRead> reads_of(const RowStructure& structure, const RowFlow& flow) {
  const tile::Program& program = structure.program();
  std::vector<RowRead> reads;
  for (const auto& [load, reach] : flow.loads) {
    std::map<std::uint32_t, RowRead> by_visit;
    const auto axes = analysis::own_axes(program, load);
    for (std::uint32_t index : reach.sweeps) {
      const RowSweep& sweep = flow.sweeps[index];
      RowRead& read = by_visit[sweep.visit];
      read.load = load;
      read.visit = sweep.visit;
      read.span = sweep.span;
      read.live_elements = std::max(read.live_elements, sweep.live_elements);
      read.rows = structure.rows_of(axes);
      read.executions = sweep.executions;
      read.bytes = static_cast<std::int64_t>(
          data_type_bytes(program.object(structure.subject->accesses.of(load)->object).element.data));
    }
    for (auto& [visit, read] : by_visit) reads.push_back(read);
  }
  std::sort(reads.begin(), reads.end(), [&](const RowRead& a, const RowRead& b) {
    return std::pair(a.visit, structure.order(a.load)) < std::pair(b.visit, structure.order(b.load));
  });
  return reads;
}

}  // namespace

void collect_row_reads(const RowStructure& structure, const RowFlow& flow, RowReductionWorkload& workload) {
  workload.reads = reads_of(structure, flow);
  std::map<std::string, ReadGroup> groups;
  std::vector<std::string> in_order;
  for (std::size_t i = 0; i < workload.reads.size(); ++i) {
    const RowRead& read = workload.reads[i];
    const Access& access = *structure.subject->accesses.of(read.load);
    const AxisId element = structure.element_axis(analysis::own_axes(structure.program(), read.load));
    const bool is_own = structure.span_of(read.load, element) == read.span && element.valid();
    if (!is_own || flow.loads.at(read.load).is_crossing ||
        !analysis::surely_immutable(structure.program(), structure.subject->walk, access.object, structure.launch,
                                    structure.subject->assumptions.aliasing))
      continue;
    const std::string key = reuse_key(structure, access, read);
    if (!groups.contains(key)) in_order.push_back(key);
    ReadGroup& group = groups[key];
    ReusedInput& input = group.input;
    input.span = read.span;
    input.live_elements = std::max(input.live_elements, read.live_elements);
    input.rows = read.rows;
    input.executions = structure.executions_of(read.load);
    input.bytes = read.bytes;
    if (std::find(input.loads.begin(), input.loads.end(), read.load) == input.loads.end())
      input.loads.push_back(read.load);
    group.visits.insert(read.visit);
    group.reads.push_back(i);
  }
  for (const std::string& key : in_order) {
    ReadGroup& group = groups[key];
    if (group.visits.size() < 2) continue;
    group.input.visits = static_cast<std::int64_t>(group.visits.size());
    for (std::size_t read : group.reads)
      workload.reads[read].reused_input = static_cast<std::uint32_t>(workload.reused_inputs.size());
    std::sort(group.input.loads.begin(), group.input.loads.end(),
              [&](OpId a, OpId b) { return structure.order(a) < structure.order(b); });
    workload.reused_inputs.push_back(std::move(group.input));
  }
}

}  // namespace tilewright::realize
