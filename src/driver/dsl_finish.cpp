// The end of a draft: its program, verified as the text's are.
#include <utility>

#include <tilewright/dsl.h>

#include "driver/program_impl.h"
#include "driver/stage_clock.h"
#include "frontend/capture.h"
#include "support/result.h"
#include "tile/verifier.h"

namespace tilewright {

Result<Program> dsl::Draft::finish() {
  auto impl = std::make_shared<Program::Impl>();
  TW_TRY(impl->program, driver::timed(impl->stage_times, "capture", [&] { return frontend::capture(*this); }));
  TW_TRY_VOID(driver::timed(impl->stage_times, "verify", [&] { return tile::verify(impl->program); }));
  return Program(std::move(impl));
}

}  // namespace tilewright
