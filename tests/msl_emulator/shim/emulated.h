// Compiles and launches the kernels of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"

namespace tilewright::msl_emulator::shim_test {

/// kernels/`file`, all plain kernels. Compiled once a process and dialect.
const Result<CompiledLibrary>& library_of(const std::string& file, Dialect dialect);

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span<T>(values));
}

/// One group, or several in a row; the buffers in the order of their indices.
LaunchResult run(const std::string& file, Dialect dialect, const std::string& kernel, std::uint32_t groups,
                 std::uint32_t threads, std::initializer_list<std::span<std::byte>> buffers,
                 std::uint64_t threadgroup_bytes = 0);

/// The same, and no report is expected.
void run_clean(const std::string& file, Dialect dialect, const std::string& kernel, std::uint32_t groups,
               std::uint32_t threads, std::initializer_list<std::span<std::byte>> buffers,
               std::uint64_t threadgroup_bytes = 0);

/// Reproducible numbers in [low, high), multiples of 1/256 of the range, which half holds for small ranges.
std::vector<float> table_of(std::size_t count, double low, double high, std::uint64_t seed);

/// In both dialects.
class InDialect : public ::testing::TestWithParam<Dialect> {};
std::string name_of_dialect(const ::testing::TestParamInfo<Dialect>& info);

}  // namespace tilewright::msl_emulator::shim_test
