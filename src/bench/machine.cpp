#include "bench/machine.h"

#include <unistd.h>

#include <fstream>

#include "driver/version.h"
#include "support/number_text.h"

namespace tilewright::bench {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::int64_t cache_bytes([[maybe_unused]] int level) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  constexpr int kNames[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  return std::max<std::int64_t>(::sysconf(kNames[level - 1]), 0);
#else
  return 0;
#endif
}

}  // namespace

MachineFacts machine_facts(const std::string& vectors) {
  const driver::VersionFacts version = driver::version_facts();
  MachineFacts facts{processor_name(), version.host,   version.cores, vectors, 1,
                     cache_bytes(1),   cache_bytes(2), cache_bytes(3)};
  if (const auto bits = parse_int64(vectors.substr(0, vectors.find('-')))) facts.lanes = *bits / 32;
  return facts;
}

}  // namespace tilewright::bench
