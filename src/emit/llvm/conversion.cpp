// Types, constants and casts. f16 and bf16 follow support/half.h.
#include <bit>

#include <llvm/ADT/APFloat.h>
#include <llvm/IR/Intrinsics.h>

#include "emit/llvm/emit_internal.h"
#include "support/check.h"

namespace tilewright::emit_llvm {

namespace {

llvm::Type* scalar_type(llvm::LLVMContext& context, ScalarType scalar) {
  switch (scalar) {
    case ScalarType::I1:
      return llvm::Type::getInt1Ty(context);
    case ScalarType::I32:
      return llvm::Type::getInt32Ty(context);
    case ScalarType::I64:
      return llvm::Type::getInt64Ty(context);
    case ScalarType::F16:
    case ScalarType::BF16:
      return llvm::Type::getInt16Ty(context);
    case ScalarType::F32:
      return llvm::Type::getFloatTy(context);
  }
  TW_CHECK(false);
}

/// `element` with the lanes of `like`.
llvm::Type* with_lanes_of(llvm::Value* like, llvm::Type* element) { return like->getType()->getWithNewType(element); }

const llvm::fltSemantics& semantics_of(ScalarType scalar) {
  if (scalar == ScalarType::F16) return llvm::APFloat::IEEEhalf();
  if (scalar == ScalarType::BF16) return llvm::APFloat::BFloat();
  return llvm::APFloat::IEEEsingle();
}

/// Constants of the type of `like`: splats where it is a vector.
struct Bits {
  llvm::IRBuilder<>& b;
  llvm::Type* type;
  llvm::Value* operator()(std::uint64_t value) const { return llvm::ConstantInt::get(type, value); }
};

llvm::Value* widen_f16_by_parts(llvm::IRBuilder<>& b, llvm::Value* half) {
  llvm::Type* i32 = with_lanes_of(half, b.getInt32Ty());
  llvm::Type* f32 = with_lanes_of(half, b.getFloatTy());
  const Bits bits{b, i32};
  llvm::Value* word = b.CreateZExt(half, i32);
  llvm::Value* sign = b.CreateShl(b.CreateAnd(word, bits(0x8000)), bits(16));
  llvm::Value* shifted = b.CreateShl(b.CreateAnd(word, bits(0x7fff)), bits(13));
  llvm::Value* exponent = b.CreateAnd(shifted, bits(0x1fu << 23));
  llvm::Value* rebased = b.CreateAdd(shifted, bits(112u << 23));
  // Infinity and NaN need the largest exponent; a subnormal becomes exact by one subtraction of 2^-14.
  llvm::Value* special = b.CreateAdd(shifted, bits(224u << 23));
  llvm::Value* tiny =
      b.CreateFSub(b.CreateBitCast(b.CreateAdd(shifted, bits(113u << 23)), f32), llvm::ConstantFP::get(f32, 0x1p-14));
  llvm::Value* magnitude = b.CreateSelect(b.CreateICmpEQ(exponent, bits(0x1fu << 23)), special, rebased);
  magnitude = b.CreateSelect(b.CreateICmpEQ(exponent, bits(0)), b.CreateBitCast(tiny, i32), magnitude);
  return b.CreateBitCast(b.CreateOr(magnitude, sign), f32);
}

llvm::Value* narrow_f16_by_parts(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* i32 = with_lanes_of(value, b.getInt32Ty());
  llvm::Type* f32 = with_lanes_of(value, b.getFloatTy());
  const Bits bits{b, i32};
  llvm::Value* word = b.CreateBitCast(value, i32);
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(word, bits(16)), bits(0x8000));
  llvm::Value* magnitude = b.CreateAnd(word, bits(0x7fffffff));

