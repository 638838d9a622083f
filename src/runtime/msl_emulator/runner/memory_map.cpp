#include "runtime/msl_emulator/runner/memory_map.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include "runtime/msl_emulator/runner/end.h"

namespace tilewright::msl_emulator::runner {

namespace {

constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::byte* map_or_end(std::uint64_t address, std::uint64_t bytes, int protection, int flags, int file,
                      std::uint64_t offset) {
  void* at = mmap(reinterpret_cast<void*>(address), bytes, protection, flags, file, static_cast<off_t>(offset));
  if (at == MAP_FAILED)
    end_failed("%llu bytes of address space cannot be mapped: %s", static_cast<unsigned long long>(bytes),
               std::strerror(errno));
  return static_cast<std::byte*>(at);
}

}  // namespace

std::byte* reserve(std::uint64_t bytes) {
  return map_or_end(0, round_up(bytes + 1, kPageBytes), PROT_READ | PROT_WRITE, kAnonymous, -1, 0);
}

void map_arena() { map_or_end(kArenaBegin, kArenaBytes, PROT_NONE, kAnonymous | MAP_FIXED_NOREPLACE, -1, 0); }

void map_anonymous_at(std::uint64_t address, std::uint64_t bytes) {
  map_or_end(address, bytes, PROT_READ | PROT_WRITE, kAnonymous | MAP_FIXED, -1, 0);
}

void map_data_at(std::uint64_t address, std::uint64_t bytes, std::uint64_t file_offset, bool private_copy) {
  map_or_end(address, bytes, PROT_READ | PROT_WRITE, (private_copy ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED, kDataFile,
             file_offset);
}

}  // namespace tilewright::msl_emulator::runner
