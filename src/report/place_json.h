// A place in a text, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <tilewright/errors.h>

namespace tilewright::report {

/// {file, line, column}, or null where there is none.
inline nlohmann::ordered_json place_json(const SourcePlace& place) {
  if (!place.known()) return nullptr;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

}  // namespace tilewright::report
