// One run of a small program written out in full: an event each time that an operation executes, an instance of each
// value that it makes, and a node for each element that says what the element was made of. What property tests decide
// the truth by; it shares nothing with src/analysis and src/proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tile/program.h"

namespace tilewright::proof {

/// What one element is. Broadcasts and reindexes hand nodes on; loads hand on what was stored at their element.
struct Node {
  enum class Kind : std::uint8_t { Literal, Index, Loaded, Product, Computed };
  Kind kind{};
  std::uint64_t bits = 0;              ///< Literal
  std::optional<std::int64_t> number;  ///< Index, and what comparisons and && make of such
  std::size_t event = 0;               ///< of the load or mma
  std::vector<std::int64_t> element;   ///< Product, Loaded: its place in the tile that the event made
  std::vector<std::size_t> from;       ///< nodes that it was made of
};

struct InstanceUse {
  enum class Kind : std::uint8_t { Operand, Init, Yield };
  Kind kind{};
  std::size_t by = 0;          ///< event; of a yield the frame that ends with it
  std::uint32_t position = 0;  ///< operand in the order of tile::for_each_operand, or carry
};

/// A value at one time.
struct Instance {
  tile::ValueId value;
  bool is_argument = false;               ///< a carry at the start of an iteration
  std::optional<std::size_t> event = {};  ///< that made it; none of an argument
  std::vector<tile::AxisId> axes;
  std::vector<std::int64_t> shape;
  std::vector<std::size_t> elements;  ///< nodes, row-major
  std::vector<InstanceUse> uses;
};

/// One element of a load or store.
struct ElementAccess {
  std::vector<std::int64_t> at;  ///< coordinates in the object
  bool inside = true;
};

struct Event {
  tile::OpId op;
  std::size_t frame = 0;
  std::vector<std::size_t> operands, results;  ///< instances
  std::vector<std::size_t> frames;             ///< of a region its iterations, of an if the arm that ran
  std::vector<tile::AxisId> axes;              ///< of a load or store: all that its coordinates and value have
  std::vector<std::int64_t> shape;
  std::vector<ElementAccess> accesses;  ///< row-major over axes
};

/// One execution of a block.
struct Frame {
  enum class Kind : std::uint8_t { Root, Iteration, Arm };
  Kind kind = Kind::Root;
  std::size_t event = 0, parent = 0;           ///< of the region or if, and where that stands; the root is its own
  std::vector<std::size_t> arguments, yields;  ///< instances
};

struct UnrolledProgram {
  const tile::Program& program;
  std::map<std::string, std::int64_t> sizes;
  std::vector<Node> nodes;
  std::vector<Instance> instances;
  std::vector<Event> events;
  std::vector<Frame> frames;

  std::vector<std::size_t> events_of(tile::OpId op) const;
  /// All that happened in the frames of a region or if, itself excluded.
  std::vector<std::size_t> events_inside(std::size_t event) const;
  template <class Payload>
  const Payload* as(std::size_t event) const {
    return std::get_if<Payload>(&program.op(events[event].op).payload);
  }
  /// Whether the frame is `outer` or stands in it.
  bool within(std::size_t frame, std::size_t outer) const;
  /// The outermost event around an event, or itself.
  std::size_t launch_of(std::size_t event) const;
  bool is_literal(std::size_t instance) const;  ///< the same one at every element
  bool is_literal(std::size_t instance, std::uint64_t bits) const;
};

/// Premises: small; regions but reduce; conditions of comparisons of index expressions. Anything else aborts.
UnrolledProgram unroll(const tile::Program& program, const std::map<std::string, std::int64_t>& sizes = {});

/// Row-major positions of a shape.
std::vector<std::vector<std::int64_t>> positions_of(const std::vector<std::int64_t>& shape);

}  // namespace tilewright::proof
