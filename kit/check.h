// The part of a kit's host program that knows no Metal: memory between guards, poison, and the comparison.
//
// C++17, standard library only. The rules are those of `tilewright run --check` (docs/kit.md of Tilewright).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace kit {

enum class Role { Input, Output, InOut, Temporary, Scalar };
enum class Type { F32, F16, BF16, I32, Bool };

/// One buffer of the kernels. Extents, strides, offset and counts are in elements.
struct Buffer {
  std::string name;
  Role role = Role::Input;
  Type type = Type::F32;
  std::vector<int64_t> extents, strides;
  int64_t offset = 0, elements = 0;
  int64_t bound_at = 0;  ///< the element that the kernels' pointer points to
  uint32_t bits = 0;     ///< of a scalar

  bool has_contents() const { return role == Role::Input || role == Role::InOut; }
  bool is_compared() const { return role == Role::Output || role == Role::InOut; }
};

/// What an output must hold, dense row-major.
struct Expected {
  const double* value = nullptr;
  const double* bound = nullptr;
  const uint8_t* stored = nullptr;
};

inline int64_t type_bytes(Type type) {
  if (type == Type::Bool) return 1;
  return type == Type::F16 || type == Type::BF16 ? 2 : 4;
}

inline uint32_t load_bits(Type type, const uint8_t* at) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(type_bytes(type)));  // little endian, as every Mac with Metal is
  return bits;
}

inline void store_bits(Type type, uint8_t* at, uint32_t bits) {
  std::memcpy(at, &bits, static_cast<size_t>(type_bytes(type)));
}

