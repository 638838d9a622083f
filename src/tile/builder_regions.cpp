// Regions, variables and carries of the Builder.
#include <algorithm>

#include "tile/builder.h"

namespace tilewright::tile {

namespace {

/// A variable in a message; C++ gives tiles without names.
std::string spoken(const std::string& name) { return name.empty() ? "a tile" : "'" + name + "'"; }

}  // namespace

void Builder::open_root() { frames_.push_back(Frame{{}, false, program_.root_, {}, {}, {}, {}, next_serial_++, {}}); }

BlockId Builder::current_block() const { return frames_.back().block; }

ValueId Builder::resolve(ValueId value) const {
  for (auto found = replaced_.find(value); found != replaced_.end(); found = replaced_.find(value))
    value = found->second;
  return value;
}

std::vector<CoordId> Builder::begin_region(RegionSpec spec) {
  std::vector<CoordId> coords;
  for (const auto& [name, extent] : spec.domains) coords.push_back(program_.coords_.push_back(Coord{name, extent}));
  BlockId block = program_.blocks_.push_back(Block{});
  frames_.push_back(Frame{std::move(spec), false, block, {}, {}, coords, location_, next_serial_++, {}});
  return coords;
}

void Builder::begin_if(ValueId condition) {
  if (condition.valid()) {
    TileType type = type_of(condition);
    if (type.element != kBool || !type.axes.empty()) {
      report(DiagCode::TypeMismatch, "expected a bool condition without axes, found " + TypeNames::tile(type),
             "use select for a choice at each element");
      condition = {};
    }
  }
  BlockId block = program_.blocks_.push_back(Block{});
  frames_.push_back(Frame{{}, true, block, {}, condition, {}, location_, next_serial_++, {}});
}

void Builder::begin_else() {
  Frame& frame = frames_.back();
  TW_CHECK(frame.is_if && !frame.then_block.valid());
  frame.then_block = frame.block;
  frame.block = program_.blocks_.push_back(Block{});
  frame.serial = next_serial_++;
  for (auto& [id, entry] : frame.entries) {
    entry.then_value = variables_[id].current;
    variables_[id].current = entry.outer;
  }
}

// ---- Variables -----------------------------------------------------------------------------------------------------

VariableId Builder::declare(std::string name, ValueId value) {
  if (value.valid() && program_.values_[value].name.empty()) program_.values_[value].name = name;
  return variables_.push_back(Variable{std::move(name), value, frames_.size(), frames_.back().serial});
}

bool Builder::in_scope(const Variable& variable) {
  if (variable.depth <= frames_.size() && frames_[variable.depth - 1].serial == variable.serial) return true;
  report(DiagCode::UnknownName, spoken(variable.name) + " is used outside the region that defines it",
         "define it before the region and assign it inside");
  return false;
}

Builder::Entry& Builder::enter_frame(Frame& frame, VariableId id) {
  if (auto found = frame.entries.find(id); found != frame.entries.end()) return found->second;
  Variable& variable = variables_[id];
  Entry entry;
  entry.outer = variable.current;
  entry.then_value = variable.current;
  const bool loop = !frame.is_if && (frame.spec.kind == RegionKind::Serial || frame.spec.kind == RegionKind::Pipeline);
  if (loop && variable.current.valid()) {
    entry.arg = add_value(type_of(variable.current), OpId{});
    program_.values_[entry.arg].name = variable.name;
    variable.current = entry.arg;
  }
  return frame.entries.emplace(id, entry).first->second;
}

ValueId Builder::read(VariableId id) {
  if (!id.valid()) return {};
  Variable& variable = variables_[id];
  if (!in_scope(variable)) return {};
  for (std::size_t f = variable.depth; f < frames_.size(); ++f) {
    Frame& frame = frames_[f];
    Entry& entry = enter_frame(frame, id);
    entry.read = true;
    if (entry.contribution.valid()) {
      report_accumulator_read(variable);
      return {};
    }
  }
  return variable.current;
}

void Builder::report_accumulator_read(const Variable& variable) {
  report(DiagCode::ReduceAccess,
         spoken(variable.name) + " is folded by this reduce region and cannot be read inside it",
         "use a serial region when an iteration needs the value so far");
}

bool Builder::enter_for_assignment(VariableId id) {
  Variable& variable = variables_[id];
  for (std::size_t f = variable.depth; f < frames_.size(); ++f) {
    Frame& frame = frames_[f];
    if (!frame.is_if && frame.spec.kind == RegionKind::Parallel) {
      report(DiagCode::ParallelCarry,
             "a parallel region assigns " + spoken(variable.name) + " of its surroundings: its instances have no order",
             "use serial or reduce, or store to memory");
      return false;
    }
    if (!frame.is_if && frame.spec.kind == RegionKind::Reduce) {
      report(DiagCode::ReduceAccess,
             "a reduce region assigns " + spoken(variable.name) + " of its surroundings with '='",
             "fold into it at the level of the region's body: " + (variable.name.empty() ? "t" : variable.name) +
                 " += x, max= x or min= x");
      return false;
    }
  }
  for (std::size_t f = variable.depth; f < frames_.size(); ++f) enter_frame(frames_[f], id).assigned = true;
  return true;
}

void Builder::assign(VariableId id, ValueId value) {
  if (!id.valid()) return;
  Variable& variable = variables_[id];
  if (!in_scope(variable)) return;
  if (value.valid() && program_.values_[value].name.empty() && program_.values_[value].def.valid())
    program_.values_[value].name = variable.name;
  if (variable.depth == frames_.size()) {
    variable.current = value;
    return;
  }
  if (!enter_for_assignment(id) || !value.valid() || !variable.current.valid()) return;
  const TileType before = type_of(variable.current);
  const TileType after = type_of(value);
  if (before != after) {
    const bool permuted = before.element == after.element && before.axes.size() == after.axes.size() &&
                          subset_of(after.axes, before.axes);
    if (!permuted) {
      report(DiagCode::CarryType,
             spoken(variable.name) + " is " + TypeNames::tile(before) + " outside this region and cannot become " +
                 TypeNames::tile(after) + " inside it",
             "give both one type; " + (variable.name.empty() ? "x" : variable.name) + "[axes] = value broadcasts");
      return;
    }
    value = broadcast(value, before.axes);
    program_.values_[value].name = variable.name;
  }
  variable.current = value;
}

void Builder::fold(VariableId id, FoldKind kind, ValueId contribution) {
  if (!id.valid()) return;
  Variable& variable = variables_[id];
  if (!in_scope(variable)) return;
  Frame& frame = frames_.back();
  const bool directly = !frame.is_if && frame.spec.kind == RegionKind::Reduce && variable.depth == frames_.size() - 1;
  if (!directly) {
    report(DiagCode::ReduceAccess,
           spoken(variable.name) + " is not defined directly around a reduce region at whose body level it is folded",
           "fold at the level of the reduce region's body, into a tile of the block around it");
    return;
  }
  Entry& entry = enter_frame(frame, id);
  if (entry.read) return report_accumulator_read(variable);
  if (entry.contribution.valid()) {
    report(DiagCode::ReduceAccess, spoken(variable.name) + " is folded twice in one reduce region",
           "combine the contributions first");
    return;
  }
  if (!contribution.valid() || !entry.outer.valid()) return;
  const TileType type = type_of(entry.outer);
  const TileType given = type_of(contribution);
  if (given.element != type.element || !subset_of(given.axes, type.axes)) {
    report(DiagCode::CarryType,
           spoken(variable.name) + " is " + TypeNames::tile(type) + ", its contribution is " + TypeNames::tile(given));
    return;
  }
  if (given.axes != type.axes) contribution = broadcast(contribution, type.axes);
  entry.contribution = contribution;
  entry.fold = kind;
}

void Builder::name_value(ValueId value, std::string name) {
  if (value.valid() && program_.values_[value].name.empty()) program_.values_[value].name = std::move(name);
}

void Builder::place(ValueId value, MemorySpace space) {
  if (value.valid()) program_.values_[value].placement = space;
}

// ---- Closing -------------------------------------------------------------------------------------------------------

std::vector<ValueId> Builder::make_results(const std::vector<std::pair<VariableId, Entry>>& carries) {
  std::vector<ValueId> results;
  for (const auto& [id, entry] : carries) {
    ValueId result = add_value(type_of(entry.outer), OpId{});
    program_.values_[result].name = variables_[id].name;
    results.push_back(result);
  }
  return results;
}

void Builder::close_loop(Frame& frame, RegionOp& op, std::vector<std::pair<VariableId, Entry>>& carries) {
  std::vector<ValueId> args, yields;
  for (auto& [id, entry] : frame.entries) {
    Variable& variable = variables_[id];
    if (!entry.assigned || !entry.arg.valid()) {
      if (entry.arg.valid()) replaced_[entry.arg] = entry.outer;
      variable.current = entry.outer;
      continue;
    }
    carries.emplace_back(id, entry);
    args.push_back(entry.arg);
    yields.push_back(variable.current);
  }
  Block& body = program_.blocks_[frame.block];
  body.args = program_.pool_.add(args);
  body.yields = program_.pool_.add(yields);
  op.body = frame.block;
}

void Builder::close_reduce(Frame& frame, RegionOp& op, std::vector<std::pair<VariableId, Entry>>& carries) {
  std::vector<ValueId> contributions;
  for (auto& [id, entry] : frame.entries) {
    if (!entry.contribution.valid()) continue;
    if (carries.size() == 16) {
      report(DiagCode::ReduceAccess, "a reduce region folds more than 16 tiles", "split it into two regions");
      return;
    }
    op.folds |= static_cast<std::uint32_t>(entry.fold) << (2 * carries.size());
    carries.emplace_back(id, entry);
    contributions.push_back(entry.contribution);
  }
  program_.blocks_[frame.block].yields = program_.pool_.add(contributions);
}

void Builder::end_region() {
  Frame frame = std::move(frames_.back());
  TW_CHECK(frames_.size() > 1 && !frame.is_if);
  frames_.pop_back();
  RegionOp op;
  op.kind = frame.spec.kind;
  op.scope = frame.spec.scope;
  op.order = frame.spec.order;
  op.window = frame.spec.window;
  op.interval = frame.spec.interval;
  op.coords = program_.pool_.add(frame.coords);
  op.body = frame.block;
  std::vector<std::pair<VariableId, Entry>> carries;
  if (op.kind == RegionKind::Reduce)
    close_reduce(frame, op, carries);
  else
    close_loop(frame, op, carries);
  std::vector<ValueId> inits;
  for (const auto& [id, entry] : carries) inits.push_back(entry.outer);
  op.inits = program_.pool_.add(inits);
  finish_carries(frame, op, carries);
}

void Builder::finish_carries(const Frame& frame, OpPayload op,
                             const std::vector<std::pair<VariableId, Entry>>& carries) {
  std::vector<ValueId> results = make_results(carries);
  const LocationId here = std::exchange(location_, frame.location);
  emit(std::move(op), results);
  location_ = here;
  for (std::size_t j = 0; j < carries.size(); ++j) variables_[carries[j].first].current = results[j];
}

void Builder::end_if() {
  if (!frames_.back().then_block.valid()) begin_else();
  Frame frame = std::move(frames_.back());
  TW_CHECK(frames_.size() > 1 && frame.is_if);
  frames_.pop_back();
  std::vector<std::pair<VariableId, Entry>> carries;
  std::vector<ValueId> inits, then_yields, else_yields;
  for (auto& [id, entry] : frame.entries) {
    Variable& variable = variables_[id];
    if (entry.assigned && entry.outer.valid() && entry.then_value.valid() && variable.current.valid()) {
      carries.emplace_back(id, entry);
      inits.push_back(entry.outer);
      then_yields.push_back(entry.then_value);
      else_yields.push_back(variable.current);
    }
    variable.current = entry.outer;
  }
  program_.blocks_[frame.then_block].yields = program_.pool_.add(then_yields);
  program_.blocks_[frame.block].yields = program_.pool_.add(else_yields);
  if (!frame.condition.valid()) return;
  IfOp op{frame.condition, program_.pool_.add(inits), frame.then_block, frame.block};
  finish_carries(frame, op, carries);
}

}  // namespace tilewright::tile
