// Element-wise arithmetic, on scalars and vectors alike.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "emit/llvm/emit_internal.h"
#include "support/check.h"

namespace tilewright::emit_llvm {

namespace {

using kernel::BinaryKind;
using kernel::CompareKind;
using kernel::LaneFold;
using kernel::UnaryKind;

llvm::Value* integer(llvm::Value* like, std::int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<std::uint64_t>(value));
}

/// A call of the host's math library, lane by lane: a vector variant would round differently. The call is not a builtin
/// to LLVM, so that it is never folded or rewritten.
llvm::Value* call_math(Emission& emission, const char* name, llvm::Value* value) {
  llvm::IRBuilder<>& b = emission.builder;
  llvm::Type* f32 = b.getFloatTy();
  llvm::Module* module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(name, f32, f32);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  const auto call = [&](llvm::Value* operand) {
    llvm::CallInst* result = b.CreateCall(callee, {operand});
    result->addFnAttr(llvm::Attribute::NoBuiltin);
    return result;
  };
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (vector == nullptr) return call(value);
  llvm::Value* result = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    result = b.CreateInsertElement(result, call(b.CreateExtractElement(value, lane)), lane);
  }
  return result;
}

llvm::Value* float_unary(Emission& emission, UnaryKind kind, llvm::Value* value) {
  llvm::IRBuilder<>& b = emission.builder;
  switch (kind) {
    case UnaryKind::Neg:
      return b.CreateFNeg(value);
    case UnaryKind::Abs:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    case UnaryKind::Sqrt:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value);
    case UnaryKind::Floor:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
    case UnaryKind::Exp:
      return emit_exp(emission, value);
    case UnaryKind::Log:
      return emit_log(emission, value);
    case UnaryKind::Tanh:
      return emit_tanh(emission, value);
    case UnaryKind::Sin:
      return call_math(emission, "sinf", value);
    case UnaryKind::Cos:
      return call_math(emission, "cosf", value);
    case UnaryKind::Not:
      break;
  }
  TW_CHECK(!"a float operation");
}

llvm::Value* integer_unary(Emission& emission, UnaryKind kind, llvm::Value* value) {
  llvm::IRBuilder<>& b = emission.builder;
  switch (kind) {
    case UnaryKind::Neg:
      return b.CreateNeg(value);
    case UnaryKind::Not:
      return b.CreateNot(value);
    case UnaryKind::Abs:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse());
    case UnaryKind::Floor:
      return value;
    case UnaryKind::Exp:
    case UnaryKind::Log:
    case UnaryKind::Sqrt:
    case UnaryKind::Tanh:
    case UnaryKind::Sin:
    case UnaryKind::Cos:
      break;
  }
  TW_CHECK(!"an integer operation");
}

/// IEEE 754-2019 maximum or minimum of f32.
llvm::Value* extremum(Emission& emission, bool maximum, llvm::Value* lhs, llvm::Value* rhs) {
  llvm::IRBuilder<>& b = emission.builder;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(lhs->getType());
  if (!emission.machine.ranges || vector == nullptr || vector->getNumElements() != 16)
    return b.CreateBinaryIntrinsic(maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, lhs, rhs);
  // The instruction orders zeros, which LLVM's own sequence does by hand, and prefers numbers to NaN.
  constexpr std::uint32_t kSignOfResult = 4, kMaximum = 1, kCurrentRounding = 4;
  llvm::Value* kind = b.getInt32(kSignOfResult | (maximum ? kMaximum : 0));
  llvm::Value* number = b.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_mask_range_ps_512, {},
      {lhs, rhs, kind, llvm::Constant::getNullValue(lhs->getType()), b.getInt16(0xffff), b.getInt32(kCurrentRounding)});
  return b.CreateSelect(b.CreateFCmpUNO(lhs, rhs), b.CreateFAdd(lhs, rhs), number);
}

llvm::Value* float_binary(Emission& emission, BinaryKind kind, llvm::Value* lhs, llvm::Value* rhs) {
  llvm::IRBuilder<>& b = emission.builder;
  switch (kind) {
    case BinaryKind::Add:
      return b.CreateFAdd(lhs, rhs);
    case BinaryKind::Sub:
      return b.CreateFSub(lhs, rhs);
    case BinaryKind::Mul:
      return b.CreateFMul(lhs, rhs);
    case BinaryKind::Div:
      return b.CreateFDiv(lhs, rhs);
    case BinaryKind::Fmod:
      return b.CreateFRem(lhs, rhs);
    case BinaryKind::Max:
      return extremum(emission, true, lhs, rhs);
    case BinaryKind::Min:
      return extremum(emission, false, lhs, rhs);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      break;
  }
  TW_CHECK(!"a float operation");
}

