#include "generator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "generator_internal.h"
#include "support/check.h"

namespace tilewright::tile {

namespace {

constexpr std::size_t kDeepest = 5;

}  // namespace

GeneratedProgram generate_program(std::uint64_t seed, const GeneratorOptions& options) {
  return Generator(seed, options).run();
}

Generator::Generator(std::uint64_t seed, const GeneratorOptions& options)
    : options_(options),
      dice_(seed * 0x9e3779b97f4a7c15ull + 1),
      b_("p" + std::to_string(seed), {}, {"A random program."}) {
  options_.legal = options.legal || options.interpretable;
}

GeneratedProgram Generator::run() {
  frames_.push_back(Frame{});
  declare_family();
  const std::size_t launches = 1 + dice_.below(3);
  for (std::size_t l = 0; l < launches; ++l) {
    if (wild() && dice_.percent(20)) declare();
    launch(options_.size / launches + 1);
  }
  auto program = b_.finish();
  if (!program) std::fputs(render(program.error()).c_str(), stderr);
  TW_CHECK(program.has_value());
  return {std::move(*program), bindings_};
}

// ---- The family ----------------------------------------------------------------------------------------------------

void Generator::declare_family() {
  for (std::size_t n = dice_.below(4); n > 0; --n) {
    const std::string symbol = interface_name("N");
    const bool has_default = dice_.percent(25);
    symbols_.push_back(b_.symbol(symbol, has_default ? std::optional(dice_.between(1, 6)) : std::nullopt));
    if (!has_default || dice_.percent(50)) bindings_.numbers[symbol] = dice_.between(1, 6);
    sizes_.push_back(b_.index().symbol(symbols_.back()));
    b_.require(sizes_.back(), Comparison::Ge, constant(1), dice_.percent(50) ? "" : "a \"size\" is\\at least 1");
  }
  for (std::size_t n = dice_.below(3); n > 0; --n) {
    Param param{interface_name("B"), {}, dice_.between(1, 4)};
    for (std::int64_t choice = 1 + dice_.between(0, 1); choice <= 4; choice *= 2) param.choices.push_back(choice);
    if (dice_.percent(50)) bindings_.numbers[param.name] = dice_.between(1, 4);
    params_.push_back(b_.param(std::move(param)));
    sizes_.push_back(b_.index().param(params_.back()));
  }
  if (dice_.percent(30)) {
    const TypeParam param{interface_name("T"), {DataType::F32, DataType::F16, DataType::BF16}, DataType::F16};
    if (dice_.percent(50)) bindings_.types[param.name] = DataType::BF16;
    type_params_.push_back(ElementType{DataType::F32, b_.type_param(param)});
  }
  for (std::size_t n = 1 + dice_.below(3); n > 0; --n) sizes_.push_back(constant(dice_.between(1, 5)));
  if (dice_.percent(30)) sizes_.push_back(b_.index().make(IndexKind::CeilDiv, dice_.pick(sizes_), constant(2)));
}

Generator::Buffer Generator::new_buffer(ObjectKind kind, ElementType element, std::vector<IndexId> extents) {
  Object object;
  object.name = interface_name(kind == ObjectKind::In ? "A" : "C");
  object.kind = kind;
  object.element = element;
  object.extents = extents;
  if (kind == ObjectKind::In && extents.empty() && dice_.percent(50)) {
    const double value = literal(element).value();
    object.default_value = value;
  }
  if (!options_.interpretable && !extents.empty() && dice_.percent(15))
    for (std::size_t d = 0; d < extents.size(); ++d) object.strides.push_back(dice_.percent(30) ? constant(0) : size());
  const Buffer buffer{b_.object(std::move(object)), element, std::move(extents)};
  if (kind == ObjectKind::In) inputs_.push_back(buffer);
  return buffer;
}

std::string Generator::name() {
  if (dice_.percent(45)) return "";
  return dice_.one_of<const char*>({"x",  "y",   "acc", "acc", "t",  "t1", "x1",  "i", "m",     "k",   "max",
                                    "in", "a b", "1st", "sum", "A1", "N0", "pos", "c", "order", "f32", "_"});
}

// ---- Frames --------------------------------------------------------------------------------------------------------

bool Generator::parallel_domains(RegionSpec& spec, Frame& frame) {
  spec.kind = RegionKind::Parallel;
  frame.kind = FrameKind::Parallel;
  Scope outer = Scope::Auto;
  for (const Frame& open : frames_)
    if (open.scope != Scope::Auto) outer = open.scope;
  if (!options_.interpretable && dice_.percent(25)) {
    const auto scope = static_cast<Scope>(dice_.between(1, 5));
    if (wild() || scope > outer) spec.scope = frame.scope = scope;
  }
  for (std::size_t d = 1 + dice_.below(2); d > 0; --d) {
    ParallelCoord coord{{}, size(), {}};
    IndexId extent = coord.size;
    if (dice_.percent(60)) {
      coord.tile = size();
      extent = b_.index().make(IndexKind::CeilDiv, coord.size, coord.tile);
    }
    spec.domains.emplace_back(name(), extent);
    frame.parallel.push_back(coord);
  }
  return true;
}

void Generator::open(Frame frame, RegionSpec spec) {
  frame.coords = b_.begin_region(std::move(spec));
  for (std::size_t d = 0; d < frame.parallel.size(); ++d) frame.parallel[d].coord = frame.coords[d];
  frames_.push_back(std::move(frame));
}

void Generator::leave_frame() {
  const std::size_t frame = depth();
  std::erase_if(variables_, [&](const Variable& v) { return v.frame == frame; });
  for (Variable& variable : variables_)
    if (variable.hidden_from == frame) variable.hidden_from = SIZE_MAX;
  std::erase_if(memories_, [&](const Buffer& b) { return b.frame == frame; });
  frames_.pop_back();
}

void Generator::close() {
  b_.end_region();
  leave_frame();
}

bool Generator::has_frame(FrameKind kind) const {
  return std::any_of(frames_.begin(), frames_.end(), [&](const Frame& frame) { return frame.kind == kind; });
}

bool Generator::may_read(const Variable& variable) const { return variable.hidden_from == SIZE_MAX; }

bool Generator::may_assign(const Variable& variable) const {
  if (!may_read(variable)) return false;
  for (std::size_t f = variable.frame + 1; f < frames_.size(); ++f)
    if (frames_[f].kind == FrameKind::Parallel || frames_[f].kind == FrameKind::Reduce) return false;
  return true;
}

std::vector<std::size_t> Generator::assignable() const {
  std::vector<std::size_t> found;
  for (std::size_t v = 0; v < variables_.size(); ++v)
    if (may_assign(variables_[v])) found.push_back(v);
  return found;
}

// ---- Statements ----------------------------------------------------------------------------------------------------

void Generator::launch(std::size_t budget) {
  RegionSpec spec;
  Frame frame;
  parallel_domains(spec, frame);
  open(std::move(frame), std::move(spec));
  block(budget);
  store();
  close();
  temps_.insert(temps_.end(), new_temps_.begin(), new_temps_.end());
  new_temps_.clear();
}

void Generator::block(std::size_t& budget) {
  if (frames_.back().kind == FrameKind::Pipeline && dice_.percent(40)) b_.stage_cut("");
  const std::size_t most = 1 + dice_.below(6);
  for (std::size_t n = 0; n < most && budget > 0; ++n) statement(budget);
}

void Generator::statement(std::size_t& budget) {
  --budget;
  const bool deep = depth() >= kDeepest;
  switch (dice_.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return declare();
    case 4:
    case 5:
    case 6:
      return assign();
    case 7:
      return rotate();
    case 8:
    case 9:
    case 10:
      return deep ? assign() : loop(budget);
    case 11:
    case 12:
      return deep ? declare() : reduce(budget);
    case 13:
      return deep ? declare() : nested_parallel(budget);
    case 14:
    case 15:
      return deep ? assign() : branch(budget);
    case 16:
      return store();
    case 17:
      return update_in_place();
    case 18:
      return memory();
    default:
      return rare();
  }
}

Generator::Variable& Generator::declare(std::string name, ValueId value) {
  variables_.push_back(Variable{b_.declare(std::move(name), value), b_.type_of(value), depth()});
  return variables_.back();
}

void Generator::declare() {
  const Axes axes = some_axes(3);
  const ElementType type = any_type();
  const ValueId made = dice_.percent(30) ? exact(type, axes, 2) : value(type, axes, 3);
  declare(name(), made);
}

void Generator::assign() {
  const auto choices = assignable();
  if (choices.empty()) return declare();
  const std::size_t chosen = dice_.pick(choices);
  const VariableId id = variables_[chosen].id;
  if (dice_.percent(10)) return b_.assign(id, b_.read(id));
  if (variables_[chosen].frame == depth() && dice_.percent(25)) {
    const Axes axes = some_axes(2);
    const ValueId made = value(any_type(), axes, 2);
    b_.assign(id, made);
    variables_[chosen].type = b_.type_of(made);
    return;
  }
  const TileType type = variables_[chosen].type;
  const Axes order = dice_.percent(20) ? dice_.shuffled(type.axes) : type.axes;
  b_.assign(id, exact(type.element, order, 2));
  if (variables_[chosen].frame == depth()) variables_[chosen].type.axes = order;
}

/// Two or three variables of one type exchange their values.
void Generator::rotate() {
  const auto choices = dice_.shuffled(assignable());
  if (choices.empty()) return declare();
  std::vector<std::size_t> ring{choices[0]};
  for (std::size_t v : choices)
    if (v != ring[0] && ring.size() < 3 && variables_[v].type == variables_[ring[0]].type) ring.push_back(v);
  if (ring.size() == 1) {
    // The second name of a value takes part in the next exchange.
    const ValueId same = b_.read(variables_[ring[0]].id);
    declare(name(), same);
    return;
  }
  std::vector<ValueId> values;
  for (std::size_t v : ring) values.push_back(b_.read(variables_[v].id));
  for (std::size_t i = 0; i < ring.size(); ++i) b_.assign(variables_[ring[i]].id, values[(i + 1) % ring.size()]);
}

void Generator::loop(std::size_t& budget) {
  const auto outer = assignable();
  const bool exchange = !outer.empty() && dice_.percent(30);
  if (exchange) {
    // A second variable of one type, for an exchange that carries both.
    const TileType type = variables_[dice_.pick(outer)].type;
    declare(name(), exact(type.element, type.axes, 1));
  }
  RegionSpec spec;
  Frame frame;
  const bool pipeline = dice_.percent(45);
  spec.kind = pipeline ? RegionKind::Pipeline : RegionKind::Serial;
  frame.kind = pipeline ? FrameKind::Pipeline : FrameKind::Serial;
  if (pipeline && dice_.percent(40)) {
    spec.window = static_cast<std::uint16_t>(dice_.between(0, 3));
    spec.interval = static_cast<std::uint16_t>(dice_.between(1, 2));
  }
  for (std::size_t d = 1 + dice_.below(10) / 8; d > 0; --d) {
    IndexId extent = size();
    if (dice_.percent(15)) extent = constant(0);
    if (dice_.percent(15))
      extent = b_.index().make(IndexKind::Sub, extent, b_.index().make(IndexKind::Min, extent, constant(1)));
    if (const auto& coords = frames_.back().coords; !coords.empty() && dice_.percent(10))
      extent = b_.index().make(IndexKind::Add, b_.index().coord(dice_.pick(coords)), constant(1));
    spec.domains.emplace_back(name(), extent);
  }
  open(std::move(frame), std::move(spec));
  if (exchange) rotate();
  block(budget);
  if (dice_.percent(60)) assign();
  close();
}

void Generator::reduce(std::size_t& budget) {
  std::vector<std::size_t> accumulators;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const ElementType type = variables_[v].type.element;
    const bool fits = variables_[v].frame == depth() && may_read(variables_[v]) && type != kBool;
    if (fits && dice_.percent(40)) accumulators.push_back(v);
  }
  if (accumulators.size() > 4) accumulators.resize(4);
  if (accumulators.empty()) {
    declare(name(), exact(number_type(), some_axes(2), 1));
    accumulators.push_back(variables_.size() - 1);
  }
  RegionSpec spec;
  Frame frame;
  spec.kind = RegionKind::Reduce;
  frame.kind = FrameKind::Reduce;
  spec.order = dice_.one_of({FoldOrder::UnorderedTree, FoldOrder::UnorderedTree, FoldOrder::OrderedTree,
                             FoldOrder::FoldLeft, FoldOrder::FoldRight});
  for (std::size_t d = 1 + dice_.below(2); d > 0; --d) spec.domains.emplace_back(name(), size());
  open(std::move(frame), std::move(spec));
  for (std::size_t v : accumulators) variables_[v].hidden_from = depth();
  accumulators = dice_.shuffled(accumulators);
  const std::size_t early = dice_.below(accumulators.size() + 1);
  for (std::size_t a = 0; a < early; ++a) fold_into(accumulators[a]);
  block(budget);
  for (std::size_t a = early; a < accumulators.size(); ++a) fold_into(accumulators[a]);
  close();
}

