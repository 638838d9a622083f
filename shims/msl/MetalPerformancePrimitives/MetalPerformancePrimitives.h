// Metal Performance Primitives: matmul2d and what belongs to it. Empty without tensors, as Apple's is.
#pragma once
#pragma clang system_header
#if defined(EMU_OPENCL)
#error "<MetalPerformancePrimitives.h> needs the dialect c++20 of the emulator (--dialect=c++20)"
#elif defined(__HAVE_TENSOR__)
#include <metal_cooperative_tensor>
#include <metal_tensor>

#include "emu/tensor_reduction.h"
#endif
