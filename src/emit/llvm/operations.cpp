// Blocks, loops and conditions of a kernel's body.
#include <limits>
#include <numeric>

#include "emit/llvm/emit_internal.h"
#include "support/check.h"

namespace tilewright::emit_llvm {

namespace {

using namespace kernel;

class BodyEmitter {
 public:
  BodyEmitter(Emission& emission, Memory& memory)
      : emission_(emission), b_(emission.builder), memory_(memory), values_(emission.program.values.size()) {}

  /// Gives the yields.
  std::vector<llvm::Value*> emit_block(BlockId id, std::span<llvm::Value* const> args) {
    const Block& block = emission_.program.blocks[id];
    TW_CHECK(block.args.size() == args.size());
    for (std::size_t i = 0; i < args.size(); ++i) values_[block.args[i].index] = args[i];
    for (OpId op : block.ops) emit(emission_.program.ops[op]);
    std::vector<llvm::Value*> yields;
    for (ValueId value : block.yields) yields.push_back(get(value));
    return yields;
  }

 private:
  llvm::Value* get(ValueId id) const {
    TW_CHECK(id.index < values_.size() && values_[id.index] != nullptr);
    return values_[id.index];
  }
  llvm::Value* get_or_null(ValueId id) const { return id.valid() ? get(id) : nullptr; }
  ValueType type(ValueId id) const { return emission_.program.values[id]; }

  void emit(const Op& op) {
    results_ = &op.results;
    std::visit([this](const auto& payload) { visit(payload); }, op.payload);
  }
  /// For operations with one result.
  ValueType result_type() const { return type(results_->front()); }
  void define(llvm::Value* value) {
    TW_CHECK(results_->size() == 1);
    values_[results_->front().index] = value;
  }
  void define_all(const std::vector<ValueId>& results, std::span<llvm::Value* const> values) {
    TW_CHECK(results.size() == values.size());
    for (std::size_t i = 0; i < results.size(); ++i) values_[results[i].index] = values[i];
  }

  /// What groups of workers do together; module.cpp refuses such kernels.
  template <class Payload>
  void visit(const Payload&) {
    TW_CHECK(!"an operation of groups");
  }
  void visit(const ConstOp& op) { define(emit_constant(emission_, result_type(), op.integer)); }
  void visit(const UnaryOp& op) { define(emit_unary(emission_, op.kind, get(op.operand), type(op.operand))); }
  void visit(const BinaryOp& op) { define(emit_binary(emission_, op.kind, get(op.lhs), get(op.rhs), type(op.lhs))); }
  void visit(const CompareOp& op) { define(emit_compare(emission_, op.kind, get(op.lhs), get(op.rhs), type(op.lhs))); }
  void visit(const SelectOp& op) { define(b_.CreateSelect(get(op.condition), get(op.if_true), get(op.if_false))); }
  void visit(const CastOp& op) { define(emit_cast(emission_, get(op.operand), type(op.operand), result_type())); }
  void visit(const FmaOp& op) { define(emit_fma(emission_, get(op.a), get(op.b), get(op.c), result_type())); }
  void visit(const SplatOp& op) {
    const unsigned lanes = result_type().lanes;
    define(lanes == 1 ? get(op.operand) : b_.CreateVectorSplat(lanes, get(op.operand)));
  }
  void visit(const IotaOp&) {
    const ValueType element{result_type().scalar, 1};
    std::vector<llvm::Constant*> lanes;
    for (unsigned lane = 0; lane < result_type().lanes; ++lane) {
      lanes.push_back(llvm::cast<llvm::Constant>(emit_constant(emission_, element, lane)));
    }
    define(lanes.size() == 1 ? lanes.front() : llvm::ConstantVector::get(lanes));
  }
  void visit(const ExtractOp& op) {
    llvm::Value* operand = get(op.operand);
    if (result_type().lanes == type(op.operand).lanes) return define(operand);
    if (result_type().lanes == 1) return define(b_.CreateExtractElement(operand, std::uint64_t{op.lane}));
    llvm::SmallVector<int, 16> from(result_type().lanes);
    std::iota(from.begin(), from.end(), int{op.lane});
    define(b_.CreateShuffleVector(operand, from));
  }
  void visit(const ZipOp& op) {
    const int lanes = result_type().lanes, first = op.high ? lanes / 2 : 0;
    llvm::SmallVector<int, 16> from;
    for (int lane = 0; lane < lanes; ++lane) from.push_back(first + lane / 2 + (lane % 2 == 0 ? 0 : lanes));
    define(b_.CreateShuffleVector(get(op.lhs), get(op.rhs), from));
  }
  void visit(const FoldLanesOp& op) { define(emit_fold_lanes(emission_, op.kind, get(op.operand), type(op.operand))); }
  void visit(const LoadOp& op) { define(memory_.load(op.memory, get(op.index), get_or_null(op.mask), result_type())); }
  void visit(const StoreOp& op) {
    memory_.store(op.memory, get(op.index), get(op.value), get_or_null(op.mask), type(op.value));
  }
  void visit(const PrefetchOp& op) { memory_.prefetch(op.memory, get(op.index), op.near); }
  void visit(const LoopOp& op);
  void visit(const IfOp& op);

