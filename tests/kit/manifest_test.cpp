// kit.json: what is written is read, and nothing else is.
#include "kit/kit_case.h"

namespace tilewright::driver {
namespace {

using Json = nlohmann::ordered_json;

class KitManifest : public KitTest {
 protected:
  void SetUp() override { TW_EXPECT_VALUE(write("gemm_alpha_beta M=5 N=4 K=3 view:A=offset:2,strides:7x1")); }

  /// The manifest with one change, read.
  template <class F>
  Result<Kit> changed(F&& change) {
    Json json = manifest();
    change(json);
    return read_manifest(json.dump(), "kit.json");
  }
  void expect_refused(const char* pointer, const Json& value, DiagCode code, const char* fragment) {
    SCOPED_TRACE(pointer);
    expect_fault(changed([&](Json& json) { json.at(Json::json_pointer(pointer)) = value; }), code,
                 {"kit.json: ", fragment});
  }
};

TEST_F(KitManifest, ReadsBack) {
  const auto kit = read_manifest(content(in_kit(kKitManifest)), "kit.json");
  TW_EXPECT_VALUE(kit);
  const auto again = read_manifest(manifest_text(*kit), "kit.json");
  TW_EXPECT_VALUE(again);
  EXPECT_EQ(*kit, *again);
  EXPECT_EQ(kit->program, "gemm_alpha_beta");
  EXPECT_EQ(kit->buffers[0].strides, (std::vector<std::int64_t>{7, 1}));
  EXPECT_EQ(kit->buffers[0].offset, 2);
  EXPECT_EQ(kit->cases.size(), 2u);
  for (const auto& [name, file] : kit->files) EXPECT_EQ(file.sha256, sha256_text(content(in_kit(name)))) << name;
}

TEST_F(KitManifest, EveryFieldIsAskedFor) {
  const Json json = manifest();
  const auto expect_missing = [&](const std::string& place) {
    for (const auto& [name, value] : json.at(Json::json_pointer(place)).items()) {
      SCOPED_TRACE(place + "/" + name);
      expect_fault(changed([&](Json& other) { other.at(Json::json_pointer(place)).erase(name); }),
                   DiagCode::MissingField, {name.c_str()});
    }
    expect_fault(changed([&](Json& other) { other.at(Json::json_pointer(place))["more"] = 1; }), DiagCode::UnknownField,
                 {"more"});
  };
  for (const char* place :
       {"", "/metal", "/poisons", "/buffers/0", "/launches/0", "/cases/0", "/files/main.mm", "/cases/0/inputs/A"})
    expect_missing(place);
}

TEST_F(KitManifest, FieldsHaveTheirKindsAndRanges) {
  expect_refused("/schema", 2, DiagCode::FieldRange, "from 1 to 1");
  expect_refused("/program", 7, DiagCode::FieldType, "program");
  expect_refused("/metal/language_version", 200, DiagCode::FieldRange, "from 310");
  expect_refused("/metal/math_mode", "fast", DiagCode::FieldRange, "safe");
  expect_refused("/metal/math_functions", "fast", DiagCode::FieldRange, "precise");
  expect_refused("/metal/file", "other.metal", DiagCode::FieldRange, "a file of the list");
  expect_refused("/guard_bytes", 0, DiagCode::FieldRange, "4096");
  expect_refused("/poisons/f32", Json({1, 2}), DiagCode::FieldRange, "[2143659429, 1900671690]");
  expect_refused("/buffers", Json(3), DiagCode::FieldType, "a list");
  expect_refused("/files/main.mm/part", "toast", DiagCode::FieldRange, "kernel, data, host");
  expect_refused("/files/main.mm/sha256", "abc", DiagCode::FieldRange, "64 lower-case");
  expect_fault(read_manifest("{", "kit.json"), DiagCode::JsonSyntax);
  expect_fault(read_manifest("[]", "kit.json"), DiagCode::FieldType, {"an object"});
}

TEST_F(KitManifest, BuffersHoldTheirViews) {
  expect_refused("/buffers/0/index", 1, DiagCode::FieldRange, "from 0 to 0");
  expect_refused("/buffers/0/name", "B", DiagCode::FieldRange, "a name of its own");
  expect_refused("/buffers/0/role", "guest", DiagCode::FieldRange, "temporary");
  expect_refused("/buffers/0/access", "readwrite", DiagCode::FieldRange, "access: expected read");
  expect_refused("/buffers/0/type", "f64", DiagCode::FieldRange, "one of f32");
  expect_refused("/buffers/0/extents", Json({5, -3}), DiagCode::FieldRange, "extents[1]");
  expect_refused("/buffers/0/strides", Json({7}), DiagCode::FieldRange, "2 numbers");
  expect_refused("/buffers/0/strides", Json({8, 1}), DiagCode::FieldRange, "a view inside of 33 elements");
  expect_refused("/buffers/0/strides", Json({-7, 1}), DiagCode::FieldRange, "elements -26 to 4");
  expect_refused("/buffers/0/offset", 3, DiagCode::FieldRange, "elements 3 to 33");
  expect_refused("/buffers/0/bound_at", 3, DiagCode::FieldRange, "at most 30");
  expect_refused("/buffers/0/bound_elements", 32, DiagCode::FieldRange, "at most 31");
  expect_refused("/buffers/0/extents", Json({std::int64_t{1} << 40, std::int64_t{1} << 40}), DiagCode::FieldRange,
                 "64 bits");
  expect_refused("/buffers/0/elements", std::int64_t{1} << 40, DiagCode::KitTooLarge, "buffers of a kit");
  expect_refused("/files/main.mm/bytes", 1 << 30, DiagCode::KitTooLarge, "files of a kit");
}

TEST_F(KitManifest, LaunchesAndCasesNameBuffers) {
  expect_refused("/launches/0/groups", Json({1, 1}), DiagCode::FieldRange, "three numbers");
  expect_refused("/launches/0/threads", 0, DiagCode::FieldRange, "from 1 to 1024");
  expect_refused("/launches/0/buffers", Json({0, 9}), DiagCode::FieldRange, "ascending numbers below");
  expect_refused("/launches/0/buffers", Json({1, 1}), DiagCode::FieldRange, "ascending numbers below");
  expect_refused("/cases", Json::array(), DiagCode::FieldRange, "at least one case");
  expect_refused("/cases/0/inputs/A/file", "README.md", DiagCode::FieldRange, "a file of ");
  expect_refused("/cases/0/inputs/A/file", "nothing.npy", DiagCode::FieldRange, "a file of the list");
  expect_refused("/cases/0/inputs/A/data_offset", 0, DiagCode::FieldRange, "a file of 60 bytes");
  expect_fault(changed([](Json& json) {
                 json["cases"][0]["inputs"]["Z"] = json["cases"][0]["inputs"]["A"];
                 json["cases"][0]["inputs"].erase("A");
               }),
               DiagCode::FieldRange, {"the buffers (A, B", "Z"});
  expect_fault(changed([](Json& json) { json["files"]["../stolen"] = json["files"]["main.mm"]; }), DiagCode::FieldRange,
               {"names of letters", "../stolen"});
}

}  // namespace
}  // namespace tilewright::driver
