#include "plan/vector_plan.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::plan {

using realize::EvenParts;
using realize::VectorMapping;

namespace {

constexpr std::int64_t kF32Bytes = 4;
constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kTablePages = 16;  ///< that a core finds without a walk, at least
/// Of a core of our time: two multiply-adds and two loads a cycle, and a sum may be added to again after four.
constexpr double kPorts = 2, kChain = 4;
constexpr std::int64_t kMostGroup = 8;
/// Of an operand that is read in place, and of one that is packed.
constexpr std::int64_t kShortPasses[] = {8, 16};
constexpr std::int64_t kLongPasses[] = {512, 1024};

constexpr VectorCostRow kVectorRows[] = {
    {"vector_fmas", &VectorCost::vector_fmas, &CostPriors::cpu_vector_fma, "fused multiply-adds of whole vectors"},
    {"lane_cover", &VectorCost::lane_cover, nullptr, "the part of their lanes that belongs to the product"},
    {"excess_loads", &VectorCost::excess_loads, &CostPriors::cpu_vector_excess_load,
     "cycles in which loads keep the multipliers waiting"},
    {"excess_latency", &VectorCost::excess_latency, &CostPriors::cpu_vector_excess_latency,
     "cycles in which too few sums are under way"},
    {"left_loads", &VectorCost::left_loads, &CostPriors::cpu_vector_left_load,
     "elements of the left operand that are spread over lanes"},
    {"near_panel_bytes", &VectorCost::near_panel_bytes, &CostPriors::cpu_vector_near_panel_byte,
     "of the right operand, read from beyond the near cache"},
    {"far_panel_bytes", &VectorCost::far_panel_bytes, &CostPriors::cpu_vector_far_panel_byte,
     "of the right operand, read from beyond the far cache"},
    {"far_right_bytes", &VectorCost::far_right_bytes, &CostPriors::cpu_vector_far_right_byte,
     "of the right operand, read from beyond the far cache: once to be copied, or by every tile"},
    {"page_touches", &VectorCost::page_touches, &CostPriors::cpu_vector_page_touch,
     "rows of the right operand that begin in another page"},
    {"left_bytes", &VectorCost::left_bytes, &CostPriors::cpu_vector_left_byte,
     "of the left operand, read anew from beyond the far cache"},
    {"left_lines", &VectorCost::left_lines, &CostPriors::cpu_vector_left_line,
     "of the left operand, each for one step of the depth"},
    {"packed_bytes", &VectorCost::packed_bytes, &CostPriors::cpu_vector_packed_byte, "of panels that are copied"},
    {"strided_elements", &VectorCost::strided_elements, &CostPriors::cpu_vector_strided_element,
     "copied or stored one at a time"},
    {"far_strided_elements", &VectorCost::far_strided_elements, &CostPriors::cpu_vector_far_strided_element,
     "likewise, of operands beyond the far cache"},
    {"rectangles", &VectorCost::rectangles, &CostPriors::cpu_vector_rectangle, "rectangles that begin and end"},
    {"output_vectors", &VectorCost::output_vectors, &CostPriors::cpu_vector_output,
     "vectors stored, and computed by the epilogue"},
    {"output_touches", &VectorCost::output_touches, &CostPriors::cpu_vector_output_touch,
     "rows of rectangles that begin in another page of a large output"},
    {"lane_folds", &VectorCost::lane_folds, &CostPriors::cpu_vector_lane_fold,
     "vectors of partial sums that are folded to one number"},
    {"partial_vectors", &VectorCost::partial_vectors, &CostPriors::cpu_vector_partial,
     "of sums that wait between passes, read and written"},
};

double number(std::int64_t count) { return static_cast<double>(count); }

/// The workload with the rows for columns.
VectorWorkload oriented(VectorWorkload workload, bool swaps) {
  if (!swaps) return workload;
  std::swap(workload.rows, workload.columns);
  std::swap(workload.a, workload.b);
  std::swap(workload.output_row_step, workload.output_column_step);
  return workload;
}

/// Calls f(size, count) for the sizes of parts that there are.
template <class F>
void each_size(const EvenParts& parts, F&& f) {
  f(parts.size, parts.large);
  if (!parts.are_equal()) f(parts.size - 1, parts.parts - parts.large);
}

class Pricing {
 public:
  Pricing(const VectorWorkload& workload, const VectorTarget& target, const VectorMapping& mapping)
      : work_(oriented(workload, mapping.swaps)),
        target_(target),
        mapping_(mapping),
        panels_(VectorMapping::ceil_div(work_.columns, mapping.columns_each()), mapping.vectors),
        groups_(panels_.parts, mapping.group),
        tiles_(work_.rows, mapping.rows) {}

