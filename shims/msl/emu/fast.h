// metal::precise and metal::fast: the functions of metal (see math.h).
#pragma once
#pragma clang system_header

#include "common.h"
#include "geometric.h"

#define EMU_BOTH(name) \
  namespace precise {  \
  using metal::name;   \
  }                    \
  namespace fast {     \
  using metal::name;   \
  }
namespace metal {
EMU_BOTH(abs)
EMU_BOTH(acos)
EMU_BOTH(acosh)
EMU_BOTH(asin)
EMU_BOTH(asinh)
EMU_BOTH(atan)
EMU_BOTH(atan2)
EMU_BOTH(atanh)
EMU_BOTH(ceil)
EMU_BOTH(clamp)
EMU_BOTH(copysign)
EMU_BOTH(cos)
EMU_BOTH(cosh)
EMU_BOTH(cospi)
EMU_BOTH(cross)
EMU_BOTH(distance)
EMU_BOTH(distance_squared)
EMU_BOTH(divide)
EMU_BOTH(dot)
EMU_BOTH(exp)
EMU_BOTH(exp10)
EMU_BOTH(exp2)
EMU_BOTH(fabs)
EMU_BOTH(fdim)
EMU_BOTH(floor)
EMU_BOTH(fma)
EMU_BOTH(fmax)
EMU_BOTH(fmax3)
EMU_BOTH(fmedian3)
EMU_BOTH(fmin)
EMU_BOTH(fmin3)
EMU_BOTH(fmod)
EMU_BOTH(fract)
EMU_BOTH(frexp)
EMU_BOTH(ilogb)
EMU_BOTH(ldexp)
EMU_BOTH(length)
EMU_BOTH(length_squared)
EMU_BOTH(log)
EMU_BOTH(log10)
EMU_BOTH(log2)
EMU_BOTH(max)
EMU_BOTH(max3)
EMU_BOTH(median3)
EMU_BOTH(min)
EMU_BOTH(min3)
EMU_BOTH(mix)
EMU_BOTH(modf)
EMU_BOTH(nextafter)
EMU_BOTH(normalize)
EMU_BOTH(pow)
EMU_BOTH(powr)
EMU_BOTH(rint)
EMU_BOTH(round)
EMU_BOTH(rsqrt)
EMU_BOTH(saturate)
EMU_BOTH(sign)
EMU_BOTH(sin)
EMU_BOTH(sincos)
EMU_BOTH(sinh)
EMU_BOTH(sinpi)
EMU_BOTH(smoothstep)
EMU_BOTH(sqrt)
EMU_BOTH(step)
EMU_BOTH(tan)
EMU_BOTH(tanh)
EMU_BOTH(tanpi)
EMU_BOTH(trunc)
}  // namespace metal
#undef EMU_BOTH
