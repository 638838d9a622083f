#include "support/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "support/check.h"

namespace tilewright {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class T>
NumberResult<T> from_whole_text(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stopped != end) return std::unexpected(NumberFault::Malformed);
  if (error != std::errc{}) return std::unexpected(NumberFault::OutOfRange);
  return value;
}

/// std::from_chars also takes "infinity", "nan(...)" and other cases of letters.
template <class T>
NumberResult<T> parse_floating(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view magnitude = negative ? text.substr(1) : text;
  const T sign = negative ? T{-1} : T{1};
  if (magnitude == "inf") return std::copysign(std::numeric_limits<T>::infinity(), sign);
  if (magnitude == "nan") return std::copysign(std::numeric_limits<T>::quiet_NaN(), sign);
  if (magnitude.empty() || !(is_digit(magnitude.front()) || magnitude.front() == '.'))
    return std::unexpected(NumberFault::Malformed);
  return from_whole_text<T>(text);
}

/// Between these bounds the text has no exponent.
constexpr double kFixedFrom = 1e-4;
constexpr double kFixedBelow = 1e16;

template <class T>
std::string format_floating(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double magnitude = std::abs(static_cast<double>(value));
  const bool fixed = magnitude == 0 || (magnitude >= kFixedFrom && magnitude < kFixedBelow);
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          fixed ? std::chars_format::fixed : std::chars_format::scientific);
  TW_CHECK(error == std::errc{});
  std::string result(text.data(), end);
  if (fixed && result.find('.') == std::string::npos) result += ".0";
  return result;
}

}  // namespace

NumberResult<std::int32_t> parse_int32(std::string_view text) { return from_whole_text<std::int32_t>(text); }
NumberResult<std::int64_t> parse_int64(std::string_view text) { return from_whole_text<std::int64_t>(text); }
NumberResult<std::uint64_t> parse_uint64(std::string_view text) { return from_whole_text<std::uint64_t>(text); }
NumberResult<float> parse_float(std::string_view text) { return parse_floating<float>(text); }
NumberResult<double> parse_double(std::string_view text) { return parse_floating<double>(text); }

std::string format_float(float value) { return format_floating(value); }
std::string format_double(double value) { return format_floating(value); }

}  // namespace tilewright
