#include "kernel/builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernel/arithmetic.h"
#include "kernel/constants.h"
#include "kernel/names.h"
#include "kernel/op_rules.h"

namespace tilewright::kernel {

namespace {

constexpr ValueType kIndexType{ScalarType::I64, 1};

bool commutes(BinaryKind kind) {
  return kind == BinaryKind::Add || kind == BinaryKind::Mul || kind == BinaryKind::Max || kind == BinaryKind::Min ||
         kind == BinaryKind::And || kind == BinaryKind::Or || kind == BinaryKind::Xor;
}

}  // namespace

Builder::Builder(std::string program_name) { program_.name = std::move(program_name); }

// ---- Declarations --------------------------------------------------------------------------------------------------

BufferId Builder::buffer(Buffer buffer) {
  TW_CHECK(buffer.count >= 0);
  for (const Buffer& other : program_.buffers) TW_CHECK(other.name != buffer.name);
  for (const Allocation& other : program_.allocations) TW_CHECK(other.name != buffer.name);
  return program_.buffers.push_back(std::move(buffer));
}

BufferId Builder::argument(std::string name, ScalarType scalar, Access access, std::int64_t count) {
  return buffer({std::move(name), BufferKind::Argument, scalar, access, count});
}

BufferId Builder::temporary(std::string name, ScalarType scalar, std::int64_t count) {
  return buffer({std::move(name), BufferKind::Temporary, scalar, Access::ReadWrite, count});
}

BufferId Builder::scalar(std::string name, ScalarType scalar) {
  return buffer({std::move(name), BufferKind::Scalar, scalar, Access::Read, 1});
}

void Builder::open_kernel(Kernel kernel) {
  TW_CHECK(frames_.empty());
  for (std::int64_t extent : kernel.task_extents) TW_CHECK(extent >= 0);
  kernel.body = program_.blocks.push_back({});
  open(kernel.body, {});
  next_fence_ = 0;
  program_.kernels.push_back(std::move(kernel));
}

std::vector<ValueId> Builder::begin_kernel(std::string name, std::vector<std::int64_t> task_extents, Group group) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.task_extents = std::move(task_extents);
  kernel.group = group;
  open_kernel(std::move(kernel));
  std::vector<ValueId> coordinates;
  for (std::size_t i = 0; i < program_.kernels.back().task_extents.size(); ++i)
    coordinates.push_back(value(kIndexType));
  program_.blocks[program_.kernels.back().body].args = coordinates;
  return coordinates;
}

void Builder::begin_persistent_kernel(std::string name, std::vector<std::int64_t> task_extents, std::int64_t groups,
                                      Group group) {
  TW_CHECK(groups > 0);
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.task_extents = std::move(task_extents);
  kernel.group = group;
  kernel.groups = groups;
  open_kernel(std::move(kernel));
}

std::pair<ValueId, ValueId> Builder::begin_range_kernel(std::string name, std::int64_t tasks) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.task_extents = {tasks};
  kernel.ranges = true;
  open_kernel(std::move(kernel));
  const ValueId begin = value(kIndexType), end = value(kIndexType);
  program_.blocks[program_.kernels.back().body].args = {begin, end};
  return {begin, end};
}

void Builder::end_kernel() {
  TW_CHECK(frames_.size() == 1);
  close({});
}

AllocationId Builder::allocation(std::string name, AllocationSpace space, ScalarType scalar, std::int64_t count,
                                 AllocationLayout layout) {
  TW_CHECK(!frames_.empty() && count >= 0);
  std::vector<AllocationId>& siblings = program_.kernels.back().allocations;
  const auto taken = [&](const std::string& candidate) {
    return std::ranges::any_of(program_.buffers, [&](const Buffer& b) { return b.name == candidate; }) ||
           std::ranges::any_of(siblings, [&](AllocationId id) { return program_.allocations[id].name == candidate; });
  };
  std::string unique = name;
  for (int suffix = 2; taken(unique); ++suffix) unique = fmt::format("{}_{}", name, suffix);
  siblings.push_back(program_.allocations.push_back({std::move(unique), space, scalar, count, layout}));
  return siblings.back();
}

std::uint32_t Builder::ring(Ring ring) {
  TW_CHECK(!frames_.empty());
  std::vector<Ring>& rings = program_.kernels.back().rings;
  rings.push_back(std::move(ring));
  return static_cast<std::uint32_t>(rings.size() - 1);
}

