#include "support/json_fields.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/spelling.h"

namespace tilewright {

namespace {

constexpr std::size_t kLongestLine = 400;

bool is_line(std::string_view text) {
  return !text.empty() && text.size() <= kLongestLine && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

}  // namespace

JsonPlace JsonPlace::field(std::string_view name) const {
  return {file, path.empty() ? std::string(name) : fmt::format("{}.{}", path, name)};
}

JsonPlace JsonPlace::item(std::size_t index) const { return {file, fmt::format("{}[{}]", path, index)}; }

Diag json_fault(DiagCode code, const JsonPlace& place, std::string_view expected, std::string_view found,
                std::string hint) {
  const std::string where = place.path.empty() ? place.file : fmt::format("{}: {}", place.file, place.path);
  return Diag{code, fmt::format("{}: expected {}, found {}", where, expected, found), {}, std::move(hint), {}};
}

JsonFields::JsonFields(const JsonNode& node, JsonPlace place, Diags& faults)
    : node_(&node), place_(std::move(place)), faults_(&faults), readable_(node.kind == JsonKind::Object) {
  if (!readable_) faults.push_back(json_fault(DiagCode::FieldType, place_, "an object", describe_json(node)));
}

bool JsonFields::has(std::string_view name) {
  if (!readable_) return false;
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
  return std::find(node_->names.begin(), node_->names.end(), name) != node_->names.end();
}

const JsonNode* JsonFields::any(std::string_view name) {
  if (!readable_) return nullptr;
  if (!has(name)) {
    faults_->push_back(json_fault(DiagCode::MissingField, place_, fmt::format("a field '{}'", name), "none"));
    return nullptr;
  }
  const auto at = std::find(node_->names.begin(), node_->names.end(), name) - node_->names.begin();
  return &node_->items[static_cast<std::size_t>(at)];
}

const JsonNode* JsonFields::of_kind(std::string_view name, JsonKind kind, std::string_view expected) {
  const JsonNode* node = any(name);
  if (node == nullptr || node->kind == kind) return node;
  faults_->push_back(json_fault(DiagCode::FieldType, place_.field(name), expected, describe_json(*node)));
  return nullptr;
}

std::optional<std::int64_t> JsonFields::integer(std::string_view name, std::int64_t least, std::int64_t greatest) {
  const std::string expected = fmt::format("an integer from {} to {}", least, greatest);
  const JsonNode* node = of_kind(name, JsonKind::Integer, expected);
  if (node == nullptr) return std::nullopt;
  if (node->integer >= least && node->integer <= greatest) return node->integer;
  faults_->push_back(json_fault(DiagCode::FieldRange, place_.field(name), expected, describe_json(*node)));
  return std::nullopt;
}

std::optional<bool> JsonFields::boolean(std::string_view name) {
  const JsonNode* node = of_kind(name, JsonKind::Bool, "true or false");
  if (node == nullptr) return std::nullopt;
  return node->truth;
}

std::optional<std::string> JsonFields::line(std::string_view name) {
  const JsonNode* node = of_kind(name, JsonKind::Text, "a text");
  if (node == nullptr) return std::nullopt;
  if (is_line(node->text)) return node->text;
  faults_->push_back(json_fault(DiagCode::FieldRange, place_.field(name),
                                fmt::format("one line of 1 to {} bytes", kLongestLine),
                                node->text.empty() ? "an empty text" : describe_json(*node)));
  return std::nullopt;
}

std::optional<std::size_t> JsonFields::word_of(const JsonNode& node, const JsonPlace& place,
                                               const std::vector<std::string_view>& words) const {
  const std::string expected = fmt::format("one of {}", fmt::join(words, ", "));
  if (node.kind != JsonKind::Text) {
    faults_->push_back(json_fault(DiagCode::FieldType, place, expected, describe_json(node)));
    return std::nullopt;
  }
  const auto at = std::find(words.begin(), words.end(), node.text);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  faults_->push_back(
      json_fault(DiagCode::FieldRange, place, expected, describe_json(node), did_you_mean(node.text, words)));
  return std::nullopt;
}

std::optional<std::size_t> JsonFields::word(std::string_view name, const std::vector<std::string_view>& words) {
  const JsonNode* node = any(name);
  return node == nullptr ? std::nullopt : word_of(*node, place_.field(name), words);
}

const JsonNode* JsonFields::list(std::string_view name) { return of_kind(name, JsonKind::List, "a list"); }

std::optional<std::vector<std::size_t>> JsonFields::word_list(std::string_view name,
                                                              const std::vector<std::string_view>& words) {
  const JsonNode* node = list(name);
  if (node == nullptr) return std::nullopt;
  const JsonPlace place = place_.field(name);
  if (node->items.empty()) {
    faults_->push_back(json_fault(DiagCode::FieldRange, place, "at least one word", "an empty list"));
    return std::nullopt;
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const auto index = word_of(node->items[i], place.item(i), words);
    if (!index) return std::nullopt;
    if (std::find(found.begin(), found.end(), *index) != found.end()) {
      faults_->push_back(json_fault(DiagCode::RepeatedField, place.item(i), "each word once",
                                    describe_json(node->items[i]) + " again", "remove one of the two"));
      return std::nullopt;
    }
    found.push_back(*index);
  }
  return found;
}

void JsonFields::close() {
  if (!readable_) return;
  for (const std::string& name : node_->names) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    faults_->push_back(json_fault(DiagCode::UnknownField, place_.field(name),
                                  fmt::format("one of the fields {}", fmt::join(known_, ", ")), quoted_briefly(name),
                                  did_you_mean(name, known_)));
  }
}

}  // namespace tilewright
