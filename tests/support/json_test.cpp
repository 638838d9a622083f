// JSON trees and the strict reading of their fields.
#include <gtest/gtest.h>

#include "driver/faults.h"
#include "support/json_fields.h"
#include "support/json_tree.h"

namespace tilewright::json_test {
namespace {

JsonNode tree(const std::string& text) {
  auto node = parse_json(text, "t.json");
  EXPECT_TRUE(node) << render(node.error());
  return node ? *node : JsonNode{};
}

TEST(JsonTree, EveryKind) {
  const JsonNode node = tree(R"([null, true, false, -3, 1.50, "a\nb", [], {"x": 1, "y": {"x": 2}}, 1e2])");
  ASSERT_EQ(node.items.size(), 9u);
  EXPECT_EQ(node.items[0].kind, JsonKind::Null);
  EXPECT_TRUE(node.items[1].truth);
  EXPECT_FALSE(node.items[2].truth);
  EXPECT_EQ(node.items[3].kind, JsonKind::Integer);
  EXPECT_EQ(node.items[3].integer, -3);
  EXPECT_EQ(node.items[3].real, -3.0);
  EXPECT_EQ(node.items[4].kind, JsonKind::Real);
  EXPECT_EQ(node.items[4].text, "1.50");
  EXPECT_EQ(node.items[4].real, 1.5);
  EXPECT_EQ(node.items[5].text, "a\nb");
  EXPECT_EQ(node.items[6].kind, JsonKind::List);
  EXPECT_EQ(node.items[7].names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(node.items[7].items[1].items[0].integer, 2);
  EXPECT_EQ(node.items[8].kind, JsonKind::Real);
}

TEST(JsonTree, IntegersOfSixtyFourBitsAndNoMore) {
  EXPECT_EQ(tree("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(tree("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(tree("9223372036854775808").kind, JsonKind::Real);
  EXPECT_EQ(tree("9223372036854775808").text, "9223372036854775808");
  EXPECT_EQ(tree("-9223372036854775809").kind, JsonKind::Real);
  EXPECT_EQ(tree("1.0").kind, JsonKind::Real);
}

TEST(JsonTree, SyntaxFaultsHaveAPlace) {
  expect_fault(parse_json("{\n \"a\": ]\n}", "t.json"), DiagCode::JsonSyntax, {"t.json:2:7: error", " \"a\": ]"});
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "'a'", "01", "+1", "nan", "1 2", "\"\xff\"",
                           "\"a\nb\"", "// c\n1", "1e999", "tru"})
    expect_fault(parse_json(text, "t.json"), DiagCode::JsonSyntax, {"this is no JSON"});
}

TEST(JsonTree, NestsToALimit) {
  const auto nested = [](std::size_t levels) {
    return parse_json(std::string(levels, '[') + std::string(levels, ']'), "t.json");
  };
  EXPECT_TRUE(nested(kJsonDepth));
  expect_fault(nested(kJsonDepth + 1), DiagCode::JsonSyntax, {"at most 32 levels"});
  expect_fault(nested(100000), DiagCode::JsonSyntax);
}

TEST(JsonTree, NamesStandOnceInAnObject) {
  expect_fault(parse_json(R"({"a": 1, "a": 1})", "t.json"), DiagCode::RepeatedField,
               {"t.json: a: expected each field"});
  expect_fault(parse_json(R"({"o": [{"a": 1}, {"b": {"a": 1, "a": 2}}]})", "t.json"), DiagCode::RepeatedField,
               {"o[1].b.a"});
  EXPECT_TRUE(parse_json(R"([{"a": 1}, {"a": {"a": 1}}])", "t.json"));
}

TEST(JsonTree, Descriptions) {
  EXPECT_EQ(describe_json(tree("null")), "null");
  EXPECT_EQ(describe_json(tree("false")), "false");
  EXPECT_EQ(describe_json(tree("1.50")), "the number 1.50");
  EXPECT_EQ(describe_json(tree("\"a\\tb\"")), "the text 'a?b'");
  EXPECT_EQ(describe_json(tree("[1]")), "a list");
  EXPECT_EQ(describe_json(tree("{}")), "an object");
  EXPECT_EQ(quoted_briefly(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(quoted_briefly(std::string(61, 'a')), "'" + std::string(60, 'a') + "..'");
  EXPECT_EQ(quoted_briefly(std::string(59, 'a') + "\xc3\xa9"), "'" + std::string(59, 'a') + "..'");
}

struct Reading {
  explicit Reading(const std::string& text) : node(tree(text)), fields(node, {"t.json", {}}, faults) {}

  std::string only_fault() const { return faults.size() == 1 ? faults[0].message : std::to_string(faults.size()); }

  JsonNode node;
  Diags faults;
  JsonFields fields;
};

TEST(JsonFields, ReadsWhatIsThere) {
  Reading r(R"({"i": 3, "b": true, "t": "x", "w": "two", "l": ["one", "two"], "n": null})");
  EXPECT_EQ(r.fields.integer("i", 3, 3), 3);
  EXPECT_EQ(r.fields.boolean("b"), true);
  EXPECT_EQ(r.fields.line("t"), "x");
  EXPECT_EQ(r.fields.word("w", {"one", "two"}), 1u);
  EXPECT_EQ(r.fields.word_list("l", {"two", "one"}), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(r.fields.any("n")->kind, JsonKind::Null);
  EXPECT_EQ(r.fields.list("l")->items.size(), 2u);
  EXPECT_TRUE(r.fields.has("n"));
  EXPECT_FALSE(r.fields.has("m"));
  r.fields.close();
  EXPECT_TRUE(r.faults.empty());
}

TEST(JsonFields, FaultsNameExpectedAndFound) {
  Reading missing("{}");
  EXPECT_FALSE(missing.fields.integer("i", 1, 2));
  EXPECT_EQ(missing.only_fault(), "t.json: expected a field 'i', found none");
  EXPECT_EQ(missing.faults[0].code, DiagCode::MissingField);
  Reading kind(R"({"i": "1"})");
  EXPECT_FALSE(kind.fields.integer("i", 1, 2));
  EXPECT_EQ(kind.only_fault(), "t.json: i: expected an integer from 1 to 2, found the text '1'");
  Reading range(R"({"i": 3})");
  EXPECT_FALSE(range.fields.integer("i", 1, 2));
  EXPECT_EQ(range.only_fault(), "t.json: i: expected an integer from 1 to 2, found the number 3");
  EXPECT_EQ(range.faults[0].code, DiagCode::FieldRange);
  Reading word(R"({"w": "tow"})");
  EXPECT_FALSE(word.fields.word("w", {"one", "two"}));
  EXPECT_EQ(word.only_fault(), "t.json: w: expected one of one, two, found the text 'tow'");
  EXPECT_EQ(word.faults[0].hint, "did you mean 'two'?");
  Reading twice(R"({"l": ["one", "one"]})");
  EXPECT_FALSE(twice.fields.word_list("l", {"one", "two"}));
  EXPECT_EQ(twice.only_fault(), "t.json: l[1]: expected each word once, found the text 'one' again");
  Reading none(R"({"l": []})");
  EXPECT_FALSE(none.fields.word_list("l", {"one"}));
  EXPECT_EQ(none.only_fault(), "t.json: l: expected at least one word, found an empty list");
  Reading unknown(R"({"size": 1, "sise": 1})");
  EXPECT_TRUE(unknown.fields.integer("size", 1, 1));
  unknown.fields.close();
  EXPECT_EQ(unknown.only_fault(), "t.json: sise: expected one of the fields size, found 'sise'");
  EXPECT_EQ(unknown.faults[0].hint, "did you mean 'size'?");
}

TEST(JsonFields, WhatIsNoObjectIsOneFault) {
  Reading r("[1]");
  EXPECT_FALSE(r.fields.integer("i", 1, 2));
  EXPECT_EQ(r.fields.any("i"), nullptr);
  EXPECT_FALSE(r.fields.has("i"));
  r.fields.close();
  EXPECT_EQ(r.only_fault(), "t.json: expected an object, found a list");
}

TEST(JsonPlace, Paths) {
  const JsonPlace root{"f", {}};
  EXPECT_EQ(root.field("a").item(2).field("b").path, "a[2].b");
  EXPECT_EQ(root.item(0).path, "[0]");
}

}  // namespace
}  // namespace tilewright::json_test