/// Floored quotient and remainder without traps: a divisor of 0 or -1 never reaches the instruction.
struct Division {
  llvm::Value* quotient;
  llvm::Value* remainder;
};
Division floored_division(llvm::IRBuilder<>& b, llvm::Value* lhs, llvm::Value* rhs) {
  llvm::Value* zero = integer(lhs, 0);
  llvm::Value* by_zero = b.CreateICmpEQ(rhs, zero);
  llvm::Value* by_minus_one = b.CreateICmpEQ(rhs, integer(lhs, -1));
  llvm::Value* divisor = b.CreateSelect(b.CreateOr(by_zero, by_minus_one), integer(lhs, 1), rhs);
  llvm::Value* truncated = b.CreateSDiv(lhs, divisor);
  llvm::Value* rest = b.CreateSub(lhs, b.CreateMul(truncated, divisor));
  llvm::Value* signs_differ = b.CreateICmpSLT(b.CreateXor(rest, divisor), zero);
  llvm::Value* adjust = b.CreateAnd(b.CreateICmpNE(rest, zero), signs_differ);
  llvm::Value* quotient = b.CreateSelect(adjust, b.CreateSub(truncated, integer(lhs, 1)), truncated);
  llvm::Value* remainder = b.CreateSelect(adjust, b.CreateAdd(rest, divisor), rest);
  // Divided by 1 instead, both special divisors leave the remainder 0, which is theirs too.
  quotient = b.CreateSelect(by_minus_one, b.CreateNeg(lhs), quotient);
  return {b.CreateSelect(by_zero, zero, quotient), remainder};
}

llvm::Value* floor_div_or_mod(llvm::IRBuilder<>& b, bool quotient, llvm::Value* lhs, llvm::Value* rhs) {
  const llvm::APInt* constant = nullptr;
  const bool power = llvm::PatternMatch::match(rhs, llvm::PatternMatch::m_APInt(constant)) && constant->isPowerOf2() &&
                     constant->isStrictlyPositive();
  if (power && quotient) return b.CreateAShr(lhs, integer(lhs, constant->logBase2()));
  if (power) return b.CreateAnd(lhs, integer(lhs, constant->getSExtValue() - 1));
  const Division division = floored_division(b, lhs, rhs);
  return quotient ? division.quotient : division.remainder;
}

/// LLVM leaves a count beyond the width undefined; here it is taken modulo the width.
llvm::Value* shift(llvm::IRBuilder<>& b, bool left, llvm::Value* lhs, llvm::Value* rhs) {
  llvm::Value* count = b.CreateAnd(rhs, integer(lhs, lhs->getType()->getScalarSizeInBits() - 1));
  return left ? b.CreateShl(lhs, count) : b.CreateLShr(lhs, count);
}

llvm::Value* integer_binary(Emission& emission, BinaryKind kind, llvm::Value* lhs, llvm::Value* rhs, bool truth) {
  llvm::IRBuilder<>& b = emission.builder;
  switch (kind) {
    case BinaryKind::Add:
      return b.CreateAdd(lhs, rhs);
    case BinaryKind::Sub:
      return b.CreateSub(lhs, rhs);
    case BinaryKind::Mul:
      return b.CreateMul(lhs, rhs);
    case BinaryKind::FloorDiv:
      return floor_div_or_mod(b, true, lhs, rhs);
    case BinaryKind::FloorMod:
      return floor_div_or_mod(b, false, lhs, rhs);
    case BinaryKind::Max:
      return b.CreateBinaryIntrinsic(truth ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, lhs, rhs);
    case BinaryKind::Min:
      return b.CreateBinaryIntrinsic(truth ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, lhs, rhs);
    case BinaryKind::And:
      return b.CreateAnd(lhs, rhs);
    case BinaryKind::Or:
      return b.CreateOr(lhs, rhs);
    case BinaryKind::Xor:
      return b.CreateXor(lhs, rhs);
    case BinaryKind::Shl:
      return shift(b, true, lhs, rhs);
    case BinaryKind::Shr:
      return shift(b, false, lhs, rhs);
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      break;
  }
  TW_CHECK(!"an integer operation");
}

llvm::CmpInst::Predicate float_predicate(CompareKind kind) {
  switch (kind) {
    case CompareKind::Lt:
      return llvm::CmpInst::FCMP_OLT;
    case CompareKind::Le:
      return llvm::CmpInst::FCMP_OLE;
    case CompareKind::Gt:
      return llvm::CmpInst::FCMP_OGT;
    case CompareKind::Ge:
      return llvm::CmpInst::FCMP_OGE;
    case CompareKind::Eq:
      return llvm::CmpInst::FCMP_OEQ;
    case CompareKind::Ne:
      return llvm::CmpInst::FCMP_UNE;
  }
  TW_CHECK(false);
}

/// Truth values order as 0 < 1; a set i1 is -1 to a signed comparison.
llvm::CmpInst::Predicate integer_predicate(CompareKind kind, bool truth) {
  switch (kind) {
    case CompareKind::Lt:
      return truth ? llvm::CmpInst::ICMP_ULT : llvm::CmpInst::ICMP_SLT;
    case CompareKind::Le:
      return truth ? llvm::CmpInst::ICMP_ULE : llvm::CmpInst::ICMP_SLE;
    case CompareKind::Gt:
      return truth ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_SGT;
    case CompareKind::Ge:
      return truth ? llvm::CmpInst::ICMP_UGE : llvm::CmpInst::ICMP_SGE;
    case CompareKind::Eq:
      return llvm::CmpInst::ICMP_EQ;
    case CompareKind::Ne:
      return llvm::CmpInst::ICMP_NE;
  }
  TW_CHECK(false);
}

