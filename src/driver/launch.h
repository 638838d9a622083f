// The checks that stand before every launch: what the caller passes against what the bound program declares.
//
// Nothing has been written when a check fails. All independent faults are reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/compile.h>

#include "driver/view_range.h"
#include "support/result.h"
#include "tile/interpreter.h"
#include "tile/program.h"

namespace tilewright::driver {

/// What a kernel was made for.
struct LaunchRules {
  std::map<tile::ObjectId, std::vector<std::int64_t>> strides;  ///< of every In, Out and InOut buffer
  bool noalias = false;
};

/// Strides of every buffer: those the program declares, those of `layouts`, or dense row-major. UnknownBuffer,
/// ArgumentStrides (rank, or a layout that contradicts the program), ViewOutOfBuffer (positions beyond 64 bits),
/// OutOfMemory (more than a process can address, temporaries included).
Result<LaunchRules> launch_rules(const tile::Program& bound, const std::map<std::string, BufferLayout>& layouts,
                                 bool noalias);

/// ViewSelfOverlap for each written buffer whose layout has two points in one element.
Result<void> check_layouts_once(const tile::Program& bound, const LaunchRules& rules);

/// Arguments that passed the checks.
struct CheckedLaunch {
  tile::Arguments arguments;          ///< every In, Out, InOut object; scalars point into `scalars`
  std::deque<std::uint32_t> scalars;  ///< their bits, copied: they are read before anything is written
};

/// Checks, in this order: names (UnknownBuffer), presence (MissingArgument; a scalar with a default may be absent),
/// type and alignment (ArgumentType), shape (ArgumentShape), strides (ArgumentStrides; axes of one point have none),
/// range (ViewOutOfBuffer), a written view that addresses an element twice (ViewSelfOverlap), and a written buffer that
/// overlaps any other, or any overlap under noalias (BufferOverlap). Empty strides of an argument mean dense row-major.
Result<CheckedLaunch> check_launch(const tile::Program& bound, const LaunchRules& rules, const Arguments& arguments);

/// Why a view does not lie in its buffer (ViewOutOfBuffer), or nothing. Premise: one stride an extent.
std::optional<Diag> view_fault(const std::string& name, const ArrayView& view);

/// "f32[4, 8]"
std::string shape_text(DataType type, const std::vector<std::int64_t>& extents);
/// "(8, 1)"
std::string list_text(const std::vector<std::int64_t>& numbers);

/// The object of a name among In, Out and InOut; none when there is none.
tile::ObjectId find_buffer(const tile::Program& program, std::string_view name);
bool is_interface(const tile::Object& object);
bool is_written(const tile::Object& object);

/// UnknownBuffer, with what was probably meant and what there is.
Diag unknown_buffer(const tile::Program& program, const std::string& name);

}  // namespace tilewright::driver
