// The writing half of kit_manifest.h.
#include <nlohmann/json.hpp>

#include "driver/element.h"
#include "driver/kit_manifest.h"
#include "driver/kit_words.h"

namespace tilewright::driver {

namespace {

using KitJson = nlohmann::ordered_json;

KitJson buffer_json(const KitBuffer& buffer, std::size_t index) {
  KitJson json = {{"index", index},
                  {"name", buffer.name},
                  {"role", kKitRoles[static_cast<std::size_t>(buffer.role)]},
                  {"access", kKitAccesses[static_cast<std::size_t>(buffer.access)]},
                  {"type", data_type_name(buffer.type)},
                  {"extents", buffer.extents},
                  {"strides", buffer.strides},
                  {"offset", buffer.offset},
                  {"elements", buffer.elements},
                  {"bound_at", buffer.bound_at},
                  {"bound_elements", buffer.bound_elements}};
  if (buffer.role == KitRole::Scalar) json["bits"] = buffer.bits;
  return json;
}

KitJson launch_json(const KitLaunch& launch) {
  return {{"entry", launch.entry},
          {"groups", launch.groups},
          {"threads", launch.threads},
          {"simd_width", launch.simd_width},
          {"threadgroup_bytes", launch.threadgroup_bytes},
          {"buffers", launch.buffers}};
}

KitJson array_json(const KitArray& array) { return {{"file", array.file}, {"data_offset", array.data_offset}}; }

KitJson case_json(const KitCase& one) {
  KitJson inputs = KitJson::object(), expected = KitJson::object();
  for (const auto& [name, array] : one.inputs) inputs[name] = array_json(array);
  for (const auto& [name, images] : one.expected)
    expected[name] = {{"value", array_json(images.value)},
                      {"bound", array_json(images.bound)},
                      {"stored", array_json(images.stored)}};
  return {{"contents", one.contents}, {"inputs", inputs}, {"expected", expected}};
}

KitJson poisons_json() {
  KitJson json = KitJson::object();
  for (const DataType type : kKitTypes)
    json[std::string(data_type_name(type))] = {poison_bits(type, Poison::Nan), poison_bits(type, Poison::Large)};
  return json;
}

}  // namespace

std::string manifest_text(const Kit& kit) {
  KitJson json = {{"schema", kKitSchema},         {"made_by", kit.made_by}, {"command", kit.command},
                  {"program", kit.program},       {"target", kit.target},   {"device", kit.device},
                  {"bindings", KitJson::object()}};
  for (const auto& [name, value] : kit.bindings) json["bindings"][name] = value;
  json["metal"] = {{"file", kit.text_file},
                   {"language_version", kit.language_version},
                   {"math_mode", kKitMathMode},
                   {"math_functions", kKitMathFunctions}};
  json["guard_bytes"] = kKitGuardBytes;
  json["poisons"] = poisons_json();
  json["buffers"] = KitJson::array();
  for (std::size_t i = 0; i < kit.buffers.size(); ++i) json["buffers"].push_back(buffer_json(kit.buffers[i], i));
  json["launches"] = KitJson::array();
  for (const KitLaunch& launch : kit.launches) json["launches"].push_back(launch_json(launch));
  json["cases"] = KitJson::array();
  for (const KitCase& one : kit.cases) json["cases"].push_back(case_json(one));
  json["files"] = KitJson::object();
  for (const auto& [name, file] : kit.files)
    json["files"][name] = {
        {"part", kKitParts[static_cast<std::size_t>(file.part)]}, {"bytes", file.bytes}, {"sha256", file.sha256}};
  return json.dump(1, ' ', false, KitJson::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::driver
