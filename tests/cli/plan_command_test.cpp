// tilewright plan: what it prints, what it writes, and what it refuses.
#include "case_count.h"
#include "cli/run_tool.h"

#include <algorithm>

namespace tilewright {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class PlanCommand : public ToolTest {
 protected:
  static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Words example() {
    return {"plan", "gemm", "M=512", "N=2048", "K=1024", "BM=32", "BN=64", "BK=32", "--set", "threads_per_group=128"};
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string contents(const std::string& name) const { return text_of(path(name)); }
  void expect_refused(const Words& words, int status, const std::string& mention) {
    const ToolResult result = tool(words);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(mention), std::string::npos) << result.err;
  }
};

TEST_F(PlanCommand, TheWorkedExample) {
  const ToolResult text = tool(example());
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part :
       {"512 programs, groups of 128 threads", "12288 bytes", "1x4 subgroups of 4x2 fragments, direct output",
        "score 11104", "nearest losers", "one atom at a time", "recurrence.closed", "no_cut"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  const Json json = tool(with(example(), {"--json"})).json();
  EXPECT_EQ(json["schema"], 1);
  const Json& group = json["plan"]["groups"][0];
  EXPECT_EQ(group["threads"], 128);
  EXPECT_EQ(group["shared_memory_bytes"], 12288);
  EXPECT_EQ(group["cost"]["shared_fragment_transfers"], 3072);
  EXPECT_EQ(group["cost"]["direct_fragment_stores"], 32);
  EXPECT_EQ(group["cost"]["fragment_scalars_per_lane"], 28);
  EXPECT_EQ(group["matrices"][0]["direct_accumulator_store"], true);
  for (const char* key :
       {"candidates", "refusals", "proofs", "ranking", "captures", "optimality", "options", "switches"})
    EXPECT_FALSE(json[key].empty()) << key;
}

TEST_F(PlanCommand, OpenParametersAreChosen) {
  const Json json = tool({"plan", "gemm", "M=512", "N=512", "K=512", "--json"}).json();
  EXPECT_EQ(json["captures"].size(), 12u);
  double least = 1e300, chosen = -1;
  for (const Json& capture : json["captures"]) {
    if (!capture["kernel_score"].is_null()) least = std::min(least, capture["kernel_score"].get<double>());
    if (capture["chosen"]) chosen = capture["kernel_score"];
  }
  EXPECT_EQ(chosen, least);
  EXPECT_EQ(json["plan"]["groups"][0]["cost"]["kernel_score"], least);
}

TEST_F(PlanCommand, APlanIsSavedReadAndVerified) {
  const std::string file = path("p.plan");
  EXPECT_EQ(tool(with(example(), {"--save-plan", file})).status, 0);
  EXPECT_EQ(contents("p.plan").rfind("tilewright plan 1\n", 0), 0u);
  const Json json = tool(with(example(), {"--plan", file, "--json"})).json();
  EXPECT_EQ(json["from_file"], true);
  EXPECT_EQ(json["plan"]["text"], contents("p.plan"));
  expect_refused({"plan", "gemm", "M=513", "N=2048", "K=1024", "BM=32", "BN=64", "BK=32", "--plan", file}, 3,
                 "PlanStale");
  expect_refused(with(example(), {"--plan", file, "--target", "metal-mpp"}), 3, "PlanStale");
  write_text(path("broken.plan"), contents("p.plan") + "x");
  expect_refused(with(example(), {"--plan", path("broken.plan")}), 2, "PlanInvalid");
  expect_refused(with(example(), {"--plan", path("absent.plan")}), 2, "FileRead");
}

TEST_F(PlanCommand, WrongInputIsNamed) {
  expect_refused({"plan"}, 2, "expected a program");
  expect_refused(with(example(), {"--set", "threads_per_grop=64"}), 2, "threads_per_group");
  expect_refused(with(example(), {"--set", "max_copy_batch=17"}), 2, "1 to 16");
  expect_refused(with(example(), {"--set", "enabled"}), 2, "OPTION=VALUE");
  expect_refused(with(example(), {"--target", "metal-mp"}), 2, "metal-mpp");
  expect_refused(with(example(), {"--device", "apple-m1-maxx"}), 2, "apple-m1-max");
  expect_refused(with(example(), {"--target", "metal-mpp", "--device", "h200"}), 3, "h200");
  expect_refused({"plan", "gemm", "M=512", "N=2048"}, 2, "K");
  expect_refused({"plan", "gemm", "M=64", "N=64", "K=64", "--set", "threads_per_group=2048"}, 2, "1024");
  const ToolResult json = tool({"plan", "gemm", "M=-1", "N=1", "K=1", "--json"});
  EXPECT_EQ(json.status, 2);
  EXPECT_EQ(json.json()["ok"], false);
}

TEST_F(PlanCommand, EveryProgramHasAPlanOnEveryTarget) {
  const Json programs = tool({"list", "--json"}).json();
  for (const Json& program : programs)
    for (const char* target : {"metal-mpp", "metal-simdgroup", "cpu"}) {
      // A process with sanitizers takes its time to start.
      if (kSanitized && std::string(target) != "metal-mpp") continue;
      Words words{"plan", program["name"], "--target", target, "--json"};
      for (const Json& symbol : program["symbols"]) {
        const std::string name = symbol;
        const bool small = name == "R" || name == "S" || name == "stride" || name == "G" || name == "B";
        words.push_back(name + (name == "pad" || name == "causal" ? "=1" : small ? "=2" : "=48"));
      }
      const ToolResult result = tool(words);
      EXPECT_EQ(result.status, 0) << program["name"] << " " << target << " " << result.err;
    }
}

}  // namespace
}  // namespace tilewright
