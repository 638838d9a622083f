#include "proof/map_bits.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tilewright::proof {

namespace {

using tile::IndexId;
using tile::IndexKind;

constexpr std::size_t kResultBits = 63;  // values are not negative
using BitWord = std::array<ParityBit, kResultBits>;

bool is_clear(const ParityBit& bit) { return bit.mask == 0 && !bit.flip; }

ParityBit xor_of(const ParityBit& a, const ParityBit& b) { return {a.mask ^ b.mask, a.flip != b.flip}; }

std::optional<std::int64_t> constant_word(const BitWord& word) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < kResultBits; ++i) {
    if (word[i].mask != 0) return std::nullopt;
    if (word[i].flip) value |= std::int64_t{1} << i;
  }
  return value;
}

class BitReader {
 public:
  BitReader(const tile::IndexArena& arena, const std::vector<int>& input_bits) : arena_(arena), bits_(input_bits) {}

  std::optional<BitWord> read(IndexId id) const {
    const tile::IndexNode& node = arena_[id];
    if (node.kind == IndexKind::Constant) return constant(node.value);
    if (node.kind == IndexKind::Axis) return input(static_cast<std::size_t>(node.value));
    const auto lhs = read(node.lhs);
    const auto rhs = read(node.rhs);
    if (!lhs || !rhs) return std::nullopt;
    return apply(node.kind, *lhs, *rhs);
  }

 private:
  static std::optional<BitWord> constant(std::int64_t value) {
    if (value < 0) return std::nullopt;
    BitWord word{};
    for (std::size_t i = 0; i < kResultBits; ++i) word[i].flip = ((value >> i) & 1) != 0;
    return word;
  }

  BitWord input(std::size_t position) const {
    BitWord word{};
    int first = 0;
    for (std::size_t i = 0; i < position; ++i) first += bits_[i];
    for (int i = 0; i < bits_[position]; ++i) word[static_cast<std::size_t>(i)].mask = std::uint64_t{1} << (first + i);
    return word;
  }

  static std::optional<BitWord> apply(IndexKind kind, const BitWord& lhs, const BitWord& rhs) {
    const auto left = constant_word(lhs);
    const auto right = constant_word(rhs);
    if (kind == IndexKind::BitXor) return join(lhs, rhs, false);
    if (kind == IndexKind::Add) return join(lhs, rhs, true);
    if (kind == IndexKind::BitAnd && right) return mask(lhs, *right);
    if (kind == IndexKind::BitAnd && left) return mask(rhs, *left);
    if (kind == IndexKind::Mul && left && !right) return apply(kind, rhs, lhs);
    if (!right) return std::nullopt;
    if (kind == IndexKind::ShiftLeft || kind == IndexKind::ShiftRight) {
      if (*right > 62) return std::nullopt;
      return shift(lhs, kind == IndexKind::ShiftLeft ? static_cast<int>(*right) : -static_cast<int>(*right));
    }
    if (*right == 0 && kind == IndexKind::Mul) return BitWord{};
    if (!std::has_single_bit(static_cast<std::uint64_t>(*right))) return std::nullopt;
    const int power = std::countr_zero(static_cast<std::uint64_t>(*right));
    if (kind == IndexKind::Mul) return shift(lhs, power);
    if (kind == IndexKind::FloorDiv) return shift(lhs, -power);
    if (kind == IndexKind::Mod) return mask(lhs, *right - 1);
    return std::nullopt;
  }

  static std::optional<BitWord> join(const BitWord& lhs, const BitWord& rhs, bool sum) {
    BitWord word{};
    for (std::size_t i = 0; i < kResultBits; ++i) {
      if (sum && !is_clear(lhs[i]) && !is_clear(rhs[i])) return std::nullopt;  // a carry
      word[i] = xor_of(lhs[i], rhs[i]);
    }
    return word;
  }

