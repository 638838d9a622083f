// The words of the tile IR for arithmetic as those of the kernel IR.
#pragma once

#include <optional>

#include "kernel/program.h"
#include "tile/program.h"

namespace tilewright::lower {

kernel::UnaryKind unary_kind(tile::UnaryKind kind);
/// Of a comparison; nothing for the other kinds.
std::optional<kernel::CompareKind> compare_kind(tile::BinaryKind kind);
/// Of every other kind, on floats or on integers.
kernel::BinaryKind binary_kind(tile::BinaryKind kind, bool is_float);

}  // namespace tilewright::lower
