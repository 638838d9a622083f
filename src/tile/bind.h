// Binding: closes a family of programs into one program whose sizes are numbers.
//
// bind() replaces every symbol, parameter and type parameter by its value, checks the program's requirements and every
// size (non-negative, products within 64 bits), and then checks what can only be known with numbers: that reindexing
// stays inside its tile and that memory layouts are total, in bounds and injective. The result is again a Program:
// it prints, parses and compares like any other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/result.h"
#include "tile/program.h"

namespace tilewright::tile {

/// Values by name. Symbols must all be given; parameters and type parameters default to the program's own choice.
struct Bindings {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, DataType> types;
};

struct BindLimits {
  /// Elements of one tile value or one explicit memory. More is refused (TileTooLarge) with the numbers.
  std::int64_t max_tile_elements = std::int64_t{1} << 26;
  /// Points that an exhaustive check of a reindexing or layout may visit before the program is refused.
  std::int64_t max_enumeration = std::int64_t{1} << 20;
};

/// A region's extent below zero means no trips; every other size must not be negative.
/// All faults: UnknownSymbol, MissingSymbol, BadBinding, NegativeSize, SizeOverflow, ZeroDivisor, RequirementFailed,
/// IndexOutOfRange, LayoutInvalid, TileTooLarge.
Result<Program> bind(const Program& family, const Bindings& bindings, const BindLimits& limits = {});

/// Replaces parameters and type parameters only, by the given values or their defaults: a program for all sizes. Its
/// symbols and requirements stay. Nothing that needs the sizes is checked. Faults: UnknownSymbol, BadBinding (a symbol
/// is given a value among them).
Result<Program> choose_params(const Program& family, const Bindings& bindings);

/// Extents of an object or axis of a bound program.
std::vector<std::int64_t> bound_extents(const Program& bound, ObjectId object);
std::int64_t bound_extent(const Program& bound, AxisId axis);

/// Elements that an explicit memory of a bound program occupies: one more than the largest offset of its layout.
std::int64_t memory_capacity(const Program& bound, ObjectId memory);

/// Row-major strides in elements (last dimension 1). Empty extents count as 1 for the strides.
std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents);

}  // namespace tilewright::tile
