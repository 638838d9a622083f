#include "target/profile_overlay.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "support/json_fields.h"
#include "target/data_name.h"
#include "target/figure_table.h"

namespace tilewright::target {

namespace {

/// "4.0": two decimal numbers of at most three digits, without leading zeros.
std::optional<LanguageVersion> language_from(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
    if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const auto major = number(text.substr(0, point)), minor = number(text.substr(point + 1));
  if (!major || !minor) return std::nullopt;
  return LanguageVersion{*major, *minor, {}};
}

class OverlayReader {
 public:
  OverlayReader(const JsonNode& root, const std::string& file, Diags& faults)
      : fields_(root, {file, {}}, faults), faults_(faults) {
    overlay_.file = file;
  }

  ProfileOverlay read() {
    read_schema(fields_, kProfileSchema);
    overlay_.name = read_name(fields_, "name").value_or("");
    if (fields_.has("extends")) overlay_.extends = read_name(fields_, "extends");
    if (fields_.has("kind"))
      if (const auto index = fields_.word("kind", words_of(kDeviceKindNames)))
        overlay_.kind = static_cast<DeviceKind>(*index);
    overlay_.description = fields_.line("description").value_or("");
    read_language();
    read_figures(FigureSection::Limits);
    read_figures(FigureSection::Figures);
    read_capabilities();
    read_hazards();
    read_atoms();
    if (fields_.has("processor")) overlay_.processor = fields_.line("processor");
    if (fields_.has("features")) overlay_.features = read_features();
    fields_.close();
    return std::move(overlay_);
  }

 private:
  Evidence read_evidence(JsonFields& fields) {
    return static_cast<Evidence>(fields.word("evidence", words_of(kEvidenceNames)).value_or(0));
  }

  void read_language() {
    if (!fields_.has("msl_version")) return;
    const JsonNode* node = fields_.any("msl_version");
    if (node->kind == JsonKind::Null) {
      overlay_.msl_version = Setting<LanguageVersion>();
      return;
    }
    JsonFields fields(*node, fields_.place().field("msl_version"), faults_);
    auto version = LanguageVersion{};
    if (const auto text = fields.line("value")) {
      if (const auto read = language_from(*text))
        version = *read;
      else
        faults_.push_back(json_fault(DiagCode::FieldRange, fields.place().field("value"), "a version like 4.0",
                                     quoted_briefly(*text)));
    }
    version.source = fields.line("source").value_or("");
    fields.close();
    overlay_.msl_version = version;
  }

  void read_figures(FigureSection section) {
    const std::string_view name = kFigureSectionNames[static_cast<std::size_t>(section)];
    if (!fields_.has(name)) return;
    JsonFields all(*fields_.any(name), fields_.place().field(name), faults_);
    for (std::size_t i = 0; i < figure_table().size(); ++i) {
      const FigureInfo& info = figure_table()[i];
      if (info.section != section || !all.has(info.name)) continue;
      const JsonNode* node = all.any(info.name);
      if (node->kind == JsonKind::Null) {
        overlay_.figures[i] = std::nullopt;
        continue;
      }
      JsonFields one(*node, all.place().field(info.name), faults_);
      Figure figure;
      figure.value = one.integer("value", info.least, info.greatest).value_or(info.least);
      figure.evidence = read_evidence(one);
      figure.source = one.line("source").value_or("");
      one.close();
      overlay_.figures[i] = figure;
    }
    all.close();
  }

  void read_capabilities() {
    if (!fields_.has("capabilities")) return;
    JsonFields all(*fields_.any("capabilities"), fields_.place().field("capabilities"), faults_);
    for (std::size_t i = 0; i < kCapabilities.size(); ++i) {
      const CapabilityInfo& info = kCapabilities[i];
      if (!all.has(info.name)) continue;
      auto& setting = overlay_.capabilities[static_cast<Capability>(i)];
      const JsonNode* node = all.any(info.name);
      if (node->kind == JsonKind::Null) continue;
      JsonFields one(*node, all.place().field(info.name), faults_);
      CapabilityFact fact;
      fact.version = one.integer("version", 1, info.latest).value_or(1);
      fact.source = one.line("source").value_or("");
      one.close();
      setting = fact;
    }
    all.close();
  }

  void read_hazards() {
    if (!fields_.has("hazards")) return;
    JsonFields all(*fields_.any("hazards"), fields_.place().field("hazards"), faults_);
    for (std::size_t i = 0; i < kHazards.size(); ++i) {
      if (!all.has(kHazards[i].name)) continue;
      auto& setting = overlay_.hazards[static_cast<Hazard>(i)];
      const JsonNode* node = all.any(kHazards[i].name);
      if (node->kind == JsonKind::Null) continue;
      JsonFields one(*node, all.place().field(kHazards[i].name), faults_);
      HazardFact fact;
      fact.explanation = one.line("explanation").value_or("");
      fact.source = one.line("source").value_or("");
      one.close();
      setting = fact;
    }
    all.close();
  }

  void read_atoms() {
    if (!fields_.has("atoms")) return;
    const JsonNode* list = fields_.list("atoms");
    if (list == nullptr) return;
    const JsonPlace place = fields_.place().field("atoms");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const JsonNode& item = list->items[i];
      if (item.kind != JsonKind::Text) {
        faults_.push_back(json_fault(DiagCode::FieldType, place.item(i), "the name of an atom", describe_json(item)));
        continue;
      }
      if (std::find(names.begin(), names.end(), item.text) != names.end())
        faults_.push_back(json_fault(DiagCode::RepeatedField, place.item(i), "each atom once",
                                     quoted_briefly(item.text) + " again", "remove one of the two"));
      names.push_back(item.text);
    }
    overlay_.atoms = std::move(names);
  }

  /// "+avx2,-sse4a": longer than other lines, since processors have a hundred features.
  std::optional<std::string> read_features() {
    const JsonNode* node = fields_.any("features");
    const JsonPlace place = fields_.place().field("features");
    constexpr std::string_view kExpected = "words like +avx2 or -sse4a with commas between";
    if (node->kind != JsonKind::Text) {
      faults_.push_back(json_fault(DiagCode::FieldType, place, kExpected, describe_json(*node)));
      return std::nullopt;
    }
    std::string_view rest = node->text;
    bool good = !rest.empty();
    while (good && !rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(','));
      good = word.size() >= 2 && (word[0] == '+' || word[0] == '-') &&
             std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 0x7f; });
      rest.remove_prefix(word.size());
      if (!rest.empty()) {
        rest.remove_prefix(1);
        good = good && !rest.empty();
      }
    }
    if (good) return node->text;
    faults_.push_back(json_fault(DiagCode::FieldRange, place, kExpected, describe_json(*node)));
    return std::nullopt;
  }

  JsonFields fields_;
  Diags& faults_;
  ProfileOverlay overlay_;
};

}  // namespace

Result<ProfileOverlay> parse_overlay(const DataText& text) {
  TW_TRY(const JsonNode root, parse_json(text.text, text.file));
  Diags faults;
  ProfileOverlay overlay = OverlayReader(root, text.file, faults).read();
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return overlay;
}

}  // namespace tilewright::target
