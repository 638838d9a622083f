// exp, tanh and log as arithmetic, on scalars and vectors alike: the same bits in every lane, whatever their number.
//
// Coefficients: scripts/minimax. a * b + c is one fused operation where the target has it, and two operations
// elsewhere.
#include <initializer_list>
#include <limits>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "emit/llvm/emit_internal.h"

namespace tilewright::emit_llvm {

namespace {

constexpr double kLog2E = 0x1.715476p+0;
/// Its product with a whole number below 2^9 is exact.
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;
/// Added to a number below 2^22 it leaves the nearest whole number in the low bits.
constexpr double kRounder = 0x1.8p23;

/// f32 and i32 of the lanes of one value.
class Lanes {
 public:
  Lanes(Emission& emission, llvm::Value* like)
      : b_(emission.builder),
        machine_(emission.machine),
        f32_(like->getType()->getWithNewType(b_.getFloatTy())),
        i32_(like->getType()->getWithNewType(b_.getInt32Ty())) {}

  llvm::Value* number(double value) const { return llvm::ConstantFP::get(f32_, value); }
  llvm::Value* integer(std::uint32_t value) const { return llvm::ConstantInt::get(i32_, value); }
  llvm::Value* bits(llvm::Value* value) const { return b_.CreateBitCast(value, i32_); }
  llvm::Value* of_bits(llvm::Value* value) const { return b_.CreateBitCast(value, f32_); }
  llvm::Value* whole(llvm::Value* value) const { return b_.CreateSIToFP(value, f32_); }

  llvm::Value* mul_add(llvm::Value* a, llvm::Value* x, llvm::Value* c) const {
    if (machine_.fuses) return b_.CreateIntrinsic(llvm::Intrinsic::fma, {f32_}, {a, x, c});
    return b_.CreateFAdd(b_.CreateFMul(a, x), c);
  }
  /// Coefficients with the highest power first.
  llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> coefficients) const {
    llvm::Value* sum = nullptr;
    for (double coefficient : coefficients) {
      sum = sum == nullptr ? number(coefficient) : mul_add(sum, x, number(coefficient));
    }
    return sum;
  }
  /// At most `high`; a NaN stays.
  llvm::Value* at_most(llvm::Value* x, double high) const {
    return b_.CreateSelect(b_.CreateFCmpOLT(number(high), x), number(high), x);
  }
  /// x * 2^n, rounded once, or 0 where `vanishes`. n: whole, in `whole` as f32 and in `n` as i32; at most 254 in
  /// magnitude.
  llvm::Value* scaled(llvm::Value* x, llvm::Value* n, llvm::Value* whole, llvm::Value* vanishes) const {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(f32_);
    if (machine_.scales && vector != nullptr && vector->getNumElements() == 16) {
      constexpr std::uint32_t kCurrentRounding = 4;
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                {x, whole, number(0), b_.CreateBitCast(b_.CreateNot(vanishes), b_.getInt16Ty()),
                                 b_.getInt32(kCurrentRounding)});
    }
    // Both powers are normal numbers, and the first product is exact.
    llvm::Value* half = b_.CreateAShr(n, integer(1));
    llvm::Value* product = b_.CreateFMul(b_.CreateFMul(x, power_of_two(half)), power_of_two(b_.CreateSub(n, half)));
    return b_.CreateSelect(vanishes, number(0), product);
  }

 private:
  llvm::Value* power_of_two(llvm::Value* n) const {
    return of_bits(b_.CreateShl(b_.CreateAdd(n, integer(127)), integer(23)));
  }

  llvm::IRBuilder<>& b_;
  const Machine& machine_;
  llvm::Type* f32_;
  llvm::Type* i32_;
};

}  // namespace

llvm::Value* emit_exp(Emission& emission, llvm::Value* value) {
  llvm::IRBuilder<>& b = emission.builder;
  const Lanes lanes(emission, value);
  // exp(-104) rounds to 0 and exp(89) to infinity. A processor takes long over products that underflow, and numbers
  // far below, -Inf above all, are common: they do not get that far.
  llvm::Value* vanishes = b.CreateFCmpOLT(value, lanes.number(-104.0));
  llvm::Value* x = b.CreateSelect(vanishes, lanes.number(0), lanes.at_most(value, 89.0));
  llvm::Value* rounded = lanes.mul_add(x, lanes.number(kLog2E), lanes.number(kRounder));
  llvm::Value* n = b.CreateSub(lanes.bits(rounded), lanes.bits(lanes.number(kRounder)));
  llvm::Value* whole = b.CreateFSub(rounded, lanes.number(kRounder));
  llvm::Value* r = lanes.mul_add(whole, lanes.number(-kLn2High), x);
  r = lanes.mul_add(whole, lanes.number(-kLn2Low), r);
  llvm::Value* p = lanes.polynomial(r, {0x1.6a23ccp-10, 0x1.123a2p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2});
  llvm::Value* above_one = lanes.mul_add(b.CreateFMul(p, r), r, r);
  return lanes.scaled(b.CreateFAdd(above_one, lanes.number(1)), n, whole, vanishes);
}

