// The atomic operations of instrumented code: checked as atomic, then done as such, since groups run on several
// threads. Orders are not told apart: all are sequentially consistent, and none of them orders other accesses (Metal's
// are relaxed).
#include <cstdint>

#include "runtime/msl_emulator/runner/checker.h"

using namespace tilewright::msl_emulator::runner;

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the names are the compiler's; a type is a type
#define EMU_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

namespace {

template <bool kWrite, class T>
[[gnu::always_inline]] inline void check_atomic(const volatile T* at, std::uint64_t code, bool reads) {
  Worker& worker = *this_worker;
  ++worker.counters.atomics;
  if (worker.checks) check_access<kWrite, true, sizeof(T)>(const_cast<const T*>(at), sizeof(T), code, reads);
}

}  // namespace

#define EMU_FETCH(bits, type, name, builtin, reads)                       \
  type __tsan_atomic##bits##_##name(volatile type* at, type value, int) { \
    check_atomic<true>(at, EMU_CALLER, true);                             \
    return builtin(at, value, __ATOMIC_SEQ_CST);                          \
  }

#define EMU_ATOMICS(bits, type)                                                                                 \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                               \
    check_atomic<false>(at, EMU_CALLER, true);                                                                  \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                             \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int) {                                        \
    check_atomic<true>(at, EMU_CALLER, false);                                                                  \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                             \
  EMU_FETCH(bits, type, exchange, __atomic_exchange_n, false)                                                   \
  EMU_FETCH(bits, type, fetch_add, __atomic_fetch_add, true)                                                    \
  EMU_FETCH(bits, type, fetch_sub, __atomic_fetch_sub, true)                                                    \
  EMU_FETCH(bits, type, fetch_and, __atomic_fetch_and, true)                                                    \
  EMU_FETCH(bits, type, fetch_or, __atomic_fetch_or, true)                                                      \
  EMU_FETCH(bits, type, fetch_xor, __atomic_fetch_xor, true)                                                    \
  EMU_FETCH(bits, type, fetch_nand, __atomic_fetch_nand, true)                                                  \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected, type value, int, int) {  \
    check_atomic<true>(at, EMU_CALLER, true);                                                                   \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0; \
  }                                                                                                             \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* expected, type value, int, int) {    \
    check_atomic<true>(at, EMU_CALLER, true);                                                                   \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0; \
  }                                                                                                             \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type value, int, int) {     \
    check_atomic<true>(at, EMU_CALLER, true);                                                                   \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
    return expected;                                                                                            \
  }

extern "C" {

EMU_ATOMICS(8, std::uint8_t)
EMU_ATOMICS(16, std::uint16_t)
EMU_ATOMICS(32, std::uint32_t)
EMU_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