inline double float_of_bits(uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

inline double half_of_bits(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  double number = std::ldexp(exponent == 0 ? fraction : 1024 + fraction, std::max(exponent, 1) - 25);
  if (exponent == 31) number = fraction != 0 ? std::nan("") : HUGE_VAL;
  return (bits & 0x8000) != 0 ? -number : number;
}

/// The number that the bits stand for; exact.
inline double number_of(Type type, uint32_t bits) {
  switch (type) {
    case Type::F32:
      return float_of_bits(bits);
    case Type::F16:
      return half_of_bits(bits);
    case Type::BF16:
      return float_of_bits(bits << 16);
    case Type::I32:
      return static_cast<int32_t>(bits);
    case Type::Bool:
      break;
  }
  return bits;
}

/// f(ordinal, position) for every element of the buffer's view, row-major.
template <class F>
void for_each_element(const Buffer& buffer, F&& f) {
  int64_t count = 1;
  for (int64_t extent : buffer.extents) count *= extent;
  std::vector<int64_t> point(buffer.extents.size(), 0);
  int64_t position = buffer.offset;
  for (int64_t ordinal = 0; ordinal < count; ++ordinal) {
    f(ordinal, position);
    for (size_t d = point.size(); d-- > 0;) {
      if (++point[d] < buffer.extents[d]) {
        position += buffer.strides[d];
        break;
      }
      position -= buffer.strides[d] * (buffer.extents[d] - 1);
      point[d] = 0;
    }
  }
}

inline std::vector<int64_t> indices_of(int64_t ordinal, const std::vector<int64_t>& extents) {
  std::vector<int64_t> indices(extents.size());
  for (size_t d = extents.size(); d-- > 0; ordinal /= extents[d]) indices[d] = ordinal % extents[d];
  return indices;
}

/// The bytes of a buffer as a run finds them: a guard, the elements, a guard.
struct Image {
  std::vector<uint8_t> bytes;
  uint32_t poison = 0;  ///< of the elements that have no contents
};

/// `contents`: dense row-major, for a buffer that has them. `poison`: the pattern of the run for the buffer's type.
inline Image make_image(const Buffer& buffer, const uint8_t* contents, uint32_t poison, int64_t guard_bytes) {
  constexpr uint8_t kGuard = 0xc3;
  const int64_t size = type_bytes(buffer.type);
  Image image;
  image.bytes.assign(static_cast<size_t>(buffer.elements * size + 2 * guard_bytes), kGuard);
  // Beside contents stands another poison: copied into an output it must not pass for the output's own.
  image.poison = buffer.has_contents() ? poison ^ 1 : poison;
  uint8_t* base = image.bytes.data() + guard_bytes;
  const uint32_t rest = buffer.role == Role::Scalar ? buffer.bits : image.poison;
  for (int64_t i = 0; i < buffer.elements; ++i) store_bits(buffer.type, base + i * size, rest);
  if (buffer.has_contents())
    for_each_element(buffer, [&](int64_t ordinal, int64_t position) {
      std::memcpy(base + position * size, contents + ordinal * size, static_cast<size_t>(size));
    });
  return image;
}

enum class Kind { Right, Value, Class, Sign, Unwritten, Uninvited };

/// Whether a number agrees with the expected one and its bound. An infinite bound accepts anything; NaN demands NaN and
/// an infinity that infinity; a bound of 0 demands the number itself with the sign of zero.
inline Kind judge(double found, double expected, double bound) {
  if (!(bound < HUGE_VAL)) return Kind::Right;
  if (std::isnan(expected)) return std::isnan(found) ? Kind::Right : Kind::Class;
  if (std::isinf(expected)) {
    if (found == expected) return Kind::Right;
    return std::isinf(found) ? Kind::Sign : Kind::Class;
  }
  if (!std::isfinite(found)) return Kind::Class;
  if (bound == 0 && found == expected) return std::signbit(found) == std::signbit(expected) ? Kind::Right : Kind::Sign;
  return std::fabs(found - expected) <= bound ? Kind::Right : Kind::Value;
}

/// What the runs of a case made of one buffer.
class Verdict {
 public:
  /// Compares the memory after a run with the image before it. `run` is 0 or 1: an element whose poison stands after
  /// both was never written.
  void add(const Buffer& buffer, const Expected& expected, const Image& before, std::vector<uint8_t> after,
           int64_t guard_bytes, int run) {
    const int64_t size = type_bytes(buffer.type);
    uint8_t* base = after.data() + guard_bytes;
    const uint8_t* original = before.bytes.data() + guard_bytes;
    if (buffer.is_compared())
      for_each_element(buffer, [&](int64_t ordinal, int64_t position) {
        const uint32_t was = load_bits(buffer.type, original + position * size);
        compare(buffer, expected, ordinal, load_bits(buffer.type, base + position * size), was, run);
        store_bits(buffer.type, base + position * size, was);
      });
    if (buffer.role == Role::Temporary) std::memcpy(base, original, static_cast<size_t>(buffer.elements * size));
    int64_t changed = 0;
    for (size_t i = 0; i < after.size(); ++i) changed += after[i] != before.bytes[i] ? 1 : 0;
    outside_ = std::max(outside_, changed);
  }

  /// Marks what stayed poison in both runs; call it once, after both.
  void finish(const Buffer& buffer, const Expected& expected) {
    for (size_t i = 0; i < flags_.size(); ++i) {
      const bool unwritten = (flags_[i] & 3) == 3;
      if (unwritten) note(static_cast<int64_t>(i), Kind::Unwritten, 0, buffer, expected);
      wrong_ += unwritten || (flags_[i] & 4) != 0 ? 1 : 0;
    }
  }

  bool ok() const { return wrong_ == 0 && outside_ == 0; }
  int64_t elements() const { return static_cast<int64_t>(flags_.size()); }
  int64_t wrong() const { return wrong_; }
  int64_t outside() const { return outside_; }  ///< bytes that changed and are no element of an output
  double largest_error() const { return largest_error_; }
  /// "C[3, 4]: expected 1.5 within 1e-06, found 2"; empty when no element is wrong.
  const std::string& first_wrong() const { return first_wrong_; }

 private:
  void compare(const Buffer& buffer, const Expected& expected, int64_t ordinal, uint32_t bits, uint32_t was, int run) {
    const auto i = static_cast<size_t>(ordinal);
    if (flags_.size() <= i) flags_.resize(i + 1, 0);
    const double found = number_of(buffer.type, bits);
    if (expected.stored[i] == 0) {
      if (bits != was) note(ordinal, Kind::Uninvited, found, buffer, expected);
      return;
    }
    if (buffer.role == Role::Output && bits == was) flags_[i] |= static_cast<uint8_t>(1 << run);
    const Kind kind = judge(found, expected.value[i], expected.bound[i]);
    const double error = std::fabs(found - expected.value[i]);
    if (std::isfinite(error) && std::isfinite(expected.bound[i])) largest_error_ = std::max(largest_error_, error);
    if (kind != Kind::Right) note(ordinal, kind, found, buffer, expected);
  }

  void note(int64_t ordinal, Kind kind, double found, const Buffer& buffer, const Expected& expected) {
    const auto i = static_cast<size_t>(ordinal);
    if (kind != Kind::Unwritten) flags_[i] |= 4;
    // The first element counts; that it was never written outranks what its poison looks like.
    if (first_ >= 0 && (first_ < ordinal || (first_ == ordinal && kind != Kind::Unwritten))) return;
    first_ = ordinal;
    std::string place = buffer.name;
    const std::vector<int64_t> indices = indices_of(ordinal, buffer.extents);
    for (size_t d = 0; d < indices.size(); ++d) place += (d == 0 ? "[" : ", ") + std::to_string(indices[d]);
    if (!indices.empty()) place += "]";
    char text[160];
    if (kind == Kind::Unwritten)
      std::snprintf(text, sizeof text, " was never written; expected %.9g", expected.value[i]);
    else if (kind == Kind::Uninvited)
      std::snprintf(text, sizeof text, " = %.9g was written, but the program stores nothing there", found);
    else
      std::snprintf(text, sizeof text, ": expected %.9g within %.3g, found %.9g", expected.value[i], expected.bound[i],
                    found);
    first_wrong_ = place + text;
  }

  std::vector<uint8_t> flags_;  ///< 1, 2: the poison stood after run 0, run 1; 4: wrong
  int64_t wrong_ = 0, outside_ = 0, first_ = -1;
  double largest_error_ = 0;
  std::string first_wrong_;
};

struct Spread {
  double median = 0, least = 0, most = 0;
};

/// Premise: at least one sample.
inline Spread spread_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front(), samples.back()};
}

}  // namespace kit
