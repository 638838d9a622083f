// What a contestant's process does.
#pragma once

#include "bench/library.h"

namespace tilewright::bench {

/// Opens the library and serves orders (message.h) until their pipe ends; gives the exit status. Usage: this process
/// was not started by the bench.
Result<int> serve_contestant(LibraryKind kind, const LibraryPlace& place);

}  // namespace tilewright::bench