llvm::Value* emit_tanh(Emission& emission, llvm::Value* value) {
  llvm::IRBuilder<>& b = emission.builder;
  const Lanes lanes(emission, value);
  llvm::Value* sign = b.CreateAnd(lanes.bits(value), lanes.integer(0x80000000u));
  llvm::Value* x = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value* square = b.CreateFMul(x, x);
  llvm::Value* p =
      lanes.polynomial(square, {-0x1.75e1d2p-8, 0x1.52269cp-6, -0x1.b83c5ap-5, 0x1.110726p-3, -0x1.555532p-2});
  llvm::Value* small = lanes.mul_add(b.CreateFMul(p, square), x, x);
  llvm::Value* denominator = b.CreateFAdd(emit_exp(emission, b.CreateFAdd(x, x)), lanes.number(1));
  llvm::Value* large = b.CreateFSub(lanes.number(1), b.CreateFDiv(lanes.number(2), denominator));
  llvm::Value* magnitude = b.CreateSelect(b.CreateFCmpOLT(x, lanes.number(0.625)), small, large);
  return lanes.of_bits(b.CreateOr(lanes.bits(magnitude), sign));
}

llvm::Value* emit_log(Emission& emission, llvm::Value* value) {
  llvm::IRBuilder<>& b = emission.builder;
  const Lanes lanes(emission, value);
  llvm::Value* subnormal = b.CreateFCmpOLT(value, lanes.number(0x1p-126));
  llvm::Value* x = b.CreateSelect(subnormal, b.CreateFMul(value, lanes.number(0x1p23)), value);
  // x = 2^n * m with m in [sqrt(1/2), sqrt(2)): the bits above those of sqrt(1/2) count the powers.
  constexpr std::uint32_t kRootHalf = 0x3f3504f3;
  llvm::Value* above = b.CreateSub(lanes.bits(x), lanes.integer(kRootHalf));
  llvm::Value* n = b.CreateAShr(above, lanes.integer(23));
  llvm::Value* m = lanes.of_bits(b.CreateAdd(b.CreateAnd(above, lanes.integer(0x7fffff)), lanes.integer(kRootHalf)));
  llvm::Value* whole = lanes.whole(b.CreateSub(n, b.CreateSelect(subnormal, lanes.integer(23), lanes.integer(0))));
  llvm::Value* f = b.CreateFSub(m, lanes.number(1));
  llvm::Value* square = b.CreateFMul(f, f);
  llvm::Value* p = lanes.polynomial(f, {0x1.145734p-4, -0x1.de3bacp-4, 0x1.e6f064p-4, -0x1.fc2218p-4, 0x1.23376ap-3,
                                        -0x1.555c4cp-3, 0x1.99a4b6p-3, -0x1.000006p-2, 0x1.555548p-2});
  llvm::Value* tail = b.CreateFMul(b.CreateFMul(p, f), square);
  tail = lanes.mul_add(whole, lanes.number(kLn2Low), tail);
  tail = lanes.mul_add(square, lanes.number(-0.5), tail);
  llvm::Value* result = lanes.mul_add(whole, lanes.number(kLn2High), b.CreateFAdd(f, tail));

  const double infinity = std::numeric_limits<double>::infinity();
  // Infinity and NaN are their own logarithms.
  result = b.CreateSelect(b.CreateFCmpOLT(value, lanes.number(infinity)), result, value);
  result = b.CreateSelect(b.CreateFCmpOEQ(value, lanes.number(0)), lanes.number(-infinity), result);
  llvm::Value* nan = lanes.number(std::numeric_limits<double>::quiet_NaN());
  return b.CreateSelect(b.CreateFCmpOLT(value, lanes.number(0)), nan, result);
}

}  // namespace tilewright::emit_llvm