void Generator::fold_into(std::size_t variable) {
  const Variable target = variables_[variable];
  const bool all_axes = dice_.percent(60);
  const ValueId contribution =
      all_axes ? exact(target.type.element, target.type.axes, 2) : value(target.type.element, target.type.axes, 2);
  b_.fold(target.id, dice_.one_of({FoldKind::Add, FoldKind::Add, FoldKind::Max, FoldKind::Min}), contribution);
}

void Generator::nested_parallel(std::size_t& budget) {
  RegionSpec spec;
  Frame frame;
  parallel_domains(spec, frame);
  open(std::move(frame), std::move(spec));
  block(budget);
  store();
  close();
}

void Generator::branch(std::size_t& budget) {
  b_.begin_if(value(kBool, {}, 2));
  frames_.push_back(Frame{FrameKind::Branch, {}, {}, Scope::Auto});
  block(budget);
  if (dice_.percent(40)) assign();
  if (dice_.percent(50)) {
    leave_frame();
    b_.begin_else();
    frames_.push_back(Frame{FrameKind::Branch, {}, {}, Scope::Auto});
    block(budget);
  }
  b_.end_if();
  leave_frame();
}

// ---- Buffers -------------------------------------------------------------------------------------------------------

/// Coordinates that no other instance has: each coordinate of a parallel region takes a dimension of its own.
std::vector<IndexId> Generator::place_of_instance(Axes& axes, std::vector<IndexId>& extents, bool& exact) {
  std::vector<ParallelCoord> coords;
  for (const Frame& frame : frames_) coords.insert(coords.end(), frame.parallel.begin(), frame.parallel.end());
  std::vector<IndexId> place;
  IndexArena& index = b_.index();
  for (const ParallelCoord& coord : dice_.shuffled(coords)) {
    extents.push_back(coord.size);
    IndexId at = index.coord(coord.coord);
    if (coord.tile.valid()) {
      exact = false;
      axes.push_back(axis_of(coord.tile, axes));
      at = index.make(IndexKind::Add, index.make(IndexKind::Mul, at, coord.tile), index.axis(axes.back()));
    }
    place.push_back(at);
  }
  if (axes.size() < 3 && dice_.percent(30)) {
    axes.push_back(other_axis(axes));
    extents.push_back(b_.axis_extent(axes.back()));
    place.push_back(index.axis(axes.back()));
  }
  return place;
}

