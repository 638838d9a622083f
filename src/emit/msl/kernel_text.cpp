#include "emit/msl/kernel_text.h"

#include <algorithm>

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

/// An expression beyond this many characters gives parts of itself names.
constexpr std::size_t kLongExpression = 64;

struct MemoryUse {
  std::vector<bool> reads, writes, views;  ///< by buffer
};

void find_uses(const Program& program, const Placement& placement, BlockId block, MemoryUse& use) {
  for (OpId op : program.blocks[block].ops) {
    if (!placement.is_live(op)) continue;
    const OpPayload& payload = program.ops[op].payload;
    const bool writes = std::holds_alternative<StoreOp>(payload) || std::holds_alternative<FragmentStoreOp>(payload);
    for_each_memory(payload, [&](MemoryRef memory) {
      if (!memory.buffer.valid()) return;
      (writes ? use.writes : use.reads)[memory.buffer.index] = true;
      if (std::holds_alternative<AtomOp>(payload)) use.views[memory.buffer.index] = true;
    });
    for (BlockId nested : nested_blocks(payload)) find_uses(program, placement, nested, use);
  }
}

}  // namespace

KernelText::KernelText(const KernelFacts& facts, const LaunchGrid& grid, std::string entry,
                       const std::vector<std::string>& coordinates, Library& library)
    : facts_(facts),
      program_(facts.program),
      kernel_(facts.kernel),
      grid_(grid),
      library_(library),
      expressions_(facts, names_, library, [this](const Expr& expr) { return shortened(expr); }),
      entry_(std::move(entry)) {
  name_things(coordinates);
}

void KernelText::name_things(const std::vector<std::string>& coordinates) {
  names_.variables.resize(program_.values.size());
  for (const Buffer& buffer : program_.buffers) names_.buffers.push_back(table_.fresh(buffer.name));
  names_.allocations.resize(program_.allocations.size());
  for (AllocationId id : kernel_.allocations)
    names_.allocations[id.index] = table_.fresh(program_.allocations[id].name);
  const std::vector<ValueId>& args = program_.blocks[kernel_.body].args;
  for (std::size_t i = 0; i < args.size(); ++i)
    name(args[i]) = table_.fresh(coordinates.size() == args.size() ? coordinates[i] : fmt::format("task{}", i));
  names_.worker = "worker", names_.lane = "lane", names_.subgroup = "subgroup";
  lane_name_ = table_.fresh("e");
  if (!facts_.tensors.operations().empty()) names_.place = table_.fresh("place");
  for (const char* letter : {"i", "j", "k", "m", "n", "p", "q", "r"})
    if (table_.is_free(letter)) loop_letters_.push_back(table_.fresh(letter));
  if (loop_letters_.empty()) loop_letters_.push_back(table_.fresh("i"));
}

bool KernelText::asks(WorkerQuery query) const {
  bool found = false;
  for (OpId op : facts_.program.ops.ids()) {
    if (!facts_.placement.is_live(op)) continue;
    const auto* worker = std::get_if<WorkerOp>(&program_.ops[op].payload);
    found = found || (worker != nullptr && worker->query == query);
    if (query != WorkerQuery::Lane) continue;
    const auto* atom = std::get_if<AtomOp>(&program_.ops[op].payload);
    const auto* coordinate = std::get_if<FragmentCoordinateOp>(&program_.ops[op].payload);
    found = found || (atom != nullptr && facts_.tensors.may_lack_operands(op));
    found = found || (coordinate != nullptr && !is_tensor(program_.values[program_.ops[op].results[0]]));
  }
  return found;
}

std::string KernelText::run() {
  signature();
  ++depth_;
  // What has no task is not launched, and has no coordinates to speak of.
  if (grid_.tasks > 0) {
    task_coordinates();
    allocations();
    declare_tensor_operations();
    block(kernel_.body);
  }
  --depth_;
  line("}}");
  return std::move(text_);
}

