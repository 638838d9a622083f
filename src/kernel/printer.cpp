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
    return fmt::format("{} {}: {}[{}] {}", buffer.kind == BufferKind::Argument ? "buffer" : "temporary",
                       name_text(buffer.name), scalar_name(buffer.scalar), buffer.count, access_name(buffer.access));
  }

  void print_kernel(const Kernel& kernel) {
    std::string tasks;
    const std::vector<ValueId>& coordinates = program_.blocks[kernel.body].args;
    for (std::size_t i = 0; i < kernel.task_extents.size() && i < coordinates.size(); ++i)
      tasks += fmt::format("{}{}: {}", i == 0 ? "" : ", ", value(coordinates[i]), kernel.task_extents[i]);
    line("kernel {} tasks({}) {{", name_text(kernel.name), tasks);
    ++depth_;
    for (AllocationId id : kernel.allocations) {
      const Allocation& allocation = program_.allocations[id];
      line("alloc {}: {}[{}] {}", name_text(allocation.name), scalar_name(allocation.scalar), allocation.count,
           space_name(allocation.space));
    }
    --depth_;
    print_block(kernel.body);
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
  std::string payload_text(const FoldLanesOp& op, const Op&) const {
    return fmt::format("{} {}", fold_name(op.kind), value(op.operand));
  }
  std::string payload_text(const LoadOp& op, const Op&) const {
    return fmt::format("load {}[{}]{}", memory(op.memory), value(op.index), mask(op.mask));
  }
  std::string payload_text(const StoreOp& op, const Op&) const {
    return fmt::format("store {}[{}] = {}{}", memory(op.memory), value(op.index), value(op.value), mask(op.mask));
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

  const Program& program_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).all(); }

std::string print_op(const Program& program, const Op& op) { return Printer(program).op_text(op); }

}  // namespace tilewright::kernel
