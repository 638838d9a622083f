#include "support/json_tree.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright {

namespace {

constexpr std::size_t kLongestMessage = 200;
constexpr std::size_t kLongestShown = 60;

// A text from a file may hold anything; a message is one line of whole characters.
std::string shown(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kLongestShown)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (text.size() <= kLongestShown) return out;
  while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
  if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();
  return out + "..";
}

SourcePlace place_at(std::string_view text, const std::string& file, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view line = text.substr(start, text.substr(start).find('\n'));
  SourcePlace place{file, 0, 0, 1, line.size() <= kLongestMessage ? std::string(line) : std::string()};
  place.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  place.column = static_cast<std::uint32_t>(offset - start + 1);
  return place;
}

// The library's message without its own name and place: those stand in the diagnostic.
std::string reason_of(std::string_view message) {
  if (const std::size_t end = message.find("] "); message.starts_with('[') && end != std::string_view::npos)
    message.remove_prefix(end + 2);
  if (const std::size_t end = message.find(": "); message.starts_with("parse error") && end != std::string_view::npos)
    message.remove_prefix(end + 2);
  return std::string(message.substr(0, kLongestMessage));
}

/// Receives the events of the library's parser and builds the tree.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    JsonNode node;
    node.kind = JsonKind::Bool;
    node.truth = value;
    return add(std::move(node));
  }
  bool number_integer(std::int64_t value) override { return add_integer(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (std::in_range<std::int64_t>(value)) return add_integer(static_cast<std::int64_t>(value));
    return number_float(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(double value, const std::string& spelling) override {
    JsonNode node;
    node.kind = JsonKind::Real;
    node.real = value;
    node.text = spelling;
    return add(std::move(node));
  }
  bool string(std::string& value) override {
    JsonNode node;
    node.kind = JsonKind::Text;
    node.text = std::move(value);
    return add(std::move(node));
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonKind::Object); }
  bool start_array(std::size_t) override { return open(JsonKind::List); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    Frame& frame = open_.back();
    if (!frame.seen.insert(name).second) {
      fault_ = Diag{DiagCode::RepeatedField,
                    fmt::format("{}: {}: expected each field once, found it again", file_, path() + shown(name)),
                    {},
                    "remove one of the two",
                    {}};
      return false;
    }
    frame.node.names.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    fault_ = syntax_fault(position == 0 ? 0 : position - 1, reason_of(error.what()));
    return false;
  }

  Result<JsonNode> finish(bool complete) {
    if (fault_) return failure(*fault_);
    if (!complete || !open_.empty()) return failure(syntax_fault(text_.size(), "the text is not complete"));
    return std::move(root_);
  }

 private:
  struct Frame {
    JsonNode node;
    std::set<std::string> seen;
  };

  bool add_integer(std::int64_t value) {
    JsonNode node;
    node.kind = JsonKind::Integer;
    node.integer = value;
    node.real = static_cast<double>(value);
    node.text = std::to_string(value);
    return add(std::move(node));
  }
  bool add(JsonNode node) {
    (open_.empty() ? root_ : open_.back().node.items.emplace_back()) = std::move(node);
    return true;
  }
  bool open(JsonKind kind) {
    if (open_.size() == kJsonDepth) {
      fault_ = Diag{DiagCode::JsonSyntax,
                    fmt::format("{}: expected at most {} levels of lists and objects, found more", file_, kJsonDepth),
                    {},
                    {},
                    {}};
      return false;
    }
    open_.emplace_back().node.kind = kind;
    return true;
  }
  bool close() {
    JsonNode node = std::move(open_.back().node);
    open_.pop_back();
    return add(std::move(node));
  }

  /// The fields that are open, each followed by a point.
  std::string path() const {
    std::string path;
    for (std::size_t level = 0; level + 1 < open_.size(); ++level) {
      const JsonNode& node = open_[level].node;
      if (node.kind == JsonKind::List && path.ends_with('.')) path.pop_back();
      path += node.kind == JsonKind::List ? fmt::format("[{}].", node.items.size()) : node.names.back() + ".";
    }
    return path;
  }

  Diag syntax_fault(std::size_t offset, const std::string& reason) const {
    return Diag{DiagCode::JsonSyntax,
                "this is no JSON: " + reason,
                place_at(text_, file_, offset),
                "names and texts stand in double quotes, commas between values only; there are no comments",
                {}};
  }

  std::string_view text_;
  std::string file_;
  JsonNode root_;
  std::vector<Frame> open_;
  std::optional<Diag> fault_;
};

}  // namespace

Result<JsonNode> parse_json(std::string_view text, const std::string& file) {
  TreeBuilder builder(text, file);
  const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.finish(complete);
}

std::string quoted_briefly(std::string_view text) { return "'" + shown(text) + "'"; }

std::string describe_json(const JsonNode& node) {
  switch (node.kind) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Bool:
      return node.truth ? "true" : "false";
    case JsonKind::Integer:
    case JsonKind::Real:
      return "the number " + shown(node.text);
    case JsonKind::Text:
      return "the text " + quoted_briefly(node.text);
    case JsonKind::List:
      return "a list";
    case JsonKind::Object:
      return "an object";
  }
  return {};
}

}  // namespace tilewright
