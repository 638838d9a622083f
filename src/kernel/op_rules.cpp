#include "kernel/op_rules.h"

#include <fmt/format.h>

#include "kernel/constants.h"
#include "kernel/names.h"

namespace tilewright::kernel {

namespace {

/// The same lanes or the same fragment, truth values.
ValueType truth_of(ValueType type) {
  type.scalar = ScalarType::I1;
  return type;
}
/// The same lanes or the same fragment, another element type.
bool same_form(ValueType a, ValueType b) { return truth_of(a) == truth_of(b); }
constexpr ValueType kIndex{ScalarType::I64, 1};
bool is_integer(ScalarType type) { return type == ScalarType::I32 || type == ScalarType::I64; }

bool binary_accepts(BinaryKind kind, ScalarType type) {
  switch (kind) {
    case BinaryKind::Max:
    case BinaryKind::Min:
      return true;
    case BinaryKind::Add:
    case BinaryKind::Sub:
    case BinaryKind::Mul:
      return type != ScalarType::I1;
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      return is_float_scalar(type);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      return is_integer(type);
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
      return !is_float_scalar(type);
  }
  return false;
}

bool unary_accepts(UnaryKind kind, ScalarType type) {
  switch (kind) {
    case UnaryKind::Not:
      return type == ScalarType::I1;
    case UnaryKind::Neg:
    case UnaryKind::Abs:
      return type != ScalarType::I1;
    case UnaryKind::Exp:
    case UnaryKind::Log:
    case UnaryKind::Sqrt:
    case UnaryKind::Tanh:
    case UnaryKind::Sin:
    case UnaryKind::Cos:
    case UnaryKind::Floor:
      return is_float_scalar(type);
  }
  return false;
}

class OpCheck {
 public:
  OpCheck(const Program& program, const Op& op) : program_(program), op_(op) {}

  std::vector<OpFault> run() {
    std::visit([this](const auto& payload) { check(payload); }, op_.payload);
    return std::move(faults_);
  }

 private:
  ValueType type(ValueId id) const { return program_.values[id]; }

  template <class... Args>
  void fault(DiagCode code, fmt::format_string<Args...> format, Args&&... args) {
    faults_.push_back({code, fmt::format(format, std::forward<Args>(args)...)});
  }
  template <class... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    fault(DiagCode::TypeMismatch, format, std::forward<Args>(args)...);
  }

  /// Whether there is exactly one result, so that its type can be looked at.
  bool has_result(const char* what) {
    if (op_.results.size() != 1) fault("{} has one result, not {}", what, op_.results.size());
    return op_.results.size() == 1;
  }
  ValueType result() const { return type(op_.results[0]); }

  void expect(const char* what, ValueType found, ValueType expected) {
    if (found != expected) fault("{} is {}; expected {}", what, type_name(found), type_name(expected));
  }
  void expect_result(const char* what, ValueType expected) {
    if (has_result(what)) expect(fmt::format("the result of {}", what).c_str(), result(), expected);
  }
  void expect_vector(const char* what, ValueType found) {
    if (found.kind != ValueKind::Plain || found.lanes == 1)
      fault("{} is {}; expected a vector", what, type_name(found));
  }

  /// Numbers, vectors and fragments take part in arithmetic; tokens do not.
  void expect_numbers(ValueType found) {
    if (found.kind == ValueKind::Token) fault("a token is no number");
  }
  void expect_fragment(const char* what, ValueType found) {
    if (!found.is_fragment()) fault("{} is {}; expected a fragment", what, type_name(found));
  }

