#include "target/profile_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "target/figure_table.h"
#include "target/profile_loader.h"

namespace tilewright::target {

namespace {

using ProfileJson = nlohmann::ordered_json;

ProfileJson figures_json(const DeviceProfile& device, FigureSection section) {
  ProfileJson json = ProfileJson::object();
  for (const FigureInfo& info : figure_table()) {
    const std::optional<Figure>& figure = info.of(device);
    if (info.section != section || !figure) continue;
    json[std::string(info.name)] = {{"value", figure->value},
                                    {"evidence", kEvidenceNames[static_cast<std::size_t>(figure->evidence)]},
                                    {"source", figure->source}};
  }
  return json;
}

}  // namespace

std::string print_profile(const DeviceProfile& device) {
  ProfileJson json = {{"schema", kProfileSchema},
                      {"name", device.name},
                      {"kind", device_kind_name(device.kind)},
                      {"description", device.description}};
  if (device.msl_version)
    json["msl_version"] = {{"value", fmt::format("{}.{}", device.msl_version->major, device.msl_version->minor)},
                           {"source", device.msl_version->source}};
  if (!device.processor.empty()) json["processor"] = device.processor;
  if (!device.features.empty()) json["features"] = device.features;
  json["limits"] = figures_json(device, FigureSection::Limits);
  json["figures"] = figures_json(device, FigureSection::Figures);
  json["capabilities"] = ProfileJson::object();
  for (const auto& [capability, fact] : device.capabilities)
    json["capabilities"][std::string(capability_name(capability))] = {{"version", fact.version},
                                                                      {"source", fact.source}};
  json["hazards"] = ProfileJson::object();
  for (const auto& [hazard, fact] : device.hazards)
    json["hazards"][std::string(hazard_name(hazard))] = {{"explanation", fact.explanation}, {"source", fact.source}};
  json["atoms"] = ProfileJson::array();
  for (const AtomDescriptor& atom : device.atoms) json["atoms"].push_back(atom.name);
  return json.dump(2, ' ', false, ProfileJson::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::target