void Generator::store() {
  if (has_frame(FrameKind::Reduce) && options_.interpretable) return declare();
  if (!options_.interpretable && dice_.percent(25)) return wild_store();
  Axes axes;
  std::vector<IndexId> extents;
  bool exact = true;
  std::vector<IndexId> place = place_of_instance(axes, extents, exact);
  const ElementType type = dice_.percent(10) ? kBool : number_type();
  const ValueId stored = value(type, axes, 3);
  bool always = true;
  for (std::size_t f = 1; f < frames_.size(); ++f) always = always && frames_[f].kind == FrameKind::Parallel;
  const bool temp = always && dice_.percent(35);
  const Buffer target = new_buffer(temp ? ObjectKind::Temp : ObjectKind::Out, type, std::move(extents));
  if (temp) new_temps_.push_back(target);
  if (!temp && !options_.interpretable) written_.push_back(target);
  b_.store(target.id, std::move(place), stored, exact && dice_.percent(40) ? BoundsPolicy::Assume : BoundsPolicy::Zero);
}

void Generator::wild_store() {
  if (written_.empty()) return declare();
  const Buffer target = dice_.pick(written_);
  const Axes axes = some_axes(2);
  std::vector<IndexId> coords;
  for (std::size_t d = 0; d < target.extents.size(); ++d) coords.push_back(index_expr(axes, 2));
  const ValueId stored = value(target.element, b_.axes_of(coords), 2);
  b_.store(target.id, std::move(coords), stored);
}

