// Numbers and their text: strict reading, shortest writing that reads back as the same value. Independent of the
// locale.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tilewright {

enum class NumberFault : std::uint8_t {
  Malformed,   ///< the text is not a number of this kind, or something follows it
  OutOfRange,  ///< it is a number, but it overflows the type or underflows to zero
};

template <class T>
using NumberResult = std::expected<T, NumberFault>;

/// Decimal digits, with a leading '-' where T is signed. No '+', blanks, separators or prefixes.
NumberResult<std::int32_t> parse_int32(std::string_view text);
NumberResult<std::int64_t> parse_int64(std::string_view text);
NumberResult<std::uint64_t> parse_uint64(std::string_view text);

/// [-] digits [. digits] [(e|E) [+|-] digits] with a digit before or after the point; also "nan", "inf" and their
/// negatives. Rounded once, to the nearest value of the type, ties to even.
NumberResult<float> parse_float(std::string_view text);
NumberResult<double> parse_double(std::string_view text);

/// The fewest digits that parse_float or parse_double turns back into the value, with a point or an exponent so that
/// the text never looks like an integer: "1.0", "-0.0", "0.1", "1e+30", "nan", "-nan", "inf", "-inf". The payload of a
/// NaN is not kept; its sign is.
std::string format_float(float value);
std::string format_double(double value);

}  // namespace tilewright
