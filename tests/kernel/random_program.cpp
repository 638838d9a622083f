#include "random_program.h"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/builder.h"

namespace tilewright::kernel {

namespace {

constexpr std::array kScalars = {ScalarType::I1,  ScalarType::I32,  ScalarType::I64,
                                 ScalarType::F16, ScalarType::BF16, ScalarType::F32};
constexpr std::array<std::uint16_t, 4> kLanes = {1, 2, 5, 16};
constexpr std::array kFloatUnaries = {UnaryKind::Neg,  UnaryKind::Abs, UnaryKind::Exp, UnaryKind::Log,  UnaryKind::Sqrt,
                                      UnaryKind::Tanh, UnaryKind::Sin, UnaryKind::Cos, UnaryKind::Floor};
constexpr std::array kFloatBinaries = {BinaryKind::Add,  BinaryKind::Sub, BinaryKind::Mul, BinaryKind::Div,
                                       BinaryKind::Fmod, BinaryKind::Max, BinaryKind::Min};
constexpr std::array kIntegerBinaries = {BinaryKind::Add,      BinaryKind::Sub, BinaryKind::Mul, BinaryKind::FloorDiv,
                                         BinaryKind::FloorMod, BinaryKind::Max, BinaryKind::Min, BinaryKind::And,
                                         BinaryKind::Or,       BinaryKind::Xor, BinaryKind::Shl, BinaryKind::Shr};
constexpr std::array kTruthBinaries = {BinaryKind::And, BinaryKind::Or, BinaryKind::Xor, BinaryKind::Max,
                                       BinaryKind::Min};

class Generator {
 public:
  Generator(std::uint64_t seed, int size) : random_(seed), size_(size), builder_("random") {}

  Program run() {
    for (ScalarType scalar : kScalars) {
      const std::string name = scalar_name(scalar);
      readable_.push_back(Memory(builder_.argument("in_" + name, scalar, Access::Read, kRandomCount)));
      writable_.push_back(Memory(builder_.argument("sink_" + name, scalar, Access::Write, kRandomCount)));
      readable_.push_back(Memory(builder_.argument("out_" + name, scalar, Access::ReadWrite, kRandomCount)));
      writable_.push_back(readable_.back());
      readable_.push_back(Memory(builder_.temporary("temp_" + name, scalar, kRandomCount)));
      writable_.push_back(readable_.back());
      fill_.push_back(readable_.back());
      numbers_.push_back(Memory(builder_.scalar("number_" + name, scalar)));
    }
    const int kernels = pick(1, 3);
    for (int i = 0; i < kernels; ++i) kernel(i);
    return builder_.finish();
  }

 private:
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  template <class List>
  auto any_of(const List& list) {
    return list[static_cast<std::size_t>(pick(0, static_cast<int>(std::size(list)) - 1))];
  }
  ValueType any_type() { return {any_of(kScalars), any_of(kLanes)}; }

  void kernel(int index) {
    std::vector<std::int64_t> extents;
    for (int rank = pick(0, 3); rank > 0; --rank) extents.push_back(pick(0, 8) == 0 ? 0 : pick(1, 3));
    values_ = builder_.begin_kernel(fmt::format("k{}", index), extents);
    const std::size_t readable = readable_.size(), writable = writable_.size();
    std::vector<MemoryRef> fill = fill_;
    for (int i = pick(0, 3); i > 0; --i) {
      const auto space = pick(0, 1) == 0 ? AllocationSpace::Private : AllocationSpace::Shared;
      fill.push_back(Memory(builder_.allocation("memory", space, any_of(kScalars), kRandomCount)));
      readable_.push_back(fill.back());
      writable_.push_back(fill.back());
    }
    builder_.loop(builder_.const_i64(0), builder_.const_i64(kRandomCount), 1, [&](ValueId at) {
      for (MemoryRef memory : fill) builder_.store(memory, at, constant({builder_.scalar_of(memory), 1}));
    });
    block(0);
    builder_.end_kernel();
    readable_.resize(readable);
    writable_.resize(writable);
  }

  void block(int depth) {
    const int count = pick(1, size_);
    for (int i = 0; i < count; ++i) {
      const int choice = pick(0, 19);
      if (choice < 2 && depth < 3)
        control(depth);
      else if (choice < 5)
        store();
      else
        values_.push_back(operation());
    }
  }

  void control(int depth) {
    const std::size_t outer = values_.size();
    std::vector<ValueType> types;
    for (int i = pick(0, 3); i > 0; --i) types.push_back(any_type());
    const std::vector<ValueId> results = pick(0, 1) == 0 ? loop(depth, types, outer) : branch(depth, types, outer);
    values_.insert(values_.end(), results.begin(), results.end());
  }

  std::vector<ValueId> loop(int depth, const std::vector<ValueType>& types, std::size_t outer) {
    const std::vector<ValueId> inits = of_types(types);
    const ValueId low = builder_.const_i64(pick(-3, 3)), high = builder_.const_i64(pick(-3, 5));
    const Builder::Loop opened = builder_.begin_loop(low, high, pick(1, 3), inits);
    values_.push_back(opened.index);
    values_.insert(values_.end(), opened.carries.begin(), opened.carries.end());
    block(depth + 1);
    std::vector<ValueId> yields = of_types(types);
    values_.resize(outer);
    return builder_.end_loop(std::move(yields));
  }

  std::vector<ValueId> branch(int depth, const std::vector<ValueType>& types, std::size_t outer) {
    builder_.begin_if(of_type({ScalarType::I1, 1}));
    block(depth + 1);
    if (types.empty() && pick(0, 1) == 0) {
      values_.resize(outer);
      return builder_.end_if();
    }
    std::vector<ValueId> yields = of_types(types);
    values_.resize(outer);
    builder_.begin_else(std::move(yields));
    if (pick(0, 3) != 0) block(depth + 1);
    yields = of_types(types);
    values_.resize(outer);
    return builder_.end_if(std::move(yields));
  }

