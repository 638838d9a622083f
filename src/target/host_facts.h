// What a running process can find out about its processor: the common word of the emitter and the runtime.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::target {

struct HostFacts {
  std::string name;                         ///< LLVM's name of the processor, for example "znver5"; empty: unknown
  std::string features;                     ///< "+avx2,-sse4a": sorted by name, comma-separated
  int cores = 1;                            ///< processors that this process may use
  std::int64_t l1_bytes = 0, l2_bytes = 0;  ///< caches of data of one core; 0: unknown
  bool operator==(const HostFacts&) const = default;
};

}  // namespace tilewright::target
