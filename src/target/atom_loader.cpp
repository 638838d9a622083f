#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/json_fields.h"
#include "target/data_name.h"
#include "target/profile_loader.h"

namespace tilewright::target {

namespace {

constexpr std::int64_t kGreatestExtent = 1'000'000;
constexpr std::int64_t kGreatestCount = 1024;

template <class E>
std::vector<E> enumerators_of(const std::optional<std::vector<std::size_t>>& indices) {
  std::vector<E> values;
  if (indices)
    for (std::size_t index : *indices) values.push_back(static_cast<E>(index));
  return values;
}

class AtomReader {
 public:
  AtomReader(const JsonNode& root, const std::string& file, Diags& faults)
      : fields_(root, {file, {}}, faults), faults_(faults) {}

  AtomDescriptor read() {
    read_schema(fields_, kAtomSchema);
    atom_.name = read_name(fields_, "name").value_or("");
    atom_.family = read_name(fields_, "family").value_or("");
    atom_.description = fields_.line("description").value_or("");
    read_target();
    read_participants();
    read_subgroup_size();
    read_extents();
    atom_.modes = enumerators_of<AtomMode>(fields_.word_list("modes", words_of(kAtomModeNames)));
    read_elements();
    read_storages();
    if (const auto index = fields_.word("completion", words_of(kAtomCompletionNames)))
      atom_.completion = static_cast<AtomCompletion>(*index);
    read_needs();
    atom_.source = fields_.line("source").value_or("");
    fields_.close();
    return std::move(atom_);
  }

 private:
  void read_target() {
    std::vector<std::string_view> words = words_of(kDeviceKindNames);
    words.push_back("any");
    const auto index = fields_.word("target", words);
    if (index && *index < kDeviceKindNames.size()) atom_.target = static_cast<DeviceKind>(*index);
  }

  void read_participants() {
    const JsonNode* list = fields_.list("participants");
    if (list == nullptr) return;
    const JsonPlace place = fields_.place().field("participants");
    if (list->items.empty())
      faults_.push_back(json_fault(DiagCode::FieldRange, place, "at least one", "an empty list"));
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      JsonFields one(list->items[i], place.item(i), faults_);
      AtomParticipants participants;
      if (const auto index = one.word("scope", words_of(kAtomScopeNames)))
        participants.scope = static_cast<AtomScope>(*index);
      if (participants.scope == AtomScope::Subgroups)
        participants.count = one.integer("count", 2, kGreatestCount).value_or(2);
      one.close();
      const bool again = std::any_of(atom_.participants.begin(), atom_.participants.end(),
                                     [&](const AtomParticipants& p) { return p.scope == participants.scope; });
      if (again)
        faults_.push_back(json_fault(DiagCode::RepeatedField, place.item(i), "each scope once", "a scope again"));
      atom_.participants.push_back(participants);
    }
  }

  // The field stands exactly where more than one worker takes part.
  void read_subgroup_size() {
    const bool needed = std::any_of(atom_.participants.begin(), atom_.participants.end(),
                                    [](const AtomParticipants& p) { return p.scope != AtomScope::Worker; });
    if (needed) atom_.subgroup_size = fields_.integer("subgroup_size", 2, kGreatestCount);
  }

  ExtentRule read_extent(JsonFields& extents, std::string_view name) {
    ExtentRule rule;
    const JsonNode* node = extents.any(name);
    if (node == nullptr) return rule;
    JsonFields fields(*node, extents.place().field(name), faults_);
    if (fields.has("exactly")) {
      rule.least = fields.integer("exactly", 1, kGreatestExtent).value_or(1);
      rule.greatest = rule.multiple_of = rule.least;
    } else {
      rule.multiple_of = fields.integer("multiple_of", 1, kGreatestExtent).value_or(1);
      rule.least = rule.multiple_of;
      if (fields.has("least")) rule.least = fields.integer("least", 1, kGreatestExtent).value_or(1);
      if (fields.has("greatest"))
        rule.greatest = fields.integer("greatest", rule.least, kGreatestExtent).value_or(kGreatestExtent);
      if (rule.least % rule.multiple_of != 0)
        faults_.push_back(json_fault(DiagCode::FieldRange, fields.place().field("least"), "a multiple of multiple_of",
                                     std::to_string(rule.least)));
    }
    if (fields.has("unit"))
      rule.unit = static_cast<ExtentUnit>(fields.word("unit", words_of(kExtentUnitNames)).value_or(0));
    fields.close();
    return rule;
  }

