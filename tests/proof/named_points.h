// The points at which an operation of a program stands, by plain loops over names: for property tests. It shares
// nothing with src/analysis and src/proof. Premise: no two sizes, coordinates and axes around the operation have one
// name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proof/verdict.h"
#include "tile/program.h"

namespace tilewright::proof {

/// Sizes, coordinates and axes.
using NamedPoint = std::map<std::string, std::int64_t>;

NamedPoint point_of(const Witness& witness);
/// The part of a witness whose names begin with the prefix, without it.
NamedPoint point_of(const Witness& witness, const std::string& prefix);

std::optional<std::int64_t> number_at(const tile::Program& program, tile::IndexId expr, const NamedPoint& point);
/// Of a bool made of comparisons of index expressions, && and broadcasts; anything else aborts.
bool condition_at(const tile::Program& program, tile::ValueId value, const NamedPoint& point);
bool meets_requirements(const tile::Program& program, const NamedPoint& sizes);

class OperationPlace {
 public:
  /// op is a load or store.
  OperationPlace(const tile::Program& program, tile::OpId op);

  tile::ObjectId object() const { return object_; }
  const std::vector<tile::IndexId>& coords() const { return coords_; }
  std::vector<std::string> axes() const;
  bool in_branch() const { return !conditions_.empty(); }

  /// f(point, executes) -> go on? at every point of the regions and axes; `executes`: in the branches that the
  /// operation stands in.
  void visit(const NamedPoint& sizes, const std::function<bool(const NamedPoint&, bool)>& f) const;
  /// The operation executes at the point, at sizes that meet the requirements.
  bool executes_at(const NamedPoint& point) const;
  /// Coordinate d, and the extent there. A coordinate without a value aborts.
  std::int64_t coordinate(std::size_t d, const NamedPoint& point) const;
  std::int64_t extent(std::size_t d, const NamedPoint& point) const;
  std::int64_t axis_extent(const std::string& axis, const NamedPoint& point) const;
  /// No coordinate is outside. One without a value (a witness may be at sizes where another dimension overflows) is
  /// passed over.
  bool inside(const NamedPoint& point) const;

 private:
  struct Dimension {
    std::string name;
    tile::IndexId extent;
    bool is_axis = false;
  };
  struct Condition {
    tile::ValueId value;
    bool polarity = true;
  };
  bool find(tile::BlockId block, tile::OpId op);
  bool conditions_hold(const NamedPoint& point) const;
  bool step(std::size_t depth, NamedPoint& point, const std::function<bool(const NamedPoint&, bool)>& f) const;

  const tile::Program& program_;
  tile::ObjectId object_;
  std::vector<tile::IndexId> coords_;
  std::vector<Dimension> dimensions_;  ///< outermost first
  std::vector<Condition> conditions_;
};

/// The operations of a kind in the order of their ids.
template <class Payload>
std::vector<tile::OpId> operations_of(const tile::Program& program) {
  std::vector<tile::OpId> found;
  for (tile::OpId op : program.ops().ids())
    if (std::holds_alternative<Payload>(program.op(op).payload)) found.push_back(op);
  return found;
}

}  // namespace tilewright::proof
