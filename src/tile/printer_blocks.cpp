#include "tile/printer_blocks.h"

#include <algorithm>

#include "tile/syntax.h"
#include "tile/typing.h"

namespace tilewright::tile::printing {

BlockPrinter::BlockPrinter(const Program& program)
    : program_(program),
      shape_(program),
      names_(program),
      text_(
          program, [this](const IndexNode& node) { return name_of(node); },
          [this](AxisId axis) { return axis_name(axis); }, [this](ObjectId object) { return object_names_[object]; }) {
  variable_of_.resize(program.values().size());
  axis_names_.resize(program.axes().size());
  axis_declared_.resize(program.axes().size());
  coord_names_.resize(program.coords().size());
  for (const Object& object : program.objects()) object_names_.push_back(object.name);
}

std::string BlockPrinter::run() {
  Frame root;
  root.block = program_.root();
  open(std::move(root));
  print_block(program_.root());
  close();
  return std::move(out_);
}

// ---- Operations ----------------------------------------------------------------------------------------------------

void BlockPrinter::print_block(BlockId block) {
  for (OpId op : program_.block(block).ops) print_op(op);
  flush();
}

void BlockPrinter::print_op(OpId id) {
  const Op& op = program_.op(id);
  if (const auto* region = std::get_if<RegionOp>(&op.payload)) return print_region(id, *region);
  if (const auto* branch = std::get_if<IfOp>(&op.payload)) return print_if(id, *branch);
  if (op.results.empty()) return print_effect(id, op);
  print_value(id, op);
}

void BlockPrinter::print_value(OpId id, const Op& op) {
  Pending entry = make_pending(id, op);
  const Value& value = program_.value(entry.value);
  if (value.name.empty() && value.placement == MemorySpace::Auto && shape_.uses[entry.value].size() == 1) {
    frame().stack.push_back(std::move(entry));
    return;
  }
  flush();
  define(entry);
}

Pending BlockPrinter::make_pending(OpId id, const Op& op) {
  Pending entry;
  entry.op = id;
  entry.value = program_.list(op.results)[0];
  entry.axes = shape_.axes[id];
  const std::vector<AxisId> axes = program_.list(program_.value(entry.value).axes);
  if (const auto* constant = std::get_if<ConstantOp>(&op.payload)) {
    make_constant(entry, op, *constant);
    return entry;
  }
  if (const auto* index = std::get_if<IndexValueOp>(&op.payload)) {
    entry.definition = entry.text = text_.index(index->expr);
    entry.brackets = true;
    entry.default_order = program_.index().axes(index->expr) == axes;
    return entry;
  }
  const Operands chosen = choose_operands(program_, op, frame().stack);
  const std::vector<Text> texts = take_operands(op, chosen, entry.axes);
  entry.definition = entry.text = text_(op, texts);
  IdList<IndexId> coords;
  if (const auto* load = std::get_if<LoadOp>(&op.payload)) coords = load->coords;
  if (const auto* reindex = std::get_if<ReindexOp>(&op.payload)) coords = reindex->coords;
  std::vector<AxisId> appearing;
  for (IndexId coord : program_.list(coords)) appearing = join_axes(appearing, program_.index().axes(coord));
  if (!coords.empty()) {
    entry.default_order = appearing == axes;
    entry.brackets = !axes.empty();
  }
  if (std::holds_alternative<BroadcastOp>(op.payload)) make_broadcast(entry, op, chosen, texts);
  return entry;
}

void BlockPrinter::make_constant(Pending& entry, const Op& op, const ConstantOp& constant) {
  const ElementType element = program_.value(program_.list(op.results)[0]).element;
  entry.text = typed_number_text(program_, constant.literal, element);
  entry.definition = element == kF32 ? number_text(program_, constant.literal, element) : entry.text;
  entry.brackets = true;
}

void BlockPrinter::make_broadcast(Pending& entry, const Op& op, const Operands& chosen,
                                  const std::vector<Text>& texts) {
  const ValueId operand = std::get<BroadcastOp>(op.payload).operand;
  const std::vector<AxisId> from = program_.list(program_.value(operand).axes);
  const std::vector<AxisId> to = program_.list(program_.value(entry.value).axes);
  if (from == to) return;
  if (chosen.forms[0] == Form::Inside) {
    const OpPayload& inner = program_.op(program_.value(operand).def).payload;
    if (std::holds_alternative<ConstantOp>(inner)) return;
    std::vector<AxisId> kept;
    for (AxisId axis : to)
      if (contains(from, axis)) kept.push_back(axis);
    const bool ordered_by_brackets = std::holds_alternative<LoadOp>(inner) || std::holds_alternative<ReindexOp>(inner);
    if (ordered_by_brackets && kept != from) return;
  }
  entry.definition = texts[0];
  entry.brackets = true;
}

std::vector<Text> BlockPrinter::take_operands(const Op& op, const Operands& chosen, std::vector<AxisId>& axes) {
  std::vector<Pending>& stack = frame().stack;
  std::vector<Pending> taken(std::make_move_iterator(stack.end() - static_cast<std::ptrdiff_t>(chosen.taken)),
                             std::make_move_iterator(stack.end()));
  stack.resize(stack.size() - chosen.taken);
  for (const Pending& entry : taken)
    for (AxisId axis : entry.axes)
      if (!contains(axes, axis)) axes.push_back(axis);
  std::vector<Text> texts;
  std::size_t position = 0;
  for_each_operand(program_, op.payload, [&](ValueId value) {
    const Form form = chosen.forms[position++];
    if (form == Form::Named) {
      flush_to(value);
      texts.push_back(Text{name_of(value)});
      return;
    }
    const auto entry = std::find_if(taken.begin(), taken.end(), [&](const Pending& p) { return p.value == value; });
    if (form != Form::Number) return texts.push_back(entry->text);
    const auto& constant = std::get<ConstantOp>(program_.op(entry->op).payload);
    texts.push_back(number_text(program_, constant.literal, program_.value(value).element));
  });
  return texts;
}

void BlockPrinter::print_effect(OpId id, const Op& op) {
  std::vector<AxisId> axes = shape_.axes[id];
  const Operands chosen = choose_operands(program_, op, frame().stack);
  const std::vector<Text> operands = take_operands(op, chosen, axes);
  flush();
  const auto write_line = [&](const std::string& text) {
    declare_axes(axes);
    line(text);
  };
  if (const auto* store = std::get_if<StoreOp>(&op.payload)) {
    const std::string target = object_names_[store->object] + text_.coords(store->coords);
    write_line(target + (store->bounds == BoundsPolicy::Assume ? " assume" : "") + " = " + operands[0].text);
  } else if (const auto* memory = std::get_if<MemoryOp>(&op.payload)) {
    declare_axes(axes);
    print_memory(program_.object(memory->object), memory->object);
  } else if (const auto* barrier = std::get_if<BarrierOp>(&op.payload)) {
    line(barrier->scope == Scope::Subgroup ? "barrier subgroup" : "barrier");
  } else if (const auto* stage = std::get_if<StageCutOp>(&op.payload)) {
    const std::string& label = program_.stage_labels()[stage->label];
    line(label.empty() ? "stage" : "stage " + quoted(label));
  } else if (const auto* opaque = std::get_if<OpaqueOp>(&op.payload)) {
    std::vector<std::string> arguments;
    for (const Text& operand : operands) arguments.push_back(operand.text);
    for (ObjectId object : program_.list(opaque->objects)) arguments.push_back(object_names_[object]);
    write_line("opaque " + quoted(program_.opaque_symbols()[opaque->symbol]) + "(" + comma_list(arguments) + ")");
  }
}

void BlockPrinter::print_memory(const Object& object, ObjectId id) {
  std::vector<std::string> extents;
  for (IndexId extent : object.extents) extents.push_back(text_.index(extent).text);
  object_names_[id] = names_.claim(object.name, "memory");
  std::string text =
      "memory " + object_names_[id] + ": " + element_text(program_, object.element) + "[" + comma_list(extents) + "]";
  if (object.space != MemorySpace::Auto) text += " in " + std::string(space_text(object.space));
  if (object.layout.valid()) {
    names_.open();
    std::vector<std::string> axes;
    for (AxisId axis : object.layout_axes) {
      if (shape_.own_layout[id]) axis_names_[axis] = names_.claim(program_.axes()[axis].label, "d");
      axes.push_back(axis_name(axis));
    }
    text += " layout(" + comma_list(axes) + ") = " + text_.index(object.layout).text;
    names_.close();
  }
  line(text);
}

// ---- Statements ----------------------------------------------------------------------------------------------------

void BlockPrinter::line(const std::string& text) {
  out_.append(2 * frames_.size(), ' ');
  out_ += text;
  out_ += '\n';
}

void BlockPrinter::open(Frame opened) {
  frames_.push_back(std::move(opened));
  names_.open();
}

void BlockPrinter::close() {
  for (auto it = visible_.begin(); it != visible_.end();)
    it = variables_[it->second].block == frame().block ? visible_.erase(it) : std::next(it);
  names_.close();
  frames_.pop_back();
}

void BlockPrinter::flush() {
  for (const Pending& entry : std::exchange(frame().stack, {})) write(entry);
}

void BlockPrinter::flush_to(ValueId value) {
  std::vector<Pending>& stack = frame().stack;
  const auto found = std::find_if(stack.begin(), stack.end(), [&](const Pending& p) { return p.value == value; });
  if (found == stack.end()) return;
  std::vector<Pending> above(std::make_move_iterator(found + 1), std::make_move_iterator(stack.end()));
  stack.resize(static_cast<std::size_t>(found - stack.begin()) + 1);
  flush();
  frame().stack = std::move(above);
}

void BlockPrinter::write(const Pending& entry) {
  if (!write_fold(entry)) define(entry);
}

bool BlockPrinter::write_fold(const Pending& entry) {
  Frame& block = frame();
  if (block.kind != BlockKind::Reduce || !entry.default_order) return false;
  const auto found = std::find(block.yields.begin(), block.yields.end(), entry.value);
  if (found == block.yields.end()) return false;
  const OpPayload& payload = program_.op(entry.op).payload;
  const bool fill = std::holds_alternative<ConstantOp>(payload) && entry.axes.size() > 0;
  if (fill || std::holds_alternative<IndexValueOp>(payload)) return false;
  const auto j = static_cast<std::size_t>(found - block.yields.begin());
  declare_axes(entry.axes);
  static constexpr std::string_view kSigns[] = {" += ", " max= ", " min= "};
  line(variables_[block.carries[j]].name + std::string(kSigns[static_cast<int>(block.folds[j])]) + entry.text.text);
  block.done[j] = true;
  return true;
}

void BlockPrinter::define(const Pending& entry) {
  const Value& value = program_.value(entry.value);
  const std::vector<AxisId> own = program_.list(value.axes);
  std::vector<AxisId> others;
  bool brackets = entry.brackets;
  for (AxisId axis : entry.axes) {
    if (!contains(own, axis))
      others.push_back(axis);
    else if (!axis_declared_[axis])
      brackets = true;
  }
  declare_axes(others);
  const std::string left = brackets ? bracket_list(entry.value) : std::string{};
  const VariableId variable = variable_for(entry);
  const std::string place =
      value.placement == MemorySpace::Auto ? "" : " in " + std::string(space_text(value.placement));
  line(variables_[variable].name + left + place + " = " + entry.definition.text);
  set(variable, entry.value);
}

void BlockPrinter::declare_axes(const std::vector<AxisId>& axes) {
  std::vector<std::string> declared;
  for (AxisId axis : axes) {
    if (axis_declared_[axis] || shape_.home[axis] != frame().block) continue;
    declared.push_back(axis_name(axis) + ": " + extent_of(axis));
    axis_declared_[axis] = 1;
  }
  if (!declared.empty()) line("axis " + comma_list(declared));
}

std::string BlockPrinter::bracket_list(ValueId value) {
  std::vector<std::string> items;
  for (AxisId axis : program_.list(program_.value(value).axes)) {
    std::string item = axis_name(axis);
    if (!axis_declared_[axis]) item += ": " + extent_of(axis);
    axis_declared_[axis] = 1;
    items.push_back(std::move(item));
  }
  return "[" + comma_list(items) + "]";
}

std::string BlockPrinter::extent_of(AxisId axis) { return text_.index(program_.axes()[axis].extent).text; }

// ---- Names ---------------------------------------------------------------------------------------------------------

std::string BlockPrinter::axis_name(AxisId axis) {
  std::string& name = axis_names_[axis];
  if (name.empty()) {
    TW_CHECK(shape_.home[axis] == frame().block);
    name = names_.claim(program_.axes()[axis].label, "m");
  }
  return name;
}

std::string BlockPrinter::name_of(const IndexNode& node) {
  if (node.kind == IndexKind::Symbol) return program_.symbols()[node.symbol()].name;
  if (node.kind == IndexKind::Param) return program_.params()[node.param()].name;
  if (node.kind == IndexKind::Coord) return coord_names_[node.coord()];
  TW_CHECK(node.kind == IndexKind::Axis);
  return axis_name(node.axis());
}

const std::string& BlockPrinter::name_of(ValueId value) const {
  TW_CHECK(variable_of_[value].valid());
  return variables_[variable_of_[value]].name;
}

void BlockPrinter::set(VariableId variable, ValueId value) {
  variables_[variable].current = value;
  variable_of_[value] = variable;
  if (const int j = carry_index(variable); j >= 0) frame().done[static_cast<std::size_t>(j)] = true;
}

BlockPrinter::VariableId BlockPrinter::define_variable(const std::string& label, std::string_view fallback,
                                                       ValueId value) {
  Variable variable{names_.claim(label, fallback), frame().block, value};
  const VariableId id = variables_.push_back(std::move(variable));
  visible_[variables_[id].name] = id;
  return id;
}

BlockPrinter::VariableId BlockPrinter::variable_for(const Pending& entry) {
  const std::uint32_t position = shape_.position[entry.op];
  if (VariableId target = carry_target(entry.value, position); target.valid()) return target;
  if (VariableId earlier = redefined(entry.value, position); earlier.valid()) return earlier;
  return define_variable(program_.value(entry.value).name, default_label(program_.op(entry.op)), entry.value);
}

/// The variable that carries the value out of the block, if the value may take its place already here.
BlockPrinter::VariableId BlockPrinter::carry_target(ValueId value, std::uint32_t position) {
  const Frame& block = frame();
  if (block.kind == BlockKind::Reduce) return {};
  if (std::count(block.yields.begin(), block.yields.end(), value) != 1) return {};
  const auto j = std::find(block.yields.begin(), block.yields.end(), value) - block.yields.begin();
  const VariableId target = block.carries[static_cast<std::size_t>(j)];
  return is_free(target, position) ? target : VariableId{};
}

/// An earlier variable of the same name whose value is not needed any more.
BlockPrinter::VariableId BlockPrinter::redefined(ValueId value, std::uint32_t position) {
  const Value& to = program_.value(value);
  if (to.name.empty()) return {};
  const auto found = visible_.find(Names::spelled(to.name, {}));
  if (found == visible_.end()) return {};
  const Variable& variable = variables_[found->second];
  const bool carried = carry_index(found->second) >= 0;
  if (!carried && variable.block != frame().block) return {};
  const Value& from = program_.value(variable.current);
  // A number takes the element type that the variable had.
  if (from.element != to.element) return {};
  if (carried && (program_.list(from.axes) != program_.list(to.axes) || frame().kind == BlockKind::Reduce)) return {};
  return is_free(found->second, position) ? found->second : VariableId{};
}

bool BlockPrinter::is_free(VariableId variable, std::uint32_t position) const {
  const ValueId current = variables_[variable].current;
  if (variable_of_[current] != variable) return true;
  return shape_.count_uses(current, position + 1, shape_.block_end[frame().block]) == 0;
}

int BlockPrinter::carry_index(VariableId variable) const {
  const auto& carries = frame().carries;
  const auto found = std::find(carries.begin(), carries.end(), variable);
  return found == carries.end() ? -1 : static_cast<int>(found - carries.begin());
}

}  // namespace tilewright::tile::printing
