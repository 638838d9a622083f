// Regions and conditions: which variable of the text each carry becomes.
//
// A carry takes over the variable of its incoming value when nothing else needs that value under its name any more, and
// when the variables of one region keep the order of its carries, which is the order of their definitions. Otherwise
// the text defines a second name for the incoming value in front of the region.
#include <algorithm>

#include "tile/printer_blocks.h"
#include "tile/syntax.h"

namespace tilewright::tile::printing {

namespace {

std::string_view region_word(RegionKind kind) {
  switch (kind) {
    case RegionKind::Parallel:
      return "parallel";
    case RegionKind::Serial:
      return "serial";
    case RegionKind::Pipeline:
      return "pipeline";
    case RegionKind::Reduce:
      return "reduce";
  }
  return "?";
}

/// The lines one level to the left and the first without its indent, when they are one `if` and nothing else.
std::string without_level(const std::string& lines, std::size_t indent) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    const bool same_level = line[indent] != ' ';
    if (text.empty() ? line.compare(indent, 3, "if ") != 0 : same_level && line[indent] != '}') return {};
    text += text.empty() ? line.substr(indent) : "\n" + line.substr(2);
  }
  return text;
}

}  // namespace

std::string BlockPrinter::region_header(const RegionOp& region) {
  std::vector<std::string> extents, domains;
  const std::vector<CoordId> coords = program_.list(region.coords);
  for (CoordId coord : coords) extents.push_back(text_.index(program_.coords()[coord].extent).text);
  names_.open();
  for (std::size_t d = 0; d < coords.size(); ++d) {
    coord_names_[coords[d]] = names_.claim(program_.coords()[coords[d]].name, "i");
    domains.push_back(coord_names_[coords[d]] + " in " + extents[d]);
  }
  std::string text = std::string(region_word(region.kind)) + " " + comma_list(domains);
  if (region.scope != Scope::Auto) text += " scope " + std::string(scope_text(region.scope));
  if (region.window != 0) text += " window " + std::to_string(region.window);
  if (region.interval != 1) text += " interval " + std::to_string(region.interval);
  if (region.order != FoldOrder::UnorderedTree) text += " order " + std::string(order_text(region.order));
  return text + " {";
}

void BlockPrinter::print_region(OpId id, const RegionOp& region) {
  flush();
  declare_axes(shape_.axes[id]);
  Frame inner;
  inner.block = region.body;
  inner.kind = region.kind == RegionKind::Reduce ? BlockKind::Reduce : BlockKind::Loop;
  inner.carries = bind_carries(id, region.inits, shape_.end[id], inner.kind);
  inner.yields = program_.list(program_.block(region.body).yields);
  inner.done.resize(inner.carries.size());
  for (std::size_t j = 0; j < inner.carries.size(); ++j) inner.folds.push_back(region.fold(j));
  const std::vector<VariableId> carries = inner.carries;
  line(region_header(region));
  open(std::move(inner));
  const std::vector<ValueId> args = program_.list(program_.block(region.body).args);
  for (std::size_t j = 0; j < args.size(); ++j) {
    variables_[carries[j]].current = args[j];
    variable_of_[args[j]] = carries[j];
  }
  print_placements(args);
  print_block(region.body);
  if (region.kind == RegionKind::Reduce)
    finish_folds();
  else
    finish_carries();
  close();
  names_.close();
  line("}");
  take_results(id, carries);
}

void BlockPrinter::print_if(OpId id, const IfOp& branch) {
  std::vector<AxisId> axes = shape_.axes[id];
  const std::vector<ValueId> inits = program_.list(branch.inits);
  const Operands chosen = choose_operands(program_, program_.op(id), frame().stack);
  const std::string condition = take_operands(program_.op(id), chosen, axes)[0].text;
  flush();
  declare_axes(axes);
  const std::vector<VariableId> carries = bind_carries(id, branch.inits, shape_.end[id], BlockKind::Branch);
  // A carry that both branches leave alone is assigned in the first one, or it would be none.
  const std::vector<ValueId> then_yields = program_.list(program_.block(branch.then_block).yields);
  const std::vector<ValueId> else_yields = program_.list(program_.block(branch.else_block).yields);
  std::vector<bool> then_done(carries.size(), true);
  for (std::size_t j = 0; j < carries.size(); ++j)
    then_done[j] = !(then_yields[j] == inits[j] && else_yields[j] == inits[j]);
  line("if " + condition + " {");
  print_branch(branch.then_block, carries, inits, then_done);
  if (!program_.block(branch.else_block).ops.empty() || else_yields != inits) {
    const std::size_t before = out_.size();
    print_branch(branch.else_block, carries, inits, std::vector<bool>(carries.size(), true));
    const std::string text = out_.substr(before);
    out_.resize(before);
    if (const std::string chained = without_level(text, 2 * frames_.size() + 2); !chained.empty()) {
      line("} else " + chained);
      return take_results(id, carries);
    }
    line("} else {");
    out_ += text;
  }
  line("}");
  take_results(id, carries);
}