  VectorCost run() {
    each_size(tiles_, [&](std::int64_t rows, std::int64_t tiles) {
      each_size(panels_, [&](std::int64_t vectors, std::int64_t panels) {
        add_rectangles(number(rows), number(vectors), number(tiles) * number(panels) * number(work_.batches));
      });
    });
    if (mapping_.depth_lanes) return run_dots();
    const std::int64_t vectors = VectorMapping::ceil_div(work_.columns, mapping_.lanes);
    cost_.lane_cover = number(work_.columns) / number(vectors * mapping_.lanes);
    add_right(number(vectors * mapping_.lanes));
    add_left();
    add_output(number(vectors));
    return cost_;
  }

 private:
  /// Both operands are read along the depth, the left one by every panel, the right one by every tile.
  VectorCost run_dots() {
    const double results = number(work_.batches) * number(work_.rows) * number(work_.columns);
    const std::int64_t steps = VectorMapping::ceil_div(work_.depth, mapping_.lanes);
    cost_.lane_cover = number(work_.depth) / number(steps * mapping_.lanes);
    cost_.lane_folds = results;
    const double left = number(work_.batches) * number(work_.rows) * number(work_.depth * work_.a.bytes);
    const double right = number(work_.batches) * number(work_.columns) * number(work_.depth * work_.b.bytes);
    if (left > number(target_.far_bytes)) cost_.left_bytes = left * number(panels_.parts);
    if (right > number(target_.far_bytes)) cost_.far_right_bytes = right * number(tiles_.parts);
    add_output(number(panels_.parts));
    return cost_;
  }

  void add_rectangles(double rows, double vectors, double count) {
    const std::int64_t depth =
        mapping_.depth_lanes ? VectorMapping::ceil_div(work_.depth, mapping_.lanes) : work_.depth;
    const double steps = number(depth) * count;
    const double fma = rows * vectors / kPorts;
    const double load = (rows + vectors) / kPorts;
    cost_.vector_fmas += steps * rows * vectors;
    cost_.excess_loads += steps * std::max(0.0, load - fma);
    cost_.excess_latency += steps * std::max(0.0, kChain - std::max(fma, load));
    if (!mapping_.depth_lanes) cost_.left_loads += steps * rows;
    cost_.rectangles += count;
    const double row_bytes = number(work_.output_row_step) * kF32Bytes;
    if (row_bytes * number(work_.rows) > number(target_.far_bytes) / 8)
      cost_.output_touches += count * rows * std::min(1.0, row_bytes / kPageBytes);
  }

