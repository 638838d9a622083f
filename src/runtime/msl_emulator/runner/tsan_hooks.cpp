// What code instrumented by clang's thread sanitizer calls. Accesses of 1 to 16 bytes, ranges, copies.
#include <cstdint>
#include <cstring>

#include "runtime/msl_emulator/runner/checker.h"

using namespace tilewright::msl_emulator::runner;

namespace {

/// How many bytes from there belong to the same slot and side of it; a copy beyond them would leave the object for
/// good.
std::uint64_t reachable(const void* at, std::uint64_t bytes) {
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(at) - kArenaBegin;
  if (offset >= kArenaBytes) return bytes;
  const Slot& slot = this_worker->slots[offset >> kSlotShift];
  const std::uint64_t inside = (offset & (kSlotBytes - 1)) - kSlotMiddle;
  if (slot.kind == SlotKind::Threadgroup) {
    for (std::uint32_t i = 1; i < this_worker->variable_count; ++i) {
      const Variable& variable = this_worker->variables[i];
      if (inside >= variable.begin && inside < variable.end) return std::min(bytes, variable.end - inside);
    }
    return 0;
  }
  return inside < slot.bytes ? std::min(bytes, slot.bytes - inside) : 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the names are the compiler's; a type is a type
#define EMU_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

#define EMU_ACCESSES(bytes)                                                                                      \
  void __tsan_read##bytes(void* at) { check_access<false, false, bytes>(at, bytes, EMU_CALLER); }                \
  void __tsan_write##bytes(void* at) { check_access<true, false, bytes>(at, bytes, EMU_CALLER); }                \
  void __tsan_read_write##bytes(void* at) {                                                                      \
    check_access<false, false, bytes>(at, bytes, EMU_CALLER);                                                    \
    check_access<true, false, 1>(at, bytes, EMU_CALLER);                                                         \
  }                                                                                                              \
  void __tsan_unaligned_read##bytes(void* at) { check_access<false, false, 1>(at, bytes, EMU_CALLER); }          \
  void __tsan_unaligned_write##bytes(void* at) { check_access<true, false, 1>(at, bytes, EMU_CALLER); }          \
  void __tsan_unaligned_read_write##bytes(void* at) {                                                            \
    check_access<false, false, 1>(at, bytes, EMU_CALLER);                                                        \
    check_access<true, false, 1>(at, bytes, EMU_CALLER);                                                         \
  }                                                                                                              \
  void __tsan_volatile_read##bytes(void* at) { check_access<false, false, bytes>(at, bytes, EMU_CALLER); }       \
  void __tsan_volatile_write##bytes(void* at) { check_access<true, false, bytes>(at, bytes, EMU_CALLER); }       \
  void __tsan_unaligned_volatile_read##bytes(void* at) { check_access<false, false, 1>(at, bytes, EMU_CALLER); } \
  void __tsan_unaligned_volatile_write##bytes(void* at) { check_access<true, false, 1>(at, bytes, EMU_CALLER); }

extern "C" {

EMU_ACCESSES(1)
EMU_ACCESSES(2)
EMU_ACCESSES(4)
EMU_ACCESSES(8)
EMU_ACCESSES(16)

void __tsan_read_range(void* at, unsigned long bytes) { check_access<false, false, 1>(at, bytes, EMU_CALLER); }
void __tsan_write_range(void* at, unsigned long bytes) { check_access<true, false, 1>(at, bytes, EMU_CALLER); }

void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  check_access<false, false, 1>(from, bytes, EMU_CALLER);
  check_access<true, false, 1>(to, bytes, EMU_CALLER);
  std::memmove(to, from, std::min(reachable(to, bytes), reachable(from, bytes)));
  return to;
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  check_access<false, false, 1>(from, bytes, EMU_CALLER);
  check_access<true, false, 1>(to, bytes, EMU_CALLER);
  std::memmove(to, from, std::min(reachable(to, bytes), reachable(from, bytes)));
  return to;
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  check_access<true, false, 1>(to, bytes, EMU_CALLER);
  std::memset(to, value, reachable(to, bytes));
  return to;
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

}  // extern "C"

// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
