// Detects the machine that this process runs on.
#pragma once

#include "target/host_facts.h"

namespace tilewright::runtime_cpu {

target::HostFacts detect_host();

}  // namespace tilewright::runtime_cpu
