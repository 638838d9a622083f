// The peak of the processor: independent chains of fused multiply-adds in registers, at the widest vectors it has.
#include <memory>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench/library.h"

namespace tilewright::bench {

namespace {

constexpr std::int64_t kSteps = 4096;  ///< of one part: some microseconds
constexpr int kParts = 16;             ///< of each thread in one call

using Loop = void(float* sink);

struct PeakLoop {
  const char* name;
  double multiply_adds;  ///< of one part
  Loop* run;
};

#if defined(__x86_64__)

// Latency 4 at two a cycle wants 8 chains at least; 32 or 16 registers hold 24 or 12.
__attribute__((target("avx512f"))) void part_512(float* sink) {
  constexpr int kChains = 24;
  __m512 sums[kChains];
  const __m512 a = _mm512_set1_ps(0.5F), b = _mm512_set1_ps(sink[0]);
#pragma GCC unroll 24
  for (int i = 0; i < kChains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  for (std::int64_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 24
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], a, b);
  }
  __m512 total = sums[0];
#pragma GCC unroll 24
  for (int i = 1; i < kChains; ++i) total = _mm512_add_ps(total, sums[i]);
  float lanes[16];
  _mm512_storeu_ps(lanes, total);
  sink[1] = lanes[0];
}

__attribute__((target("avx,fma"))) void part_256(float* sink) {
  constexpr int kChains = 12;
  __m256 sums[kChains];
  const __m256 a = _mm256_set1_ps(0.5F), b = _mm256_set1_ps(sink[0]);
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  for (std::int64_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], a, b);
  }
  __m256 total = sums[0];
#pragma GCC unroll 12
  for (int i = 1; i < kChains; ++i) total = _mm256_add_ps(total, sums[i]);
  float lanes[8];
  _mm256_storeu_ps(lanes, total);
  sink[1] = lanes[0];
}

const PeakLoop* peak_loop() {
  static constexpr PeakLoop kWide{"512-bit FMA", 24.0 * 16 * kSteps, part_512};
  static constexpr PeakLoop kNarrow{"256-bit FMA", 12.0 * 8 * kSteps, part_256};
  if (__builtin_cpu_supports("avx512f")) return &kWide;
  if (__builtin_cpu_supports("fma")) return &kNarrow;
  return nullptr;
}

#else

const PeakLoop* peak_loop() { return nullptr; }

#endif

class Peak : public Library {
 public:
  Peak(const PeakLoop& loop, int threads) : loop_(loop), threads_(threads) {}

  LibraryIdentity identity() const override { return {"", loop_.name, {""}}; }

  Result<BoundCall> bind(std::size_t, const Problem&, const Operands&, const CandidateSettings&) override {
    const auto part = [run = loop_.run] {
      float sink[2] = {0.25F, 0};
      for (int i = 0; i < kParts; ++i) run(sink);
    };
    const double work = loop_.multiply_adds * kParts * threads_;
    if (threads_ == 1) return BoundCall{part, work};
    const auto arena = std::make_shared<tbb::task_arena>(threads_);
    return BoundCall{[=, threads = threads_] {
                       arena->execute([&] {
                         tbb::parallel_for(
                             tbb::blocked_range<int>(0, threads, 1),
                             [&](const auto& range) {
                               for (int i = range.begin(); i < range.end(); ++i) part();
                             },
                             tbb::simple_partitioner());
                       });
                     },
                     work};
  }

 private:
  PeakLoop loop_;
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_peak(const LibraryPlace& place) {
  const PeakLoop* const loop = peak_loop();
  if (loop == nullptr) return not_offered("the processor has no fused multiply-add that this program knows");
  return std::make_unique<Peak>(*loop, place.threads);
}

}  // namespace tilewright::bench
