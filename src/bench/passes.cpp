#include "bench/passes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "bench/vector_widths.h"

namespace tilewright::bench {

namespace {

constexpr std::int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));

// Vectors go by reference: without the wide instructions they have no fixed way of being passed.

[[gnu::always_inline]] inline void load(Floats& out, const float* at) { std::memcpy(&out, at, sizeof out); }
[[gnu::always_inline]] inline void store(float* at, const Floats& value) { std::memcpy(at, &value, sizeof value); }

[[gnu::always_inline]] inline void load_part(Floats& out, const float* at, std::int64_t count, float beyond) {
  for (std::int64_t i = 0; i < kLanes; ++i) out[i] = beyond;
  std::memcpy(&out, at, static_cast<std::size_t>(count) * sizeof(float));
}
[[gnu::always_inline]] inline void store_part(float* at, const Floats& value, std::int64_t count) {
  std::memcpy(at, &value, static_cast<std::size_t>(count) * sizeof(float));
}

/// e^x to about 2 ulp for x in [-87, 88], clamped there.
[[gnu::always_inline]] inline void exponential(Floats& x) {
  constexpr float kRound = 0x1.8p23F;
  x = x < -87.0F ? Floats{} - 87.0F : x;
  x = x > 88.0F ? Floats{} + 88.0F : x;
  const Floats shifted = x * 1.44269504F + kRound;
  const Floats whole = shifted - kRound;
  const Floats rest = (x - whole * 0x1.62e4p-1F) - whole * 0x1.7f7d1cp-20F;
  Floats sum = rest * 1.38888889e-3F + 8.33333333e-3F;
  sum = sum * rest + 4.16666667e-2F;
  sum = sum * rest + 1.66666667e-1F;
  sum = sum * rest + 0.5F;
  sum = sum * rest * rest + rest + 1.0F;
  Ints bits, power;
  std::memcpy(&bits, &sum, sizeof bits);
  std::memcpy(&power, &shifted, sizeof power);
  bits += power << 23;
  std::memcpy(&x, &bits, sizeof x);
}

[[gnu::always_inline]] inline void gelu(Floats& x) {
  const Floats c = x > -30.0F ? x : Floats{} - 30.0F;
  Floats power = -2.0F * 0.79788456F * (c + 0.044715F * c * c * c);
  exponential(power);
  x = c / (1.0F + power);
}

[[gnu::always_inline]] inline void bias_gelu_row(float* c, const float* bias, std::int64_t columns) {
  std::int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    Floats value, shift;
    load(value, c + j);
    load(shift, bias + j);
    value += shift;
    gelu(value);
    store(c + j, value);
  }
  if (j == columns) return;
  Floats value, shift;
  load_part(value, c + j, columns - j, 0);
  load_part(shift, bias + j, columns - j, 0);
  value += shift;
  gelu(value);
  store_part(c + j, value, columns - j);
}

[[gnu::always_inline]] inline float greatest(const float* x, std::int64_t count) {
  constexpr float kLeast = -std::numeric_limits<float>::infinity();
  Floats best = Floats{} + kLeast, value;
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    load(value, x + j);
    best = value > best ? value : best;
  }
  load_part(value, x + j, count - j, kLeast);
  best = value > best ? value : best;
  float result = best[0];
  for (std::int64_t i = 1; i < kLanes; ++i) result = std::max(result, best[i]);
  return result;
}

[[gnu::always_inline]] inline float sum_of(const Floats& lanes) {
  float sum = 0;
  for (std::int64_t i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

[[gnu::always_inline]] inline void softmax_row(const float* x, float* y, std::int64_t count, float scale) {
  const float best = greatest(x, count);
  Floats total{}, value;
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    load(value, x + j);
    value = (value - best) * scale;
    exponential(value);
    total += value;
    store(y + j, value);
  }
  float sum = 0;
  if (j < count) {
    load_part(value, x + j, count - j, best);
    value = (value - best) * scale;
    exponential(value);
    store_part(y + j, value, count - j);
    for (std::int64_t i = 0; i < count - j; ++i) sum += value[i];
  }
  const float factor = 1 / (sum + sum_of(total));
  for (j = 0; j + kLanes <= count; j += kLanes) {
    load(value, y + j);
    store(y + j, value * factor);
  }
  for (; j < count; ++j) y[j] *= factor;
}

[[gnu::always_inline]] inline void rmsnorm_row(const float* x, const float* gain, float* y, std::int64_t columns) {
  Floats squares{}, value, factor;
  std::int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    load(value, x + j);
    squares += value * value;
  }
  float sum = sum_of(squares);
  for (; j < columns; ++j) sum += x[j] * x[j];
  const float scale = 1 / std::sqrt(sum / static_cast<float>(columns) + 1e-5F);
  for (j = 0; j + kLanes <= columns; j += kLanes) {
    load(value, x + j);
    load(factor, gain + j);
    store(y + j, value * scale * factor);
  }
  for (; j < columns; ++j) y[j] = x[j] * scale * gain[j];
}

TW_FOR_WIDTHS(bias_gelu_best, bias_gelu_row, (float* c, const float* bias, std::int64_t columns), (c, bias, columns))
TW_FOR_WIDTHS(softmax_best, softmax_row, (const float* x, float* y, std::int64_t count, float scale),
              (x, y, count, scale))
TW_FOR_WIDTHS(rmsnorm_best, rmsnorm_row, (const float* x, const float* gain, float* y, std::int64_t columns),
              (x, gain, y, columns))

}  // namespace

void bias_gelu_rows(float* c, const float* bias, std::int64_t columns, RowRange rows) {
  for (std::int64_t i = rows.first; i < rows.end; ++i) bias_gelu_best(c + i * columns, bias, columns);
}

void softmax_rows(const float* x, float* y, std::int64_t columns, float scale, std::int64_t seen,
                  std::int64_t seen_step, RowRange rows) {
  for (std::int64_t i = rows.first; i < rows.end; ++i) {
    const std::int64_t count = std::min(columns, seen + i * seen_step);
    softmax_best(x + i * columns, y + i * columns, count, scale);
    std::fill(y + i * columns + count, y + (i + 1) * columns, 0.0F);
  }
}

void rmsnorm_rows(const float* x, const float* gain, float* y, std::int64_t columns, RowRange rows) {
  for (std::int64_t i = rows.first; i < rows.end; ++i) rmsnorm_best(x + i * columns, gain, y + i * columns, columns);
}

void for_row_parts(int threads, std::int64_t rows, const std::function<void(RowRange)>& work) {
  if (threads <= 1 || rows <= 1) return work({0, rows});
  tbb::task_arena arena(std::min(threads, tbb::info::default_concurrency()));
  arena.execute([&] {
    const std::int64_t grain = (rows + threads - 1) / threads;
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, rows, grain),
        [&](const auto& range) { work({range.begin(), range.end()}); }, tbb::simple_partitioner());
  });
}

}  // namespace tilewright::bench