Program Builder::finish() {
  TW_CHECK(frames_.empty());
  known_.clear();
  home_.clear();
  open_.clear();
  return std::exchange(program_, Program{});
}

// ---- What is known -------------------------------------------------------------------------------------------------

ValueType Builder::type(ValueId value) const { return program_.values[value]; }

std::optional<std::int64_t> Builder::constant(ValueId value) const {
  TW_CHECK(value.index < known_.size());
  return known_[value.index];
}

ScalarType Builder::scalar_of(Memory memory) const {
  return memory.buffer.valid() ? program_.buffers[memory.buffer].scalar
                               : program_.allocations[memory.allocation].scalar;
}

// ---- Constants -----------------------------------------------------------------------------------------------------

ValueId Builder::const_i64(std::int64_t value, std::uint16_t lanes) {
  return constant_of({ScalarType::I64, lanes}, value);
}

ValueId Builder::const_i32(std::int32_t value, std::uint16_t lanes) {
  return constant_of({ScalarType::I32, lanes}, value);
}

ValueId Builder::const_bool(bool value, std::uint16_t lanes) { return constant_of({ScalarType::I1, lanes}, value); }

ValueId Builder::const_float(ScalarType scalar, double value, std::uint16_t lanes) {
  TW_CHECK(is_float_scalar(scalar));
  return constant_of({scalar, lanes}, float_constant(scalar, value));
}

ValueId Builder::const_number(ValueType type, double value) {
  if (is_float_scalar(type.scalar)) return const_float(type.scalar, value, type.lanes);
  TW_CHECK(value >= -0x1p63 && value < 0x1p63);
  return constant_of(type, static_cast<std::int64_t>(value));
}

ValueId Builder::constant_of(ValueType type, std::int64_t integer) {
  TW_CHECK(constant_fits(type.scalar, integer));
  const std::tuple key{type.scalar, type.lanes, integer};
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
    if (const auto found = frame->constants.find(key); found != frame->constants.end()) return found->second;
  const ValueId made = result_of(ConstOp{integer}, type);
  if (!is_float_scalar(type.scalar)) known_[made.index] = integer;
  frames_.back().constants.emplace(key, made);
  return made;
}

// ---- Values --------------------------------------------------------------------------------------------------------

/// A value that is there already, or a constant, for an i64 scalar operation; nothing when it must be computed.
std::optional<ValueId> Builder::simplified(BinaryKind kind, ValueId lhs, ValueId rhs) {
  const auto a = constant(lhs), b = constant(rhs);
  if (a && b) return const_i64(integer_binary<std::int64_t>(kind, *a, *b));
  const bool neutral_zero = kind == BinaryKind::Add || kind == BinaryKind::Sub || kind == BinaryKind::Or ||
                            kind == BinaryKind::Xor || kind == BinaryKind::Shl || kind == BinaryKind::Shr;
  if (b == 0 && neutral_zero) return lhs;
  if (b == 0 && (kind == BinaryKind::Mul || kind == BinaryKind::And)) return rhs;
  if (b == 1 && (kind == BinaryKind::Mul || kind == BinaryKind::FloorDiv)) return lhs;
  if (b == 1 && kind == BinaryKind::FloorMod) return const_i64(0);
  if (lhs == rhs && kind == BinaryKind::Sub) return const_i64(0);
  if (lhs == rhs && (kind == BinaryKind::Max || kind == BinaryKind::Min)) return lhs;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
    if (const auto found = frame->index_ops.find({kind, lhs, rhs}); found != frame->index_ops.end())
      return found->second;
  return std::nullopt;
}

ValueId Builder::unary(UnaryKind kind, ValueId operand) { return result_of(UnaryOp{kind, operand}, type(operand)); }

ValueId Builder::binary(BinaryKind kind, ValueId lhs, ValueId rhs) {
  const bool is_index = type(lhs) == kIndexType && type(rhs) == kIndexType;
  if (!is_index || kind == BinaryKind::Div || kind == BinaryKind::Fmod)
    return result_of(BinaryOp{kind, lhs, rhs}, type(lhs));
  check_visible(lhs);
  check_visible(rhs);
  // Constants stand on the right, so that one spelling of an operation is enough.
  if (commutes(kind) && constant(lhs) && !constant(rhs)) std::swap(lhs, rhs);
  if (const auto found = simplified(kind, lhs, rhs)) return *found;
  const ValueId made = result_of(BinaryOp{kind, lhs, rhs}, kIndexType);
  frames_.back().index_ops.emplace(std::tuple{kind, lhs, rhs}, made);
  return made;
}

