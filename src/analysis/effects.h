// What operations and launches may touch, which objects may overlap, and what surely does not change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/walk.h"
#include "tile/program.h"

namespace tilewright::analysis {

/// Object lists are sorted and name objects as written: others may alias them (may_alias).
struct Effects {
  std::vector<tile::ObjectId> may_read;
  std::vector<tile::ObjectId> may_write;
  std::vector<tile::ObjectId> allocates;  ///< explicit memory that comes to life
  std::vector<tile::OpId> opaque;         ///< calls that nobody knows
  std::vector<tile::OpId> barriers;

  bool none() const {
    return may_read.empty() && may_write.empty() && allocates.empty() && opaque.empty() && barriers.empty();
  }
  bool operator==(const Effects&) const = default;
};

/// Of a region or if: of everything it holds, whether or not it runs. An opaque call may read and write every buffer
/// that is not a scalar input, and explicit memory that is named in any opaque call (it may have kept the address).
Effects effects_of(const tile::Program& program, tile::OpId op);
/// One a launch, in order.
std::vector<Effects> launch_effects(const tile::Program& program, const Walk& walk);

/// That distinct buffer arguments do not overlap. Without an origin there is no promise.
struct AliasPromise {
  enum class Origin : std::uint8_t { None, Caller, LaunchCheck };
  bool noalias = false;
  Origin origin = Origin::None;

  bool holds() const { return noalias && origin != Origin::None; }
  /// The premise that a proof lists when it relied on the promise; empty when there is none.
  std::string premise() const;
};

/// An argument that the caller places: in, out or inout, but not a scalar input (a value), temp or memory (ours).
bool is_external_buffer(const tile::Object& object);

/// Whether two objects may share an element. Every object aliases itself; distinct external buffers do unless the
/// promise holds; nothing else does.
bool may_alias(const tile::Program& program, tile::ObjectId a, tile::ObjectId b, const AliasPromise& promise);

/// All objects in classes: two may alias exactly when they are in one class. Sorted by the lowest object.
std::vector<std::vector<tile::ObjectId>> alias_classes(const tile::Program& program, const AliasPromise& promise);

/// Why the contents of an object may change during a launch.
struct MutableReason {
  enum class Kind : std::uint8_t {
    ExplicitMemory,  ///< never claimed of memory
    Written,         ///< `op` may write it
    AliasWritten,    ///< `op` may write `other`, which may overlap it
    OpaqueCall,      ///< `op` may do anything
  };
  Kind kind{};
  tile::OpId op;
  tile::ObjectId other;
};

/// The first reason in the order of the text; none when no operation of the launch can change the object.
std::optional<MutableReason> why_maybe_mutable(const tile::Program& program, const Walk& walk, tile::ObjectId object,
                                               std::uint32_t launch, const AliasPromise& promise);

/// The contents stay as they are for the whole launch: a buffer or scalar input that neither it nor anything that may
/// alias it is written there, in a launch without opaque calls. A temp that an earlier launch filled qualifies.
bool surely_immutable(const tile::Program& program, const Walk& walk, tile::ObjectId object, std::uint32_t launch,
                      const AliasPromise& promise);

std::string to_text(const tile::Program& program, const MutableReason& reason);

}  // namespace tilewright::analysis
