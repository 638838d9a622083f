// Whether an atom can be used in a given way, with the rule that forbids it and the numbers.
//
// Legality is exact integer arithmetic over the descriptor's data; no cost and no figure of a device enters. The rules
// are asked in the order of AtomRule, and the first that is broken is the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/named_number.h"
#include "target/atom.h"
#include "target/device_profile.h"

namespace tilewright::target {

enum class AtomRule : std::uint8_t {
  Listed,          ///< the profile lists the atom
  Target,          ///< the atom is one of this kind of device
  SubgroupSize,    ///< the device's subgroups have the size that the atom needs
  Needs,           ///< the device has the capability, in the version that the atom needs
  Positive,        ///< extents and numbers of subgroups are at least 1
  RowExtent,       ///< M
  ColumnExtent,    ///< N
  EitherExtent,    ///< M or N
  StaticK,         ///< K as part of the operation's type
  DynamicK,        ///< K as an argument
  Scope,           ///< who executes the operation
  Participants,    ///< how many subgroups do
  Elements,        ///< element types
  OperandStorage,  ///< where an operand is
  LoadStorage,     ///< what an operand in registers is loaded from
  ResultStorage,   ///< where the result goes
  Mode,            ///< multiply or multiply_accumulate
  GroupSize,       ///< the workers of the group fit the device
  KnownHazard,     ///< the use meets a fault of the device
};
/// "row_extent", "either_extent", ..
std::string_view atom_rule_name(AtomRule rule);

struct AtomRefusal {
  AtomRule rule{};
  std::string reason;                ///< the rule and the numbers in words
  std::vector<NamedNumber> numbers;  ///< the same numbers as data
  bool operator==(const AtomRefusal&) const = default;
};

/// One operation: extents in the units of the descriptor, and who executes it.
struct AtomShape {
  std::int64_t m = 0, n = 0;
  std::int64_t k = 0;    ///< static: of the type; dynamic: the greatest that is passed
  bool static_k = true;  ///< K is part of the operation's type, not an argument
  AtomScope scope = AtomScope::Subgroup;
  std::int64_t subgroups = 1;        ///< that execute one operation together; 1 for Worker
  std::int64_t group_subgroups = 1;  ///< of the whole group
};

/// Extents and participants. metal.mpp: "M and N are multiples of 8, one of them of 16; a static K is a multiple of 16"
/// (seed 1, "Native MPP experiment: operation scope is not launch size").
std::optional<AtomRefusal> why_illegal(const AtomDescriptor& atom, const AtomShape& shape);

std::optional<AtomRefusal> why_elements_illegal(const AtomDescriptor& atom, const AtomElements& elements);
/// `loaded_from`: for an operand in registers, what it is loaded from; for others nothing.
std::optional<AtomRefusal> why_operand_illegal(const AtomDescriptor& atom, AtomStorage storage,
                                               std::optional<AtomStorage> loaded_from = std::nullopt);
std::optional<AtomRefusal> why_result_illegal(const AtomDescriptor& atom, AtomStorage storage);
std::optional<AtomRefusal> why_mode_illegal(const AtomDescriptor& atom, AtomMode mode);

/// Listed, Target, SubgroupSize and Needs.
std::optional<AtomRefusal> why_unavailable(const DeviceProfile& device, const AtomDescriptor& atom);

/// why_unavailable, why_illegal, then GroupSize and KnownHazard: a use that is legal and still goes wrong on the
/// device.
std::optional<AtomRefusal> why_illegal_on(const DeviceProfile& device, const AtomDescriptor& atom,
                                          const AtomShape& shape);

}  // namespace tilewright::target
