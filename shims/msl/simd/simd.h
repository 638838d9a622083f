#pragma once
#pragma clang system_header
#include "../emu/launch.h"
#include "../emu/matrix.h"

// <simd/simd.h> in MSL: the names of simd:: are those of metal.
namespace simd {
using namespace metal;
}  // namespace simd
