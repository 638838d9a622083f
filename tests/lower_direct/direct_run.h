// One problem by the direct route on the kernel interpreter, checked against the oracle.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "driver/kernel_impl.h"
#include "driver/request.h"
#include "kernel/interpreter.h"

namespace tilewright::lower::testing {

/// `line` is a program of the library (or the text of one, with `text`) and its assignments and views, as
/// "gemm M=65 N=33 K=17 view:A=strides:1x65".
Result<Kernel> direct_kernel(const std::string& line, const std::string& text = "");

/// Both fills, whole outputs. The counts of each kernel's last run; none after a failure, which the test is told.
std::optional<std::vector<kernel::Counts>> run_direct(const std::string& line, const std::string& text = "");

/// The bytes that it leaves in the outputs, in order, after a random fill; and those of the typed interpreter.
struct BothOutputs {
  std::vector<std::vector<std::byte>> direct, typed;
};
std::optional<BothOutputs> direct_and_typed(const std::string& line, const std::string& text);

}  // namespace tilewright::lower::testing
