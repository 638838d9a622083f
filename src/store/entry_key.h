// What decides the content of a cache entry, as named fields: two entries differ exactly where their keys do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::store {

struct KeyField {
  std::string name, value;
  bool operator==(const KeyField&) const = default;
};

class EntryKey {
 public:
  /// Premise: no field has the name yet. The order of the fields is part of the key.
  EntryKey& add(std::string name, std::string value);

  const std::vector<KeyField>& fields() const { return fields_; }
  /// The value of a field; null when there is none of that name.
  const std::string* find(std::string_view name) const;

  std::string to_bytes() const;
  static std::optional<EntryKey> from_bytes(std::string_view bytes);
  /// SHA-256 of to_bytes() in hexadecimal.
  std::string digest() const;

  bool operator==(const EntryKey&) const = default;

 private:
  std::vector<KeyField> fields_;
};

/// A field that differs; nothing where a key does not have it.
struct FieldDifference {
  std::string name;
  std::optional<std::string> wanted, found;
};
std::vector<FieldDifference> key_differences(const EntryKey& wanted, const EntryKey& found);

/// "M is 128, there 64; noalias is true, there false". Long values are cut.
std::string difference_text(const std::vector<FieldDifference>& differences);

}  // namespace tilewright::store