ValueId Builder::compare(CompareKind kind, ValueId lhs, ValueId rhs) {
  const auto a = constant(lhs), b = constant(rhs);
  if (type(lhs) == kIndexType && type(rhs) == kIndexType && a && b) return const_bool(holds(kind, *a, *b));
  ValueType result = type(lhs);
  result.scalar = ScalarType::I1;
  return result_of(CompareOp{kind, lhs, rhs}, result);
}

ValueId Builder::select(ValueId condition, ValueId if_true, ValueId if_false) {
  if (type(if_true) == kIndexType && type(if_false) == kIndexType && constant(condition)) {
    const ValueId picked = *constant(condition) != 0 ? if_true : if_false;
    check_visible(picked);
    return picked;
  }
  return result_of(SelectOp{condition, if_true, if_false}, type(if_true));
}

ValueId Builder::cast(ScalarType scalar, ValueId operand) {
  ValueType result = type(operand);
  if (result.scalar == scalar) return operand;
  result.scalar = scalar;
  return result_of(CastOp{operand}, result);
}

ValueId Builder::fma(ValueId a, ValueId b, ValueId c) { return result_of(FmaOp{a, b, c}, type(c)); }

ValueId Builder::splat(ValueId operand, std::uint16_t lanes) {
  if (lanes == 1 && type(operand).lanes == 1) return operand;
  if (const auto known = constant(operand); known && type(operand).lanes == 1)
    return constant_of({type(operand).scalar, lanes}, *known);
  return result_of(SplatOp{operand}, {type(operand).scalar, lanes});
}

ValueId Builder::iota(ScalarType scalar, std::uint16_t lanes) {
  if (lanes == 1) return constant_of({scalar, 1}, 0);
  return result_of(IotaOp{}, {scalar, lanes});
}

ValueId Builder::extract(ValueId operand, std::uint16_t lane, std::uint16_t lanes) {
  if (type(operand).lanes == lanes && lane == 0) return operand;
  return result_of(ExtractOp{operand, lane}, {type(operand).scalar, lanes});
}

ValueId Builder::zip(ValueId lhs, ValueId rhs, bool high) { return result_of(ZipOp{lhs, rhs, high}, type(lhs)); }

ValueId Builder::fold_lanes(LaneFold kind, ValueId operand) {
  if (type(operand).lanes == 1) return operand;
  return result_of(FoldLanesOp{kind, operand}, {type(operand).scalar, 1});
}

// ---- Memory --------------------------------------------------------------------------------------------------------

ValueId Builder::load(Memory memory, ValueId index, std::uint16_t lanes, ValueId mask) {
  return result_of(LoadOp{memory, index, mask}, {scalar_of(memory), lanes});
}

void Builder::store(Memory memory, ValueId index, ValueId value, ValueId mask) {
  append(StoreOp{memory, index, value, mask}, {});
}

void Builder::prefetch(Memory memory, ValueId index, bool near) { append(PrefetchOp{memory, index, near}, {}); }

// ---- Groups --------------------------------------------------------------------------------------------------------

ValueId Builder::worker(WorkerQuery query) { return result_of(WorkerOp{query}, kIndexType); }
ValueId Builder::group_ordinal() { return result_of(GroupOrdinalOp{}, kIndexType); }

ValueId Builder::subgroup_reduce(LaneFold kind, ValueId operand) {
  return result_of(SubgroupReduceOp{kind, operand}, type(operand));
}

ValueId Builder::shuffle(ShuffleKind kind, ValueId operand, std::uint16_t number) {
  return result_of(ShuffleOp{kind, operand, number}, type(operand));
}

ValueId Builder::fragment_fill(ValueId scalar, std::uint16_t rows, std::uint16_t columns) {
  return result_of(FragmentFillOp{scalar}, fragment_type(type(scalar).scalar, rows, columns));
}

ValueId Builder::fragment_load(Memory memory, ValueId index, ValueId row_stride, std::uint16_t rows,
                               std::uint16_t columns, bool transposed, FragmentPart part, Participants participants) {
  return result_of(FragmentLoadOp{memory, index, row_stride, transposed, part, participants},
                   fragment_type(scalar_of(memory), rows, columns));
}

