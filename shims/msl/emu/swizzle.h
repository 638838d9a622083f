// A selection of components: `v.xyz`, `v.bg`. It lies over the components of the vector that it belongs to, and reads
// and writes those it names and no others. V is the vector that it stands for; being a template argument, it lends the
// selection its operators.
#pragma once
#pragma clang system_header

#include "dialect.h"
#include "traits.h"

namespace metal {

template <class T, int N>
struct vec;

template <class V, class T, int N, int... index>
struct emu_selection {
  T emu_d[N];

  emu_selection() = default;
  emu_selection(const emu_selection&) = default;
  EMU_IF_CONSTANT(template <class W, class = enable_if_t<__is_same(W, V)>>
                  EMU_INLINE emu_selection(const constant emu_selection<W, T, N, index...>& other) {
                    ((emu_d[index] = other.emu_d[index]), ...);
                  })
  EMU_INLINE constexpr V emu_whole() const { return V(emu_d[index]...); }
  EMU_INLINE constexpr operator V() const { return emu_whole(); }
  EMU_IF_CONSTANT(EMU_INLINE constexpr V emu_whole() const constant { return V(emu_d[index]...); })
  EMU_IF_CONSTANT(EMU_INLINE constexpr operator V() const constant { return emu_whole(); })

  EMU_INLINE emu_selection& operator=(V value) {
    static_assert(emu_all_differ(), "a selection that names a component twice cannot be assigned to");
    int from = 0;
    ((emu_d[index] = value[from++]), ...);
    return *this;
  }
  EMU_INLINE emu_selection& operator=(const emu_selection& other) { return *this = V(other); }
  EMU_IF_CONSTANT(EMU_INLINE emu_selection& operator=(const constant emu_selection& other) { return *this = V(other); })
  EMU_INLINE T operator[](long i) const { return V(*this)[i]; }
  EMU_IF_CONSTANT(EMU_INLINE T operator[](long i) const constant { return V(*this)[i]; })
#define EMU_COMPOUND(op) \
  EMU_INLINE emu_selection& operator op##=(V other) { return *this = V(*this) op other; }
  EMU_EACH_COMPOUND(EMU_COMPOUND)
#undef EMU_COMPOUND

 private:
  static constexpr bool emu_all_differ() {
    int seen = 0;
    return (((seen >> index & 1) ? false : (seen |= 1 << index, true)) && ...);
  }
};

}  // namespace metal

/// The name that the front end writes (docs/emulator.md).
template <class T, int N, int... index>
using emu_swizzle = metal::emu_selection<metal::vec<T, int(sizeof...(index))>, T, N, index...>;