  /// The panels: copied once, read by every tile.
  void add_right(double columns) {
    const double once = number(work_.batches) * number(work_.depth) * columns * kF32Bytes;
    const double again = once * number(tiles_.parts);
    const std::int64_t pass = mapping_.pass_of(work_.depth);
    const std::int64_t panel = pass * panels_.size * mapping_.lanes * kF32Bytes;
    if (panel * groups_.size > target_.near_bytes / 2) cost_.near_panel_bytes += again;
    if (panel * groups_.size > target_.far_bytes * 3 / 4) cost_.far_panel_bytes += again;
    const std::int64_t row_bytes = work_.b.depth_step * work_.b.bytes;
    const double operand_bytes = number(row_bytes) * number(work_.depth);
    const bool is_far = operand_bytes > number(target_.far_bytes);
    if (pass < work_.depth) add_partial(number(VectorMapping::ceil_div(work_.depth, pass)), columns);
    const double rows = number(work_.batches) * number(work_.depth) * std::min(1.0, number(row_bytes) / kPageBytes);
    const bool stays = number(row_bytes) * number(pass) <= number(target_.far_bytes) / 2;
    if (is_far) cost_.far_right_bytes += mapping_.packs || (pass < work_.depth && stays) ? once : again;
    if (mapping_.packs && work_.b.outer_step == 1) {
      cost_.packed_bytes += once;
      cost_.page_touches += rows * number(groups_.parts);
    } else if (mapping_.packs) {
      cost_.packed_bytes += once;
      const bool is_far_stride =
          number(work_.b.outer_step * work_.b.bytes) * number(work_.columns) > number(target_.far_bytes) / 2;
      (is_far_stride ? cost_.far_strided_elements : cost_.strided_elements) += once / kF32Bytes;
    } else {
      // A pass of few rows runs along them through all panels.
      const bool runs_along = pass < work_.depth && pass <= kTablePages;
      cost_.page_touches += rows * number(tiles_.parts) * number(runs_along ? groups_.parts : panels_.parts);
    }
  }

  /// Read and written by each pass, once more at the start and at the end; of all rows and the columns of a group.
  void add_partial(double passes, double columns) {
    const double vectors =
        2 * number(work_.batches) * (passes + 1) * number(work_.rows) * columns / number(mapping_.lanes);
    cost_.partial_vectors += vectors;
    const std::int64_t width = groups_.size * panels_.size * mapping_.lanes;
    if (work_.rows * width * kF32Bytes > target_.far_bytes)
      cost_.far_panel_bytes += vectors * number(mapping_.lanes) * kF32Bytes;
  }

  void add_left() {
    const double once = number(work_.batches) * number(work_.rows) * number(work_.depth) * number(work_.a.bytes);
    const bool is_far = once / number(work_.batches) > number(target_.far_bytes) / 2;
    if (is_far) cost_.left_bytes += once * number(groups_.parts);
    if (work_.a.depth_step == 1 || number(work_.depth) * kLineBytes <= number(target_.near_bytes)) return;
    cost_.left_lines += number(work_.batches) * number(work_.depth) * number(tiles_.parts) * number(panels_.parts);
  }

  void add_output(double vectors) {
    const double stored = number(work_.batches) * number(work_.rows) * vectors;
    cost_.output_vectors += stored * (1 + number(work_.epilogue_operations) / kPorts);
    if (work_.output_column_step != 1) cost_.strided_elements += stored * number(mapping_.lanes);
  }

  VectorWorkload work_;
  const VectorTarget& target_;
  const VectorMapping& mapping_;
  EvenParts panels_, groups_, tiles_;
  VectorCost cost_;
};

std::int64_t registers_of(const VectorMapping& mapping) { return mapping.rows * mapping.vectors + mapping.vectors + 1; }

bool may_run_along_depth(const VectorWorkload& work) {
  return work.may_reassociate && (work.a.depth_step == 1 || work.depth == 1) &&
         (work.b.depth_step == 1 || work.depth == 1);
}

/// The steps of the depth in one iteration: enough that the loop itself costs little.
std::int64_t unroll_of(const VectorMapping& mapping) {
  const std::int64_t work = mapping.rows * mapping.vectors;
  return work >= 16 ? 4 : 8;
}

class Candidates {
 public:
  Candidates(const VectorWorkload& workload, const VectorTarget& target, const CostPriors& priors)
      : workload_(workload), target_(target), priors_(priors) {}

  VectorChoice run() {
    for (const bool swaps : {false, true})
      for (std::int64_t vectors = 1; vectors * 2 + 1 <= target_.registers; ++vectors)
        for (std::int64_t rows = 1; rows * vectors + vectors + 1 <= target_.registers; ++rows)
          add(rows, vectors, swaps);
    for (std::size_t i = 0; i < choice_.candidates.size(); ++i)
      if (choice_.candidates[i].cost.score < choice_.candidates[choice_.chosen].cost.score) choice_.chosen = i;
    return std::move(choice_);
  }