/// Max or Min of f16 or bf16 on their bit patterns. LLVM would narrow the f32 operation to half, which x86 code
/// generation gets wrong for NaN (LLVM 19).
llvm::Value* half_extremum(llvm::IRBuilder<>& b, bool maximum, ScalarType scalar, llvm::Value* lhs, llvm::Value* rhs) {
  const std::int64_t infinity = scalar == ScalarType::F16 ? 0x7c00 : 0x7f80;
  const std::int64_t quiet_bit = scalar == ScalarType::F16 ? 0x0200 : 0x0040;
  // As a signed integer: negative numbers in descending order of magnitude, then -0, +0, positive numbers.
  const auto key = [&](llvm::Value* x) {
    return b.CreateXor(x, b.CreateAnd(b.CreateAShr(x, integer(x, 15)), integer(x, 0x7fff)));
  };
  const auto is_nan = [&](llvm::Value* x) {
    return b.CreateICmpSGT(b.CreateAnd(x, integer(x, 0x7fff)), integer(x, infinity));
  };
  llvm::Value* greater = b.CreateICmpSGT(key(lhs), key(rhs));
  llvm::Value* chosen = maximum ? b.CreateSelect(greater, lhs, rhs) : b.CreateSelect(greater, rhs, lhs);
  llvm::Value* quiet = integer(lhs, quiet_bit);
  chosen = b.CreateSelect(is_nan(rhs), b.CreateOr(rhs, quiet), chosen);
  return b.CreateSelect(is_nan(lhs), b.CreateOr(lhs, quiet), chosen);
}

}  // namespace

llvm::Value* emit_unary(Emission& emission, UnaryKind kind, llvm::Value* value, ValueType type) {
  if (!kernel::is_float_scalar(type.scalar)) return integer_unary(emission, kind, value);
  if (type.scalar != ScalarType::F32) {
    // The sign bit alone, also of a NaN.
    if (kind == UnaryKind::Neg) return emission.builder.CreateXor(value, integer(value, 0x8000));
    if (kind == UnaryKind::Abs) return emission.builder.CreateAnd(value, integer(value, 0x7fff));
  }
  return narrow(emission, float_unary(emission, kind, widen(emission, value, type.scalar)), type.scalar);
}

llvm::Value* emit_binary(Emission& emission, BinaryKind kind, llvm::Value* lhs, llvm::Value* rhs, ValueType type) {
  const ScalarType scalar = type.scalar;
  if (!kernel::is_float_scalar(scalar)) return integer_binary(emission, kind, lhs, rhs, scalar == ScalarType::I1);
  const bool extremum = kind == BinaryKind::Max || kind == BinaryKind::Min;
  if (extremum && scalar != ScalarType::F32) {
    return half_extremum(emission.builder, kind == BinaryKind::Max, scalar, lhs, rhs);
  }
  llvm::Value* wide_lhs = widen(emission, lhs, scalar);
  llvm::Value* wide_rhs = widen(emission, rhs, scalar);
  return narrow(emission, float_binary(emission, kind, wide_lhs, wide_rhs), scalar);
}

llvm::Value* emit_compare(Emission& emission, CompareKind kind, llvm::Value* lhs, llvm::Value* rhs, ValueType type) {
  llvm::IRBuilder<>& b = emission.builder;
  if (!kernel::is_float_scalar(type.scalar)) {
    return b.CreateICmp(integer_predicate(kind, type.scalar == ScalarType::I1), lhs, rhs);
  }
  llvm::Value* wide_lhs = widen(emission, lhs, type.scalar);
  llvm::Value* wide_rhs = widen(emission, rhs, type.scalar);
  return b.CreateFCmp(float_predicate(kind), wide_lhs, wide_rhs);
}

llvm::Value* emit_fma(Emission& emission, llvm::Value* a, llvm::Value* b, llvm::Value* c, ValueType type) {
  llvm::IRBuilder<>& builder = emission.builder;
  if (!kernel::is_float_scalar(type.scalar)) return builder.CreateAdd(builder.CreateMul(a, b), c);
  TW_CHECK(type.scalar == ScalarType::F32);
  return builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* emit_fold_lanes(Emission& emission, LaneFold kind, llvm::Value* value, ValueType type) {
  llvm::IRBuilder<>& b = emission.builder;
  if (type.lanes == 1) return value;
  const ValueType scalar{type.scalar, 1};
  llvm::Value* folded = b.CreateExtractElement(value, std::uint64_t{0});
  for (std::uint64_t lane = 1; lane < type.lanes; ++lane) {
    folded = emit_binary(emission, binary_of(kind), folded, b.CreateExtractElement(value, lane), scalar);
  }
  return folded;
}

}  // namespace tilewright::emit_llvm