  void read_extents() {
    const JsonNode* node = fields_.any("extents");
    if (node == nullptr) return;
    JsonFields extents(*node, fields_.place().field("extents"), faults_);
    atom_.extents.m = read_extent(extents, "m");
    atom_.extents.n = read_extent(extents, "n");
    if (extents.has("static_k")) atom_.extents.static_k = read_extent(extents, "static_k");
    atom_.extents.dynamic_k = extents.boolean("dynamic_k").value_or(false);
    if (extents.has("m_or_n_multiple_of"))
      atom_.extents.m_or_n_multiple_of = extents.integer("m_or_n_multiple_of", 1, kGreatestExtent).value_or(1);
    extents.close();
    if (!atom_.extents.static_k && !atom_.extents.dynamic_k)
      faults_.push_back(json_fault(DiagCode::MissingField, extents.place(), "static_k, dynamic_k: true, or both",
                                   "no way to give k"));
  }

  std::optional<DataType> read_type(JsonFields& fields, std::string_view name) {
    const auto text = fields.line(name);
    if (!text) return std::nullopt;
    const auto type = data_type_from_name(*text);
    if (!type)
      faults_.push_back(json_fault(DiagCode::FieldRange, fields.place().field(name), "an element type like f32 or bf16",
                                   quoted_briefly(*text)));
    return type;
  }

  void read_elements() {
    const JsonNode* list = fields_.list("elements");
    if (list == nullptr) return;
    const JsonPlace place = fields_.place().field("elements");
    if (list->items.empty())
      faults_.push_back(json_fault(DiagCode::FieldRange, place, "at least one", "an empty list"));
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      JsonFields one(list->items[i], place.item(i), faults_);
      const auto a = read_type(one, "a"), b = read_type(one, "b"), accumulator = read_type(one, "accumulator");
      one.close();
      if (!a || !b || !accumulator) continue;
      const AtomElements elements{*a, *b, *accumulator};
      if (std::find(atom_.elements.begin(), atom_.elements.end(), elements) != atom_.elements.end())
        faults_.push_back(
            json_fault(DiagCode::RepeatedField, place.item(i), "each combination once", "a combination again"));
      atom_.elements.push_back(elements);
    }
  }

  void read_storages() {
    const auto words = words_of(kAtomStorageNames);
    atom_.operands = enumerators_of<AtomStorage>(fields_.word_list("operands", words));
    if (fields_.has("loads_from"))
      atom_.loads_from = enumerators_of<AtomStorage>(fields_.word_list("loads_from", words));
    atom_.results = enumerators_of<AtomStorage>(fields_.word_list("results", words));
    const bool in_registers = std::any_of(atom_.operands.begin(), atom_.operands.end(), is_register);
    if (!atom_.loads_from.empty() && !in_registers)
      faults_.push_back(json_fault(DiagCode::FieldRange, fields_.place().field("loads_from"),
                                   "operands in registers beside it", "none: others are read in place"));
  }

  void read_needs() {
    if (!fields_.has("needs")) return;
    const JsonNode* node = fields_.any("needs");
    JsonFields needs(*node, fields_.place().field("needs"), faults_);
    std::vector<std::string_view> words;
    for (const CapabilityInfo& info : kCapabilities) words.push_back(info.name);
    const auto index = needs.word("capability", words);
    const std::int64_t latest = index ? kCapabilities[*index].latest : 1;
    const auto version = needs.integer("version", 1, latest);
    needs.close();
    if (index && version) atom_.needs = AtomNeed{static_cast<Capability>(*index), *version};
  }

  JsonFields fields_;
  Diags& faults_;
  AtomDescriptor atom_;
};

}  // namespace

Result<AtomDescriptor> parse_atom(const DataText& text) {
  TW_TRY(const JsonNode root, parse_json(text.text, text.file));
  Diags faults;
  AtomDescriptor atom = AtomReader(root, text.file, faults).read();
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return atom;
}

}  // namespace tilewright::target
