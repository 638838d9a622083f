// The floating-point environment that kernels run in, whatever the caller has set.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace tilewright::runtime_cpu {

/// Round to nearest, subnormals kept, for the current scope. A caller that was built with -ffast-math flushes them.
class IeeeArithmetic {
 public:
#if defined(__x86_64__)
  IeeeArithmetic() : saved_(_mm_getcsr()) {
    if ((saved_ & ~kStatusBits) != kDefault) _mm_setcsr(kDefault);
  }
  ~IeeeArithmetic() {
    if ((saved_ & ~kStatusBits) != kDefault) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kStatusBits = 0x3f;
  static constexpr unsigned kDefault = 0x1f80;
  unsigned saved_;
#else
  IeeeArithmetic() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~IeeeArithmetic() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
 public:
  IeeeArithmetic(const IeeeArithmetic&) = delete;
  IeeeArithmetic& operator=(const IeeeArithmetic&) = delete;
};

}  // namespace tilewright::runtime_cpu
