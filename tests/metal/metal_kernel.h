// A program compiled for Metal, with arguments that it can run on.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "driver/kernel_impl.h"
#include "driver/metal_run.h"
#include "driver/request.h"
#include "driver/run_buffers.h"
#include "metal/test_cache.h"
#include "programs/request_line.h"

namespace tilewright::driver {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct MetalCase {
  Kernel kernel;
  RunBuffers buffers;

  const MetalKernel& metal() const { return *kernel.impl().metal; }
};

/// `line` names a program of the library, or what `text` calls it, and its assignments; nothing, and a failed test,
/// where something goes wrong.
inline std::optional<MetalCase> metal_case(const std::string& line, const Settings& settings = {},
                                           const std::string& text = "", Target target = Target::MetalSimdgroup) {
  use_test_cache();
  Result<MetalCase> made = [&]() -> Result<MetalCase> {
    RunRequest request = request_of_line(line, target);
    request.settings = settings;
    auto program = text.empty() ? Program::load(request.program) : Program::parse(text);
    if (!program) return std::unexpected(program.error());
    auto values = resolve_values(*program, request.assignments);
    if (!values) return std::unexpected(values.error());
    CompileOptions options{.target = target, .settings = settings};
    auto kernel = compile(*program, values->bindings, options);
    if (!kernel) return std::unexpected(kernel.error());
    auto buffers = RunBuffers::make(*kernel, request, *values);
    if (!buffers) return std::unexpected(buffers.error());
    buffers->set_contents({Fill::Kind::Random, 7});
    return MetalCase{std::move(*kernel), std::move(*buffers)};
  }();
  if (made) return std::move(*made);
  ADD_FAILURE() << line << "\n" << render(made.error());
  return std::nullopt;
}

}  // namespace tilewright::driver
