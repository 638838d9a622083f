// Reads device profiles and atom descriptors from text, strictly: what is misspelt, missing, twice, of the wrong kind,
// out of range or contradictory is refused with file, path of the field, what was expected and what was found.
//
// A profile may extend another: it then says only what differs. A field replaces the base's field as a whole (a figure
// with its evidence and source, the list of atoms, one capability, one hazard); null withdraws it, for what the base
// knows and this device does not have or nobody knows of it. The form of the files is in docs/targets.md.
#pragma once

#include <map>
#include <string>

#include "support/result.h"
#include "target/atom.h"
#include "target/device_profile.h"

namespace tilewright::target {

inline constexpr std::int64_t kProfileSchema = 1;
inline constexpr std::int64_t kAtomSchema = 1;

struct DataText {
  std::string file;  ///< names it in diagnostics
  std::string text;
};

/// Every file that a profile may build on, by the name that it must hold.
struct ProfileLibrary {
  std::map<std::string, DataText> profiles;
  std::map<std::string, DataText> atoms;
};

/// JsonSyntax, UnknownField, MissingField, RepeatedField, FieldType, FieldRange.
Result<AtomDescriptor> parse_atom(const DataText& text);

/// A profile of the library with all it extends. Only these files and those of its atoms are read. Besides the errors
/// of parse_atom: UnknownProfile, UnknownBase, CyclicBase, UnknownAtom, ProfileName, ProfileConflict.
Result<DeviceProfile> load_profile(const ProfileLibrary& library, const std::string& name);
/// A profile that is not in the library and may extend one that is.
Result<DeviceProfile> load_profile(const ProfileLibrary& library, const DataText& text);

}  // namespace tilewright::target