  void check(const ConstOp& op) {
    if (!has_result("const")) return;
    if (result().kind != ValueKind::Plain) fault("a constant is a number or a vector, not {}", type_name(result()));
    if (!constant_fits(result().scalar, op.integer))
      fault(DiagCode::LiteralOutOfRange, "the constant {:#x} is no value of {}", static_cast<std::uint64_t>(op.integer),
            scalar_name(result().scalar));
  }
  void check(const UnaryOp& op) {
    const ValueType operand = type(op.operand);
    expect_numbers(operand);
    if (!unary_accepts(op.kind, operand.scalar))
      fault("{} does not take {}", unary_name(op.kind), scalar_name(operand.scalar));
    expect_result(unary_name(op.kind), operand);
  }
  void check(const BinaryOp& op) {
    const ValueType lhs = type(op.lhs);
    expect_numbers(lhs);
    if (!binary_accepts(op.kind, lhs.scalar))
      fault("{} does not take {}", binary_name(op.kind), scalar_name(lhs.scalar));
    expect("the second operand", type(op.rhs), lhs);
    expect_result(binary_name(op.kind), lhs);
  }
  void check(const CompareOp& op) {
    const ValueType lhs = type(op.lhs);
    expect_numbers(lhs);
    expect("the second operand", type(op.rhs), lhs);
    expect_result(compare_name(op.kind), truth_of(lhs));
  }
  void check(const SelectOp& op) {
    const ValueType picked = type(op.if_true), condition = type(op.condition);
    expect_numbers(picked);
    if (condition != truth_of(picked) && condition != ValueType{ScalarType::I1, 1})
      fault("the condition is {}; expected i1 or {}", type_name(condition), type_name(truth_of(picked)));
    expect("the third operand", type(op.if_false), picked);
    expect_result("select", picked);
  }
  void check(const CastOp& op) {
    if (!has_result("cast")) return;
    const ValueType operand = type(op.operand);
    expect_numbers(operand);
    if (!same_form(result(), operand))
      fault("cast keeps the lanes: {} cannot become {}", type_name(operand), type_name(result()));
  }
  void check(const FmaOp& op) {
    const ValueType a = type(op.a);
    expect_numbers(a);
    if (a.scalar != ScalarType::F32 && !is_integer(a.scalar)) fault("fma does not take {}", scalar_name(a.scalar));
    expect("the second operand", type(op.b), a);
    expect("the third operand", type(op.c), a);
    expect_result("fma", a);
  }
  void check(const SplatOp& op) {
    if (!has_result("splat")) return;
    expect("the operand", type(op.operand), {result().scalar, 1});
    expect_vector("the result of splat", result());
  }
  void check(const IotaOp&) {
    if (!has_result("iota")) return;
    expect_vector("the result of iota", result());
    if (!is_integer(result().scalar)) fault("iota does not give {}", scalar_name(result().scalar));
  }
  void check(const ExtractOp& op) {
    const ValueType operand = type(op.operand);
    expect_vector("the operand", operand);
    const std::uint16_t lanes = has_result("extract") ? result().lanes : std::uint16_t{1};
    if (op.lane + lanes > operand.lanes)
      fault(DiagCode::LiteralOutOfRange, "lane {} is not in 0..{}", op.lane + lanes - 1, operand.lanes - 1);
    expect_result("extract", {operand.scalar, lanes});
  }
  void check(const ZipOp& op) {
    const ValueType lhs = type(op.lhs);
    expect_vector("the operand", lhs);
    if (lhs.lanes > 1 && lhs.lanes % 2 != 0) fault("zip takes an even number of lanes, not {}", lhs.lanes);
    expect("the second operand", type(op.rhs), lhs);
    expect_result("zip", lhs);
  }
  void check(const FoldLanesOp& op) {
    const ValueType operand = type(op.operand);
    expect_vector("the operand", operand);
    if (op.kind == LaneFold::Add && operand.scalar == ScalarType::I1) fault("{} does not take i1", fold_name(op.kind));
    expect_result(fold_name(op.kind), {operand.scalar, 1});
  }

