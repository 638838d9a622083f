// Random well-typed programs for tests: every operation and form of the tile IR, made through the Builder.
//
// A program is a function of its seed and options alone. The library of this file is tw_tile_generator.
#pragma once

#include <cstdint>

#include "tile/bind.h"
#include "tile/program.h"

namespace tilewright::tile {

struct GeneratorOptions {
  /// About how many statements. An expression adds a handful of operations to each.
  std::size_t size = 12;
  /// The program passes verify(), and bind() with the bindings given. Otherwise it is only what a Builder accepts:
  /// statements outside of launches, divisions by zero in index expressions, barriers and stage cuts anywhere, ..
  bool legal = true;
  /// Legal, and what it computes is well defined whatever the order of parallel instances and the contents of the
  /// inputs: no opaque calls, no placement or scope constraints, no promise that does not hold, free strides, and no
  /// two instances that touch one element which either of them stores. Elements of outputs may stay unwritten.
  bool interpretable = false;
};

struct GeneratedProgram {
  Program family;
  /// Small values for all symbols without a default and some of the others and of the parameters.
  Bindings bindings;
};

GeneratedProgram generate_program(std::uint64_t seed, const GeneratorOptions& options = {});

}  // namespace tilewright::tile
