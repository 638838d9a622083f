// Causal attention with grouped heads: written in C++, printed as text, compiled for the CPU, run and checked.
#include "example.h"
#include "programs.h"

namespace {

constexpr std::int64_t B = 2, Hq = 4, Hkv = 2, Lq = 37, Lk = 45, D = 16, Dv = 24;
constexpr double kScale = 0.25;  // 1 / sqrt(D)

/// One query's output: the weighted mean of the values that it sees.
void attend(std::span<const float> query, std::span<const float> keys, std::span<const float> values, std::int64_t seen,
            std::vector<double>& out) {
  std::vector<double> weights;
  for (std::int64_t k = 0; k < seen; ++k) {
    double score = 0.0;
    for (std::int64_t d = 0; d < D; ++d) score += static_cast<double>(query[d]) * keys[k * D + d];
    weights.push_back(std::exp(score * kScale));
  }
  double total = 0.0;
  for (double weight : weights) total += weight;
  for (std::int64_t e = 0; e < Dv; ++e) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < seen; ++k) sum += weights[k] * values[k * Dv + e];
    out.push_back(seen == 0 ? 0.0 : sum / total);
  }
}

}  // namespace

int main() {
  tilewright::dsl::Draft draft("attention", examples::kAttentionComment);
  examples::write_attention(draft);
  const tilewright::Program program = examples::finish_and_print(draft);

  const tilewright::HostArray q = examples::numbers({B, Hq, Lq, D}, 4), k = examples::numbers({B, Hkv, Lk, D}, 5);
  const tilewright::HostArray v = examples::numbers({B, Hkv, Lk, Dv}, 6), o = examples::zeros({B, Hq, Lq, Dv});
  const tilewright::HostArray scale = examples::zeros({});
  scale.values<float>()[0] = static_cast<float>(kScale);
  examples::run(
      program,
      {.numbers = {{"B", B}, {"Hq", Hq}, {"Hkv", Hkv}, {"Lq", Lq}, {"Lk", Lk}, {"D", D}, {"Dv", Dv}, {"causal", 1}}},
      {{"Q", q.view()}, {"K", k.view()}, {"V", v.view()}, {"scale", scale.view()}, {"O", o.view()}});

  std::vector<double> expected;
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t h = 0; h < Hq; ++h) {
      const std::int64_t head = b * Hkv + h / (Hq / Hkv);
      for (std::int64_t i = 0; i < Lq; ++i)
        attend(q.values<float>().subspan(((b * Hq + h) * Lq + i) * D, D),
               k.values<float>().subspan(head * Lk * D, Lk * D), v.values<float>().subspan(head * Lk * Dv, Lk * Dv),
               std::clamp<std::int64_t>(i + 1 + Lk - Lq, 0, Lk), expected);
    }
  return examples::report("causal attention of 37 queries and 45 keys, 4 heads on 2", o.values<float>(), expected,
                          1e-5);
}