void Builder::fragment_store(Memory memory, ValueId index, ValueId row_stride, ValueId fragment, bool transposed,
                             FragmentPart part, Participants participants) {
  append(FragmentStoreOp{memory, index, row_stride, fragment, transposed, part, participants}, {});
}

ValueId Builder::fragment_coordinate(FragmentAxis axis, std::uint16_t rows, std::uint16_t columns) {
  return result_of(FragmentCoordinateOp{axis}, fragment_type(ScalarType::I64, rows, columns));
}

ValueId Builder::atom(AtomOp op, ScalarType accumulator) {
  TW_CHECK(op.m >= 1 && op.n >= 1 && op.m <= kMaxFragmentExtent && op.n <= kMaxFragmentExtent);
  const ValueType result =
      fragment_type(accumulator, static_cast<std::uint16_t>(op.m), static_cast<std::uint16_t>(op.n));
  return result_of(std::move(op), result);
}

ValueId Builder::atom(std::string name, ValueId a, ValueId b, std::optional<ValueId> c, ScalarType accumulator,
                      bool relaxed) {
  AtomOp op;
  op.atom = std::move(name);
  op.m = type(a).rows;
  op.n = type(b).columns;
  op.k = const_i64(type(a).columns);
  op.a.fragment = a;
  op.b.fragment = b;
  if (c) op.c = *c;
  op.relaxed = relaxed;
  return atom(std::move(op), accumulator);
}

std::uint32_t Builder::fence(Participants participants, FencedMemory memory) {
  FenceOp op;
  op.identity = next_fence_;
  op.participants = op.scope = participants;
  op.memory = memory;
  fence(op);
  return op.identity;
}

void Builder::fence(FenceOp op) {
  next_fence_ = std::max(next_fence_, op.identity + 1);
  append(op, {});
}

ValueId Builder::async_copy(AsyncCopyOp op) { return result_of(op, token_type()); }
void Builder::wait(std::vector<ValueId> tokens) { append(WaitOp{std::move(tokens)}, {}); }

void Builder::ring_action(RingAction action, std::uint32_t ring, ValueId step) {
  TW_CHECK(ring < program_.kernels.back().rings.size());
  append(RingOp{action, ring, step}, {});
}

std::vector<ValueId> Builder::begin_task_loop() {
  const BlockId body = program_.blocks.push_back({});
  open(body, append(TaskLoopOp{body}, {}));
  std::vector<ValueId> coordinates;
  for (std::size_t i = 0; i < program_.kernels.back().task_extents.size(); ++i)
    coordinates.push_back(value(kIndexType));
  program_.blocks[body].args = coordinates;
  return coordinates;
}

void Builder::end_task_loop() {
  TW_CHECK(frames_.size() > 1 && std::holds_alternative<TaskLoopOp>(program_.ops[frames_.back().op].payload));
  close({});
}

void Builder::begin_roles() {
  TW_CHECK(!frames_.empty());
  // The rules of the operation hold once it has roles.
  const OpId id = program_.ops.push_back({RolesOp{}, {}});
  program_.blocks[frames_.back().block].ops.push_back(id);
  open_roles_.push_back(id);
}

void Builder::begin_role(std::string name, std::int32_t subgroups) {
  TW_CHECK(!open_roles_.empty());
  const BlockId block = program_.blocks.push_back({});
  std::get<RolesOp>(program_.ops[open_roles_.back()].payload).roles.push_back({std::move(name), subgroups, block});
  open(block, open_roles_.back());
}

void Builder::end_role() { close({}); }

void Builder::end_roles() {
  TW_CHECK(!open_roles_.empty());
  const std::vector<OpFault> faults = op_faults(program_, program_.ops[open_roles_.back()]);
  for (const OpFault& fault : faults) fmt::print(stderr, "kernel builder: {}\n", fault.message);
  TW_CHECK(faults.empty());
  open_roles_.pop_back();
}

// ---- Control -------------------------------------------------------------------------------------------------------

Builder::Loop Builder::begin_loop(ValueId low, ValueId high, std::int64_t step, std::vector<ValueId> inits) {
  std::vector<ValueType> types;
  for (ValueId init : inits) types.push_back(type(init));
  const BlockId body = program_.blocks.push_back({});
  const OpId op = append(LoopOp{low, high, step, std::move(inits), body}, {});
  open(body, op);
  Loop loop{value(kIndexType), {}};
  for (ValueType carry : types) loop.carries.push_back(value(carry));
  std::vector<ValueId> args{loop.index};
  args.insert(args.end(), loop.carries.begin(), loop.carries.end());
  program_.blocks[body].args = std::move(args);
  return loop;
}

