// Materialization: which tile values of a launch have storage, and which scalar work fills and reads that storage, in
// the reference realization. Every saving of a plan is a part of this that goes away.
//
// What nothing uses is not made. The rule for the rest (background 1.2, "PRESERVE"; 4.12): a value that several
// operations use is one definition with storage of its own; a pure value, or a load, with a single use in the same
// block is evaluated inside that use, element by element. Exceptions, in this order:
//   - constants and index values that have no placement are always evaluated where they are used;
//   - rank 0 has no tile: each worker keeps the number (Uniform);
//   - operands a and b of an mma, the source of a gather, arguments of opaque calls, and what a loop yields are stored;
//   - so is the result of an mma, of a fold, of a region and of an if;
//   - an expression with a transcendental function or a division is stored where its use would evaluate it several
//     times (the use has more axes);
//   - a load stays apart from its use when something between them may write what it reads, and when the use is a store
//     that may: but for a store to the very elements that are loaded, each evaluated for itself;
//   - a placement that the program asks for is storage.
// A carry has one storage from its initial value to its result, and its next value has storage of its own: all carries
// of an iteration change at once.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "proof/subject.h"
#include "support/ids.h"
#include "tile/program.h"

namespace tilewright::realize {

enum class Residence : std::uint8_t {
  Elsewhere,  ///< not a value of this launch
  Folded,     ///< evaluated inside its use
  Uniform,    ///< rank 0: kept by every worker
  Stored,     ///< a compact allocation of the group
};

struct StoredTile {
  tile::ValueId value;  ///< of a carry: the argument of the region's body
  std::int64_t elements = 0, bytes = 0;
  std::int64_t row_padding_elements = 0;  ///< after each row of the last axis; counted in bytes
};

enum class WorkKind : std::uint8_t {
  Copy,         ///< a load into its storage
  Compute,      ///< an expression into its storage
  Fold,         ///< a reduction along an axis: result elements times its extent
  Fill,         ///< the literal initial value of a carry
  Init,         ///< another initial value of a carry
  Update,       ///< the next value of a carry onto its storage
  Sink,         ///< a store to a buffer, or to explicit memory
  Contraction,  ///< an mma as scalar work: result elements times the extents of its contraction
};
std::string_view work_kind_name(WorkKind kind);  ///< "copy", ..

/// Work over one domain of elements. A program does elements * executions of it.
struct ElementWork {
  WorkKind kind{};
  tile::OpId op;           ///< load, expression, fold, mma, store; region or if for Fill, Init and Update
  std::uint32_t part = 0;  ///< the carry, for Fill, Init and Update
  std::int64_t elements = 0;
  std::int64_t executions = 1;

  std::int64_t total() const { return elements * executions; }
};

struct Materialization {
  std::uint32_t launch = 0;
  std::int64_t programs = 0;
  std::vector<std::int64_t> grid;  ///< extents of the launch's domains, in order
  IdVector<tile::ValueId, Residence> residence;
  IdVector<tile::OpId, std::int64_t> executions;  ///< of each operation of the launch, in one program; 0 elsewhere
  std::vector<StoredTile> tiles;                  ///< in the order of the text
  std::vector<ElementWork> work;                  ///< likewise
  std::int64_t memory_bytes = 0;                  ///< explicit memory of the program
  std::int64_t most_collective_outputs = 0;       ///< elements of the widest fold's result
  /// Something is evaluated later than it is loaded, past a store that only the promise of `noalias` keeps apart.
  bool relies_on_noalias = false;
  /// Some loop has a number of trips that differs between programs or iterations; the largest stands in executions.
  bool trips_are_bounds = false;

  /// Of all tiles and explicit memory: no two share storage.
  std::int64_t storage_bytes() const;
  /// Of all work but contractions.
  std::int64_t independent_elements() const;
  /// The widest domain of that; at least 1.
  std::int64_t widest_elements() const;
  const StoredTile* tile_of(tile::ValueId value) const;
};

/// Why a launch has no materialization: a size that is not a number, or a count beyond 64 bits.
struct MaterializationFault {
  std::string reason;
};

/// The domains of a launch, in order, and their product.
struct LaunchGrid {
  std::int64_t programs = 1;
  std::vector<std::int64_t> extents;
};
std::expected<LaunchGrid, MaterializationFault> launch_grid(const proof::Subject& subject, std::uint32_t launch);

/// Premises: the subject's program is bound; launch < number of its launches.
std::expected<Materialization, MaterializationFault> materialize(const proof::Subject& subject, std::uint32_t launch);

}  // namespace tilewright::realize
