// ArrayView under the tile namespace.
#pragma once

#include <tilewright/array.h>

namespace tilewright::tile {

using tilewright::ArrayView;

}  // namespace tilewright::tile
