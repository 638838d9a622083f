#include "driver/version.h"

#include "runtime/cpu/host.h"

namespace tilewright::driver {

VersionFacts version_facts() {
  const target::HostFacts host = runtime_cpu::detect_host();
  return {TILEWRIGHT_VERSION, TILEWRIGHT_LLVM_VERSION, host.name, host.cores};
}

}  // namespace tilewright::driver
