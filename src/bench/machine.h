// What a measurement depends on.
#pragma once

#include "bench/bench.h"

namespace tilewright::bench {

/// `vectors` is what the loop of multiply-adds runs on, for example "512-bit FMA"; empty: unknown.
MachineFacts machine_facts(const std::string& vectors);

}  // namespace tilewright::bench
