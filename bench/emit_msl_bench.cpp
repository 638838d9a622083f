// Time of emitting Metal text: a staged matrix product with a rectangle of fragments a subgroup, unrolled.
#include <benchmark/benchmark.h>

#include <vector>

#include "emit/msl/emit.h"
#include "kernel/builder.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// `side` x `side` accumulators, all steps of the contraction unrolled `steps` times.
Program product(std::int64_t side, std::int64_t steps) {
  Builder b("product");
  const BufferId input = b.argument("A", ScalarType::F32, Access::Read, 1 << 20);
  const BufferId output = b.argument("C", ScalarType::F32, Access::Write, 1 << 20);
  const std::vector<ValueId> task = b.begin_kernel("product", {8, 8}, {128, 32});
  const ValueId stride = b.const_i64(1024), zero = b.const_float(ScalarType::F32, 0);
  const ValueId base = b.mul(task[0], 4096);
  std::vector<ValueId> acc;
  for (std::int64_t i = 0; i < side * side; ++i) acc.push_back(b.fragment_fill(zero, 8, 8));
  const ValueId low = b.const_i64(0);
  const Builder::Loop loop = b.begin_loop(low, b.const_i64(64), 1, acc);
  std::vector<ValueId> sums = loop.carries;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<ValueId> a, c;
    for (std::int64_t i = 0; i < side; ++i) {
      const ValueId at = b.add(b.add(base, loop.index), step * 64 + i * 8);
      a.push_back(b.fragment_load(input, at, stride, 8, 8));
      c.push_back(b.fragment_load(input, at, stride, 8, 8, true));
    }
    for (std::int64_t i = 0; i < side * side; ++i) {
      const auto at = static_cast<std::size_t>(i);
      sums[at] = b.atom("metal.simdgroup8x8", a[at / a.size()], c[at % c.size()], sums[at], ScalarType::F32);
    }
  }
  const std::vector<ValueId> results = b.end_loop(sums);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ValueId at = b.add(base, static_cast<std::int64_t>(i) * 8);
    b.fragment_store(output, at, stride, results[i]);
  }
  b.end_kernel();
  return b.finish();
}

void emit_product(benchmark::State& state) {
  const Program program = product(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(emit(program));
  state.counters["operations"] = static_cast<double>(program.ops.size());
}
BENCHMARK(emit_product)->Args({2, 2})->Args({4, 4})->Args({8, 4})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright::emit_msl
