#include "driver/emit.h"

#include <filesystem>

#include "driver/c_header.h"
#include "driver/kernel_impl.h"
#include "driver/run.h"

namespace tilewright::driver {

EmitReport emit_report(const Program& program, const Kernel& kernel, const RunRequest& request) {
  const Kernel::Impl& impl = kernel.impl();
  EmitReport report;
  report.program = program.name();
  report.target = request.target;
  report.names = program.symbols();
  for (const ParamInfo& param : program.params()) report.names.push_back(param.name);
  report.bindings = kernel.bindings();
  report.stage_times = kernel.stage_times();
  report.artifact = impl.metal ? impl.metal->text : impl.object;
  if (impl.target == Target::Cpu) report.companions.push_back({".h", c_header(impl)});
  if (!impl.metal) return report;
  report.device = impl.metal->planned.device.name;
  report.route = route_name(impl.metal->route);
  report.fitted = impl.metal->fitted;
  return report;
}

std::string companion_path(const std::string& path, const EmitCompanion& companion) {
  std::filesystem::path beside = path;
  beside.replace_extension(companion.suffix);
  return beside == path ? path + companion.suffix : beside.string();
}

Result<EmitReport> emit_program(const RunRequest& request) {
  if (request.target == Target::Interp)
    return failure(DiagCode::Unsupported, "the target interp runs programs as they are and has no code",
                   "--target metal-simdgroup, metal-mpp or cpu");
  TW_TRY(const Program program, Program::load(request.program));
  TW_TRY(const Kernel kernel, compile_request(program, request, Purpose::Look));
  if (request.on_compiled) request.on_compiled(kernel.stage_times());
  return emit_report(program, kernel, request);
}

}  // namespace tilewright::driver
