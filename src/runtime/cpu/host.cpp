#include "runtime/cpu/host.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <tbb/info.h>
#include <unistd.h>

namespace tilewright::runtime_cpu {

target::HostFacts detect_host() {
  target::HostFacts facts;
  facts.name = llvm::sys::getHostCPUName().str();
  std::vector<std::pair<std::string, bool>> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.emplace_back(feature.first().str(), feature.second);
  }
  std::sort(features.begin(), features.end());
  for (const auto& [name, present] : features) {
    if (!facts.features.empty()) facts.features += ',';
    facts.features += (present ? '+' : '-') + name;
  }
  facts.cores = std::max(1, tbb::info::default_concurrency());
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  facts.l1_bytes = std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL1_DCACHE_SIZE));
  facts.l2_bytes = std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  return facts;
}

}  // namespace tilewright::runtime_cpu
