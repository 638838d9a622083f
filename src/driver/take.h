// Collecting the faults of independent steps instead of stopping at the first.
#pragma once

#include <optional>
#include <utility>

#include "support/result.h"

namespace tilewright::driver {

/// The value of a Result, or nothing after its faults were appended.
template <class T>
std::optional<T> take(Result<T> result, Diags& faults) {
  if (result) return std::move(*result);
  faults.insert(faults.end(), result.error().begin(), result.error().end());
  return std::nullopt;
}
inline bool take(const Result<void>& result, Diags& faults) {
  if (!result) faults.insert(faults.end(), result.error().begin(), result.error().end());
  return result.has_value();
}

}  // namespace tilewright::driver
