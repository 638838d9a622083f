// Small programs and ways to find their parts, for the tests of src/analysis.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tile/bind.h"
#include "tile/program.h"

namespace tilewright::analysis {

/// Parsed and verified; a fault fails the test.
tile::Program family_of(std::string_view text);
/// And bound to these numbers.
tile::Program bound_program(std::string_view text, const std::map<std::string, std::int64_t>& numbers = {});

/// A program of programs/, by name.
std::string library_text(const std::string& name);
std::vector<std::string> library_names();
/// Bound to small sizes: 5, 7, 9, .. in the order of its symbols, except those that its requirements restrict.
tile::Program small_library_program(const std::string& name, bool smallest_params = true);

/// The operation in the order of the text whose first result is labelled so; the last one of several.
tile::OpId op_named(const tile::Program& program, std::string_view label);
tile::ObjectId object_named(const tile::Program& program, std::string_view name);
tile::AxisId axis_named(const tile::Program& program, std::string_view label);
tile::CoordId coord_named(const tile::Program& program, std::string_view name);

/// All operations with this payload, by id.
template <class Payload>
std::vector<tile::OpId> ops_of(const tile::Program& program) {
  std::vector<tile::OpId> found;
  for (tile::OpId id : program.ops().ids())
    if (std::holds_alternative<Payload>(program.op(id).payload)) found.push_back(id);
  return found;
}

/// Loads or stores of one object, by id.
std::vector<tile::OpId> loads_of(const tile::Program& program, std::string_view object);
std::vector<tile::OpId> stores_of(const tile::Program& program, std::string_view object);

}  // namespace tilewright::analysis
