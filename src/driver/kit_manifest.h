// kit.json: a kit as text, and back.
#pragma once

#include <string>
#include <string_view>

#include "driver/kit.h"
#include "support/result.h"

namespace tilewright::driver {

/// Ends in a newline. read_manifest gives the same value back.
std::string manifest_text(const Kit& kit);

/// Every field is asked for, and nothing is believed that a launch depends on: views and bindings lie in their
/// buffers, launches name buffers, cases have contents for exactly the inputs and images of exactly the outputs, and
/// their files are listed with the sizes that the shapes ask for. `file` names the text in diagnostics. JsonSyntax,
/// MissingField, UnknownField, RepeatedField, FieldType, FieldRange; KitTooLarge.
Result<Kit> read_manifest(std::string_view text, const std::string& file);

}  // namespace tilewright::driver