  static BitWord mask(const BitWord& word, std::int64_t kept) {
    BitWord result{};
    for (std::size_t i = 0; i < kResultBits; ++i)
      if (((kept >> i) & 1) != 0) result[i] = word[i];
    return result;
  }

  /// Up for a positive number of places. A bit that would leave the word on the left makes the map nonlinear.
  static std::optional<BitWord> shift(const BitWord& word, int places) {
    BitWord result{};
    for (int i = 0; i < static_cast<int>(kResultBits); ++i) {
      const int target = i + places;
      const ParityBit& bit = word[static_cast<std::size_t>(i)];
      if (target >= static_cast<int>(kResultBits)) {
        if (!is_clear(bit)) return std::nullopt;
      } else if (target >= 0) {
        result[static_cast<std::size_t>(target)] = bit;
      }
    }
    return result;
  }

  const tile::IndexArena& arena_;
  const std::vector<int>& bits_;
};

/// A basis of parities in which each member alone has its leading bit.
class ParityBasis {
 public:
  /// False when the mask depends on those before it.
  bool add(std::uint64_t mask) {
    for (const std::uint64_t member : members_)
      if ((mask & std::bit_floor(member)) != 0) mask ^= member;
    if (mask == 0) return false;
    for (std::uint64_t& member : members_)
      if ((member & std::bit_floor(mask)) != 0) member ^= mask;
    members_.push_back(mask);
    return true;
  }
  const std::vector<std::uint64_t>& members() const { return members_; }

 private:
  std::vector<std::uint64_t> members_;
};

int total_bits(const BitMap& bits) {
  int total = 0;
  for (const int count : bits.input_bits) total += count;
  return total;
}

}  // namespace

std::optional<BitMap> make_bit_map(const IndexMap& map) {
  BitMap bits;
  for (const std::int64_t extent : map.inputs)
    bits.input_bits.push_back(std::bit_width(static_cast<std::uint64_t>(extent - 1)));
  if (total_bits(bits) > 64) return std::nullopt;
  const BitReader reader(map.arena, bits.input_bits);
  for (const IndexId result : map.results) {
    const auto word = reader.read(result);
    if (!word) return std::nullopt;
    bits.results.emplace_back(word->begin(), word->end());
  }
  return bits;
}

std::optional<MapPoint> bit_kernel(const BitMap& bits) {
  ParityBasis basis;
  for (const auto& result : bits.results)
    for (const ParityBit& bit : result) basis.add(bit.mask);
  std::uint64_t leading = 0;
  for (const std::uint64_t member : basis.members()) leading |= std::bit_floor(member);
  int free = 0;
  while (free < total_bits(bits) && ((leading >> free) & 1) != 0) ++free;
  if (free == total_bits(bits)) return std::nullopt;
  std::uint64_t solution = std::uint64_t{1} << free;
  for (const std::uint64_t member : basis.members())
    if ((member & solution & ~leading) != 0) solution |= std::bit_floor(member);
  MapPoint point;
  for (const int count : bits.input_bits) {
    const std::uint64_t mask = count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count);
    point.push_back(static_cast<std::int64_t>(solution & mask));
    if (count < 64) solution >>= count;
  }
  return point;
}

std::vector<MapPoint> bit_unreached(const BitMap& bits) {
  ParityBasis basis;
  std::vector<MapPoint> found;
  MapPoint origin;
  for (const auto& result : bits.results) {
    origin.push_back(0);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (result[i].flip) origin.back() |= std::int64_t{1} << i;
  }
  for (std::size_t row = 0; row < bits.results.size(); ++row)
    for (std::size_t i = 0; i < bits.results[row].size(); ++i) {
      if (basis.add(bits.results[row][i].mask)) continue;
      // On the image this bit is a function of the bits before it.
      found.push_back(origin);
      found.back()[row] ^= std::int64_t{1} << i;
    }
  return found;
}

}  // namespace tilewright::proof
