// How much memory this process can still fill.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "support/result.h"

namespace tilewright::driver {

/// Bytes that the machine and the limits of the process's group leave; nothing when the system does not say.
std::optional<std::uint64_t> available_memory_bytes();

/// OutOfMemory when `needed` is more than is available. `purpose` completes "needs N bytes for ..".
/// The count is 128 bits wide so that a size beyond 64 bits is printed as it is.
Result<void> expect_memory(__uint128_t needed, const std::string& purpose);

/// Decimal text of a wide count.
std::string wide_text(__uint128_t value);

}  // namespace tilewright::driver