void BlockPrinter::print_branch(BlockId block, const std::vector<VariableId>& carries,
                                const std::vector<ValueId>& inits, const std::vector<bool>& done) {
  std::vector<VariableId> before;
  for (ValueId init : inits) before.push_back(variable_of_[init]);
  Frame inner;
  inner.block = block;
  inner.kind = BlockKind::Branch;
  inner.carries = carries;
  inner.yields = program_.list(program_.block(block).yields);
  inner.done = done;
  for (std::size_t j = 0; j < carries.size(); ++j) variables_[carries[j]].current = inits[j];
  open(std::move(inner));
  print_block(block);
  finish_carries();
  close();
  // What a branch renamed has its old name in the other one.
  for (std::size_t j = 0; j < inits.size(); ++j) variable_of_[inits[j]] = before[j];
}

void BlockPrinter::print_placements(const std::vector<ValueId>& values) {
  for (ValueId value : values) {
    const MemorySpace space = program_.value(value).placement;
    if (space == MemorySpace::Auto) continue;
    line(name_of(value) + " in " + std::string(space_text(space)) + " = " + name_of(value));
    set(variable_of_[value], value);
  }
}

void BlockPrinter::take_results(OpId id, const std::vector<VariableId>& carries) {
  const std::vector<ValueId> results = program_.list(program_.op(id).results);
  for (std::size_t j = 0; j < carries.size(); ++j) set(carries[j], results[j]);
  print_placements(results);
}

// ---- Carries in front of a region ----------------------------------------------------------------------------------

/// True when the variable of the incoming value can become the carry: first is the position of the region, last that
/// of the last use that the region itself may make of the value under this name.
bool BlockPrinter::may_carry(ValueId init, std::uint32_t first, std::uint32_t last, BlockKind kind) const {
  const VariableId variable = variable_of_[init];
  const std::uint32_t block_end = shape_.block_end[frame().block];
  if (shape_.count_uses(init, first, first) != 1) return false;
  if (kind != BlockKind::Branch) last = first;
  if (shape_.count_uses(init, last + 1, block_end) != 0) return false;
  if (variables_[variable].block == frame().block) return true;
  return kind != BlockKind::Reduce && frame().kind != BlockKind::Reduce && carry_index(variable) >= 0;
}

std::vector<BlockPrinter::VariableId> BlockPrinter::bind_carries(OpId id, IdList<ValueId> init_list,
                                                                 std::uint32_t last_use, BlockKind kind) {
  const std::vector<ValueId> inits = program_.list(init_list);
  const std::vector<ValueId> results = program_.list(program_.op(id).results);
  std::vector<VariableId> carries;
  bool in_place = true;
  for (std::size_t j = 0; j < inits.size(); ++j) {
    const VariableId variable = variable_of_[inits[j]];
    const bool ordered = carries.empty() || carries.back() < variable;
    in_place = in_place && ordered && may_carry(inits[j], shape_.position[id], last_use, kind);
    if (in_place) {
      carries.push_back(variable);
      continue;
    }
    const VariableId second = define_variable(program_.value(results[j]).name, "carried", inits[j]);
    line(variables_[second].name + " = " + name_of(inits[j]));
    carries.push_back(second);
  }
  return carries;
}

// ---- Carries at the end of a block ---------------------------------------------------------------------------------

/// The assignments that are still missing, as one simultaneous assignment written one after the other.
void BlockPrinter::finish_carries() {
  const std::vector<VariableId> carries = frame().carries;
  const std::vector<ValueId> yields = frame().yields;
  std::vector<std::size_t> missing;
  for (std::size_t j = 0; j < carries.size(); ++j)
    if (variables_[carries[j]].current != yields[j] || !frame().done[j]) missing.push_back(j);
  const auto is_read_later = [&](std::size_t j) {
    return std::any_of(missing.begin(), missing.end(),
                       [&](std::size_t i) { return i != j && variable_of_[yields[i]] == carries[j]; });
  };
  while (!missing.empty()) {
    auto next = std::find_if_not(missing.begin(), missing.end(), is_read_later);
    if (next == missing.end()) {
      next = missing.begin();
      const VariableId overwritten = carries[*next];
      const ValueId kept = variables_[overwritten].current;
      const VariableId old = define_variable(variables_[overwritten].name, {}, kept);
      line(variables_[old].name + " = " + variables_[overwritten].name);
      variable_of_[kept] = old;
    }
    const std::size_t j = *next;
    missing.erase(next);
    line(variables_[carries[j]].name + " = " + name_of(yields[j]));
  }
}

void BlockPrinter::finish_folds() {
  static constexpr std::string_view kSigns[] = {" += ", " max= ", " min= "};
  const Frame& block = frame();
  for (std::size_t j = 0; j < block.carries.size(); ++j)
    if (!block.done[j])
      line(variables_[block.carries[j]].name + std::string(kSigns[static_cast<int>(block.folds[j])]) +
           name_of(block.yields[j]));
}

}  // namespace tilewright::tile::printing