  std::vector<ValueId> of_types(const std::vector<ValueType>& types) {
    std::vector<ValueId> ids;
    for (ValueType type : types) ids.push_back(of_type(type));
    return ids;
  }

  /// A value in scope of that type, or a new constant.
  ValueId of_type(ValueType type) {
    std::vector<ValueId> found;
    for (ValueId id : values_)
      if (builder_.type(id) == type) found.push_back(id);
    if (found.empty() || pick(0, 4) == 0) {
      values_.push_back(constant(type));
      return values_.back();
    }
    return any_of(found);
  }

  ValueId constant(ValueType type) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 12> kFloats = {0.0,  -0.0,      1.0,        -1.5,
                                                0.1,  1e30,      -1e-30,     65504.0,
                                                1e-7, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
    constexpr std::array<std::int64_t, 6> kIntegers = {0, 1, -1, 7, INT64_MIN, INT64_MAX};
    switch (type.scalar) {
      case ScalarType::I1:
        return builder_.const_bool(pick(0, 1) == 1, type.lanes);
      case ScalarType::I32:
        return builder_.const_i32(static_cast<std::int32_t>(random_()), type.lanes);
      case ScalarType::I64:
        return builder_.const_i64(any_of(kIntegers), type.lanes);
      case ScalarType::F16:
      case ScalarType::BF16:
      case ScalarType::F32:
        return builder_.const_float(type.scalar, any_of(kFloats), type.lanes);
    }
    return {};
  }

  ValueId operation() {
    const ValueType type = any_type();
    const bool truth = type.scalar == ScalarType::I1, floating = is_float_scalar(type.scalar);
    switch (pick(0, 10)) {
      case 0:
        return constant(type);
      case 1:
        return builder_.unary(unary_kind(type), of_type(type));
      case 2: {
        const BinaryKind kind =
            truth ? any_of(kTruthBinaries) : (floating ? any_of(kFloatBinaries) : any_of(kIntegerBinaries));
        return builder_.binary(kind, of_type(type), of_type(type));
      }
      case 3:
        return builder_.compare(static_cast<CompareKind>(pick(0, 5)), of_type(type), of_type(type));
      case 4: {
        const ValueId condition = of_type({ScalarType::I1, pick(0, 1) == 0 ? type.lanes : std::uint16_t{1}});
        return builder_.select(condition, of_type(type), of_type(type));
      }
      case 5:
        return builder_.cast(any_of(kScalars), of_type(type));
      case 6: {
        const bool fusable = type.scalar == ScalarType::F32 || (!floating && !truth);
        const ValueType fused{fusable ? type.scalar : ScalarType::F32, type.lanes};
        return builder_.fma(of_type(fused), of_type(fused), of_type(fused));
      }
      case 7:
        return builder_.splat(of_type({type.scalar, 1}), type.lanes);
      case 8:
        if (type.lanes % 2 == 0 && pick(0, 1) == 0) return builder_.zip(of_type(type), of_type(type), pick(0, 1) == 0);
        return builder_.iota(pick(0, 1) == 0 ? ScalarType::I32 : ScalarType::I64, type.lanes);
      case 9: {
        if (pick(0, 1) == 0) return extract(type);
        return builder_.fold_lanes(truth ? LaneFold::Max : static_cast<LaneFold>(pick(0, 2)), of_type(type));
      }
      default:
        return load();
    }
  }

  ValueId extract(ValueType type) {
    const auto lanes = static_cast<std::uint16_t>(pick(1, type.lanes));
    const auto lane = static_cast<std::uint16_t>(pick(0, type.lanes - lanes));
    return builder_.extract(of_type(type), lane, lanes);
  }

  UnaryKind unary_kind(ValueType type) {
    if (type.scalar == ScalarType::I1) return UnaryKind::Not;
    if (is_float_scalar(type.scalar)) return any_of(kFloatUnaries);
    return pick(0, 1) == 0 ? UnaryKind::Neg : UnaryKind::Abs;
  }

  ValueId index(std::uint16_t lanes) {
    const ValueId start = builder_.const_i64(kRandomCount - lanes + 1);
    return builder_.binary(BinaryKind::FloorMod, of_type({ScalarType::I64, 1}), start);
  }
  ValueId mask(std::uint16_t lanes) { return pick(0, 1) == 0 ? ValueId{} : of_type({ScalarType::I1, lanes}); }

  ValueId load() {
    if (pick(0, 4) == 0) return builder_.load(any_of(numbers_), builder_.const_i64(0));
    const MemoryRef memory = any_of(readable_);
    const std::uint16_t lanes = any_of(kLanes);
    const ValueId at = index(lanes);
    return builder_.load(memory, at, lanes, mask(lanes));
  }

  void store() {
    const MemoryRef memory = any_of(writable_);
    const std::uint16_t lanes = any_of(kLanes);
    const ValueId at = index(lanes);
    const ValueId stored = of_type({builder_.scalar_of(memory), lanes});
    builder_.store(memory, at, stored, mask(lanes));
  }

  std::mt19937_64 random_;
  int size_;
  Builder builder_;
  std::vector<ValueId> values_;  ///< in scope
  std::vector<MemoryRef> readable_, writable_, fill_, numbers_;
};

}  // namespace

Program random_program(std::uint64_t seed, int size) { return Generator(seed, size).run(); }

}  // namespace tilewright::kernel