 private:
  /// Lanes along the depth: no more columns than a vector has lanes.
  void add_dots(std::int64_t rows, std::int64_t columns, bool swaps) {
    const VectorWorkload work = oriented(workload_, swaps);
    if (!may_run_along_depth(work) || columns > target_.lanes) return;
    if (EvenParts(work.columns, columns).size != columns || EvenParts(work.rows, rows).size != rows) return;
    add(VectorMapping{
        .lanes = target_.lanes, .rows = rows, .vectors = columns, .unroll = 1, .swaps = swaps, .depth_lanes = true});
  }

  void add(std::int64_t rows, std::int64_t vectors, bool swaps) {
    add_dots(rows, vectors, swaps);
    const VectorWorkload work = oriented(workload_, swaps);
    const EvenParts panels(VectorMapping::ceil_div(work.columns, target_.lanes), vectors);
    const EvenParts tiles(work.rows, rows);
    // Others with the same tiles and panels stand for it.
    if (panels.size != vectors || tiles.size != rows) return;
    VectorMapping mapping{.lanes = target_.lanes, .rows = rows, .vectors = vectors, .swaps = swaps};
    mapping.unroll = unroll_of(mapping);
    // Lanes that do not lie side by side have to be copied.
    if (work.b.outer_step == 1 || work.columns == 1) {
      add(mapping);
      mapping.group = panels.parts;
      for (const std::int64_t pass : kShortPasses) add_passes(mapping, pass, work.depth);
    }
    if (tiles.parts == 1 && work.b.outer_step == 1) return;
    mapping.packs = true;
    for (mapping.group = 1; mapping.group <= kMostGroup; mapping.group *= 2) {
      if (mapping.group > 1 && mapping.group >= 2 * panels.parts) break;
      add(mapping);
      for (const std::int64_t pass : kLongPasses) add_passes(mapping, pass, work.depth);
    }
  }

  void add_passes(VectorMapping mapping, std::int64_t pass, std::int64_t depth) {
    mapping.pass = pass;
    if (2 * pass <= depth) add(mapping);
  }

  void add(const VectorMapping& mapping) {
    choice_.candidates.push_back({mapping, vector_cost(workload_, target_, mapping, priors_)});
  }

  const VectorWorkload& workload_;
  const VectorTarget& target_;
  const CostPriors& priors_;
  VectorChoice choice_;
};

/// Steps of an object, in elements: declared ones, or those of dense rows.
std::vector<std::int64_t> steps_of(const tile::Program& program, tile::ObjectId object) {
  std::vector<std::int64_t> steps;
  for (tile::IndexId stride : program.object(object).strides)
    steps.push_back(program.index().as_constant(stride).value_or(0));
  return steps.empty() ? tile::dense_strides(tile::bound_extents(program, object)) : steps;
}

}  // namespace

std::span<const VectorCostRow> vector_cost_rows() { return kVectorRows; }