  struct Trips {
    llvm::Value* count;    ///< i64, unsigned
    llvm::Value* entered;  ///< null when the loop is known to run
    bool no_wrap = false;  ///< low + trip * step stays inside i64 in every step of its computation
  };
  Trips count_trips(llvm::Value* low, llvm::Value* high, std::int64_t step);
  std::vector<llvm::Value*> emit_loop(const LoopOp& op, llvm::Value* low, const Trips& trips,
                                      const std::vector<llvm::Value*>& inits);

  Emission& emission_;
  llvm::IRBuilder<>& b_;
  Memory& memory_;
  std::vector<llvm::Value*> values_;
  const std::vector<ValueId>* results_ = nullptr;
};

BodyEmitter::Trips BodyEmitter::count_trips(llvm::Value* low, llvm::Value* high, std::int64_t step) {
  TW_CHECK(step > 0);
  llvm::Value* distance = b_.CreateSub(high, low);
  llvm::Value* last =
      b_.CreateUDiv(b_.CreateSub(distance, b_.getInt64(1)), b_.getInt64(static_cast<std::uint64_t>(step)));
  Trips trips{b_.CreateAdd(last, b_.getInt64(1)), b_.CreateICmpSLT(low, high)};
  const auto* entered = llvm::dyn_cast<llvm::ConstantInt>(trips.entered);
  if (entered != nullptr && entered->isOne()) {
    trips.entered = nullptr;
    trips.no_wrap = llvm::cast<llvm::ConstantInt>(distance)->getSExtValue() > 0;
  } else if (entered != nullptr) {
    trips.count = b_.getInt64(0);
  }
  return trips;
}

/// The loop proper, entered at least once. A counter that cannot wrap drives it; the coordinate follows from it, so
/// that a high bound near the largest integer needs no care.
std::vector<llvm::Value*> BodyEmitter::emit_loop(const LoopOp& op, llvm::Value* low, const Trips& trips,
                                                 const std::vector<llvm::Value*>& inits) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = llvm::BasicBlock::Create(b_.getContext(), "loop", before->getParent());
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* counter = b_.CreatePHI(b_.getInt64Ty(), 2);
  std::vector<llvm::PHINode*> carries;
  for (llvm::Value* init : inits) carries.push_back(b_.CreatePHI(init->getType(), 2));

  llvm::Value* scaled =
      b_.CreateMul(counter, b_.getInt64(static_cast<std::uint64_t>(op.step)), "", true, trips.no_wrap);
  llvm::Value* coordinate = b_.CreateAdd(low, scaled, "", false, trips.no_wrap);
  std::vector<llvm::Value*> args{coordinate};
  args.insert(args.end(), carries.begin(), carries.end());
  std::vector<llvm::Value*> yields = emit_block(op.body, args);
  TW_CHECK(yields.size() == carries.size());

