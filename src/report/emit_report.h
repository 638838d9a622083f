// Emitted code for programs.
#pragma once

#include <optional>
#include <string>

#include "driver/emit.h"
#include "driver/kit_write.h"

namespace tilewright::report {

/// {schema, program, target, device, route, fitted, bindings, kind: text|object, bytes, file, text, buffers: [{index,
/// name, kind: argument|temporary|scalar|tensor, access, type, elements}], launches: [{entry, tasks, groups, workers,
/// subgroup_size, shared_bytes, buffers, fences}], flags, hashes, externals, companions: [file], times}. A tensor
/// handle also has extents and strides, in elements, innermost first. `file` is null when the code went nowhere; `text`
/// is there when it is text that went nowhere. What only a GPU has is null for a CPU. With a kit also `kit`: {folder,
/// bytes, cases: [contents], files: [name]}.
std::string emit_json(const driver::EmitReport& report, const std::optional<std::string>& file,
                      const driver::KitReport* kit = nullptr);

/// What was written where.
std::string emit_text(const driver::EmitReport& report, const std::string& file);

}  // namespace tilewright::report