void Generator::update_in_place() {
  if (has_frame(FrameKind::Reduce)) return declare();
  Axes axes;
  std::vector<IndexId> extents;
  bool exact = true;
  const std::vector<IndexId> place = place_of_instance(axes, extents, exact);
  const ElementType type = number_type();
  const Buffer target = new_buffer(ObjectKind::InOut, type, std::move(extents));
  const ValueId before = b_.load(target.id, place);
  const ValueId other = value(type, axes, 2);
  const ValueId after = b_.binary(BinaryKind::Add, before, other);
  b_.store(target.id, place, after);
}

void Generator::memory() {
  if (has_frame(FrameKind::Reduce) || depth() == 0) return declare();
  Object object;
  object.name = interface_name("S");
  object.element = dice_.percent(10) ? kBool : number_type();
  Axes axes;
  std::vector<IndexId> coords;
  for (std::size_t rank = dice_.below(3); rank > 0; --rank) {
    axes.push_back(axis_of(size(), axes));
    object.extents.push_back(b_.axis_extent(axes.back()));
    coords.push_back(b_.index().axis(axes.back()));
  }
  if (!options_.interpretable)
    object.space = dice_.one_of({MemorySpace::Auto, MemorySpace::Shared, MemorySpace::Private});
  if (axes.size() == 2 && dice_.percent(60)) {
    IndexArena& index = b_.index();
    const bool shared_axes = wild() && dice_.percent(30);
    for (AxisId axis : axes) object.layout_axes.push_back(shared_axes ? axis : b_.axis(name(), b_.axis_extent(axis)));
    const IndexId row = index.axis(object.layout_axes[0]), column = index.axis(object.layout_axes[1]);
    const bool transposed = dice_.percent(40);
    IndexId pitch = object.extents[transposed ? 0 : 1];
    if (dice_.percent(40)) pitch = index.make(IndexKind::Add, pitch, constant(1));
    object.layout = index.make(IndexKind::Add, index.make(IndexKind::Mul, transposed ? column : row, pitch),
                               transposed ? row : column);
  }
  Buffer buffer{{}, object.element, object.extents, depth()};
  const ValueId stored = value(object.element, axes, 2);
  buffer.id = b_.memory(std::move(object));
  b_.store(buffer.id, coords, stored);
  if (dice_.percent(50)) b_.barrier(dice_.percent(70) ? Scope::Group : Scope::Subgroup);
  memories_.push_back(buffer);
}

void Generator::rare() {
  if (frames_.back().kind == FrameKind::Pipeline && wild())
    return b_.stage_cut(dice_.percent(50) ? "" : "load \"a\"\\\n");
  if (options_.interpretable) return declare();
  if (dice_.percent(50)) {
    std::vector<ValueId> values;
    for (std::size_t n = dice_.below(3); n > 0; --n) {
      const Axes axes = some_axes(2);
      values.push_back(value(any_type(), axes, 1));
    }
    std::vector<ObjectId> objects;
    for (const Buffer& buffer : dice_.some_of(inputs_)) objects.push_back(buffer.id);
    return b_.opaque(dice_.one_of<const char*>({"f", "g \"q\""}), values, objects);
  }
  const auto choices = assignable();
  if (choices.empty() || dice_.percent(30)) return b_.barrier(Scope::Group);
  const Variable& chosen = variables_[dice_.pick(choices)];
  b_.place(b_.read(chosen.id), dice_.percent(50) ? MemorySpace::Shared : MemorySpace::Private);
}

}  // namespace tilewright::tile
