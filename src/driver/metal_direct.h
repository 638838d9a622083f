// The direct route: from a loaded program to Metal text without a plan (docs/direct-route.md).
#pragma once

#include <vector>

#include "driver/metal_compile.h"

namespace tilewright::driver {

/// Unsupported for a target that does not have the route; BadOption, one for each, for what belongs to a planner: its
/// settings and stored plans. Premise: options.route is Direct.
Result<void> check_direct_options(const CompileOptions& options);

/// Every stage up to the text; nothing of the emulator is needed. Parameters without a value have their defaults; when
/// the tiles do not fit the device, those of the nearest declared choices that do (MetalKernel::fitted). Errors:
/// Unsupported (a device without the capability direct_mpp), TileTooLarge (nothing fits; the hint has what would, were
/// the given parameters open), those of binding, lower_direct and emit_msl::emit. Premise: check_direct_options.
Result<MetalKernel> compile_direct(const Program& program, const Bindings& bindings, const CompileOptions& options,
                                   std::vector<StageTime>& times);

}  // namespace tilewright::driver
