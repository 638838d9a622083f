// Programs of the standard library, written in C++. Each writes into its draft what the .tile file of its name in
// programs/ says, so that both give the same program and the same text.
#pragma once

#include <tilewright/dsl.h>

namespace examples {

inline constexpr const char* kGemmComment =
    "Matrix product C = A B.\n"
    "\n"
    "Shapes: A [M, K], B [K, N], C[M, N]; any size, also 0. K = 0 gives +0.\n"
    "Products accumulate in f32 and are rounded once, to T, at the store. Padding never reaches a result.";

inline void write_gemm(tilewright::dsl::Draft& p) {
  using namespace tilewright::dsl;
  auto [M, N, K] = p.symbols("M", "N", "K");
  Index BM = p.param("BM", {32, 64, 128}, 64), BN = p.param("BN", {32, 64}, 64), BK = p.param("BK", {16, 32}, 32);
  Element T = p.type("T", {f32, f16, bf16}, f32);
  Buffer A = p.in("A", T, {M, K}), B = p.in("B", T, {K, N}), C = p.out("C", T, {M, N});
  for (auto [i, j] : p.parallel({"i", ceildiv(M, BM)}, {"j", ceildiv(N, BN)})) {
    Axis m = p.axis("m", BM), n = p.axis("n", BN), k = p.axis("k", BK);
    Tile acc = fill({m, n}, 0.0).named("acc");
    for (auto [s] : p.pipeline({"s", ceildiv(K, BK)})) {
      Tile a = A(i * BM + m, s * BK + k).named("a");
      Tile b = B(s * BK + k, j * BN + n).named("b");
      acc = mma(a, b, acc);
    }
    C(i * BM + m, j * BN + n).store(T(acc));
  }
}

inline constexpr const char* kSoftmaxComment =
    "Softmax of each row: Y = exp(X - max) / sum(exp(X - max)).\n"
    "\n"
    "Shapes: X[N, C], Y[N, C]; any size, also 0. Computed in f32; one rounding, to T, at the store.\n"
    "A row of -Inf only (fully masked) gives zeros. A NaN or +Inf in a row makes the row NaN.";

inline void write_softmax(tilewright::dsl::Draft& p) {
  using namespace tilewright::dsl;
  auto [N, C] = p.symbols("N", "C");
  Index BR = p.param("BR", {1, 4, 8}, 4), BC = p.param("BC", {64, 128, 256}, 128);
  Element T = p.type("T", {f32, f16, bf16}, f32);
  Buffer X = p.in("X", T, {N, C}), Y = p.out("Y", T, {N, C});
  for (auto [i] : p.parallel({"i", ceildiv(N, BR)})) {
    Axis r = p.axis("r", BR);
    Tile best = fill({r}, -inf).named("best");
    Tile total = fill({r}, 0.0).named("total");
    for (auto [s] : p.serial({"s", ceildiv(C, BC)})) {
      Axis c = p.axis("c", BC);
      Tile x = X(i * BR + r, s * BC + c).load(-inf).named("x");
      Tile v = f32(x).named("v");
      Tile next = max(best, max(v, c)).named("next");
      Tile base = select(next == -inf, 0.0, next).named("base");
      total = total * exp(best - base) + sum(exp(v - base), c);
      best = next;
    }
    Tile base = select(best == -inf, 0.0, best).named("base");
    for (auto [s] : p.serial({"s", ceildiv(C, BC)})) {
      Axis c = p.axis("c", BC);
      Tile x = X(i * BR + r, s * BC + c).load(-inf).named("x");
      Tile y = select(total == 0.0, 0.0, exp(f32(x) - base) / total).named("y");
      Y(i * BR + r, s * BC + c).store(T(y));
    }
  }
}

inline constexpr const char* kAttentionComment =
    "Attention with online softmax: O = softmax(scale Q K^T) V for each batch and head; grouped heads; causal or not.\n"
    "\n"
    "Shapes: Q[B, Hq, Lq, D], K[B, Hkv, Lk, D], V[B, Hkv, Lk, Dv], O[B, Hq, Lq, Dv]; Hq a multiple of Hkv; query head "
    "h\n"
    "reads key head h / (Hq / Hkv). Lq and Lk may differ; any size, also 0.\n"
    "causal=1 is aligned at the bottom right: query q sees the keys 0 .. q + Lk - Lq. A query that sees no key gives "
    "zeros.\n"
    "A NaN in a masked key does not reach the output. Scores, softmax and sums are in f32; the weights are rounded to "
    "T "
    "for\n"
    "the second product; one more rounding, to T, at the store.";

inline void write_attention(tilewright::dsl::Draft& p) {
  using namespace tilewright::dsl;
  auto [B, Hq, Hkv, Lq, Lk, D, Dv] = p.symbols("B", "Hq", "Hkv", "Lq", "Lk", "D", "Dv");
  Index causal = p.symbol("causal", 0);
  Index BQ = p.param("BQ", {16, 32, 64}, 32), BK = p.param("BK", {16, 32, 64}, 32);
  Element T = p.type("T", {f32, f16, bf16}, f32);
  Buffer Q = p.in("Q", T, {B, Hq, Lq, D}), K = p.in("K", T, {B, Hkv, Lk, D}), V = p.in("V", T, {B, Hkv, Lk, Dv});
  Buffer scale = p.scalar("scale", f32);
  Buffer O = p.out("O", T, {B, Hq, Lq, Dv});
  p.require(Hkv >= 1, "there must be a key head");
  p.require(Hq % Hkv == 0, "each key head serves the same number of query heads");
  p.require(causal <= 1, "causal is 0 or 1");
  for (auto [b, h, i] : p.parallel({"b", B}, {"h", Hq}, {"i", ceildiv(Lq, BQ)})) {
    Axis q = p.axis("q", BQ), d = p.axis("d", D), e = p.axis("e", Dv), k = p.axis("k", BK);
    Tile query = Q(b, h, i * BQ + q, d).named("query");
    Tile best = fill({q}, -inf).named("best");
    Tile total = fill({q}, 0.0).named("total");
    Tile acc = fill({q, e}, 0.0).named("acc");
    Index seen_keys = min(Lk, max((1 - causal) * Lk, (i + 1) * BQ + Lk - Lq));
    for (auto [s] : p.serial({"s", ceildiv(seen_keys, BK)})) {
      Tile key = K(b, h / (Hq / Hkv), s * BK + k, d).named("key");
      Tile value = V(b, h / (Hq / Hkv), s * BK + k, e).named("value");
      Tile zero = fill({q, k}, 0.0).named("zero");
      Tile seen = (s * BK + k < Lk && (causal == 0 || s * BK + k <= i * BQ + q + Lk - Lq)).named("seen");
      Tile score = select(seen, mma(query, key, zero) * scale, -inf).named("score");
      Tile next = max(best, max(score, k)).named("next");
      Tile base = select(next == -inf, 0.0, next).named("base");
      Tile weight = exp(score - base).named("weight");
      Tile decay = exp(best - base).named("decay");
      total = total * decay + sum(weight, k);
      acc = mma(T(weight), value, acc * decay);
      best = next;
    }
    O(b, h, i * BQ + q, e).store(T(select(total == 0.0, 0.0, acc / total)));
  }
}

}  // namespace examples
