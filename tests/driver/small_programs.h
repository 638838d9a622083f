// Programs of a few lines, for tests of what stands around a kernel.
#pragma once

namespace tilewright {

/// Y = 2 X.
inline constexpr const char* kDouble = R"(
program twice(M, N) {
  in X: f32[M, N]
  out Y: f32[M, N]
  parallel i in M, j in N {
    Y[i, j] = X[i, j] * 2.0
  }
}
)";

/// Y = s X with a scalar that has no default, and one that has.
inline constexpr const char* kScale = R"(
program scale(N) {
  in X: f32[N]
  in s: f32
  in t: f32 = 3.0
  out Y: f32[N]
  parallel i in N {
    Y[i] = X[i] * s + t
  }
}
)";

/// Writes every second element only.
inline constexpr const char* kEven = R"(
program even(N) {
  in X: f32[N]
  out Y: f32[2*N]
  parallel i in N {
    Y[2*i] = X[i]
  }
}
)";

/// Adds to what stands there.
inline constexpr const char* kAccumulate = R"(
program accumulate(N) {
  in X: f32[N]
  inout Y: f32[N]
  parallel i in N {
    Y[i] = Y[i] + X[i]
  }
}
)";

/// Strides are part of the program.
inline constexpr const char* kColumns = R"(
program columns(M, N) {
  in X: f32[M, N] strides(1, M)
  out Y: f32[M, N]
  parallel i in M, j in N {
    Y[i, j] = X[i, j]
  }
}
)";

/// Two outputs, of i32 and bool.
inline constexpr const char* kKinds = R"(
program kinds(N) {
  in X: i32[N]
  out Y: i32[N]
  out Z: bool[N]
  parallel i in N {
    x = X[i]
    Y[i] = x + 1
    Z[i] = x > 2
  }
}
)";

}  // namespace tilewright
