// Strict reading of objects in files of data: every field is asked for, and what nobody asked for is a fault.
//
// Faults are collected, so that one reading of a file reports all of them. Each names the file, the path of the field,
// what was expected and what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_tree.h"
#include "support/result.h"

namespace tilewright {

/// Where a value stands: "profiles/h200.json", "limits.subgroup_size". The path of the whole text is empty.
struct JsonPlace {
  std::string file;
  std::string path;

  JsonPlace field(std::string_view name) const;
  JsonPlace item(std::size_t index) const;
};

/// "FILE: PATH: expected EXPECTED, found FOUND".
Diag json_fault(DiagCode code, const JsonPlace& place, std::string_view expected, std::string_view found,
                std::string hint = {});

/// The fields of one object. Readers give nothing when they reported a fault.
class JsonFields {
 public:
  /// FieldType unless `node` is an object; then every reader gives nothing, in silence.
  JsonFields(const JsonNode& node, JsonPlace place, Diags& faults);

  const JsonPlace& place() const { return place_; }
  Diags& faults() const { return *faults_; }
  const std::vector<std::string>& names() const { return node_->names; }

  /// Whether the field is there (null counts), without a fault if not.
  bool has(std::string_view name);
  /// The field whatever it is. MissingField.
  const JsonNode* any(std::string_view name);
  /// MissingField, FieldType, FieldRange outside [least, greatest].
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t greatest);
  std::optional<bool> boolean(std::string_view name);
  /// One line, of 1 to 400 bytes without control characters. MissingField, FieldType, FieldRange.
  std::optional<std::string> line(std::string_view name);
  /// A text that is one of the words: its index. MissingField, FieldType, FieldRange with what was probably meant.
  std::optional<std::size_t> word(std::string_view name, const std::vector<std::string_view>& words);
  /// Words, each at most once and at least one: their indices. RepeatedField too.
  std::optional<std::vector<std::size_t>> word_list(std::string_view name, const std::vector<std::string_view>& words);
  /// MissingField, FieldType.
  const JsonNode* list(std::string_view name);

  /// UnknownField for each field that no reader was asked for.
  void close();

 private:
  const JsonNode* of_kind(std::string_view name, JsonKind kind, std::string_view expected);
  std::optional<std::size_t> word_of(const JsonNode& node, const JsonPlace& place,
                                     const std::vector<std::string_view>& words) const;

  const JsonNode* node_;
  JsonPlace place_;
  Diags* faults_;
  std::vector<std::string_view> known_;
  bool readable_ = true;
};

}  // namespace tilewright
