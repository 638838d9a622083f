// Each way in which a file of data is refused, with its code and the words that help.
#include "target/profile_loader.h"

#include "driver/faults.h"
#include "target/figure_table.h"
#include "target/shipped.h"

namespace tilewright::target::loader_test {
namespace {

ProfileLibrary library_of(std::map<std::string, std::string> profiles) {
  ProfileLibrary library{{}, shipped().atoms};
  for (auto& [name, text] : profiles) library.profiles[name] = {name + ".json", text};
  return library;
}

Result<DeviceProfile> load(const std::string& text, std::map<std::string, std::string> bases = {}) {
  return load_profile(library_of(std::move(bases)), DataText{"p.json", text});
}

TEST(ProfileText, AcceptsTheSmallestOfEachKind) {
  TW_EXPECT_VALUE(load(metal_text("p")));
  TW_EXPECT_VALUE(load(R"({"schema": 1, "name": "p", "kind": "cpu", "description": "d"})"));
  TW_EXPECT_VALUE(load(R"({"schema": 1, "name": "p", "kind": "cpu", "description": "d", "processor": "znver5",
    "features": "+avx2,-sse4a"})"));
}

TEST(ProfileText, SyntaxHasLineAndColumn) {
  expect_fault(load("{\n  \"schema\": 1,\n  name: 2}"), DiagCode::JsonSyntax, {"p.json:3:", "double quotes"});
  expect_fault(load(""), DiagCode::JsonSyntax);
  expect_fault(load("{} {}"), DiagCode::JsonSyntax);
  expect_fault(load("{\"schema\": 1,}"), DiagCode::JsonSyntax);
  expect_fault(load("{\"schema\": 1 /* */}"), DiagCode::JsonSyntax);
  expect_fault(load(std::string(100, '[') + std::string(100, ']')), DiagCode::JsonSyntax, {"32 levels"});
}

TEST(ProfileText, KindsOfValues) {
  expect_fault(load("[]"), DiagCode::FieldType, {"p.json: expected an object, found a list"});
  expect_fault(load(replaced(metal_text("p"), "\"schema\": 1", "\"schema\": \"1\"")), DiagCode::FieldType,
               {"schema: expected an integer from 1 to 1, found the text '1'"});
  expect_fault(load(replaced(metal_text("p"), "\"value\": 32,", "\"value\": 32.0,")), DiagCode::FieldType,
               {"p.json: limits.subgroup_size.value: expected an integer from 1 to 128, found the number 32.0"});
  expect_fault(load(replaced(metal_text("p"), "\"name\": \"p\"", "\"name\": [1]")), DiagCode::FieldType,
               {"name: expected a text, found a list"});
  expect_fault(load(metal_text("p", ", \"atoms\": {}")), DiagCode::FieldType, {"atoms: expected a list"});
  expect_fault(load(metal_text("p", ", \"atoms\": [1]")), DiagCode::FieldType, {"atoms[0]", "the number 1"});
  expect_fault(load(metal_text("p", ", \"figures\": null")), DiagCode::FieldType, {"figures"});
  expect_fault(load(metal_text("p", ", \"features\": 1")), DiagCode::FieldType, {"features", "+avx2"});
  expect_fault(load(replaced(metal_text("p"), "\"kind\": \"metal\"", "\"kind\": true")), DiagCode::FieldType,
               {"kind: expected one of metal, cpu, cuda, found true"});
}

TEST(ProfileText, MissingFields) {
  for (const char* field : {"\"schema\": 1, ", "\"name\": \"p\", ", "\"description\": \"d\",", "\"kind\": \"metal\", ",
                            "\"evidence\": \"prior\", ", "\"value\": 32, "})
    expect_fault(load(replaced(metal_text("p"), field, "")), DiagCode::MissingField, {"p.json: "});
  for (const char* limit : {"subgroup_size", "max_threads_per_group", "shared_memory_bytes"}) {
    std::string text = metal_text("p");
    const std::size_t at = text.find(std::string("\"") + limit);
    const std::size_t end = text.find('}', at) + 1;
    const bool last = text[end] != ',';
    text.erase(last ? at - 2 : at, end - at + 2);
    expect_fault(load(text), DiagCode::MissingField, {"limits: expected a field", limit, "a metal device needs it"});
  }
  expect_fault(load(replaced(metal_text("p"), R"("msl_version": {"value": "3.1", "source": "s"}, )", "")),
               DiagCode::MissingField, {"msl_version"});
  expect_fault(load(metal_text("p", R"(, "capabilities": {"bounded_k": {"version": 1}})")), DiagCode::MissingField,
               {"capabilities.bounded_k: expected a field 'source'"});
}

TEST(ProfileText, UnknownAndRepeatedFields) {
  expect_fault(load(metal_text("p", ", \"figure\": {}")), DiagCode::UnknownField,
               {"p.json: figure: expected one of the fields", "did you mean 'figures'?"});
  expect_fault(load(metal_text("p", R"(, "figures": {"core": {}})")), DiagCode::UnknownField,
               {"figures.core", "did you mean 'cores'?"});
  expect_fault(load(metal_text("p", R"(, "figures": {"subgroup_size": null})")), DiagCode::UnknownField);
  expect_fault(load(metal_text("p", R"(, "capabilities": {"metal-mpp": null})")), DiagCode::UnknownField,
               {"capabilities.metal-mpp", "did you mean 'metal_mpp'?"});
  expect_fault(load(metal_text("p", R"(, "hazards": {"mem_none": null})")), DiagCode::UnknownField, {"hazards"});
  expect_fault(load(metal_text("p", R"(, "figures": {}, "figures": {})")), DiagCode::RepeatedField,
               {"p.json: figures: expected each field once"});
  expect_fault(load(replaced(metal_text("p"), "\"value\": 32,", "\"value\": 32, \"value\": 32,")),
               DiagCode::RepeatedField, {"limits.subgroup_size.value"});
  expect_fault(load(metal_text("p", R"(, "atoms": ["scalar", "scalar"])")), DiagCode::RepeatedField, {"atoms[1]"});
}

TEST(ProfileText, Ranges) {
  expect_fault(load(replaced(metal_text("p"), "\"schema\": 1", "\"schema\": 2")), DiagCode::FieldRange, {"schema"});
  expect_fault(load(metal_text("P")), DiagCode::FieldRange, {"name", "lower-case letters"});
  expect_fault(load(metal_text("-p")), DiagCode::FieldRange);
  expect_fault(load(metal_text(std::string(65, 'p'))), DiagCode::FieldRange);
  TW_EXPECT_VALUE(load(metal_text(std::string(64, 'p'))));
  expect_fault(load(replaced(metal_text("p"), "\"d\"", "\"\"")), DiagCode::FieldRange, {"an empty text"});
  expect_fault(load(replaced(metal_text("p"), "\"d\"", "\"a\\nb\"")), DiagCode::FieldRange, {"one line"});
  expect_fault(load(replaced(metal_text("p"), "\"d\"", "\"" + std::string(401, 'd') + "\"")), DiagCode::FieldRange);
  expect_fault(load(replaced(metal_text("p"), "prior", "priori")), DiagCode::FieldRange,
               {"evidence: expected one of specified, measured", "did you mean 'prior'?"});
  expect_fault(load(replaced(metal_text("p"), "\"metal\"", "\"mtl\"")), DiagCode::FieldRange, {"kind"});
  for (const char* version : {"3", "3.", ".1", "3.1.1", "03.1", "3.1000", "-3.1", "a.b"})
    expect_fault(load(replaced(metal_text("p"), "3.1", version)), DiagCode::FieldRange, {"a version like 4.0"});
  expect_fault(load(metal_text("p", R"(, "capabilities": {"metal_mpp": {"version": 3, "source": "s"}})")),
               DiagCode::FieldRange, {"from 1 to 2"});
  for (const char* features : {"", "avx", "+", "+a,", ",+a", "+a,,+b", "+a b"})
    expect_fault(load(std::string(R"({"schema": 1, "name": "p", "kind": "cpu", "description": "d", "features": ")") +
                      features + "\"}"),
                 DiagCode::FieldRange, {"features"});
}

TEST(ProfileText, EveryFigureHasItsRange) {
  for (const FigureInfo& info : figure_table()) {
    const auto with = [&](const std::string& value) {
      const std::string figure = replaced(figure_text(std::string(info.name), 7), "7", value);
      if (info.section == FigureSection::Figures) return load(metal_text("p", ", \"figures\": {" + figure + "}"));
      return load(child_text("p", "base", ", \"limits\": {" + figure + "}"), {{"base", metal_text("base")}});
    };
    for (std::int64_t value : {info.least, info.greatest}) {
      const auto device = with(std::to_string(value));
      TW_EXPECT_VALUE(device);
      EXPECT_EQ(info.of(*device)->value, value) << info.name;
    }
    for (std::int64_t value : {info.least - 1, info.greatest + 1})
      expect_fault(with(std::to_string(value)), DiagCode::FieldRange, {std::string(info.name).c_str()});
    expect_fault(with("18446744073709551615"), DiagCode::FieldType);
    expect_fault(with("1e3"), DiagCode::FieldType);
  }
}

TEST(Inheritance, ReplacesWithdrawsAndKeeps) {
  const std::string base = metal_text("base", ", \"figures\": {" + figure_text("cores", 8) + ", " +
                                                  figure_text("clock_mhz", 1000) + R"(}, "atoms": ["scalar"])");
  const auto child = load(
      child_text("p", "middle", R"(, "figures": {"clock_mhz": null}, "atoms": [])"),
      {{"base", base},
       {"middle", child_text("middle", "base", ", \"limits\": {" + figure_text("max_threads_per_group", 896) + "}")}});
  TW_EXPECT_VALUE(child);
  EXPECT_EQ(child->name, "p");
  EXPECT_EQ(child->figures.cores->value, 8);
  EXPECT_FALSE(child->figures.clock_mhz);
  EXPECT_EQ(child->limits.max_threads_per_group->value, 896);
  EXPECT_EQ(child->limits.subgroup_size->value, 32);
  EXPECT_TRUE(child->atoms.empty());
  EXPECT_EQ(child->kind, DeviceKind::Metal);
}

TEST(Inheritance, Faults) {
  expect_fault(load(child_text("p", "bsae"), {{"base", metal_text("base")}}), DiagCode::UnknownBase,
               {"p.json: extends", "'bsae'", "did you mean 'base'?"});
  expect_fault(load(child_text("p", "p")), DiagCode::CyclicBase, {"p.json: extends", "p -> p"});
  expect_fault(load(child_text("p", "a"), {{"a", child_text("a", "b")}, {"b", child_text("b", "a")}}),
               DiagCode::CyclicBase, {"b.json: extends", "a -> b -> a"});
  expect_fault(load(child_text("p", "base"), {{"base", metal_text("other")}}), DiagCode::ProfileName,
               {"base.json: name", "'base'", "'other'"});
  expect_fault(load(child_text("p", "base"), {{"base", "{"}}), DiagCode::JsonSyntax, {"base.json"});
  expect_fault(load(child_text("p", "base", R"(, "kind": "cpu")"), {{"base", metal_text("base")}}),
               DiagCode::ProfileConflict, {"kind: expected metal, the kind of 'base', found cpu"});
  TW_EXPECT_VALUE(load(child_text("p", "base", R"(, "kind": "metal")"), {{"base", metal_text("base")}}));
  for (const char* field : {R"("figures": {"cores": null})", R"("capabilities": {"metal_mpp": null})",
                            R"("hazards": {"mem_none_no_fence": null})"})
    expect_fault(load(metal_text("p", std::string(", ") + field)), DiagCode::ProfileConflict,
                 {"something of the base to withdraw", "remove the field"});
  expect_fault(load(child_text("p", "base", R"(, "limits": {"max_buffers": null})"), {{"base", metal_text("base")}}),
               DiagCode::ProfileConflict, {"limits.max_buffers"});
  expect_fault(load(child_text("p", "base", R"(, "msl_version": null)"), {{"base", metal_text("base")}}),
               DiagCode::MissingField, {"msl_version"});
}

TEST(Library, NamesOfFilesAndAtoms) {
  const ProfileLibrary library = library_of({{"one", metal_text("one")}, {"two", metal_text("one")}});
  TW_EXPECT_VALUE(load_profile(library, "one"));
  expect_fault(load_profile(library, "two"), DiagCode::ProfileName, {"two.json: name", "'two', the name of the file"});
  expect_fault(load_profile(library, "on"), DiagCode::UnknownProfile, {"'on'", "did you mean 'one'?"});
  expect_fault(load(metal_text("p", R"(, "atoms": ["scaler"])")), DiagCode::UnknownAtom,
               {"p.json: atoms[0]", "did you mean 'scalar'?"});
  ProfileLibrary broken = library;
  broken.atoms["scalar"].text = "{}";
  expect_fault(load_profile(broken, DataText{"p.json", metal_text("p", R"(, "atoms": ["scalar"])")}),
               DiagCode::MissingField, {"scalar.json"});
  broken.atoms["scalar"] = broken.atoms["metal.mpp"];
  expect_fault(load_profile(broken, DataText{"p.json", metal_text("p", R"(, "atoms": ["scalar"])")}),
               DiagCode::ProfileName, {"metal.mpp"});
}

TEST(Conflicts, FactsOfOtherKindsAndUnmetNeeds) {
  const auto cpu = [](const std::string& more) {
    return load(R"({"schema": 1, "name": "p", "kind": "cpu", "description": "d")" + more + "}");
  };
  expect_fault(cpu(", \"limits\": {" + figure_text("subgroup_size", 8) + "}"), DiagCode::ProfileConflict,
               {"limits.subgroup_size", "one worker"});
  expect_fault(cpu(R"(, "msl_version": {"value": "3.1", "source": "s"})"), DiagCode::ProfileConflict,
               {"msl_version: expected a metal device, found a cpu device"});
  expect_fault(cpu(R"(, "capabilities": {"metal_mpp": {"version": 2, "source": "s"}})"), DiagCode::ProfileConflict,
               {"capabilities.metal_mpp"});
  expect_fault(cpu(R"(, "hazards": {"bulk_store_overwrites": {"explanation": "e", "source": "s"}})"),
               DiagCode::ProfileConflict, {"hazards.bulk_store_overwrites: expected a cuda device"});
  expect_fault(cpu(R"(, "atoms": ["metal.simdgroup8x8"])"), DiagCode::ProfileConflict,
               {"atoms[0]", "an atom of metal devices"});
  expect_fault(load(metal_text("p", R"(, "processor": "znver5")")), DiagCode::ProfileConflict, {"processor"});
  expect_fault(load(metal_text("p", R"(, "features": "+a")")), DiagCode::ProfileConflict, {"features"});
  expect_fault(load(metal_text("p", R"(, "atoms": ["metal.simdgroup8x8"])")), DiagCode::ProfileConflict,
               {"needs cooperative_matrix version 1, and p has none"});
  expect_fault(load(metal_text("p", R"(, "capabilities": {"metal_mpp": {"version": 1, "source": "s"}},
                                     "atoms": ["metal.mpp"])")),
               DiagCode::ProfileConflict, {"needs metal_mpp version 2, and p has version 1"});
  expect_fault(load(metal_text("p", R"(, "capabilities": {"bounded_k": {"version": 1, "source": "s"}})")),
               DiagCode::ProfileConflict, {"capabilities.bounded_k: expected metal_mpp version 2, found none"});
  expect_fault(load(metal_text("p", R"(, "capabilities": {"metal_mpp": {"version": 2, "source": "s"},
                                     "bounded_mnk": {"version": 1, "source": "s"}})")),
               DiagCode::ProfileConflict, {"bounded_mnk: expected bounded_k version 1"});
  expect_fault(load(replaced(metal_text("p", R"(, "capabilities": {"cooperative_matrix": {"version": 1,
                                     "source": "s"}}, "atoms": ["metal.simdgroup8x8"])"),
                             "\"value\": 32,", "\"value\": 16,")),
               DiagCode::ProfileConflict, {"needs subgroups of 32, and p has subgroups of 16"});
}

TEST(Faults, AllOfOneFileAtOnce) {
  const auto result = load(metal_text("P", R"(, "figure": {}, "figures": {"cores": {"value": 0}})"));
  ASSERT_FALSE(result);
  std::vector<DiagCode> codes;
  for (const Diag& diag : result.error()) codes.push_back(diag.code);
  EXPECT_EQ(codes, (std::vector<DiagCode>{DiagCode::FieldRange, DiagCode::FieldRange, DiagCode::MissingField,
                                          DiagCode::MissingField, DiagCode::UnknownField}));
}

TEST(Faults, NamesFromTheFileAreShownOnOneLineAndCut) {
  const auto result = load(metal_text("p", ", \"" + std::string(70, 'x') + "\\n\": 1"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error()[0].message.find(std::string(60, 'x') + ".."), std::string::npos);
}

Result<AtomDescriptor> atom_with(const std::string& from, const std::string& to,
                                 const std::string& name = "metal.mpp") {
  return parse_atom({"a.json", replaced(shipped().atoms.at(name).text, from, to)});
}

TEST(AtomText, Faults) {
  expect_fault(atom_with("\"metal\"", "\"mtl\""), DiagCode::FieldRange,
               {"target: expected one of metal, cpu, cuda, any"});
  expect_fault(atom_with("\"scope\": \"group\"", "\"scope\": \"grid\""), DiagCode::FieldRange,
               {"participants[1].scope"});
  expect_fault(atom_with("\"scope\": \"group\"", "\"scope\": \"subgroup\""), DiagCode::RepeatedField,
               {"participants[1]"});
  expect_fault(atom_with("[{\"scope\": \"subgroup\"}, {\"scope\": \"group\"}]", "[]"), DiagCode::FieldRange,
               {"participants: expected at least one"});
  expect_fault(atom_with("\"subgroup_size\": 32,", ""), DiagCode::MissingField, {"subgroup_size"});
  expect_fault(atom_with("\"modes\"", "\"subgroup_size\": 32, \"modes\"", "scalar"), DiagCode::UnknownField,
               {"subgroup_size"});
  expect_fault(atom_with("\"m\": {\"multiple_of\": 8}", "\"m\": {\"multiple_of\": 0}"), DiagCode::FieldRange,
               {"extents.m.multiple_of"});
  expect_fault(atom_with("\"m\": {\"multiple_of\": 8}", "\"m\": {\"multiple_of\": 8, \"least\": 12}"),
               DiagCode::FieldRange, {"extents.m.least: expected a multiple of multiple_of, found 12"});
  expect_fault(atom_with("\"m\": {\"multiple_of\": 8}", "\"m\": {\"multiple_of\": 8, \"greatest\": 4}"),
               DiagCode::FieldRange, {"extents.m.greatest"});
  expect_fault(atom_with("\"m\": {\"multiple_of\": 8}", "\"m\": {\"exactly\": 8, \"least\": 8}"),
               DiagCode::UnknownField, {"extents.m.least"});
  expect_fault(atom_with("\"dynamic_k\": true", "\"dynamic_k\": 1"), DiagCode::FieldType, {"true or false"});
  expect_fault(atom_with("\"dynamic_k\": true", "\"dynamic_k\": false", "cpu.vector"), DiagCode::MissingField,
               {"no way to give k"});
  expect_fault(atom_with("[\"multiply\", \"multiply_accumulate\"]", "[]"), DiagCode::FieldRange, {"modes"});
  expect_fault(atom_with("[\"multiply\", ", "[\"multiply_accumulate\", "), DiagCode::RepeatedField, {"modes[1]"});
  expect_fault(atom_with("\"a\": \"f16\"", "\"a\": \"half\""), DiagCode::FieldRange, {"elements[1].a", "'half'"});
  expect_fault(atom_with("\"a\": \"f16\", \"b\": \"f16\"", "\"a\": \"f32\", \"b\": \"f32\""), DiagCode::RepeatedField,
               {"elements[1]"});
  expect_fault(atom_with("\"operands\": [\"device\"", "\"operands\": [\"global\""), DiagCode::FieldRange,
               {"operands[0]"});
  expect_fault(atom_with("\"results\"", "\"loads_from\": [\"device\"], \"results\""), DiagCode::FieldRange,
               {"loads_from", "operands in registers"});
  expect_fault(atom_with("\"synchronous\"", "\"sync\""), DiagCode::FieldRange, {"completion"});
  expect_fault(atom_with("\"metal_mpp\"", "\"mpp\""), DiagCode::FieldRange, {"needs.capability"});
  expect_fault(atom_with("\"version\": 2", "\"version\": 3"), DiagCode::FieldRange, {"needs.version"});
  expect_fault(atom_with("\"count\": 4", "\"count\": 1", "cuda.wgmma"), DiagCode::FieldRange,
               {"participants[0].count"});
  expect_fault(atom_with("\"source\"", "\"sources\""), DiagCode::UnknownField, {"did you mean 'source'?"});
  expect_fault(parse_atom({"a.json", "[]"}), DiagCode::FieldType, {"a.json: expected an object"});
}

}  // namespace
}  // namespace tilewright::target::loader_test
