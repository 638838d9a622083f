#include "driver/kit_manifest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "driver/element.h"
#include "driver/kit_check.h"
#include "driver/kit_words.h"
#include "support/json_fields.h"

namespace tilewright::driver {

namespace {

constexpr std::int64_t kInt64Least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kInt64Most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kUint32Most = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostThreads = 1024;
constexpr std::size_t kSha256Digits = 64;

/// One reading of a manifest. A reader that reports a fault gives what it has; the faults decide.
class ManifestReader {
 public:
  explicit ManifestReader(Diags& faults) : faults_(faults) {}

  Kit read(const JsonNode& root, const std::string& file) {
    Kit kit;
    JsonFields fields(root, {file, ""}, faults_);
    fields.integer("schema", kKitSchema, kKitSchema);
    kit.made_by = fields.line("made_by").value_or("");
    kit.command = text(fields, "command");
    kit.program = fields.line("program").value_or("");
    kit.target = fields.line("target").value_or("");
    kit.device = text(fields, "device");
    read_bindings(fields, kit);
    read_metal(fields, kit);
    fields.integer("guard_bytes", kKitGuardBytes, kKitGuardBytes);
    read_poisons(fields);
    each(fields, "buffers", [&](JsonFields& item, std::size_t i) { kit.buffers.push_back(buffer(item, i)); });
    each(fields, "launches", [&](JsonFields& item, std::size_t) { kit.launches.push_back(launch(item)); });
    each(fields, "cases", [&](JsonFields& item, std::size_t) { kit.cases.push_back(one_case(item)); });
    named(fields, "files", [&](const std::string& name, JsonFields& item) { kit.files[name] = listed(item); });
    fields.close();
    return kit;
  }

 private:
  std::string text(JsonFields& fields, std::string_view name) {
    const JsonNode* node = fields.any(name);
    if (node == nullptr) return {};
    if (node->kind != JsonKind::Text)
      faults_.push_back(json_fault(DiagCode::FieldType, fields.place().field(name), "a text", describe_json(*node)));
    return node->text;
  }

  std::int64_t number(JsonFields& fields, std::string_view name, std::int64_t least, std::int64_t most) {
    return fields.integer(name, least, most).value_or(std::max<std::int64_t>(least, 0));
  }

  template <std::size_t N>
  std::size_t word(JsonFields& fields, std::string_view name, const std::array<std::string_view, N>& words) {
    return fields.word(name, {words.begin(), words.end()}).value_or(0);
  }

  /// f(fields, index) for every object of a list.
  template <class F>
  void each(JsonFields& fields, std::string_view name, F&& f) {
    const JsonNode* list = fields.list(name);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      JsonFields item(list->items[i], fields.place().field(name).item(i), faults_);
      f(item, i);
      item.close();
    }
  }

  /// f(name, fields) for every object of an object.
  template <class F>
  void named(JsonFields& fields, std::string_view name, F&& f) {
    const JsonNode* node = fields.any(name);
    if (node == nullptr) return;
    const JsonFields names(*node, fields.place().field(name), faults_);
    for (std::size_t i = 0; node->kind == JsonKind::Object && i < node->items.size(); ++i) {
      JsonFields item(node->items[i], names.place().field(node->names[i]), faults_);
      f(node->names[i], item);
      item.close();
    }
  }

  std::vector<std::int64_t> numbers(JsonFields& fields, std::string_view name, std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> found;
    const JsonNode* list = fields.list(name);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const JsonNode& item = list->items[i];
      if (item.kind == JsonKind::Integer && item.integer >= least && item.integer <= most) {
        found.push_back(item.integer);
        continue;
      }
      faults_.push_back(json_fault(item.kind == JsonKind::Integer ? DiagCode::FieldRange : DiagCode::FieldType,
                                   fields.place().field(name).item(i),
                                   fmt::format("an integer from {} to {}", least, most), describe_json(item)));
    }
    return found;
  }

  void read_bindings(JsonFields& fields, Kit& kit) {
    const JsonNode* node = fields.any("bindings");
    if (node == nullptr) return;
    JsonFields values(*node, fields.place().field("bindings"), faults_);
    for (const std::string& name : values.names())
      if (node->kind == JsonKind::Object) kit.bindings.emplace_back(name, text(values, name));
    values.close();
  }

  void read_metal(JsonFields& fields, Kit& kit) {
    const JsonNode* node = fields.any("metal");
    if (node == nullptr) return;
    JsonFields metal(*node, fields.place().field("metal"), faults_);
    kit.text_file = metal.line("file").value_or("");
    kit.language_version = static_cast<int>(number(metal, "language_version", 310, 499));
    metal.word("math_mode", {kKitMathMode});
    metal.word("math_functions", {kKitMathFunctions});
    metal.close();
  }

