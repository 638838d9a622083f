#include "support/hash.h"

#include <bit>
#include <cstddef>

#include "support/little_endian.h"

namespace tilewright {

namespace {

constexpr std::uint64_t kFirst = 0x87c37b91114253d5u;
constexpr std::uint64_t kSecond = 0x4cf5ad432745937fu;

std::uint64_t scramble_first(std::uint64_t word) { return std::rotl(word * kFirst, 31) * kSecond; }
std::uint64_t scramble_second(std::uint64_t word) { return std::rotl(word * kSecond, 33) * kFirst; }

std::uint64_t avalanche(std::uint64_t word) {
  word ^= word >> 33;
  word *= 0xff51afd7ed558ccdu;
  word ^= word >> 33;
  word *= 0xc4ceb9fe1a85ec53u;
  return word ^ (word >> 33);
}

std::optional<std::uint64_t> word_from_hex(std::string_view digits) {
  std::uint64_t word = 0;
  for (char c : digits) {
    const bool decimal = c >= '0' && c <= '9';
    if (!decimal && !(c >= 'a' && c <= 'f')) return std::nullopt;
    word = word * 16 + static_cast<std::uint64_t>(decimal ? c - '0' : c - 'a' + 10);
  }
  return word;
}

}  // namespace

Hash128 hash128(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    high ^= scramble_first(load_little_endian(bytes.substr(0, 8)));
    high = (std::rotl(high, 27) + low) * 5 + 0x52dce729u;
    low ^= scramble_second(load_little_endian(bytes.substr(8, 8)));
    low = (std::rotl(low, 31) + high) * 5 + 0x38495ab5u;
  }
  high ^= scramble_first(load_little_endian(bytes.substr(0, 8)));
  if (bytes.size() > 8) low ^= scramble_second(load_little_endian(bytes.substr(8)));
  high ^= length;
  low ^= length;
  high += low;
  low += high;
  high = avalanche(high);
  low = avalanche(low);
  high += low;
  low += high;
  return {high, low};
}

std::uint64_t hash64(std::string_view bytes) { return hash128(bytes).high; }

std::string hash_text(const Hash128& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::uint64_t word : {hash.high, hash.low})
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(word >> shift) & 0xfu];
  return text;
}

std::optional<Hash128> hash_from_text(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  const auto high = word_from_hex(text.substr(0, 16));
  const auto low = word_from_hex(text.substr(16));
  if (!high || !low) return std::nullopt;
  return Hash128{*high, *low};
}

void HashBuilder::append_word(std::uint64_t word) {
  for (int i = 0; i < 8; ++i) parts_ += static_cast<char>((word >> (8 * i)) & 0xffu);
}

HashBuilder& HashBuilder::add_bytes(std::string_view bytes) {
  parts_ += 'b';
  append_word(bytes.size());
  parts_ += bytes;
  return *this;
}

HashBuilder& HashBuilder::add_int(std::int64_t value) {
  parts_ += 'i';
  append_word(static_cast<std::uint64_t>(value));
  return *this;
}

HashBuilder& HashBuilder::add_hash(const Hash128& hash) {
  parts_ += 'h';
  append_word(hash.high);
  append_word(hash.low);
  return *this;
}

}  // namespace tilewright
