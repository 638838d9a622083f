// Names of the printed text, and the walk that finds where values and axes are used.
#include <algorithm>
#include <array>
#include <map>

#include "tile/lexer.h"
#include "tile/printer_internal.h"

namespace tilewright::tile::printing {

namespace {

/// Names that the text would take for something else where an expression may begin or end.
constexpr std::array<std::string_view, 29> kBuiltInNames = {
    "abs",     "broadcast", "ceildiv", "cos", "exp",  "floor",   "fold_left", "fold_right", "gather",        "interval",
    "layout",  "log",       "matmul",  "max", "min",  "mma",     "order",     "ordered",    "ordered_tree",  "relabel",
    "relaxed", "scope",     "select",  "sin", "sqrt", "strides", "sum",       "tanh",       "unordered_tree"};

template <class T>
bool has(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

std::vector<AxisId> coord_axes(const Program& program, IdList<IndexId> coords) {
  std::vector<AxisId> axes;
  for (IndexId coord : program.list(coords))
    for (AxisId axis : program.index().axes(coord)) axes.push_back(axis);
  return axes;
}

std::vector<AxisId> payload_axes(const Program& program, const OpPayload& payload) {
  return std::visit(Overloaded{
                        [&](const IndexValueOp& op) { return program.index().axes(op.expr); },
                        [&](const ReindexOp& op) { return coord_axes(program, op.coords); },
                        [&](const LoadOp& op) { return coord_axes(program, op.coords); },
                        [&](const StoreOp& op) { return coord_axes(program, op.coords); },
                        [&](const GatherOp& op) { return std::vector<AxisId>{op.axis}; },
                        [&](const ReduceOp& op) { return std::vector<AxisId>{op.axis}; },
                        [&](const MemoryOp& op) {
                          const Object& object = program.object(op.object);
                          std::vector<AxisId> axes = object.layout_axes;
                          if (object.layout.valid())
                            for (AxisId axis : program.index().axes(object.layout)) axes.push_back(axis);
                          return axes;
                        },
                        [](const auto&) { return std::vector<AxisId>{}; },
                    },
                    payload);
}

}  // namespace

// ---- Names ---------------------------------------------------------------------------------------------------------

Names::Names(const Program& program) {
  for (std::string_view name : kBuiltInNames) taken_.insert(std::string(name));
  for (const Symbol& symbol : program.symbols()) taken_.insert(symbol.name);
  for (const Param& param : program.params()) taken_.insert(param.name);
  for (const TypeParam& param : program.type_params()) taken_.insert(param.name);
  for (const Object& object : program.objects())
    if (object.kind != ObjectKind::Memory) taken_.insert(object.name);
}

void Names::close() {
  for (const std::string& name : scopes_.back()) taken_.erase(name);
  scopes_.pop_back();
}

std::string Names::spelled(const std::string& label, std::string_view fallback) {
  std::string name = label.empty() ? std::string(fallback) : label;
  for (char& c : name)
    if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) c = '_';
  if (name[0] >= '0' && name[0] <= '9') name.insert(0, "_");
  if (is_reserved_word(name)) name += '_';
  return name;
}

std::string Names::claim(const std::string& label, std::string_view fallback) {
  const std::string base = spelled(label, fallback);
  std::string name = base;
  const char* const joint = base.back() >= '0' && base.back() <= '9' ? "_" : "";
  for (std::size_t n = 1; is_reserved_word(name) || !taken_.insert(name).second; ++n)
    name = base + joint + std::to_string(n);
  scopes_.back().push_back(name);
  return name;
}

// ---- Shape ---------------------------------------------------------------------------------------------------------

Shape::Shape(const Program& program) {
  position.resize(program.ops().size());
  end.resize(program.ops().size());
  block_end.resize(program.blocks().size());
  uses.resize(program.values().size());
  home.resize(program.axes().size());
  home_path_.resize(program.axes().size());
  axes.resize(program.ops().size());
  own_layout.resize(program.objects().size());
  find_own_layouts(program);
  std::vector<BlockId> path;
  walk_block(program, program.root(), path);
  for (AxisId axis : program.axes().ids())
    home[axis] = home_path_[axis].empty() ? program.root() : home_path_[axis].back();
}

void Shape::walk_block(const Program& program, BlockId block, std::vector<BlockId>& path) {
  path.push_back(block);
  for (OpId op : program.block(block).ops) walk_op(program, op, path);
  block_end[block] = next_position_++;
  for (ValueId value : program.list(program.block(block).yields)) uses[value].push_back(block_end[block]);
  path.pop_back();
}

void Shape::walk_op(const Program& program, OpId id, std::vector<BlockId>& path) {
  const Op& op = program.op(id);
  position[id] = next_position_++;
  for_each_operand(program, op.payload, [&](ValueId value) { uses[value].push_back(position[id]); });
  note_axes(program, id, path);
  auto inside = [&](BlockId block) {
    walk_block(program, block, path);
    for (OpId inner : program.block(block).ops)
      for (AxisId axis : axes[inner])
        if (!has(axes[id], axis)) axes[id].push_back(axis);
  };
  if (const auto* region = std::get_if<RegionOp>(&op.payload)) inside(region->body);
  if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
    inside(branch->then_block);
    inside(branch->else_block);
  }
  end[id] = next_position_ - 1;
}