std::vector<ValueId> Builder::end_loop(std::vector<ValueId> yields) {
  TW_CHECK(frames_.size() > 1);
  const OpId op = frames_.back().op;
  const auto* loop = std::get_if<LoopOp>(&program_.ops[op].payload);
  TW_CHECK(loop != nullptr && yields.size() == loop->inits.size());
  std::vector<ValueType> types;
  for (std::size_t i = 0; i < yields.size(); ++i) {
    TW_CHECK(type(yields[i]) == type(loop->inits[i]));
    types.push_back(type(yields[i]));
  }
  close(std::move(yields));
  std::vector<ValueId> results;
  for (ValueType carry : types) results.push_back(value(carry));
  program_.ops[op].results = results;
  return results;
}

void Builder::begin_if(ValueId condition) {
  const BlockId block = program_.blocks.push_back({});
  open(block, append(IfOp{condition, block, {}}, {}));
}

void Builder::begin_else(std::vector<ValueId> then_yields) {
  TW_CHECK(frames_.size() > 1);
  const OpId op = frames_.back().op;
  close(std::move(then_yields));
  const BlockId block = program_.blocks.push_back({});
  auto* branch = std::get_if<IfOp>(&program_.ops[op].payload);
  TW_CHECK(branch != nullptr && !branch->else_block.valid());
  branch->else_block = block;
  open(block, op);
}

std::vector<ValueId> Builder::end_if(std::vector<ValueId> yields) {
  TW_CHECK(frames_.size() > 1);
  const OpId op = frames_.back().op;
  const auto* branch = std::get_if<IfOp>(&program_.ops[op].payload);
  TW_CHECK(branch != nullptr);
  std::vector<ValueType> types;
  for (ValueId yielded : yields) types.push_back(type(yielded));
  const BlockId then_block = branch->then_block;
  close(std::move(yields));
  if (!branch->else_block.valid()) {
    TW_CHECK(types.empty());
    return {};
  }
  const std::vector<ValueId>& then_yields = program_.blocks[then_block].yields;
  TW_CHECK(then_yields.size() == types.size());
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < types.size(); ++i) {
    TW_CHECK(type(then_yields[i]) == types[i]);
    results.push_back(value(types[i]));
  }
  program_.ops[op].results = results;
  return results;
}

// ---- Parts ---------------------------------------------------------------------------------------------------------

ValueId Builder::value(ValueType type) {
  TW_CHECK(!frames_.empty());
  known_.emplace_back();
  home_.push_back(frames_.back().block);
  return program_.values.push_back(type);
}

ValueId Builder::result_of(OpPayload payload, ValueType type) {
  for_each_operand(payload, [&](ValueId operand) { check_visible(operand); });
  const ValueId result = value(type);
  append(std::move(payload), {result});
  return result;
}

OpId Builder::append(OpPayload payload, std::vector<ValueId> results) {
  TW_CHECK(!frames_.empty());
  for_each_operand(payload, [&](ValueId operand) { check_visible(operand); });
  const OpId id = program_.ops.push_back({std::move(payload), std::move(results)});
  const std::vector<OpFault> faults = op_faults(program_, program_.ops[id]);
  for (const OpFault& fault : faults) fmt::print(stderr, "kernel builder: {}\n", fault.message);
  TW_CHECK(faults.empty());
  program_.blocks[frames_.back().block].ops.push_back(id);
  return id;
}

void Builder::open(BlockId block, OpId op) {
  TW_CHECK(frames_.size() < kMaxNesting);
  frames_.push_back({block, op, {}, {}});
  open_.resize(program_.blocks.size(), false);
  open_[block.index] = true;
}

void Builder::close(std::vector<ValueId> yields) {
  for (ValueId yielded : yields) check_visible(yielded);
  const BlockId block = frames_.back().block;
  program_.blocks[block].yields = std::move(yields);
  open_[block.index] = false;
  frames_.pop_back();
}

void Builder::check_visible(ValueId value) const {
  TW_CHECK(value.index < home_.size());
  TW_CHECK(open_[home_[value.index].index]);
}

}  // namespace tilewright::kernel
