// Conversions that clang does not have.
#pragma once
#pragma clang system_header

#include "dialect.h"
#include "traits.h"

/// static_cast to a type that is no pointer or reference, and between the two 16-bit floats, which clang refuses. The
/// front end writes it where the text says static_cast (docs/emulator.md).
template <class To, class From>
EMU_INLINE constexpr To emu_static_cast(From&& from) {
  using Source = metal::emu_plain_t<__remove_reference_t(From)>;
  using Target = metal::emu_plain_t<To>;
  if constexpr (metal::emu_is_half_float<Source> && metal::emu_is_half_float<Target> && !__is_same(Source, Target))
    return To(float(from));
  else
    return static_cast<To>(from);
}
