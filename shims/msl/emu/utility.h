// <metal_utility>, <metal_uniform>, <metal_logging>: small things that kernels name. No pair, swap or integer_sequence:
// kernels bring their own, and `using namespace metal` must not make them ambiguous.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {

/// A promise to the optimiser that all lanes agree; nothing follows from it here.
template <class T>
using uniform = T;
template <class T>
EMU_INLINE constexpr T make_uniform(T value) {
  return value;
}

/// Messages are dropped.
struct os_log {
  EMU_INLINE constexpr os_log() {}
  EMU_INLINE constexpr os_log(EMU_TEXT, EMU_TEXT) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr os_log() constant{})
  EMU_IF_CONSTANT(EMU_INLINE constexpr os_log(EMU_TEXT, EMU_TEXT) constant{})
#define EMU_LOG(name)                           \
  template <class... A>                         \
  EMU_INLINE void name(EMU_TEXT, A...) const {} \
  EMU_IF_CONSTANT(template <class... A> EMU_INLINE void name(EMU_TEXT, A...) const constant{})
  EMU_LOG(log)
  EMU_LOG(log_debug)
  EMU_LOG(log_info)
  EMU_LOG(log_error)
  EMU_LOG(log_fault)
#undef EMU_LOG
};
constexpr constant os_log os_log_default{};

}  // namespace metal