  /// The element type, or nothing when the reference is broken.
  const ScalarType* element(MemoryRef memory) {
    const bool buffer = memory.buffer.valid(), allocation = memory.allocation.valid();
    if (buffer == allocation) {
      fault(DiagCode::UnknownName, "an access names {}", buffer ? "a buffer and an allocation" : "no memory");
      return nullptr;
    }
    const bool known =
        buffer ? memory.buffer.index < program_.buffers.size() : memory.allocation.index < program_.allocations.size();
    if (!known) {
      fault(DiagCode::UnknownName, "an access names {} {}, which does not exist", buffer ? "buffer" : "allocation",
            buffer ? memory.buffer.index : memory.allocation.index);
      return nullptr;
    }
    return buffer ? &program_.buffers[memory.buffer].scalar : &program_.allocations[memory.allocation].scalar;
  }
  void check_access(ValueId index, ValueId mask, ValueType accessed) {
    expect("the index", type(index), {ScalarType::I64, 1});
    if (mask.valid()) expect("the mask", type(mask), truth_of(accessed));
  }
  void check(const LoadOp& op) {
    const ScalarType* scalar = element(op.memory);
    if (!has_result("load")) return;
    check_access(op.index, op.mask, result());
    if (scalar == nullptr) return;
    expect("the result of load", result(), {*scalar, result().lanes});
    if (op.memory.buffer.valid() && program_.buffers[op.memory.buffer].access == Access::Write)
      fault(DiagCode::ReadOfOutput, "{} cannot be read: it is declared write", memory_label(program_, op.memory));
  }
  void check(const StoreOp& op) {
    const ScalarType* scalar = element(op.memory);
    if (!op_.results.empty()) fault("store has no result");
    const ValueType stored = type(op.value);
    check_access(op.index, op.mask, stored);
    if (scalar == nullptr) return;
    expect("the stored value", stored, {*scalar, stored.lanes});
    if (op.memory.buffer.valid() && program_.buffers[op.memory.buffer].access == Access::Read)
      fault(DiagCode::WriteToInput, "{} cannot be written: it is declared read", memory_label(program_, op.memory));
  }
  void check(const PrefetchOp& op) {
    element(op.memory);
    if (!op_.results.empty()) fault("prefetch has no result");
    expect("the index", type(op.index), {ScalarType::I64, 1});
  }
  /// The element type of memory that is read, or nothing (reported).
  const ScalarType* readable(MemoryRef memory) {
    const ScalarType* scalar = element(memory);
    if (scalar != nullptr && memory.buffer.valid() && program_.buffers[memory.buffer].access == Access::Write)
      fault(DiagCode::ReadOfOutput, "{} cannot be read: it is declared write", memory_label(program_, memory));
    return scalar;
  }
  const ScalarType* writable(MemoryRef memory) {
    const ScalarType* scalar = element(memory);
    if (scalar != nullptr && memory.buffer.valid() && program_.buffers[memory.buffer].access == Access::Read)
      fault(DiagCode::WriteToInput, "{} cannot be written: it is declared read", memory_label(program_, memory));
    return scalar;
  }
  void check_place(ValueId index, ValueId row_stride) {
    expect("the index", type(index), kIndex);
    expect("the stride", type(row_stride), kIndex);
  }

  void check_part(const FragmentPart& part) {
    if (part.is_whole()) return;
    if (!part.rows.valid() || !part.columns.valid()) return fault("a part has a number of rows and one of columns");
    expect("the number of rows", type(part.rows), kIndex);
    expect("the number of columns", type(part.columns), kIndex);
  }

