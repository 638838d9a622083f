#include "target/profile_checks.h"

#include <fmt/format.h>

#include "support/json_fields.h"
#include "target/atom_legality.h"
#include "target/figure_table.h"

namespace tilewright::target {

namespace {

class ProfileChecker {
 public:
  ProfileChecker(const DeviceProfile& device, const std::string& file, Diags& faults)
      : device_(device), root_{file, {}}, faults_(faults) {}

  void run() {
    check_limits();
    check_language();
    check_capabilities();
    check_hazards();
    check_atoms();
    if (device_.kind != DeviceKind::Cpu) {
      if (!device_.processor.empty()) of_other_kind(root_.field("processor"), DeviceKind::Cpu);
      if (!device_.features.empty()) of_other_kind(root_.field("features"), DeviceKind::Cpu);
    }
  }

 private:
  void conflict(const JsonPlace& place, std::string_view expected, std::string_view found, std::string hint = {}) {
    faults_.push_back(json_fault(DiagCode::ProfileConflict, place, expected, found, std::move(hint)));
  }
  void of_other_kind(const JsonPlace& place, DeviceKind owner) {
    conflict(place, fmt::format("a {} device", device_kind_name(owner)),
             fmt::format("a {} device", device_kind_name(device_.kind)));
  }

  void check_limits() {
    for (const FigureInfo& info : figure_table()) {
      if (info.section != FigureSection::Limits) continue;
      const JsonPlace place = root_.field("limits");
      const bool present = info.of(device_).has_value();
      if (device_.kind == DeviceKind::Cpu) {
        if (present)
          conflict(place.field(info.name), "no limit of a group", "one, and a group of a cpu device is one worker");
        continue;
      }
      const bool needed = info.limit == &DeviceLimits::subgroup_size ||
                          info.limit == &DeviceLimits::max_threads_per_group ||
                          info.limit == &DeviceLimits::shared_memory_bytes;
      if (needed && !present)
        faults_.push_back(json_fault(DiagCode::MissingField, place, fmt::format("a field '{}'", info.name), "none",
                                     fmt::format("a {} device needs it", device_kind_name(device_.kind))));
    }
  }

  void check_language() {
    const JsonPlace place = root_.field("msl_version");
    if (device_.kind == DeviceKind::Metal && !device_.msl_version)
      faults_.push_back(
          json_fault(DiagCode::MissingField, root_, "a field 'msl_version'", "none", "a metal device needs it"));
    if (device_.kind != DeviceKind::Metal && device_.msl_version) of_other_kind(place, DeviceKind::Metal);
  }

  void check_capabilities() {
    for (const auto& [capability, fact] : device_.capabilities) {
      const CapabilityInfo& info = capability_info(capability);
      const JsonPlace place = root_.field("capabilities").field(info.name);
      if (info.kind != device_.kind) of_other_kind(place, info.kind);
      if (!info.base) continue;
      const std::int64_t version = capability_version(device_, *info.base);
      if (version < info.base_version)
        conflict(place, fmt::format("{} version {}", capability_name(*info.base), info.base_version),
                 version == 0 ? "none" : fmt::format("version {}", version));
    }
  }

  void check_hazards() {
    for (const auto& [hazard, fact] : device_.hazards) {
      const HazardInfo& info = kHazards[static_cast<std::size_t>(hazard)];
      if (info.kind != device_.kind) of_other_kind(root_.field("hazards").field(info.name), info.kind);
    }
  }

  void check_atoms() {
    for (std::size_t i = 0; i < device_.atoms.size(); ++i)
      if (const auto refusal = why_unavailable(device_, device_.atoms[i]))
        conflict(root_.field("atoms").item(i), "an atom that the device can execute",
                 quoted_briefly(device_.atoms[i].name), refusal->reason);
  }

  const DeviceProfile& device_;
  JsonPlace root_;
  Diags& faults_;
};

}  // namespace

void check_profile(const DeviceProfile& device, const std::string& file, Diags& faults) {
  ProfileChecker(device, file, faults).run();
}

}  // namespace tilewright::target