  llvm::Value* odd = b.CreateAnd(b.CreateLShr(magnitude, bits(13)), bits(1));
  llvm::Value* bias = bits(std::uint32_t{0xfff} - (112u << 23));
  llvm::Value* normal = b.CreateLShr(b.CreateAdd(b.CreateAdd(magnitude, bias), odd), bits(13));
  // The unit in the last place of 0.5 is 2^-24, that of f16's subnormals: the addition rounds at the right bit.
  llvm::Value* sum = b.CreateFAdd(b.CreateBitCast(magnitude, f32), llvm::ConstantFP::get(f32, 0.5));
  llvm::Value* tiny = b.CreateSub(b.CreateBitCast(sum, i32), bits(126u << 23));
  llvm::Value* payload = b.CreateAnd(b.CreateLShr(magnitude, bits(13)), bits(0x3ff));
  llvm::Value* nan = b.CreateOr(payload, bits(0x7e00));

  llvm::Value* result = b.CreateSelect(b.CreateICmpULT(magnitude, bits(113u << 23)), tiny, normal);
  result = b.CreateSelect(b.CreateICmpUGE(magnitude, bits(143u << 23)), bits(0x7c00), result);
  result = b.CreateSelect(b.CreateICmpUGT(magnitude, bits(255u << 23)), nan, result);
  return b.CreateTrunc(b.CreateOr(result, sign), with_lanes_of(value, b.getInt16Ty()));
}

llvm::Value* narrow_bf16(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* i32 = with_lanes_of(value, b.getInt32Ty());
  const Bits bits{b, i32};
  llvm::Value* word = b.CreateBitCast(value, i32);
  llvm::Value* high = b.CreateLShr(word, bits(16));
  llvm::Value* odd = b.CreateAnd(high, bits(1));
  llvm::Value* rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(word, bits(0x7fff)), odd), bits(16));
  llvm::Value* is_nan = b.CreateICmpUGT(b.CreateAnd(word, bits(0x7fffffff)), bits(0x7f800000));
  llvm::Value* chosen = b.CreateSelect(is_nan, b.CreateOr(high, bits(0x40)), rounded);
  return b.CreateTrunc(chosen, with_lanes_of(value, b.getInt16Ty()));
}

/// An integer whose conversion to f32 is exact and which rounds to bf16 as `value` does: all but the leading ten to 24
/// bits of the magnitude are folded into one sticky bit. Without it f32 would round first, and twice is not once.
llvm::Value* squeeze_for_bf16(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* i64 = with_lanes_of(value, b.getInt64Ty());
  const Bits bits{b, i64};
  llvm::Value* wide = b.CreateSExt(value, i64);
  llvm::Value* negative = b.CreateICmpSLT(wide, bits(0));
  llvm::Value* magnitude = b.CreateSelect(negative, b.CreateNeg(wide), wide);
  llvm::Value* result = magnitude;
  for (unsigned dropped : {14u, 28u, 42u}) {
    const std::uint64_t low_mask = (std::uint64_t{1} << dropped) - 1;
    llvm::Value* lost = b.CreateICmpNE(b.CreateAnd(magnitude, bits(low_mask)), bits(0));
    llvm::Value* sticky = b.CreateShl(b.CreateZExt(lost, i64), bits(dropped));
    llvm::Value* kept = b.CreateOr(b.CreateAnd(magnitude, bits(~low_mask)), sticky);
    llvm::Value* needed = b.CreateICmpUGE(magnitude, bits(std::uint64_t{1} << (dropped + 10)));
    result = b.CreateSelect(needed, kept, result);
  }
  // The magnitude of the smallest integer is unsigned; its negation wraps back to it.
  return b.CreateSelect(negative, b.CreateNeg(result), result);
}

llvm::Value* integer_to_float(Emission& emission, llvm::Value* value, ScalarType from, ScalarType to) {
  llvm::IRBuilder<>& b = emission.builder;
  llvm::Type* f32 = with_lanes_of(value, b.getFloatTy());
  if (from == ScalarType::I1) return narrow(emission, b.CreateUIToFP(value, f32), to);
  if (to == ScalarType::BF16) value = squeeze_for_bf16(b, value);
  // For f16 rounding through f32 is rounding once: integers below 2^24 are exact, larger ones are infinite in f16.
  return narrow(emission, b.CreateSIToFP(value, f32), to);
}