  llvm::BasicBlock* latch = b_.GetInsertBlock();
  llvm::Value* next = b_.CreateAdd(counter, b_.getInt64(1), "", true, trips.no_wrap);
  counter->addIncoming(b_.getInt64(0), before);
  counter->addIncoming(next, latch);
  for (std::size_t i = 0; i < carries.size(); ++i) {
    carries[i]->addIncoming(inits[i], before);
    carries[i]->addIncoming(yields[i], latch);
  }
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "done", before->getParent());
  b_.CreateCondBr(b_.CreateICmpEQ(next, trips.count), after, body);
  b_.SetInsertPoint(after);
  return yields;
}

void BodyEmitter::visit(const LoopOp& op) {
  const std::vector<ValueId>& results = *results_;
  llvm::Value* low = get(op.low);
  std::vector<llvm::Value*> inits;
  for (ValueId init : op.inits) inits.push_back(get(init));
  const Trips trips = count_trips(low, get(op.high), op.step);

  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(trips.count);
  if (constant != nullptr && constant->isZero() && trips.entered != nullptr) return define_all(results, inits);
  if (trips.entered == nullptr && constant != nullptr && constant->isOne()) {
    std::vector<llvm::Value*> args{low};
    args.insert(args.end(), inits.begin(), inits.end());
    return define_all(results, emit_block(op.body, args));
  }
  if (trips.entered == nullptr) return define_all(results, emit_loop(op, low, trips, inits));

  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(b_.getContext(), "enter", before->getParent());
  b_.SetInsertPoint(entry);
  std::vector<llvm::Value*> finals = emit_loop(op, low, trips, inits);
  llvm::BasicBlock* inside = b_.GetInsertBlock();
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "past", before->getParent());
  b_.CreateBr(after);
  b_.SetInsertPoint(before);
  b_.CreateCondBr(trips.entered, entry, after);
  b_.SetInsertPoint(after);
  for (std::size_t i = 0; i < finals.size(); ++i) {
    llvm::PHINode* result = b_.CreatePHI(finals[i]->getType(), 2);
    result->addIncoming(inits[i], before);
    result->addIncoming(finals[i], inside);
    finals[i] = result;
  }
  define_all(results, finals);
}

void BodyEmitter::visit(const IfOp& op) {
  const std::vector<ValueId>& results = *results_;
  llvm::Value* condition = get(op.condition);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "joined", function);
  const auto emit_side = [&](BlockId side) {
    llvm::BasicBlock* begin = llvm::BasicBlock::Create(b_.getContext(), "side", function, after);
    b_.SetInsertPoint(begin);
    std::vector<llvm::Value*> yields = emit_block(side, {});
    llvm::BasicBlock* end = b_.GetInsertBlock();
    b_.CreateBr(after);
    return std::tuple{begin, end, yields};
  };
  auto [then_begin, then_end, then_yields] = emit_side(op.then_block);
  llvm::BasicBlock* else_begin = after;
  llvm::BasicBlock* else_end = before;
  std::vector<llvm::Value*> else_yields;
  if (op.else_block.valid()) std::tie(else_begin, else_end, else_yields) = emit_side(op.else_block);
  TW_CHECK(then_yields.size() == results.size() && else_yields.size() == results.size());

  b_.SetInsertPoint(before);
  b_.CreateCondBr(condition, then_begin, else_begin);
  b_.SetInsertPoint(after);
  for (std::size_t i = 0; i < results.size(); ++i) {
    llvm::PHINode* result = b_.CreatePHI(then_yields[i]->getType(), 2);
    result->addIncoming(then_yields[i], then_end);
    result->addIncoming(else_yields[i], else_end);
    values_[results[i].index] = result;
  }
}

}  // namespace

void emit_body(Emission& emission, Memory& memory, kernel::BlockId body, std::span<llvm::Value* const> coordinates) {
  BodyEmitter(emission, memory).emit_block(body, coordinates);
}

}  // namespace tilewright::emit_llvm
