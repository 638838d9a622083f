// Contents for inputs that the caller does not give.
//
// Every element depends on its position in the view (row-major), never on where it lies in memory.
//   dyadic       floats: (((i*s + 17) mod 127) - 63) / 64 with s = 5 for the first input, 11 for the second, 17, 23, ..
//                for the next: exact in every float type, and so are many products and sums.
//                i32: i mod 8. bool: the parity of (i*s + 17) mod 127.
//   random:SEED  floats: uniform in [-1, 1) with 53 random bits, rounded to the type. i32: uniform in [0, 8). bool:
//   fair.
// A scalar without a value gets its default; without one, floats get 1.5, i32 gets 1 and bool gets true.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tilewright/array.h>

#include "support/result.h"

namespace tilewright::driver {

struct Fill {
  enum class Kind : std::uint8_t { Dyadic, Random };
  Kind kind = Kind::Dyadic;
  std::uint64_t seed = 0;

  bool operator==(const Fill&) const = default;
};

/// "dyadic" or "random:SEED"; BadOption.
Result<Fill> parse_fill(std::string_view text);
std::string fill_text(const Fill& fill);

/// Writes the elements of the view. `input` counts the inputs of the program from 0. Where several points share an
/// element, the first along every axis of stride 0 decides, and the last along the others.
void fill_view(const ArrayView& view, const Fill& fill, int input);

/// Bits of a scalar that has neither a value nor a default.
std::uint32_t unset_scalar_bits(DataType type);

}  // namespace tilewright::driver