void KernelText::signature() {
  const std::vector<bool> none(program_.buffers.size());
  MemoryUse use{none, none, none};
  find_uses(program_, facts_.placement, kernel_.body, use);
  std::vector<std::string> parameters;
  for (BufferId id : program_.buffers.ids()) {
    const Buffer& buffer = program_.buffers[id];
    if (!use.reads[id.index] && !use.writes[id.index]) continue;
    const std::string& name = names_.buffers[id.index];
    const std::string_view element = memory_word(buffer.scalar);
    // No public text has a tensor of constant elements.
    const bool changes = use.writes[id.index] || use.views[id.index];
    if (buffer.matrix)
      parameters.push_back(fmt::format("{} {} [[buffer({})]]", handle_type(buffer.scalar), name, id.index));
    else if (buffer.kind == BufferKind::Scalar)
      parameters.push_back(fmt::format("constant {}& {} [[buffer({})]]", element, name, id.index));
    else
      parameters.push_back(
          fmt::format("device {}{}* {} [[buffer({})]]", changes ? "" : "const ", element, name, id.index));
  }
  if (grid_.tasks > 1)
    parameters.push_back(fmt::format("{} task [[{}]]", grid_.two_dimensional ? "uint2" : "uint",
                                     grid_.thread_a_task ? "thread_position_in_grid" : "threadgroup_position_in_grid"));
  if (asks(WorkerQuery::Worker)) parameters.emplace_back("ushort thread_index [[thread_index_in_threadgroup]]");
  if (asks(WorkerQuery::Subgroup)) parameters.emplace_back("ushort simd_group [[simdgroup_index_in_threadgroup]]");
  if (asks(WorkerQuery::Lane)) parameters.emplace_back("ushort simd_lane [[thread_index_in_simdgroup]]");
  line("[[kernel, max_total_threads_per_threadgroup({})]]", declared_workers(grid_));
  const std::string head = fmt::format("void {}(", entry_);
  std::string text;
  for (const std::string& parameter : parameters) {
    if (!text.empty()) text += ",\n" + std::string(head.size(), ' ');
    text += parameter;
  }
  line("{}{}) {{", head, text);
}

void KernelText::task_coordinates() {
  if (grid_.guarded) line("if (task >= {}u) return;", grid_.tasks);
  const std::vector<ValueId>& args = program_.blocks[kernel_.body].args;
  std::int64_t below = 1;
  std::vector<std::string> lines;
  for (std::size_t i = args.size(); i-- > 0;) {
    const std::int64_t extent = kernel_.task_extents[i];
    const bool used = !facts_.placement.sites(args[i]).empty() && !facts_.placement.is_literal(args[i]);
    std::string ordinal = grid_.two_dimensional ? (i == 0 ? "task.y" : "task.x") : "task";
    if (!grid_.two_dimensional) {
      // The first coordinate that is more than one number takes what is left.
      const bool first = std::all_of(kernel_.task_extents.begin(), kernel_.task_extents.begin() + static_cast<long>(i),
                                     [](std::int64_t outer) { return outer == 1; });
      if (below > 1) ordinal += fmt::format(" / {}u", below);
      if (!first) ordinal += fmt::format(" % {}u", extent);
      below *= extent;
    }
    const TextType type = expressions_.number_type(args[i]);
    const char* const constant = facts_.variables.changes(facts_.variables.of(args[i])) ? "" : "const ";
    if (used) lines.push_back(fmt::format("{3}{0} {1} = {0}({2});", type_word(type), name(args[i]), ordinal, constant));
  }
  for (auto text = lines.rbegin(); text != lines.rend(); ++text) line("{}", *text);
  if (asks(WorkerQuery::Worker)) line("const int worker = thread_index;");
  if (asks(WorkerQuery::Subgroup)) line("const int subgroup = simd_group;");
  if (asks(WorkerQuery::Lane)) line("const int lane = simd_lane;");
}

void KernelText::allocations() {
  for (AllocationId id : kernel_.allocations) {
    const Allocation& allocation = program_.allocations[id];
    // The memory of a group of one is that of its thread.
    const bool shared = allocation.space == AllocationSpace::Shared && !grid_.thread_a_task;
    line("{}{} {}[{}];", shared ? "threadgroup " : "", memory_word(allocation.scalar), names_.allocations[id.index],
         allocation_places(allocation));
  }
}

std::string KernelText::loop_name() {
  while (loop_names_.size() <= loops_) {
    // Taken for the whole kernel, wherever the first loop of that depth stands.
    const std::string name = loop_letters_[loop_names_.size() % loop_letters_.size()];
    loop_names_.push_back(loop_names_.size() < loop_letters_.size() ? name : table_.fresh(name));
  }
  return loop_names_[loops_];
}

Expr KernelText::shortened(const Expr& expr) {
  // A load may stand under a guard that its own expression does not show.
  if (expr.text.size() <= kLongExpression || expr.loads) return expr;
  const bool number = expr.type == TextType::Int || expr.type == TextType::Long;
  const std::string name = table_.fresh(number ? "at" : expr.type == TextType::Bool ? "flag" : "x");
  line("const {} {} = {};", type_word(expr.type), name, expr.text);
  return {name, expr.type};
}

}  // namespace tilewright::emit_msl
