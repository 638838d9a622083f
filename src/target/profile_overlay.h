// One profile file as it is written, before it is laid over what it extends. Internal to the loader.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "target/device_profile.h"
#include "target/profile_loader.h"

namespace tilewright::target {

/// Nothing: withdrawn.
template <class T>
using Setting = std::optional<T>;

struct ProfileOverlay {
  std::string file;
  std::string name;
  std::optional<std::string> extends;
  std::optional<DeviceKind> kind;
  std::string description;
  std::map<std::size_t, Setting<Figure>> figures;  ///< by position in figure_table()
  std::map<Capability, Setting<CapabilityFact>> capabilities;
  std::map<Hazard, Setting<HazardFact>> hazards;
  std::optional<std::vector<std::string>> atoms;
  std::optional<Setting<LanguageVersion>> msl_version;
  std::optional<std::string> processor, features;
};

Result<ProfileOverlay> parse_overlay(const DataText& text);

}  // namespace tilewright::target
