#include "kernel/printer.h"

#include <cctype>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "kernel/constants.h"
#include "kernel/names.h"
#include "support/number_text.h"

namespace tilewright::kernel {

namespace {

bool is_plain_name(std::string_view name) {
  if (name.empty() || (std::isalpha(static_cast<unsigned char>(name[0])) == 0 && name[0] != '_')) return false;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') return false;
  return true;
}

std::string name_text(std::string_view name) {
  if (is_plain_name(name)) return std::string(name);
  std::string text = "\"";
  for (char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (byte < 0x20 || byte >= 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + '"';
}

std::string float_text(ScalarType type, std::int64_t integer) {
  const double value = float_of_constant(integer);
  // A value that its type does not have (an ill-formed constant) keeps all its digits.
  return constant_fits(type, integer) ? format_float(static_cast<float>(value)) : format_double(value);
}

std::string constant_text(ScalarType type, std::int64_t integer) {
  if (is_float_scalar(type)) return float_text(type, integer);
  if (type == ScalarType::I1 && integer == 0) return "false";
  if (type == ScalarType::I1 && integer == 1) return "true";
  return fmt::format("{}", integer);
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string all() {
    line("kernel program {} {{", name_text(program_.name));
    ++depth_;
    for (const Buffer& buffer : program_.buffers) line("{}", buffer_text(buffer));
    for (const Kernel& kernel : program_.kernels) print_kernel(kernel);
    --depth_;
    line("}}");
    return std::move(text_);
  }

  std::string op_text(const Op& op) const {
    const std::string body = std::visit([&](const auto& payload) { return payload_text(payload, op); }, op.payload);
    if (op.results.empty()) return body;
    std::string results;
    for (ValueId result : op.results) results += (results.empty() ? "" : ", ") + typed(result);
    return results + " = " + body;
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  static std::string buffer_text(const Buffer& buffer) {
    if (buffer.kind == BufferKind::Scalar)
      return fmt::format("scalar {}: {}", name_text(buffer.name), scalar_name(buffer.scalar));
    std::string text =
        fmt::format("{} {}: {}[{}] {}", buffer.kind == BufferKind::Argument ? "buffer" : "temporary",
                    name_text(buffer.name), scalar_name(buffer.scalar), buffer.count, access_name(buffer.access));
    if (const auto& matrix = buffer.matrix)
      text += fmt::format(" matrix {} of {} stride {}", matrix->outer, matrix->inner, matrix->stride);
    return text;
  }

  std::string task_domain(const Kernel& kernel) const {
    std::string tasks;
    const std::vector<ValueId>& coordinates = program_.blocks[kernel.body].args;
    if (kernel.ranges && coordinates.size() == 2 && kernel.task_extents.size() == 1)
      return fmt::format("{} to {}: {}", value(coordinates[0]), value(coordinates[1]), kernel.task_extents[0]);
    for (std::size_t i = 0; i < kernel.task_extents.size(); ++i) {
      tasks += i == 0 ? "" : ", ";
      if (kernel.groups == 0 && i < coordinates.size()) tasks += value(coordinates[i]) + ": ";
      tasks += fmt::format("{}", kernel.task_extents[i]);
    }
    return tasks;
  }

  static std::string layout_text(const AllocationLayout& layout) {
    if (layout == AllocationLayout{}) return {};
    std::string text = fmt::format(" row {}", layout.row);
    if (layout.pad != 0) text += fmt::format(" pad {}", layout.pad);
    if (layout.swizzle_bits != 0)
      text += fmt::format(" swizzle {} {} {}", layout.swizzle_bits, layout.swizzle_base, layout.swizzle_shift);
    return text;
  }

  void print_kernel(const Kernel& kernel) {
    std::string head = "kernel " + name_text(kernel.name);
    if (kernel.groups != 0) head += fmt::format(" persistent {}", kernel.groups);
    if (kernel.ranges) head += " ranges";
    head += fmt::format(" tasks({})", task_domain(kernel));
    if (kernel.group != Group{})
      head += fmt::format(" group {} of {}", kernel.group.workers, kernel.group.subgroup_size);
    line("{} {{", head);
    ++depth_;
    for (AllocationId id : kernel.allocations) {
      const Allocation& allocation = program_.allocations[id];
      line("alloc {}: {}[{}] {}{}", name_text(allocation.name), scalar_name(allocation.scalar), allocation.count,
           space_name(allocation.space), layout_text(allocation.layout));
    }
    for (const Ring& ring : kernel.rings)
      line("ring {} versions {} producers {} consumers {}", name_text(ring.name), ring.versions, ring.producers,
           ring.consumers);
    --depth_;
    kernel_ = &kernel;
    print_block(kernel.body);
    kernel_ = nullptr;
    line("}}");
  }

  void print_block(BlockId id) {
    ++depth_;
    const Block& block = program_.blocks[id];
    for (OpId op : block.ops) print_statement(program_.ops[op]);
    if (!block.yields.empty()) {
      std::string yields;
      for (ValueId yielded : block.yields) yields += (yields.empty() ? "" : ", ") + value(yielded);
      line("yield {}", yields);
    }
    --depth_;
  }

  void print_statement(const Op& op) {
    if (const auto* roles = std::get_if<RolesOp>(&op.payload)) return print_roles(*roles);
    const std::vector<BlockId> blocks = nested_blocks(op.payload);
    if (blocks.empty()) {
      line("{}", op_text(op));
      return;
    }
    line("{} {{", op_text(op));
    print_block(blocks[0]);
    if (blocks.size() > 1) {
      line("}} else {{");
      print_block(blocks[1]);
    }
    line("}}");
  }

  void print_roles(const RolesOp& roles) {
    line("roles {{");
    ++depth_;
    for (const Role& role : roles.roles) {
      line("{} {} {{", name_text(role.name), role.subgroups);
      print_block(role.block);
      line("}}");
    }
    --depth_;
    line("}}");
  }

  static std::string value(ValueId id) { return id.valid() ? fmt::format("%{}", id.index) : "%none"; }
  bool known(ValueId id) const { return id.index < program_.values.size(); }
  std::string typed(ValueId id) const {
    return known(id) ? fmt::format("{}: {}", value(id), type_name(program_.values[id])) : value(id);
  }
  std::string memory(MemoryRef ref) const {
    if (ref.buffer.index < program_.buffers.size()) return name_text(program_.buffers[ref.buffer].name);
    if (ref.allocation.index < program_.allocations.size()) return name_text(program_.allocations[ref.allocation].name);
    return "\"\"";
  }
  static std::string mask(ValueId id) { return id.valid() ? " mask " + value(id) : ""; }

  std::string payload_text(const ConstOp& op, const Op& whole) const {
    const bool typed = whole.results.size() == 1 && known(whole.results[0]);
    const ScalarType scalar = typed ? program_.values[whole.results[0]].scalar : ScalarType::I64;
    return "const " + constant_text(scalar, op.integer);
  }
  std::string payload_text(const UnaryOp& op, const Op&) const {
    return fmt::format("{} {}", unary_name(op.kind), value(op.operand));
  }
  std::string payload_text(const BinaryOp& op, const Op&) const {
    return fmt::format("{} {}, {}", binary_name(op.kind), value(op.lhs), value(op.rhs));
  }
  std::string payload_text(const CompareOp& op, const Op&) const {
    return fmt::format("{} {}, {}", compare_name(op.kind), value(op.lhs), value(op.rhs));
  }
  std::string payload_text(const SelectOp& op, const Op&) const {
    return fmt::format("select {}, {}, {}", value(op.condition), value(op.if_true), value(op.if_false));
  }
  std::string payload_text(const CastOp& op, const Op&) const { return "cast " + value(op.operand); }
  std::string payload_text(const FmaOp& op, const Op&) const {
    return fmt::format("fma {}, {}, {}", value(op.a), value(op.b), value(op.c));
  }
  std::string payload_text(const SplatOp& op, const Op&) const { return "splat " + value(op.operand); }
  std::string payload_text(const IotaOp&, const Op&) const { return "iota"; }
  std::string payload_text(const ExtractOp& op, const Op&) const {
    return fmt::format("extract {}, {}", value(op.operand), op.lane);
  }
  std::string payload_text(const ZipOp& op, const Op&) const {
    return fmt::format("{} {}, {}", op.high ? "zip_high" : "zip_low", value(op.lhs), value(op.rhs));
  }
  std::string payload_text(const FoldLanesOp& op, const Op&) const {
    return fmt::format("{} {}", fold_name(op.kind), value(op.operand));
  }
  std::string payload_text(const LoadOp& op, const Op&) const {
    return fmt::format("load {}[{}]{}", memory(op.memory), value(op.index), mask(op.mask));
  }
  std::string payload_text(const StoreOp& op, const Op&) const {
    return fmt::format("store {}[{}] = {}{}", memory(op.memory), value(op.index), value(op.value), mask(op.mask));
  }
  std::string payload_text(const PrefetchOp& op, const Op&) const {
    return fmt::format("prefetch {}[{}]{}", memory(op.memory), value(op.index), op.near ? " near" : "");
  }
  std::string payload_text(const LoopOp& op, const Op&) const {
    const std::vector<ValueId>* args =
        op.body.index < program_.blocks.size() ? &program_.blocks[op.body].args : nullptr;
    const auto argument = [&](std::size_t i) { return args != nullptr && i < args->size() ? (*args)[i] : ValueId{}; };
    std::string text =
        fmt::format("loop {} = {} to {} step {}", value(argument(0)), value(op.low), value(op.high), op.step);
    for (std::size_t i = 0; i < op.inits.size(); ++i)
      text += fmt::format("{}{} = {}", i == 0 ? " carry (" : ", ", typed(argument(i + 1)), value(op.inits[i]));
    return op.inits.empty() ? text : text + ")";
  }
  std::string payload_text(const IfOp& op, const Op&) const { return "if " + value(op.condition); }

  static std::string payload_text(const WorkerOp& op, const Op&) { return worker_query_name(op.query); }
  static std::string payload_text(const GroupOrdinalOp&, const Op&) { return "group"; }
  std::string payload_text(const SubgroupReduceOp& op, const Op&) const {
    return fmt::format("{} {}", subgroup_reduce_name(op.kind), value(op.operand));
  }
  std::string payload_text(const ShuffleOp& op, const Op&) const {
    return fmt::format("{} {}, {}", shuffle_name(op.kind), value(op.operand), op.number);
  }
  std::string payload_text(const FragmentFillOp& op, const Op&) const { return "fragment_fill " + value(op.scalar); }
  std::string place(MemoryRef ref, ValueId index, ValueId row_stride) const {
    return fmt::format("{}[{}] stride {}", memory(ref), value(index), value(row_stride));
  }
  std::string part(const FragmentPart& part) const {
    return part.is_whole() ? "" : fmt::format(" rows {} columns {}", value(part.rows), value(part.columns));
  }
  static const char* of_group(Participants participants) {
    return participants == Participants::Group ? "together " : "";
  }
  std::string payload_text(const FragmentLoadOp& op, const Op&) const {
    return fmt::format("fragment_load {}{}{}{}", of_group(op.participants), place(op.memory, op.index, op.row_stride),
                       part(op.part), op.transposed ? " transposed" : "");
  }
  std::string payload_text(const FragmentStoreOp& op, const Op&) const {
    return fmt::format("fragment_store {}{}{}{} = {}", of_group(op.participants),
                       place(op.memory, op.index, op.row_stride), part(op.part), op.transposed ? " transposed" : "",
                       value(op.fragment));
  }
  static std::string payload_text(const FragmentCoordinateOp& op, const Op&) { return fragment_axis_name(op.axis); }
  std::string atom_operand(const AtomOperand& operand) const {
    if (operand.fragment.valid()) return value(operand.fragment);
    const AtomView& view = operand.view;
    std::string text = fmt::format("view {} rows {} columns {}{}", place(view.memory, view.index, view.row_stride),
                                   value(view.rows), value(view.columns), view.transposed ? " transposed" : "");
    if (const MatrixOrigin& origin = view.origin; origin.is_known())
      text += fmt::format(" inner {} outer {} step {}", value(origin.inner), value(origin.outer), origin.step);
    return text;
  }
  std::string payload_text(const AtomOp& op, const Op&) const {
    return fmt::format("atom {} m {} n {} k {}{} {}{} a {} b {}{}", name_text(op.atom), op.m, op.n,
                       op.k_is_static ? "" : "dynamic ", value(op.k), participants_name(op.participants),
                       op.relaxed ? " relaxed" : "", atom_operand(op.a), atom_operand(op.b),
                       op.c.valid() ? " c " + value(op.c) : "");
  }
  static std::string payload_text(const FenceOp& op, const Op&) {
    std::string text =
        fmt::format("fence {} {} {}", op.identity, fence_origin_name(op.origin), participants_name(op.participants));
    if (op.scope != op.participants) text += fmt::format(" scope {}", participants_name(op.scope));
    if (op.memory != FencedMemory{}) text += " orders";
    if (op.memory.shared) text += " shared";
    if (op.memory.device) text += " device";
    return op.proxy == FenceProxy::Async ? text + " async" : text;
  }
  std::string payload_text(const AsyncCopyOp& op, const Op&) const {
    return fmt::format("async_copy {}[{}] = {}[{}] count {}{}", memory(op.destination), value(op.destination_index),
                       memory(op.source), value(op.source_index), value(op.count),
                       op.cooperative ? fmt::format(" together {}", participants_name(op.participants)) : "");
  }
  std::string payload_text(const WaitOp& op, const Op&) const {
    std::string text = "wait";
    for (ValueId token : op.tokens) text += (text.size() == 4 ? " " : ", ") + value(token);
    return text;
  }
  std::string payload_text(const RingOp& op, const Op&) const {
    const bool named = kernel_ != nullptr && op.ring < kernel_->rings.size();
    return fmt::format("{} {}[{}]", ring_action_name(op.action),
                       named ? name_text(kernel_->rings[op.ring].name) : fmt::format("\"ring {}\"", op.ring),
                       value(op.step));
  }
  std::string payload_text(const TaskLoopOp& op, const Op&) const {
    std::string text = "tasks";
    if (op.body.index >= program_.blocks.size()) return text;
    for (ValueId coordinate : program_.blocks[op.body].args)
      text += (text.size() == 5 ? " " : ", ") + value(coordinate);
    return text;
  }
  static std::string payload_text(const RolesOp&, const Op&) { return "roles"; }

  const Program& program_;
  const Kernel* kernel_ = nullptr;  ///< that is printed; none for a lone operation
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).all(); }

std::string print_op(const Program& program, const Op& op) { return Printer(program).op_text(op); }

}  // namespace tilewright::kernel
