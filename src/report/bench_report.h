// How a side-by-side run is told.
#pragma once

#include <string>

#include "bench/bench.h"

namespace tilewright::report {

/// A table of GFLOP/s (GB/s for programs of rows): a row a shape, those that fall short last; then what was absent,
/// wrong or refused.
std::string bench_text(const bench::BenchReport& report);
/// docs/benchmarking.md lists the fields.
std::string bench_json(const bench::BenchReport& report);

}  // namespace tilewright::report
