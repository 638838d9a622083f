#include "driver/print.h"

#include "driver/run.h"

namespace tilewright::driver {

Result<std::string> print_after(const RunRequest& request, const std::string& stage) {
  TW_TRY(const Program program, Program::load(request.program));
  if (stage == "parse") {
    TW_TRY_VOID(resolve_values(program, request.assignments));
    return program.text();
  }
  RunRequest wanted = request;
  // The bound program needs no code, and may be one that the target refuses.
  if (stage == "bind") wanted.target = Target::Interp, wanted.route = Route::Planned;
  TW_TRY(const Kernel kernel, compile_request(program, wanted, Purpose::Look));
  if (request.on_compiled) request.on_compiled(kernel.stage_times());
  return kernel.print_after(stage);
}

}  // namespace tilewright::driver