VectorWorkload vector_workload(const proof::Subject& subject, const realize::Contraction& contraction) {
  const tile::Program& program = subject.program;
  VectorWorkload work;
  work.batches = contraction.batch_count;
  work.rows = contraction.row.extent;
  work.columns = contraction.column.extent;
  work.depth = contraction.depth.extent;
  work.may_reassociate = contraction.may_reassociate;
  const auto operand = [&](const realize::ContractionOperand& from) {
    const auto& load = std::get<tile::LoadOp>(program.op(from.load).payload);
    const std::vector<std::int64_t> steps = steps_of(program, load.object);
    VectorWorkload::Operand made;
    made.bytes = static_cast<std::int64_t>(data_type_bytes(program.object(load.object).element.data));
    if (from.outer_dimension) made.outer_step = steps[*from.outer_dimension];
    if (from.depth_dimension) made.depth_step = steps[*from.depth_dimension];
    return made;
  };
  work.a = operand(contraction.a);
  work.b = operand(contraction.b);
  const analysis::Access& store = *subject.accesses.of(contraction.stores.front());
  const std::vector<std::int64_t> steps = steps_of(program, store.object);
  for (std::size_t d = 0; d < store.dimensions.size(); ++d) {
    const std::vector<tile::AxisId> axes = program.index().axes(store.dimensions[d].expr);
    const auto has = [&](tile::AxisId axis) { return axis.valid() && std::ranges::find(axes, axis) != axes.end(); };
    if (has(contraction.row.axis)) work.output_row_step = steps[d];
    if (has(contraction.column.axis)) work.output_column_step = steps[d];
  }
  for (tile::OpId op : subject.walk.order) {
    const auto results = program.list(program.op(op).results);
    if (subject.walk.places[op].launch == contraction.launch && results.size() == 1 &&
        (std::holds_alternative<tile::UnaryOp>(program.op(op).payload) ||
         std::holds_alternative<tile::BinaryOp>(program.op(op).payload)) &&
        !program.value(results[0]).axes.empty())
      ++work.epilogue_operations;
  }
  return work;
}

VectorCost vector_cost(const VectorWorkload& workload, const VectorTarget& target, const VectorMapping& mapping,
                       const CostPriors& priors) {
  VectorCost cost = Pricing(workload, target, mapping).run();
  for (const VectorCostRow& row : kVectorRows)
    if (row.price != nullptr) cost.score += cost.*row.member * (priors.*row.price);
  return cost;
}

VectorChoice plan_contraction(const VectorWorkload& workload, const VectorTarget& target, const CostPriors& priors) {
  VectorChoice choice = Candidates(workload, target, priors).run();
  TW_CHECK(!choice.candidates.empty());
  return choice;
}

std::string vector_mapping_fault(const VectorWorkload& workload, const VectorTarget& target,
                                 const VectorMapping& mapping) {
  if (mapping.lanes != target.lanes)
    return fmt::format("vectors of {}, the target has {}", mapping.lanes, target.lanes);
  if (mapping.rows < 1 || mapping.vectors < 1 || mapping.unroll < 1 || mapping.unroll > 16 || mapping.group < 1 ||
      mapping.group > std::max(kMostGroup, workload.columns + workload.rows) || mapping.pass < 0 ||
      mapping.pass % mapping.unroll != 0)
    return "rows, vectors, unroll, group or pass is no number that a mapping can have";
  if (registers_of(mapping) > target.registers)
    return fmt::format("{} registers are needed, the target has {}", registers_of(mapping), target.registers);
  const VectorWorkload work = oriented(workload, mapping.swaps);
  if (mapping.depth_lanes) {
    if (!may_run_along_depth(work)) return "an operand does not run along the depth, or the order of the sum is fixed";
    if (mapping.vectors > mapping.lanes || mapping.packs || mapping.group != 1)
      return "lanes along the depth take at most a vector of columns, in place";
    return {};
  }
  if (!mapping.packs && work.b.outer_step != 1 && work.columns != 1)
    return "the columns of the right operand do not lie side by side, and it is not packed";
  return {};
}

std::string vector_mapping_text(const VectorMapping& mapping) {
  std::string text = fmt::format("{}x{} vectors of {}", mapping.rows, mapping.vectors, mapping.lanes);
  if (mapping.depth_lanes)
    text = fmt::format("{}x{} results, {} steps of the depth as lanes", mapping.rows, mapping.vectors, mapping.lanes);
  if (mapping.swaps) text += ", rows as columns";
  if (mapping.depth_lanes) return text;
  if (mapping.pass != 0) text += fmt::format(", passes of {} steps", mapping.pass);
  if (!mapping.packs) return text + ", b in place";
  return text + (mapping.group == 1 ? std::string(", b packed by panels")
                                    : fmt::format(", b packed {} panels at a time", mapping.group));
}

}  // namespace tilewright::plan
