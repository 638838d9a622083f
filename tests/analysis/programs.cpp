#include "analysis/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::analysis {

namespace {

std::filesystem::path library_path() { return std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "programs"; }

}  // namespace

tile::Program family_of(std::string_view text) {
  auto program = tile::parse_program(text, "test.tile");
  if (!program) ADD_FAILURE() << render(program.error()) << text;
  if (auto sound = tile::verify(*program); !sound) ADD_FAILURE() << render(sound.error()) << text;
  return *std::move(program);
}

tile::Program bound_program(std::string_view text, const std::map<std::string, std::int64_t>& numbers) {
  auto bound = tile::bind(family_of(text), {.numbers = numbers, .types = {}});
  if (!bound) ADD_FAILURE() << render(bound.error()) << text;
  return *std::move(bound);
}

std::string library_text(const std::string& name) {
  std::ifstream file(library_path() / (name + ".tile"));
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(library_path()))
    if (entry.path().extension() == ".tile") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

tile::Program small_library_program(const std::string& name, bool smallest_params) {
  const std::string text = library_text(name);
  const tile::Program family = family_of(text);
  const std::map<std::string, std::int64_t> special = {{"Hq", 4},     {"Hkv", 2}, {"causal", 1}, {"pad", 1},
                                                       {"stride", 2}, {"R", 3},   {"S", 3},      {"D", 6}};
  std::map<std::string, std::int64_t> numbers;
  std::int64_t size = 5;
  for (const tile::Symbol& symbol : family.symbols()) {
    const auto found = special.find(symbol.name);
    numbers[symbol.name] = found == special.end() ? size : found->second;
    size += 2;
  }
  for (const tile::Param& param : family.params())
    if (smallest_params) numbers[param.name] = *std::min_element(param.choices.begin(), param.choices.end());
  return bound_program(text, numbers);
}

tile::OpId op_named(const tile::Program& program, std::string_view label) {
  tile::OpId found;
  for (tile::OpId id : program.ops().ids()) {
    const auto results = program.list(program.op(id).results);
    if (!results.empty() && program.value(results[0]).name == label) found = id;
  }
  EXPECT_TRUE(found.valid()) << label;
  return found;
}

tile::ObjectId object_named(const tile::Program& program, std::string_view name) {
  for (tile::ObjectId id : program.objects().ids())
    if (program.object(id).name == name) return id;
  ADD_FAILURE() << "no object " << name;
  return {};
}

tile::AxisId axis_named(const tile::Program& program, std::string_view label) {
  for (tile::AxisId id : program.axes().ids())
    if (program.axes()[id].label == label) return id;
  ADD_FAILURE() << "no axis " << label;
  return {};
}

tile::CoordId coord_named(const tile::Program& program, std::string_view name) {
  for (tile::CoordId id : program.coords().ids())
    if (program.coords()[id].name == name) return id;
  ADD_FAILURE() << "no coordinate " << name;
  return {};
}

std::vector<tile::OpId> loads_of(const tile::Program& program, std::string_view object) {
  std::vector<tile::OpId> found;
  for (tile::OpId id : ops_of<tile::LoadOp>(program))
    if (program.object(std::get<tile::LoadOp>(program.op(id).payload).object).name == object) found.push_back(id);
  return found;
}

std::vector<tile::OpId> stores_of(const tile::Program& program, std::string_view object) {
  std::vector<tile::OpId> found;
  for (tile::OpId id : ops_of<tile::StoreOp>(program))
    if (program.object(std::get<tile::StoreOp>(program.op(id).payload).object).name == object) found.push_back(id);
  return found;
}

}  // namespace tilewright::analysis