  void check(const WorkerOp& op) { expect_result(worker_query_name(op.query), kIndex); }
  void check(const GroupOrdinalOp&) { expect_result("group", kIndex); }
  void check(const SubgroupReduceOp& op) {
    const ValueType operand = type(op.operand);
    if (operand.kind != ValueKind::Plain)
      fault("{} takes numbers, not {}", subgroup_reduce_name(op.kind), type_name(operand));
    if (op.kind == LaneFold::Add && operand.scalar == ScalarType::I1)
      fault("{} does not take i1", subgroup_reduce_name(op.kind));
    expect_result(subgroup_reduce_name(op.kind), operand);
  }
  void check(const ShuffleOp& op) {
    const ValueType operand = type(op.operand);
    if (operand.kind != ValueKind::Plain) fault("{} takes numbers, not {}", shuffle_name(op.kind), type_name(operand));
    expect_result(shuffle_name(op.kind), operand);
  }
  void check(const FragmentFillOp& op) {
    if (!has_result("fragment_fill")) return;
    expect_fragment("the result of fragment_fill", result());
    expect("the operand", type(op.scalar), {result().scalar, 1});
  }
  void check(const FragmentLoadOp& op) {
    const ScalarType* scalar = readable(op.memory);
    check_place(op.index, op.row_stride);
    check_part(op.part);
    if (!has_result("fragment_load")) return;
    expect_fragment("the result of fragment_load", result());
    if (scalar != nullptr) expect("the result of fragment_load", result(), with_scalar(result(), *scalar));
  }
  void check(const FragmentStoreOp& op) {
    const ScalarType* scalar = writable(op.memory);
    if (!op_.results.empty()) fault("fragment_store has no result");
    check_place(op.index, op.row_stride);
    check_part(op.part);
    const ValueType stored = type(op.fragment);
    expect_fragment("the stored value", stored);
    if (scalar != nullptr) expect("the stored value", stored, with_scalar(stored, *scalar));
  }
  void check(const FragmentCoordinateOp& op) {
    if (!has_result(fragment_axis_name(op.axis))) return;
    expect_fragment("the result", result());
    if (result().scalar != ScalarType::I64)
      fault("{} gives i64, not {}", fragment_axis_name(op.axis), scalar_name(result().scalar));
  }

  static ValueType with_scalar(ValueType type, ScalarType scalar) {
    type.scalar = scalar;
    return type;
  }
  void check_origin(const AtomView& view) {
    const MatrixOrigin& origin = view.origin;
    if (origin.inner.valid() != origin.outer.valid())
      return fault("a view names a row and the place in it, or neither");
    if (!origin.is_known()) return;
    expect("the place in the row", type(origin.inner), kIndex);
    expect("the number of the row", type(origin.outer), kIndex);
    if (origin.step < 1 || origin.step > kMaxAtomDepth)
      fault("the step of a view is {}; expected 1 to {}", origin.step, kMaxAtomDepth);
    const BufferId buffer = view.memory.buffer;
    if (!buffer.valid() || !program_.buffers[buffer].matrix)
      fault("the view begins in a row of {}, which is no matrix", memory_label(program_, view.memory));
  }
  void check_operand(const char* what, const AtomOperand& operand, std::int64_t rows, std::int64_t columns) {
    if (!operand.fragment.valid()) {
      const bool known = readable(operand.view.memory) != nullptr;
      if (!operand.view.index.valid()) return fault("a view has an index");
      check_place(operand.view.index, operand.view.row_stride);
      expect("the number of rows", type(operand.view.rows), kIndex);
      expect("the number of columns", type(operand.view.columns), kIndex);
      if (known) check_origin(operand.view);
      return;
    }
    const ValueType found = type(operand.fragment);
    expect_fragment(what, found);
    const bool fits = found.rows == rows && (columns < 0 || found.columns == columns);
    if (found.is_fragment() && !fits)
      fault("{} is {}; expected {} rows and {} columns", what, type_name(found), rows, columns);
  }
  /// Also true of memory that does not exist, which is reported where it is read.
  bool may_be_f32(const AtomOperand& operand) const {
    if (operand.fragment.valid()) return type(operand.fragment).scalar == ScalarType::F32;
    const auto [buffer, allocation] = operand.view.memory;
    if (buffer.valid() && buffer.index < program_.buffers.size())
      return program_.buffers[buffer].scalar == ScalarType::F32;
    if (allocation.valid() && allocation.index < program_.allocations.size())
      return program_.allocations[allocation].scalar == ScalarType::F32;
    return true;
  }
  void check(const AtomOp& op) {
    if (op.m < 1 || op.n < 1 || op.m > kMaxFragmentExtent || op.n > kMaxFragmentExtent)
      fault(DiagCode::LiteralOutOfRange, "m and n are {} and {}; expected 1 to {}", op.m, op.n, kMaxFragmentExtent);
    expect("k", type(op.k), kIndex);
    const std::int64_t k = op.a.fragment.valid() ? type(op.a.fragment).columns : -1;
    check_operand("the left operand", op.a, op.m, k);
    if (op.b.fragment.valid() && k < 0) {
      check_operand("the right operand", op.b, type(op.b.fragment).rows, op.n);
    } else {
      check_operand("the right operand", op.b, k, op.n);
    }
    if (op.relaxed && !may_be_f32(op.a) && !may_be_f32(op.b))
      fault("the atom is relaxed, and no operand is f32: there is nothing that may be rounded");
    if (!has_result("atom")) return;
    expect_fragment("the result of atom", result());
    if (result().is_fragment() && (result().rows != op.m || result().columns != op.n))
      fault("the result of atom is {}; expected {} rows and {} columns", type_name(result()), op.m, op.n);
    if (op.c.valid()) expect("the accumulator", type(op.c), result());
  }

