// No part of a shipped file is without effect: whatever is changed, the file is refused or means something else.
#include <cstdlib>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "support/json_tree.h"
#include "target/profile_text.h"
#include "target/shipped.h"

namespace tilewright::target::mutation_test {
namespace {

// Unoptimized builds try every fifth change: they are there for the sanitizers, and optimized ones try all.
#ifdef __OPTIMIZE__
constexpr std::size_t kStride = 1;
#else
constexpr std::size_t kStride = 5;
#endif

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

std::string dump(const JsonNode& node) {
  std::string out;
  switch (node.kind) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Bool:
      return node.truth ? "true" : "false";
    case JsonKind::Integer:
    case JsonKind::Real:
      return node.text;
    case JsonKind::Text:
      return quoted(node.text);
    case JsonKind::List:
      for (const JsonNode& item : node.items) out += (out.empty() ? "" : ", ") + dump(item);
      return "[" + out + "]";
    case JsonKind::Object:
      for (std::size_t i = 0; i < node.items.size(); ++i)
        out += (out.empty() ? "" : ", ") + quoted(node.names[i]) + ": " + dump(node.items[i]);
      return "{" + out + "}";
  }
  return out;
}

JsonNode leaf(JsonKind kind, std::string text) {
  JsonNode node;
  node.kind = kind;
  node.text = std::move(text);
  return node;
}

/// Every change of one place of a tree, with a name for messages.
class Mutations {
 public:
  using Visit = std::function<void(const std::string& what, const std::string& text)>;

  Mutations(JsonNode root, Visit visit) : root_(std::move(root)), visit_(std::move(visit)) {}

  void run() { walk(root_, ""); }

 private:
  void report(const std::string& what) {
    if (count_++ % kStride == 0) visit_(what, dump(root_));
  }

  void with(JsonNode& node, JsonNode other, const std::string& what) {
    std::swap(node, other);
    report(what);
    std::swap(node, other);
  }

  void change_value(JsonNode& node, const std::string& path) {
    for (const JsonNode& other :
         {leaf(JsonKind::Null, {}), leaf(JsonKind::Bool, {}), leaf(JsonKind::Integer, "7"), leaf(JsonKind::Real, "1.5"),
          leaf(JsonKind::Text, "x"), leaf(JsonKind::List, {}), leaf(JsonKind::Object, {})})
      if (other.kind != node.kind) with(node, other, path + " of another kind");
    if (node.kind == JsonKind::Integer)
      for (std::int64_t step : {-1, 1})
        with(node, leaf(JsonKind::Integer, std::to_string(node.integer + step)), path + " next to it");
    if (node.kind == JsonKind::Bool) {
      JsonNode other = node;
      other.truth = !node.truth;
      with(node, other, path + " negated");
    }
    if (node.kind == JsonKind::Text) {
      with(node, leaf(JsonKind::Text, node.text + "x"), path + " longer");
      with(node, leaf(JsonKind::Text, node.text.substr(1)), path + " shorter");
    }
  }

  void change_members(JsonNode& node, const std::string& path) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      const std::string name = node.kind == JsonKind::Object ? node.names[i] : std::to_string(i);
      const std::string here = path + "." + name;
      JsonNode other = node;
      other.items.erase(other.items.begin() + at);
      if (node.kind == JsonKind::Object) other.names.erase(other.names.begin() + at);
      with(node, other, here + " removed");
      other = node;
      other.items.push_back(node.items[i]);
      if (node.kind == JsonKind::Object) other.names.push_back(node.names[i]);
      with(node, other, here + " twice");
      if (node.kind != JsonKind::Object) continue;
      other = node;
      other.names[i] += "x";
      with(node, other, here + " renamed");
    }
  }

  void walk(JsonNode& node, const std::string& path) {
    change_value(node, path);
    if (node.kind != JsonKind::List && node.kind != JsonKind::Object) return;
    change_members(node, path);
    for (std::size_t i = 0; i < node.items.size(); ++i)
      walk(node.items[i], path + "." + (node.kind == JsonKind::Object ? node.names[i] : std::to_string(i)));
  }

  JsonNode root_;
  Visit visit_;
  std::size_t count_ = 0;
};

/// Every mutation of every text is refused or loads to another value. Returns {refused, other}.
template <class Load>
std::pair<int, int> expect_every_part_counts(const std::map<std::string, DataText>& texts, const Load& load) {
  int refused = 0, other = 0;
  for (const auto& [name, text] : texts) {
    const auto original = load(text.text);
    EXPECT_TRUE(original) << name;
    const auto root = parse_json(text.text, name);
    EXPECT_TRUE(root) << name;
    if (!original || !root) continue;
    EXPECT_EQ(*load(dump(*root)), *original) << name;
    Mutations(*root, [&](const std::string& what, const std::string& changed) {
      const auto loaded = load(changed);
      (loaded ? other : refused) += 1;
      if (!loaded) return;
      EXPECT_FALSE(*loaded == *original) << name << ": " << what;
      EXPECT_FALSE(what.ends_with(" renamed") || what.ends_with(" twice")) << name << ": " << what;
    }).run();
  }
  return {refused, other};
}

Result<DeviceProfile> load_text(const std::string& text) { return load_profile(shipped(), DataText{"changed", text}); }

TEST(Mutations, EveryPartOfAProfileCounts) {
  const auto [refused, other] = expect_every_part_counts(shipped().profiles, load_text);
  EXPECT_GT(refused, 5000 / static_cast<int>(kStride));
  EXPECT_GT(other, 500 / static_cast<int>(kStride));
}

TEST(Mutations, EveryPartOfAnAtomCounts) {
  const auto [refused, other] =
      expect_every_part_counts(shipped().atoms, [](const std::string& text) { return parse_atom({"changed", text}); });
  EXPECT_GT(refused, 1000 / static_cast<int>(kStride));
  EXPECT_GT(other, 100 / static_cast<int>(kStride));
}

TEST(Mutations, EveryTruncationIsRefused) {
  for (const std::string name : {"generic-metal4", "apple-m1-pro", "host-cpu"}) {
    const std::string& text = shipped().profiles.at(name).text;
    for (std::size_t size = 0; size + 2 < text.size(); size += kStride)
      EXPECT_FALSE(load_text(text.substr(0, size))) << name << " " << size;
  }
}

TEST(Mutations, RandomBytesAreRefusedOrLoadToAWholeProfile) {
  const char* wanted = std::getenv("TILEWRIGHT_MUTATIONS");
  const int count = wanted == nullptr ? 1000 / static_cast<int>(kStride) : std::atoi(wanted);
  constexpr std::string_view kBytes = "{}[]\",:01-.en\\\0\n x\x80\xff";
  std::vector<std::string> texts;
  for (const auto& [name, text] : shipped().profiles) texts.push_back(text.text);
  int loaded = 0;
  for (int seed = 1; seed <= count; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::string text = texts[random() % texts.size()];
    for (std::uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % kBytes.size()];
      if (random() % 3 == 0)
        text.insert(at, 1, byte);
      else if (random() % 2 == 0)
        text.erase(at, 1 + random() % 8);
      else
        text[at] = byte;
    }
    const auto device = load_text(text);
    if (!device) continue;
    ++loaded;
    const auto back = load_text(print_profile(*device));
    ASSERT_TRUE(back) << "seed " << seed << "\n" << text << render(back.error());
    EXPECT_EQ(*back, *device) << "seed " << seed;
  }
  EXPECT_GT(loaded, count / 100);
  EXPECT_LT(loaded, count);
}

}  // namespace
}  // namespace tilewright::target::mutation_test
