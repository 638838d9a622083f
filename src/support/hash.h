// Content hashes that never change: the same bytes give the same value on every machine, in every version. They name
// programs, plans and cached artifacts.
//
// The function is MurmurHash3 (x64, 128 bits, seed 0): fast and well mixed, against accidents and not against attacks.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Hash128&) const = default;
};

Hash128 hash128(std::string_view bytes);
/// The high half of hash128.
std::uint64_t hash64(std::string_view bytes);

/// 32 lower-case hexadecimal digits, high half first; and back (nothing for any other text).
std::string hash_text(const Hash128& hash);
std::optional<Hash128> hash_from_text(std::string_view text);

/// Hashes a sequence of parts. Each part enters with its kind and length, so ("ab", "c") and ("a", "bc") differ.
class HashBuilder {
 public:
  HashBuilder& add_bytes(std::string_view bytes);
  HashBuilder& add_int(std::int64_t value);
  HashBuilder& add_hash(const Hash128& hash);
  Hash128 finish() const { return hash128(parts_); }

 private:
  void append_word(std::uint64_t word);

  std::string parts_;
};

}  // namespace tilewright