void Shape::note_axes(const Program& program, OpId id, const std::vector<BlockId>& path) {
  const Op& op = program.op(id);
  if (const auto* memory = std::get_if<MemoryOp>(&op.payload))
    if (own_layout[memory->object]) return;
  for (AxisId axis : payload_axes(program, op.payload)) note_axis(id, axis, path);
  for (ValueId result : program.list(op.results))
    for (AxisId axis : program.list(program.value(result).axes)) note_axis(id, axis, path);
}

void Shape::note_axis(OpId op, AxisId axis, const std::vector<BlockId>& path) {
  if (!has(axes[op], axis)) axes[op].push_back(axis);
  std::vector<BlockId>& common = home_path_[axis];
  if (common.empty()) {
    common = path;
    return;
  }
  std::size_t shared = 0;
  while (shared < common.size() && shared < path.size() && common[shared] == path[shared]) ++shared;
  common.resize(shared);
}

void Shape::find_own_layouts(const Program& program) {
  std::map<AxisId, std::size_t> mentions;
  for (const Op& op : program.ops()) {
    if (!std::holds_alternative<MemoryOp>(op.payload))
      for (AxisId axis : payload_axes(program, op.payload)) ++mentions[axis];
    for (ValueId result : program.list(op.results))
      for (AxisId axis : program.list(program.value(result).axes)) ++mentions[axis];
  }
  for (const Object& object : program.objects()) {
    for (AxisId axis : object.layout_axes) ++mentions[axis];
    if (!object.layout.valid()) continue;
    for (AxisId axis : program.index().axes(object.layout))
      if (!has(object.layout_axes, axis)) ++mentions[axis];
  }
  for (ObjectId id : program.objects().ids()) {
    const Object& object = program.object(id);
    bool own = true;
    for (std::size_t d = 0; d < object.layout_axes.size(); ++d) {
      const AxisId axis = object.layout_axes[d];
      own = own && mentions[axis] == 1 && program.axes()[axis].extent == object.extents[d];
    }
    if (object.layout.valid())
      for (AxisId axis : program.index().axes(object.layout)) own = own && has(object.layout_axes, axis);
    own_layout[id] = own;
  }
}

std::size_t Shape::count_uses(ValueId value, std::uint32_t from, std::uint32_t to) const {
  const auto& all = uses[value];
  return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), to) -
                                  std::lower_bound(all.begin(), all.end(), from));
}

}  // namespace tilewright::tile::printing