  void check(const FenceOp& op) {
    if (!op_.results.empty()) fault("a fence has no result");
    if (op.scope < op.participants)
      fault("a fence of a {} orders at least the {}", participants_name(op.participants),
            participants_name(op.participants));
  }
  void check(const AsyncCopyOp& op) {
    const ScalarType* destination = writable(op.destination);
    const ScalarType* source = readable(op.source);
    if (destination != nullptr && source != nullptr && *destination != *source)
      fault("a copy from {} to {} would convert", scalar_name(*source), scalar_name(*destination));
    expect("the index of the destination", type(op.destination_index), kIndex);
    expect("the index of the source", type(op.source_index), kIndex);
    expect("the count", type(op.count), kIndex);
    expect_result("async_copy", token_type());
  }
  void check(const WaitOp& op) {
    if (!op_.results.empty()) fault("wait has no result");
    if (op.tokens.empty()) fault("wait names no token");
    for (ValueId token : op.tokens) expect("the operand", type(token), token_type());
  }
  void check(const RingOp& op) {
    if (!op_.results.empty()) fault("{} has no result", ring_action_name(op.action));
    expect("the step", type(op.step), kIndex);
  }
  void check(const TaskLoopOp&) {
    if (!op_.results.empty()) fault("a task loop has no result");
  }
  void check(const RolesOp& op) {
    if (!op_.results.empty()) fault("roles have no result");
    if (op.roles.empty()) fault("there are no roles");
    for (const Role& role : op.roles)
      if (role.subgroups < 1)
        fault(DiagCode::LiteralOutOfRange, "role {} has {} subgroups; expected 1 or more", role.name, role.subgroups);
  }

  void check(const LoopOp& op) {
    expect("the low bound", type(op.low), {ScalarType::I64, 1});
    expect("the high bound", type(op.high), {ScalarType::I64, 1});
    if (op.step <= 0) fault(DiagCode::LiteralOutOfRange, "the step is {}; expected a positive number", op.step);
  }
  void check(const IfOp& op) { expect("the condition", type(op.condition), {ScalarType::I1, 1}); }

  const Program& program_;
  const Op& op_;
  std::vector<OpFault> faults_;
};

}  // namespace

std::vector<OpFault> op_faults(const Program& program, const Op& op) { return OpCheck(program, op).run(); }

std::string memory_label(const Program& program, MemoryRef memory) {
  if (memory.buffer.valid()) return fmt::format("buffer {}", program.buffers[memory.buffer].name);
  return fmt::format("allocation {}", program.allocations[memory.allocation].name);
}

}  // namespace tilewright::kernel
