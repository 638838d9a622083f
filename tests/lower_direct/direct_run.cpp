#include "lower_direct/direct_run.h"

#include "driver/check.h"
#include "driver/compile_for.h"
#include "driver/run_buffers.h"
#include "kernel/printer.h"
#include "programs/interpreted_kernel.h"
#include "programs/request_line.h"

namespace tilewright::lower::testing {

namespace {

Result<Program> program_of(const std::string& name, const std::string& text) {
  return text.empty() ? Program::load(name) : Program::parse(text);
}

}  // namespace

Result<Kernel> direct_kernel(const std::string& line, const std::string& text) {
  const driver::RunRequest request = driver::request_of_line(line, Target::MetalMpp);
  TW_TRY(const Program program, program_of(request.program, text));
  TW_TRY(const driver::Values values, driver::resolve_values(program, request.assignments));
  CompileOptions options;
  options.target = Target::MetalMpp;
  options.route = Route::Direct;
  options.layouts = driver::layouts_of(request);
  options.settings = request.settings;
  return driver::compile_for(program, values.bindings, options, driver::Purpose::Look);
}

std::optional<std::vector<kernel::Counts>> run_direct(const std::string& line, const std::string& text) {
  const auto kernel = direct_kernel(line, text);
  if (!kernel) {
    ADD_FAILURE() << line << "\n" << render(kernel.error());
    return std::nullopt;
  }
  const Kernel::Impl& impl = kernel->impl();
  const driver::RunRequest request = driver::request_of_line(line, Target::MetalMpp);
  const auto values = driver::resolve_values(program_of(request.program, text).value(), request.assignments);
  auto buffers = driver::RunBuffers::make(*kernel, request, *values);
  if (!buffers) {
    ADD_FAILURE() << line << "\n" << render(buffers.error());
    return std::nullopt;
  }
  std::vector<kernel::Counts> counts;
  const driver::Launcher launcher = [&](const Arguments& arguments) -> Result<void> {
    TW_TRY(counts, driver::interpret_compiled(*kernel, arguments));
    return {};
  };
  for (const driver::Fill& fill : {driver::Fill{}, driver::Fill{driver::Fill::Kind::Random, 7}}) {
    buffers->set_contents(fill);
    const auto report = driver::check_launcher(impl.bound, impl.rules, buffers->arguments(), launcher, CheckOptions{});
    if (!report || !report->ok()) {
      ADD_FAILURE() << line << "\n"
                    << (report ? std::string("wrong") : render(report.error())) << "\n"
                    << kernel::print(impl.metal->lowered);
      return std::nullopt;
    }
  }
  return counts;
}

std::optional<BothOutputs> direct_and_typed(const std::string& line, const std::string& text) {
  const driver::RunRequest request = driver::request_of_line(line, Target::MetalMpp);
  const auto run = [&]() -> Result<BothOutputs> {
    TW_TRY(const Kernel direct, direct_kernel(line, text));
    TW_TRY(const Program program, program_of(request.program, text));
    TW_TRY(const driver::Values values, driver::resolve_values(program, request.assignments));
    TW_TRY(const Kernel typed, compile(program, values.bindings, {.target = Target::Interp}));
    TW_TRY(driver::RunBuffers buffers, driver::RunBuffers::make(direct, request, values));
    BothOutputs both;
    for (auto* into : {&both.direct, &both.typed}) {
      buffers.set_contents({driver::Fill::Kind::Random, 7});
      if (into == &both.typed) {
        TW_TRY_VOID(typed.run(buffers.arguments()));
      } else {
        TW_TRY(const auto counts, driver::interpret_compiled(direct, buffers.arguments()));
      }
      for (const driver::RunBuffer& buffer : buffers.buffers())
        if (buffer.role != BufferRole::In) into->push_back(driver::RunBuffers::dense_bytes(buffer));
    }
    return both;
  };
  auto both = run();
  if (both) return std::move(*both);
  ADD_FAILURE() << line << "\n" << render(both.error());
  return std::nullopt;
}

}  // namespace tilewright::lower::testing
