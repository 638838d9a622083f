// Diagnostics for programs; people read render() of tilewright/errors.h.
#pragma once

#include <string>

#include <tilewright/errors.h>

namespace tilewright::report {

/// {schema, ok: false, errors: [{code, message, place: {file, line, column} or null, notes, hint}]}
std::string errors_json(const Diags& diags);

}  // namespace tilewright::report