  void read_poisons(JsonFields& fields) {
    const JsonNode* node = fields.any("poisons");
    if (node == nullptr) return;
    JsonFields poisons(*node, fields.place().field("poisons"), faults_);
    for (const DataType type : kKitTypes) {
      const std::string_view name = data_type_name(type);  // the fields keep the view
      const std::int64_t nan = poison_bits(type, Poison::Nan), large = poison_bits(type, Poison::Large);
      if (numbers(poisons, name, 0, kUint32Most) != std::vector<std::int64_t>{nan, large})
        faults_.push_back(json_fault(DiagCode::FieldRange, poisons.place().field(name),
                                     fmt::format("[{}, {}]", nan, large), "something else"));
    }
    poisons.close();
  }

  KitBuffer buffer(JsonFields& fields, std::size_t index) {
    KitBuffer found;
    const auto place = static_cast<std::int64_t>(index);
    fields.integer("index", place, place);
    found.name = fields.line("name").value_or("");
    found.role = static_cast<KitRole>(word(fields, "role", kKitRoles));
    found.access = static_cast<artifact::BindingAccess>(word(fields, "access", kKitAccesses));
    std::array<std::string_view, kKitTypes.size()> types;
    std::ranges::transform(kKitTypes, types.begin(), data_type_name);
    found.type = kKitTypes[word(fields, "type", types)];
    found.extents = numbers(fields, "extents", 0, kInt64Most);
    found.strides = numbers(fields, "strides", kInt64Least, kInt64Most);
    found.offset = number(fields, "offset", 0, kInt64Most);
    found.elements = number(fields, "elements", 0, kInt64Most);
    found.bound_at = number(fields, "bound_at", 0, kInt64Most);
    found.bound_elements = number(fields, "bound_elements", 0, kInt64Most);
    if (found.role == KitRole::Scalar) found.bits = static_cast<std::uint32_t>(number(fields, "bits", 0, kUint32Most));
    return found;
  }

  KitLaunch launch(JsonFields& fields) {
    KitLaunch found;
    found.entry = fields.line("entry").value_or("");
    const std::vector<std::int64_t> groups = numbers(fields, "groups", 0, kUint32Most);
    if (groups.size() == found.groups.size())
      std::ranges::copy(groups, found.groups.begin());
    else
      faults_.push_back(json_fault(DiagCode::FieldRange, fields.place().field("groups"), "three numbers",
                                   fmt::format("{}", groups.size())));
    found.threads = number(fields, "threads", 1, kMostThreads);
    found.simd_width = number(fields, "simd_width", 1, kMostThreads);
    found.threadgroup_bytes = number(fields, "threadgroup_bytes", 0, kKitMostBytes);
    for (const std::int64_t index : numbers(fields, "buffers", 0, kUint32Most))
      found.buffers.push_back(static_cast<std::uint32_t>(index));
    return found;
  }

  KitArray array(JsonFields& fields) {
    KitArray found;
    found.file = fields.line("file").value_or("");
    found.data_offset = number(fields, "data_offset", 0, kKitMostBytes);
    return found;
  }

  KitArray array_field(JsonFields& fields, std::string_view name) {
    const JsonNode* node = fields.any(name);
    if (node == nullptr) return {};
    JsonFields item(*node, fields.place().field(name), faults_);
    KitArray found = array(item);
    item.close();
    return found;
  }

  KitCase one_case(JsonFields& fields) {
    KitCase found;
    found.contents = fields.line("contents").value_or("");
    named(fields, "inputs", [&](const std::string& name, JsonFields& item) { found.inputs[name] = array(item); });
    named(fields, "expected", [&](const std::string& name, JsonFields& item) {
      KitExpected& images = found.expected[name];
      images.value = array_field(item, "value");
      images.bound = array_field(item, "bound");
      images.stored = array_field(item, "stored");
    });
    return found;
  }

  KitFile listed(JsonFields& fields) {
    KitFile found;
    found.part = static_cast<KitPart>(word(fields, "part", kKitParts));
    found.bytes = number(fields, "bytes", 0, kKitMostBytes);
    found.sha256 = fields.line("sha256").value_or(std::string(kSha256Digits, '0'));
    const bool digest =
        found.sha256.size() == kSha256Digits && found.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!digest)
      faults_.push_back(json_fault(DiagCode::FieldRange, fields.place().field("sha256"),
                                   "64 lower-case hexadecimal digits", quoted_briefly(found.sha256)));
    return found;
  }

  Diags& faults_;
};

}  // namespace

Result<Kit> read_manifest(std::string_view text, const std::string& file) {
  TW_TRY(const JsonNode root, parse_json(text, file));
  Diags faults;
  Kit kit = ManifestReader(faults).read(root, file);
  if (faults.empty()) faults = kit_faults(kit, file);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return kit;
}

}  // namespace tilewright::driver
