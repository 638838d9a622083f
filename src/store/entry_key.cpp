#include "store/entry_key.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/byte_stream.h"
#include "support/check.h"
#include "support/sha256.h"

namespace tilewright::store {

namespace {

constexpr std::size_t kShownBytes = 24;

std::string shown(const std::optional<std::string>& value) {
  if (!value) return "absent";
  if (value->empty()) return "empty";
  return value->size() <= kShownBytes ? *value : value->substr(0, kShownBytes) + "..";
}

/// A long value (the features of a processor) is shown from a little before the first place where they differ.
std::pair<std::string, std::string> shown_apart(const FieldDifference& difference) {
  const auto& [name, wanted, found] = difference;
  if (!wanted || !found || std::max(wanted->size(), found->size()) <= kShownBytes) return {shown(wanted), shown(found)};
  const auto [at, other] = std::mismatch(wanted->begin(), wanted->end(), found->begin(), found->end());
  const auto same = static_cast<std::size_t>(at - wanted->begin());
  const std::size_t begin = same > kShownBytes / 2 ? same - kShownBytes / 4 : 0;
  const std::string mark = begin == 0 ? "" : "..";
  return {mark + shown(wanted->substr(begin)), mark + shown(found->substr(begin))};
}

}  // namespace

EntryKey& EntryKey::add(std::string name, std::string value) {
  TW_CHECK(find(name) == nullptr);
  fields_.push_back({std::move(name), std::move(value)});
  return *this;
}

const std::string* EntryKey::find(std::string_view name) const {
  const auto field = std::ranges::find(fields_, name, &KeyField::name);
  return field == fields_.end() ? nullptr : &field->value;
}

std::string EntryKey::to_bytes() const {
  ByteWriter out;
  out.number(fields_.size());
  for (const KeyField& field : fields_) {
    out.text(field.name);
    out.text(field.value);
  }
  return out.take();
}

std::optional<EntryKey> EntryKey::from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  EntryKey key;
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    std::string name = in.text();
    if (key.find(name) != nullptr) return std::nullopt;
    key.fields_.push_back({std::move(name), in.text()});
  }
  if (!in.complete()) return std::nullopt;
  return key;
}

std::string EntryKey::digest() const { return sha256_text(to_bytes()); }

std::vector<FieldDifference> key_differences(const EntryKey& wanted, const EntryKey& found) {
  std::vector<FieldDifference> differences;
  for (const auto& [name, value] : wanted.fields()) {
    const std::string* other = found.find(name);
    if (other == nullptr)
      differences.push_back({name, value, std::nullopt});
    else if (*other != value)
      differences.push_back({name, value, *other});
  }
  for (const auto& [name, value] : found.fields())
    if (wanted.find(name) == nullptr) differences.push_back({name, std::nullopt, value});
  return differences;
}

std::string difference_text(const std::vector<FieldDifference>& differences) {
  std::string text;
  for (const FieldDifference& difference : differences) {
    const auto [wanted, found] = shown_apart(difference);
    text += fmt::format("{}{} is {}, there {}", text.empty() ? "" : "; ", difference.name, wanted, found);
  }
  return text;
}

}  // namespace tilewright::store
