// The kernels of kernels.metal, compiled once, and short ways to launch them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"

namespace tilewright::msl_emulator::runner_test {

Toolchain toolchain();
const CompiledLibrary& library();
const CompiledLibrary& unchecked_library();

/// A buffer for an index; elements are 32 bits wide.
template <class T>
BufferBinding binding(std::uint32_t index, std::vector<T>& values, bool initialized = true) {
  BufferBinding result;
  result.index = index;
  result.bytes = std::as_writable_bytes(std::span(values));
  result.initialized = initialized;
  return result;
}

LaunchRequest request(const std::string& kernel, Uint3 groups, Uint3 threads, std::vector<BufferBinding> buffers);

/// Fails the test on an error.
LaunchResult run(const LaunchRequest& request, const CompiledLibrary& of = library());

/// The number of the line of kernels.metal that ends in "// <- mark".
std::uint32_t line_of(const std::string& mark);

std::string describe(const LaunchResult& result);

}  // namespace tilewright::msl_emulator::runner_test
