#include "driver/host_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <unistd.h>

#include "support/number_text.h"

namespace tilewright::driver {

namespace {

/// The number of the line "NAME:   NUMBER kB" in bytes.
std::optional<std::uint64_t> meminfo_bytes(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == name + ":" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  const auto number = parse_uint64(word);
  return number ? std::optional(*number) : std::nullopt;
}

/// What a control group leaves, version 2 then 1. Absent or "max" means no limit.
std::optional<std::uint64_t> group_bytes(const std::string& limit_path, const std::string& used_path) {
  const auto limit = number_in(limit_path);
  const auto used = number_in(used_path);
  if (!limit || !used) return std::nullopt;
  return *limit > *used ? *limit - *used : 0;
}

}  // namespace

std::optional<std::uint64_t> available_memory_bytes() {
  std::optional<std::uint64_t> available = meminfo_bytes("MemAvailable");
  if (!available) {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) available = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }
  const std::string group = "/sys/fs/cgroup/";
  for (const auto& left : {group_bytes(group + "memory.max", group + "memory.current"),
                           group_bytes(group + "memory/memory.limit_in_bytes", group + "memory/memory.usage_in_bytes")})
    if (left) available = std::min(available.value_or(*left), *left);
  return available;
}

std::string wide_text(__uint128_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

Result<void> expect_memory(__uint128_t needed, const std::string& purpose) {
  const auto available = available_memory_bytes();
  if (!available || needed <= *available) return {};
  return failure(DiagCode::OutOfMemory,
                 purpose + " needs " + wide_text(needed) + " bytes of memory, found " + std::to_string(*available) +
                     " bytes available",
                 "use smaller sizes");
}

}  // namespace tilewright::driver
