#include "driver/version.h"

#include <tilewright_sources.h>  // generated

#include "runtime/cpu/host.h"

namespace tilewright::driver {

VersionFacts version_facts() {
  const target::HostFacts host = runtime_cpu::detect_host();
  return {TILEWRIGHT_VERSION, TILEWRIGHT_LLVM_VERSION, host.name, host.cores};
}

std::string_view version_text() { return TILEWRIGHT_VERSION; }
std::string_view llvm_version_text() { return TILEWRIGHT_LLVM_VERSION; }
std::string_view source_digest() { return TILEWRIGHT_SOURCE_DIGEST; }

}  // namespace tilewright::driver
