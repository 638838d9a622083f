#include "report/emit_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/schema.h"

namespace tilewright::report {

namespace {

using EmitJson = nlohmann::ordered_json;

std::string_view kind_word(artifact::BindingKind kind) {
  switch (kind) {
    case artifact::BindingKind::Argument:
      return "argument";
    case artifact::BindingKind::Temporary:
      return "temporary";
    case artifact::BindingKind::Scalar:
      return "scalar";
  }
  return "";
}

std::string_view access_word(artifact::BindingAccess access) {
  switch (access) {
    case artifact::BindingAccess::Read:
      return "read";
    case artifact::BindingAccess::Write:
      return "write";
    case artifact::BindingAccess::ReadWrite:
      return "readwrite";
  }
  return "";
}

EmitJson values_json(const driver::EmitReport& report) {
  EmitJson values = EmitJson::object();
  for (const std::string& name : report.names) {
    if (const auto number = report.bindings.numbers.find(name); number != report.bindings.numbers.end())
      values[name] = number->second;
    else if (const auto type = report.bindings.types.find(name); type != report.bindings.types.end())
      values[name] = data_type_name(type->second);
  }
  return values;
}

EmitJson buffers_json(const artifact::Artifact& artifact) {
  EmitJson buffers = EmitJson::array();
  for (std::size_t i = 0; i < artifact.bindings.size(); ++i) {
    const artifact::Binding& binding = artifact.bindings[i];
    const auto& tensor = binding.tensor;
    buffers.push_back({{"index", i},
                       {"name", binding.name},
                       {"kind", tensor ? "tensor" : kind_word(binding.kind)},
                       {"access", access_word(binding.access)},
                       {"type", data_type_name(binding.type)},
                       {"elements", binding.count}});
    if (!tensor) continue;
    buffers.back()["extents"] = tensor->extents;
    buffers.back()["strides"] = tensor->strides;
  }
  return buffers;
}

EmitJson fences_json(const artifact::FenceRecord& fences) {
  const auto& independent = fences.independent_subgroups;
  return {{"group_barrier_sites_before", fences.sites_before},
          {"group_barrier_sites_after", fences.sites_after},
          {"independent_subgroups", independent ? EmitJson(*independent) : EmitJson(nullptr)},
          {"reason", fences.reason.empty() ? EmitJson(nullptr) : EmitJson(fences.reason)}};
}

EmitJson launch_json(const artifact::Launch& launch) {
  EmitJson json = {{"entry", launch.entry}, {"tasks", launch.task_count}};
  const auto& group = launch.group;
  json["groups"] = group ? EmitJson(group->groups) : EmitJson(nullptr);
  json["workers"] = group ? EmitJson(group->workers) : EmitJson(nullptr);
  json["subgroup_size"] = group ? EmitJson(group->subgroup_size) : EmitJson(nullptr);
  json["shared_bytes"] = group ? EmitJson(group->shared_bytes) : EmitJson(nullptr);
  json["buffers"] = group ? EmitJson(group->bindings) : EmitJson(nullptr);
  json["fences"] = group && group->fences ? fences_json(*group->fences) : EmitJson(nullptr);
  return json;
}

EmitJson kit_json(const driver::KitReport& report) {
  EmitJson json = {{"folder", report.folder}, {"bytes", report.bytes}};
  json["cases"] = EmitJson::array();
  for (const driver::KitCase& one : report.kit.cases) json["cases"].push_back(one.contents);
  json["files"] = {driver::kKitManifest};
  for (const auto& [name, file] : report.kit.files) json["files"].push_back(name);
  return json;
}

}  // namespace

std::string emit_json(const driver::EmitReport& report, const std::optional<std::string>& file,
                      const driver::KitReport* kit) {
  const artifact::Artifact& artifact = report.artifact;
  const bool text = artifact.kind == artifact::CodeKind::Text;
  EmitJson json = {{"schema", kSchema}, {"program", report.program}, {"target", target_name(report.target)}};
  json["device"] = report.device.empty() ? EmitJson(nullptr) : EmitJson(report.device);
  json["route"] = report.route.empty() ? EmitJson(nullptr) : EmitJson(report.route);
  json["fitted"] = EmitJson(report.fitted);
  json["bindings"] = values_json(report);
  json["kind"] = text ? "text" : "object";
  json["bytes"] = artifact.code.size();
  json["file"] = file ? EmitJson(*file) : EmitJson(nullptr);
  if (!file && text) json["text"] = artifact.code;
  json["buffers"] = buffers_json(artifact);
  json["launches"] = EmitJson::array();
  for (const artifact::Launch& launch : artifact.launches) json["launches"].push_back(launch_json(launch));
  json["atoms"] = artifact.families;
  json["language_version"] = text ? EmitJson(artifact.language_version) : EmitJson(nullptr);
  json["flags"] = artifact.flags;
  json["hashes"] = artifact.hashes.empty() ? EmitJson::object() : EmitJson(artifact.hashes);
  json["externals"] = artifact.externals;
  json["companions"] = EmitJson::array();
  if (file)
    for (const driver::EmitCompanion& companion : report.companions)
      json["companions"].push_back(driver::companion_path(*file, companion));
  if (kit != nullptr) json["kit"] = kit_json(*kit);
  json["times"] = EmitJson::array();
  for (const StageTime& time : report.stage_times)
    json["times"].push_back({{"stage", time.stage}, {"milliseconds", time.milliseconds}});
  return json.dump(2, ' ', false, EmitJson::error_handler_t::replace) + "\n";
}

std::string emit_text(const driver::EmitReport& report, const std::string& file) {
  std::string text = fmt::format("wrote {} bytes to {}\n", report.artifact.code.size(), file);
  for (const driver::EmitCompanion& companion : report.companions)
    text += fmt::format("wrote {} bytes to {}\n", companion.contents.size(), driver::companion_path(file, companion));
  return text;
}

}  // namespace tilewright::report
