// tilewright emit --kit and emulate --kit.
#include "cli/run_tool.h"

#include <filesystem>

namespace tilewright {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class KitCommands : public ToolTest {
 protected:
  ToolResult emit(const std::string& kit, const Words& more = {}) {
    Words words{"emit", "gemm", "M=5", "N=4", "K=3", "--kit", kit};
    words.insert(words.end(), more.begin(), more.end());
    return tool(words);
  }
};

TEST_F(KitCommands, AKitIsWrittenAndPasses) {
  const ToolResult made = emit("kit/");
  EXPECT_EQ(made.status, 0) << made.err;
  for (const char* part : {"files of ", "dyadic, random:1", "/run.sh", "tilewright emulate --kit kit/"})
    EXPECT_NE(made.out.find(part), std::string::npos) << part << made.out;
  EXPECT_EQ(files(), Words{"kit"});
  const ToolResult run = tool({"emulate", "--kit", "kit", "--schedules", "2", "--device", "apple-m5"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("check dyadic    ok: 20 elements"), std::string::npos) << run.out;
  EXPECT_TRUE(run.out.ends_with("PASS\n")) << run.out;
}

/// The folder is all that is needed: no program, no profile of the planner.
TEST_F(KitCommands, TheFolderMayBeMoved) {
  EXPECT_EQ(emit("kit").status, 0);
  std::filesystem::rename(folder_ / "kit", folder_ / "moved");
  const Json json = tool({"emulate", "--kit", folder_ / "moved", "--json"}).json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["program"], "gemm");
  EXPECT_EQ(json["target"], "metal-simdgroup");
  EXPECT_EQ(json["bindings"]["M"], "5");
  EXPECT_EQ(json["ok"], true);
  ASSERT_EQ(json["checks"].size(), 2u);
  EXPECT_EQ(json["checks"][1]["contents"], "random:1");
  EXPECT_EQ(json["checks"][1]["checked_elements"], 20);
  EXPECT_EQ(json["launches"], Json({"gemm_0"}));
}

TEST_F(KitCommands, EmitTellsWhatIsInIt) {
  const Json json = emit("kit", {"--target", "metal-mpp", "--json"}).json();
  EXPECT_EQ(json["language_version"], 400);
  EXPECT_EQ(json["file"], "kit/kernels.metal");
  EXPECT_EQ(json["kit"]["folder"], "kit");
  EXPECT_EQ(json["kit"]["cases"], Json({"dyadic", "random:1"}));
  EXPECT_EQ(json["kit"]["files"].size(), 16u);
  EXPECT_FALSE(json.contains("text"));
}

TEST_F(KitCommands, DamageIsBadInputAndAWrongResultIsNot) {
  EXPECT_EQ(emit("kit").status, 0);
  const std::string manifest = text_of(folder_ / "kit/kit.json");
  Json json = Json::parse(manifest);
  json["buffers"][0]["extents"] = {3, 5};
  json["buffers"][0]["strides"] = {5, 1};
  write_text(folder_ / "kit/kit.json", json.dump());
  expect_refusal({"emulate", "--kit", "kit"}, 2, {"[KitDamaged]", "0-A.npy", "expected f32[3, 5]", "found f32[5, 3]"});
  // Inputs of one case beside the results of the other.
  json = Json::parse(manifest);
  std::swap(json["cases"][0]["expected"], json["cases"][1]["expected"]);
  write_text(folder_ / "kit/kit.json", json.dump());
  const ToolResult wrong = tool({"emulate", "--kit", "kit", "--json"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(wrong.json()["ok"], false);
  EXPECT_EQ(wrong.json()["checks"][0]["first_wrong"]["buffer"], "C");
  EXPECT_NE(wrong.err.find("[CheckFailed]"), std::string::npos) << wrong.err;
  EXPECT_TRUE(tool({"emulate", "--kit", "kit"}).out.ends_with("FAIL\n"));
}

TEST_F(KitCommands, Refusals) {
  const Words gemm{"emit", "gemm", "M=5", "N=4", "K=3"};
  const auto with = [&](const Words& more) {
    Words words = gemm;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refusal(with({"--kit", "kit", "-o", "x.metal"}), 2, {"-o and --kit are given both", "[Usage]"});
  expect_refusal(with({"--kit", "kit", "--target", "cpu"}), 3, {"[Unsupported]", "has no Metal text"});
  expect_refusal(with({"--kit", "no/such/kit"}), 2, {"[KitFolder]"});
  expect_refusal({"emulate", "--kit", "kit"}, 2, {"[KitFolder]", "is no kit"});
  expect_refusal({"emulate", "--kit", "kit", "--grid", "2", "--kernel", "k"}, 2,
                 {"--grid and --kit are given both", "--kernel and --kit are given both"});
  expect_refusal({"emulate", "k.metal", "--kit", "kit"}, 2, {"FILE and --kit are given both"});
  expect_refusal({"emulate", "--kit", "kit", "--schedules", "0"}, 2, {"--schedules expects a number from 1"});
}

}  // namespace
}  // namespace tilewright