llvm::Value* float_to_integer(Emission& emission, llvm::Value* value, ScalarType from, ScalarType to) {
  llvm::IRBuilder<>& b = emission.builder;
  llvm::Value* wide = widen(emission, value, from);
  if (to == ScalarType::I1) return b.CreateFCmpUNE(wide, llvm::ConstantFP::get(wide->getType(), 0.0));
  llvm::Type* type = with_lanes_of(value, scalar_type(b.getContext(), to));
  return b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {type, wide->getType()}, {wide});
}

llvm::Value* integer_to_integer(Emission& emission, llvm::Value* value, ScalarType from, ScalarType to) {
  llvm::IRBuilder<>& b = emission.builder;
  if (to == ScalarType::I1) return b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  llvm::Type* type = with_lanes_of(value, scalar_type(b.getContext(), to));
  return from == ScalarType::I1 ? b.CreateZExt(value, type) : b.CreateSExtOrTrunc(value, type);
}

}  // namespace

llvm::Type* type_of_value(Emission& emission, ValueType type) {
  llvm::Type* scalar = scalar_type(emission.builder.getContext(), type.scalar);
  return type.lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, type.lanes);
}

llvm::Type* type_of_element(Emission& emission, ScalarType scalar) {
  if (scalar == ScalarType::I1) return emission.builder.getInt8Ty();
  return scalar_type(emission.builder.getContext(), scalar);
}

llvm::Value* emit_constant(Emission& emission, ValueType type, std::int64_t integer) {
  llvm::Type* llvm_type = type_of_value(emission, type);
  if (!kernel::is_float_scalar(type.scalar)) {
    if (type.scalar == ScalarType::I1) integer = integer != 0;
    return llvm::ConstantInt::get(llvm_type, static_cast<std::uint64_t>(integer));
  }
  llvm::APFloat value(std::bit_cast<double>(integer));
  bool loses_info = false;
  value.convert(semantics_of(type.scalar), llvm::APFloat::rmNearestTiesToEven, &loses_info);
  if (type.scalar == ScalarType::F32) return llvm::ConstantFP::get(llvm_type, value);
  return llvm::ConstantInt::get(llvm_type, value.bitcastToAPInt());
}

llvm::Value* widen(Emission& emission, llvm::Value* value, ScalarType from) {
  llvm::IRBuilder<>& b = emission.builder;
  if (from == ScalarType::F32) return value;
  llvm::Type* f32 = with_lanes_of(value, b.getFloatTy());
  if (from == ScalarType::BF16) {
    llvm::Type* i32 = with_lanes_of(value, b.getInt32Ty());
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, i32), llvm::ConstantInt::get(i32, 16)), f32);
  }
  if (!emission.machine.converts_f16) return widen_f16_by_parts(b, value);
  return b.CreateFPExt(b.CreateBitCast(value, with_lanes_of(value, b.getHalfTy())), f32);
}

llvm::Value* narrow(Emission& emission, llvm::Value* value, ScalarType to) {
  llvm::IRBuilder<>& b = emission.builder;
  if (to == ScalarType::F32) return value;
  if (to == ScalarType::BF16) return narrow_bf16(b, value);
  if (!emission.machine.converts_f16) return narrow_f16_by_parts(b, value);
  llvm::Value* half = b.CreateFPTrunc(value, with_lanes_of(value, b.getHalfTy()));
  return b.CreateBitCast(half, with_lanes_of(value, b.getInt16Ty()));
}

llvm::Value* emit_cast(Emission& emission, llvm::Value* value, ValueType from, ValueType to) {
  TW_CHECK(from.lanes == to.lanes);
  if (from.scalar == to.scalar) return value;
  const bool from_float = kernel::is_float_scalar(from.scalar);
  const bool to_float = kernel::is_float_scalar(to.scalar);
  if (from_float && to_float) return narrow(emission, widen(emission, value, from.scalar), to.scalar);
  if (from_float) return float_to_integer(emission, value, from.scalar, to.scalar);
  if (to_float) return integer_to_float(emission, value, from.scalar, to.scalar);
  return integer_to_integer(emission, value, from.scalar, to.scalar);
}

}  // namespace tilewright::emit_llvm
