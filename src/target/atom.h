// Atom descriptors: one way of a device to compute d = a b or d = a b + c on small matrices, as data.
//
// A descriptor says what an operation takes and gives, and who executes it. What a descriptor permits is answered with
// reasons by target/atom_legality.h. The files are profiles/atoms/*.json (docs/targets.md); a descriptor does not say
// whether any emitter realizes it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/types.h>

#include "target/capability.h"
#include "target/device_kind.h"

namespace tilewright::target {

/// Who executes one operation together.
enum class AtomScope : std::uint8_t {
  Worker,     ///< one worker
  Subgroup,   ///< all workers of one subgroup
  Subgroups,  ///< a fixed number of subgroups, above 1
  Group,      ///< every subgroup of the group
};
inline constexpr std::array<std::string_view, 4> kAtomScopeNames = {"worker", "subgroup", "subgroups", "group"};

struct AtomParticipants {
  AtomScope scope{};
  std::int64_t count = 1;  ///< of Subgroups: how many
  bool operator==(const AtomParticipants&) const = default;
};

/// What an extent is counted in. A vector has as many elements as a vector register of the device.
enum class ExtentUnit : std::uint8_t { Elements, Vectors };
inline constexpr std::array<std::string_view, 2> kExtentUnitNames = {"elements", "vectors"};

/// The extents least, least + multiple_of, .. up to greatest.
struct ExtentRule {
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  std::int64_t multiple_of = 1;
  std::int64_t least = 1;  ///< a multiple of multiple_of
  std::int64_t greatest = kUnlimited;
  ExtentUnit unit{};

  bool is_exact() const { return least == greatest; }
  bool operator==(const ExtentRule&) const = default;
};

struct ExtentsRule {
  ExtentRule m, n;
  std::optional<ExtentRule> static_k;   ///< nothing: K cannot be part of the operation's type
  bool dynamic_k = false;               ///< K may be an argument, of any value above 0
  std::int64_t m_or_n_multiple_of = 1;  ///< at least one of the two is a multiple of this
  bool operator==(const ExtentsRule&) const = default;
};

struct AtomElements {
  DataType a{}, b{}, accumulator{};
  bool operator==(const AtomElements&) const = default;
};

/// Where an operand or a result is.
enum class AtomStorage : std::uint8_t {
  Private,      ///< registers of one worker
  Fragment,     ///< registers of a subgroup, in a layout that the device fixes
  Cooperative,  ///< registers of the participants, in a layout that only the device knows
  Shared,       ///< memory of the group
  Device,       ///< memory of the device, through a view
};
inline constexpr std::array<std::string_view, 5> kAtomStorageNames = {"private", "fragment", "cooperative", "shared",
                                                                      "device"};

constexpr bool is_register(AtomStorage storage) {
  return storage == AtomStorage::Private || storage == AtomStorage::Fragment || storage == AtomStorage::Cooperative;
}

enum class AtomMode : std::uint8_t {
  Multiply,            ///< d = a b
  MultiplyAccumulate,  ///< d = a b + c
};
inline constexpr std::array<std::string_view, 2> kAtomModeNames = {"multiply", "multiply_accumulate"};

/// Synchronous: the result is there when the operation returns. Asynchronous: when a wait has consumed its token.
enum class AtomCompletion : std::uint8_t { Synchronous, Asynchronous };
inline constexpr std::array<std::string_view, 2> kAtomCompletionNames = {"synchronous", "asynchronous"};

struct AtomNeed {
  Capability capability{};
  std::int64_t version = 1;
  bool operator==(const AtomNeed&) const = default;
};

struct AtomDescriptor {
  std::string name;    ///< "metal.mpp"
  std::string family;  ///< the planner's and emitter's word; several descriptors may share one
  std::string description;
  std::optional<DeviceKind> target;           ///< nothing: every device
  std::optional<std::int64_t> subgroup_size;  ///< workers of a subgroup; of every scope but Worker
  std::vector<AtomParticipants> participants;
  ExtentsRule extents;
  std::vector<AtomMode> modes;
  std::vector<AtomElements> elements;
  std::vector<AtomStorage> operands;
  std::vector<AtomStorage>
      loads_from;  ///< what operands in registers are loaded from; empty when they are read in place
  std::vector<AtomStorage> results;
  AtomCompletion completion{};
  std::optional<AtomNeed> needs;
  std::string source;  ///< document and section, in words

  bool operator==(const AtomDescriptor&) const = default;
};

}  // namespace tilewright::target
