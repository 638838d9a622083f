// A program for metal-mpp from text: compiled once, launched as often as a test wants, with memory that it can run on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "driver/kernel_impl.h"
#include "driver/metal_run.h"
#include "driver/run_buffers.h"

namespace tilewright::mpp {

struct TensorCase {
  Kernel kernel;
  driver::RunBuffers buffers;

  const driver::MetalKernel& metal() const { return *kernel.impl().metal; }
  const plan::LaunchPlan& launch(std::size_t at = 0) const { return metal().planned.planned.plan.launches[at]; }
  const plan::LaunchReport& report(std::size_t at = 0) const { return metal().planned.planned.launches[at]; }
};

/// `line`: the name and assignments, views and settings of driver::request_of_line; with `text` the program is that
/// text, else of the library. Nothing, and a failed test, where something goes wrong.
std::optional<TensorCase> tensor_case(const std::string& line, const std::string& text = "");

/// Elements of a buffer's view in row-major order.
void set_numbers(TensorCase& made, const std::string& buffer, const std::function<double(std::int64_t)>& number);
/// Every element of a buffer that is not one of its view.
void set_padding(TensorCase& made, const std::string& buffer, double number);

/// On the emulator with what the buffers hold: whole outputs against the oracle, under both poisons; nothing beside
/// them is written, nothing is reported. `decided`: the oracle knows every element.
void expect_right(const TensorCase& made, const std::string& what, bool decided = true);
/// The same with both kinds of contents.
void expect_right_when_filled(TensorCase& made, const std::string& what);

}  // namespace tilewright::mpp
