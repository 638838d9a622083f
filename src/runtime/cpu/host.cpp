#include "runtime/cpu/host.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <tbb/info.h>

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
  return facts;
}

}  // namespace tilewright::runtime_cpu
