#include "target/profile_loader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/json_fields.h"
#include "support/spelling.h"
#include "target/figure_table.h"
#include "target/profile_checks.h"
#include "target/profile_overlay.h"

namespace tilewright::target {

namespace {

std::vector<std::string_view> names_of(const std::map<std::string, DataText>& texts) {
  std::vector<std::string_view> names;
  for (const auto& [name, text] : texts) names.push_back(name);
  return names;
}

Diag profile_name_fault(const std::string& file, const std::string& expected, const std::string& found) {
  return json_fault(DiagCode::ProfileName, {file, "name"}, quoted_briefly(expected) + ", the name of the file",
                    quoted_briefly(found), "rename the file or the field");
}

template <class K, class V>
void lay_over(std::map<K, V>& facts, const std::map<K, Setting<V>>& settings) {
  for (const auto& [key, setting] : settings) {
    if (setting)
      facts[key] = *setting;
    else
      facts.erase(key);
  }
}

class ProfileLoader {
 public:
  explicit ProfileLoader(const ProfileLibrary& library) : library_(library) {}

  Result<DeviceProfile> load(ProfileOverlay own) {
    TW_TRY(const std::vector<ProfileOverlay> chain, chain_of(std::move(own)));
    DeviceProfile device;
    device.kind = *chain.back().kind;
    std::vector<std::string> atoms;
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      check_overlay(device, *it, it == chain.rbegin());
      apply(device, *it);
      if (it->atoms) atoms = *it->atoms;
    }
    device.name = chain.front().name;
    device.description = chain.front().description;
    add_atoms(device, atoms, chain.front().file);
    if (faults_.empty()) check_profile(device, chain.front().file, faults_);
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return device;
  }

 private:
  /// The profile and all it extends, the root last.
  Result<std::vector<ProfileOverlay>> chain_of(ProfileOverlay own) {
    std::vector<ProfileOverlay> chain;
    chain.push_back(std::move(own));
    while (chain.back().extends) {
      const ProfileOverlay& last = chain.back();
      const std::string base = *last.extends;
      const JsonPlace place{last.file, "extends"};
      const auto again =
          std::find_if(chain.begin(), chain.end(), [&](const ProfileOverlay& one) { return one.name == base; });
      if (again != chain.end()) {
        std::string loop;
        for (auto it = again; it != chain.end(); ++it) loop += it->name + " -> ";
        return failure(json_fault(DiagCode::CyclicBase, place, "a profile that does not come back", loop + base,
                                  "give each profile a name of its own, and let one of them extend nothing"));
      }
      const auto at = library_.profiles.find(base);
      if (at == library_.profiles.end())
        return failure(json_fault(DiagCode::UnknownBase, place, "the name of a profile", quoted_briefly(base),
                                  did_you_mean(base, names_of(library_.profiles))));
      TW_TRY(ProfileOverlay next, parse_overlay(at->second));
      if (next.name != base) return failure(profile_name_fault(next.file, base, next.name));
      chain.push_back(std::move(next));
    }
    const ProfileOverlay& root = chain.back();
    if (!root.kind)
      return failure(
          json_fault(DiagCode::MissingField, {root.file, {}}, "a field 'kind' or a field 'extends'", "none"));
    return chain;
  }

  /// `base` is what the overlay is laid over.
  void check_overlay(const DeviceProfile& base, const ProfileOverlay& overlay, bool is_root) {
    const JsonPlace root{overlay.file, {}};
    if (!is_root && overlay.kind && *overlay.kind != base.kind)
      faults_.push_back(json_fault(DiagCode::ProfileConflict, root.field("kind"),
                                   fmt::format("{}, the kind of '{}'", device_kind_name(base.kind), *overlay.extends),
                                   device_kind_name(*overlay.kind)));
    const auto withdraws = [&](const JsonPlace& place, bool withdrawn, bool known) {
      if (withdrawn && !known)
        faults_.push_back(json_fault(DiagCode::ProfileConflict, place, "something of the base to withdraw",
                                     "null, and the base has none", "remove the field: what is not known is absent"));
    };
    for (const auto& [index, setting] : overlay.figures) {
      const FigureInfo& info = figure_table()[index];
      const JsonPlace section = root.field(kFigureSectionNames[static_cast<std::size_t>(info.section)]);
      withdraws(section.field(info.name), !setting, info.of(base).has_value());
    }
    for (const auto& [capability, setting] : overlay.capabilities)
      withdraws(root.field("capabilities").field(capability_name(capability)), !setting,
                base.capabilities.contains(capability));
    for (const auto& [hazard, setting] : overlay.hazards)
      withdraws(root.field("hazards").field(hazard_name(hazard)), !setting, base.hazards.contains(hazard));
    if (overlay.msl_version) withdraws(root.field("msl_version"), !*overlay.msl_version, base.msl_version.has_value());
  }

  static void apply(DeviceProfile& device, const ProfileOverlay& overlay) {
    for (const auto& [index, setting] : overlay.figures) figure_table()[index].of(device) = setting;
    lay_over(device.capabilities, overlay.capabilities);
    lay_over(device.hazards, overlay.hazards);
    if (overlay.msl_version) device.msl_version = *overlay.msl_version;
    if (overlay.processor) device.processor = *overlay.processor;
    if (overlay.features) device.features = *overlay.features;
  }

  void add_atoms(DeviceProfile& device, const std::vector<std::string>& names, const std::string& file) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto at = library_.atoms.find(names[i]);
      if (at == library_.atoms.end()) {
        faults_.push_back(json_fault(DiagCode::UnknownAtom, JsonPlace{file, "atoms"}.item(i), "the name of an atom",
                                     quoted_briefly(names[i]), did_you_mean(names[i], names_of(library_.atoms))));
        continue;
      }
      auto atom = parse_atom(at->second);
      if (atom && atom->name != names[i]) atom = failure(profile_name_fault(at->second.file, names[i], atom->name));
      if (atom)
        device.atoms.push_back(std::move(*atom));
      else
        faults_.insert(faults_.end(), atom.error().begin(), atom.error().end());
    }
  }

  const ProfileLibrary& library_;
  Diags faults_;
};

}  // namespace

Result<DeviceProfile> load_profile(const ProfileLibrary& library, const std::string& name) {
  const auto at = library.profiles.find(name);
  if (at == library.profiles.end())
    return failure(DiagCode::UnknownProfile, "there is no device profile " + quoted_briefly(name),
                   did_you_mean(name, names_of(library.profiles)));
  TW_TRY(ProfileOverlay own, parse_overlay(at->second));
  if (own.name != name) return failure(profile_name_fault(own.file, name, own.name));
  return ProfileLoader(library).load(std::move(own));
}

Result<DeviceProfile> load_profile(const ProfileLibrary& library, const DataText& text) {
  TW_TRY(ProfileOverlay own, parse_overlay(text));
  return ProfileLoader(library).load(std::move(own));
}

}  // namespace tilewright::target
