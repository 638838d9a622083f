// The memory of one case of a kit: contents of the buffers, and the images that the outputs are compared with.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <tilewright/array.h>

#include "driver/guarded_buffer.h"
#include "driver/kit.h"
#include "support/result.h"
#include "tile/interpreter.h"

namespace tilewright::driver {

struct KitData {
  std::deque<GuardedBuffer> memory;
  std::vector<ArrayView> views;                      ///< one a buffer; without data for scalars and temporaries
  std::map<std::uint32_t, tile::ExactOutput> exact;  ///< by number of the buffer
};

/// Premise: the files have the digests of the manifest. KitDamaged: a file holds another type or shape than the buffer,
/// begins elsewhere, or has a bound below 0 or a mark that is neither 0 nor 1; OutOfMemory.
Result<KitData> load_kit_case(const Kit& kit, const KitCase& one, const std::string& folder);

}  // namespace tilewright::driver
