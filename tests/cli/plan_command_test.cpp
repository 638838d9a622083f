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
  static std::string contents_of_plan(const Json& json) { return json["plan"]["text"]; }
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
  EXPECT_EQ(json["schema"], 2);
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

/// Whether the sentence has a number in it: digits that are no part of a name, and not the number of an operation.
bool has_number(const std::string& sentence) {
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(sentence[i])) == 0) continue;
    const bool begins = i == 0 || sentence[i - 1] == ' ' || sentence[i - 1] == '(';
    if (begins && (i < 3 || sentence.compare(i - 3, 3, "op ") != 0)) return true;
  }
  return false;
}

/// MPP, SIMD-group matrices and scalar code side by side, each with a price of its own scale.
TEST_F(PlanCommand, AtomFamiliesSideBySide) {
  const Words sizes{"plan", "gemm", "M=512", "N=512", "K=512"};
  const std::string preferred = tool(with(sizes, {"--target", "metal-mpp"})).out;
  for (const char* part : {"in metal_mpp_memory_v3", "in simdgroup_reference", "scalar               no price",
                           "metal.mpp is taken: asked for by --target metal-mpp", "Scores of two bases do not compare"})
    EXPECT_NE(preferred.find(part), std::string::npos) << part << "\n" << preferred;
  const std::string usual = tool(sizes).out;
  EXPECT_NE(usual.find("metal.simdgroup8x8 is taken: metal-simdgroup is the default target"), std::string::npos);

  const Json json = tool(with(sizes, {"--target", "metal-mpp", "--json"})).json();
  const Json& families = json["families"];
  ASSERT_EQ(families.size(), 3u);
  const char* const names[] = {"metal.mpp", "metal.simdgroup8x8", "scalar"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(families[i]["family"], names[i]);
    EXPECT_EQ(families[i]["taken"], i == 0);
    EXPECT_EQ(families[i]["preference"], i == 0);
    EXPECT_EQ(families[i]["kernel_score"].is_null(), i == 2);
  }
  EXPECT_EQ(families[0]["kernel_score"], json["plan"]["groups"][0]["cost"]["kernel_score"]);
  // What stands beside is what the other target would give.
  const Json other = tool(with(sizes, {"--target", "metal-simdgroup", "--json"})).json();
  EXPECT_EQ(families[1]["kernel_score"], other["plan"]["groups"][0]["cost"]["kernel_score"]);
  EXPECT_EQ(families[1]["bindings"], other["bindings"]);
}

/// What lowering makes of the fences, and whether the subgroups need any (background 4.10).
TEST_F(PlanCommand, FencesAndIndependentSubgroups) {
  const Words views{"plan", "gemm", "M=64", "N=64", "K=64", "BM=32", "BN=32", "BK=32", "--target", "metal-mpp"};
  const Json independent = tool(with(views, {"--json"})).json()["plan"]["groups"][0];
  EXPECT_EQ(independent["independent_subgroups"], true);
  EXPECT_EQ(independent["group_barrier_sites_after"], independent["group_barrier_sites_before"]);
  const Json elided = tool(with(views, {"--json", "--set", "elide_independent_subgroup_barriers=true"})).json();
  EXPECT_EQ(elided["plan"]["groups"][0]["group_barrier_sites_after"], 0);
  EXPECT_NE(tool(views).out.find("independent subgroups: none is needed"), std::string::npos);
  // Shared storage: no longer.
  const Words staged = with(views, {"--set", "forward_readonly_tile_loads=false"});
  const Json shared = tool(with(staged, {"--json"})).json()["plan"]["groups"][0];
  EXPECT_EQ(shared["independent_subgroups"], false);
  EXPECT_FALSE(shared["independent_subgroups_reason"].is_null());
  EXPECT_LT(shared["group_barrier_sites_after"], shared["group_barrier_sites_before"]);
  EXPECT_NE(tool(staged).out.find("subgroups are not proved independent: "), std::string::npos);
}

TEST_F(PlanCommand, AFamilyWithoutAPlanSaysWhy) {
  const Json small = tool({"plan", "attention", "B=1", "Hq=1", "Hkv=1", "Lq=1", "Lk=8", "D=8", "Dv=8", "BQ=1", "BK=8",
                           "--target", "metal-mpp", "--json"})
                         .json();
  for (int i : {0, 1}) EXPECT_FALSE(small["families"][i]["refusal"].is_null());
  EXPECT_EQ(small["families"][2]["taken"], true);
  const Json narrow = tool({"plan", "gemm", "M=64", "N=64", "K=64", "--target", "metal-mpp", "--json", "--set",
                            "mpp_operation_scope=group", "--set", "threads_per_group=32"})
                          .json();
  EXPECT_EQ(narrow["families"][2]["taken"], true);
  EXPECT_EQ(narrow["families"][2]["preference"], false);
  const Json off =
      tool({"plan", "gemm", "M=64", "N=64", "K=64", "--target", "metal-mpp", "--json", "--set", "metal_mpp=false"})
          .json();
  EXPECT_FALSE(off["families"][0]["refusal"].is_null());
  EXPECT_EQ(off["families"][1]["taken"], true);
  // Without a matrix operation, or on a CPU, there is one way.
  EXPECT_TRUE(tool({"plan", "softmax", "N=4", "C=8", "--json"}).json()["families"].empty());
  EXPECT_TRUE(tool({"plan", "gemm", "M=4", "N=4", "K=4", "--target", "cpu", "--json"}).json()["families"].empty());
}

TEST_F(PlanCommand, EveryRefusalCarriesItsNumbers) {
  const std::vector<Words> requests = {
      {"gemm", "M=64", "N=64", "K=60", "BM=64", "BN=64", "BK=20"},
      {"gemm", "M=64", "N=64", "K=512", "BM=64", "BN=64", "BK=512"},
      {"gemm", "M=64", "N=64", "K=64", "--target", "metal-mpp"},
      {"attention", "B=1", "Hq=2", "Hkv=2", "Lq=64", "Lk=64", "D=32", "Dv=32", "--set", "threads_per_group=48"},
      {"attention", "B=1", "Hq=2", "Hkv=2", "Lq=64", "Lk=64", "D=32", "Dv=32", "--target", "metal-mpp"},
      {"softmax", "N=8", "C=100", "--set", "metal_subgroup_reductions=true", "--set", "noalias=true"},
      {"mlp", "N=64", "D=64", "H=64", "C=64"}};
  int with_numbers = 0;
  for (const Words& request : requests) {
    if (kSanitized && with_numbers > 500) break;  // a process with sanitizers takes its time to start
    const Json json = tool(with(with({"plan"}, request), {"--json"})).json();
    for (const char* list : {"refusals", "candidates"})
      for (const Json& refusal : json[list]) {
        if (!refusal.contains("code")) continue;
        ASSERT_TRUE(refusal.contains("numbers") && refusal.contains("reason")) << refusal;
        if (!has_number(refusal["reason"])) continue;
        EXPECT_FALSE(refusal["numbers"].empty()) << refusal;
        ++with_numbers;
      }
  }
  EXPECT_GT(with_numbers, 500);
}

TEST_F(PlanCommand, OperationsHaveOneNameEverywhere) {
  const std::string mma = "op 5 mma(a#2, b#3, acc#1)";
  const Json json = tool(with(example(), {"--json"})).json();
  EXPECT_EQ(json["plan"]["groups"][0]["matrices"][0]["operation"], 5);
  EXPECT_EQ(json["plan"]["groups"][0]["matrices"][0]["text"], mma);
  EXPECT_EQ(json["plan"]["groups"][0]["tiles"][0]["name"], "a#2");
  EXPECT_EQ(json["plan"]["needs"][0], "compact_rows op 6");
  EXPECT_NE(contents_of_plan(json).find("    op 5\n"), std::string::npos);
  for (const Json& refusal : json["refusals"])
    if (refusal["code"] == "no_legal_mapping") {
      EXPECT_EQ(refusal["operation"], 5);
      EXPECT_EQ(std::string(refusal["reason"]).rfind(mma, 0), 0u) << refusal;
    }
  const ToolResult text = tool(example());
  EXPECT_NE(text.out.find(mma + ": 1x4 subgroups"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("op 2 pipeline s in 32: window 1"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find('%'), std::string::npos) << text.out;
  const ToolResult proofs = tool({"prove", "gemm", "M=512", "N=2048", "K=1024", "BM=32", "BN=64", "BK=32"});
  const std::string question = "recurrence.closed    op 5   mma(a#2, b#3, acc#1) is the whole update of a carry\n";
  EXPECT_NE(text.out.find(question), std::string::npos) << text.out;
  EXPECT_NE(proofs.out.find(question), std::string::npos) << proofs.out;
}

/// The permission is part of the operation's name; what makes use of it is marked, in the plan and in the text.
TEST_F(PlanCommand, RelaxedProductsAreMarked) {
  std::string text = text_of(std::string(TILEWRIGHT_SOURCE_DIR) + "/programs/gemm.tile");
  const std::string update = "mma(a, b, acc";
  write_text(path("strict.tile"), text);
  write_text(path("relaxed.tile"), text.insert(text.find(update) + update.size(), ", relaxed"));
  for (const std::string program : {"strict", "relaxed"})
    for (const std::string target : {"metal-mpp", "metal-simdgroup"})
      for (const std::string type : {"f32", "f16"}) {
        const Words rest = {program + ".tile", "M=64", "N=64", "K=32", "T=" + type, "--target", target};
        const bool permitted = program == "relaxed";
        const bool used = permitted && target == "metal-mpp" && type == "f32";
        const Json matrix = tool(with(with({"plan"}, rest), {"--json"})).json()["plan"]["groups"][0]["matrices"][0];
        EXPECT_EQ(matrix["text"], permitted ? "op 5 mma(a#2, b#3, acc#1, relaxed)" : "op 5 mma(a#2, b#3, acc#1)");
        EXPECT_EQ(matrix["relaxed_precision"], used);
        const std::string plan = tool(with({"plan"}, rest)).out;
        EXPECT_EQ(plan.find(", relaxed-precision\n") != std::string::npos, used) << plan;
        const Json flags = tool(with(with({"emit"}, rest), {"--json"})).json()["flags"];
        EXPECT_EQ(std::count(flags.begin(), flags.end(), "relaxed-precision"), used ? 1 : 0) << flags;
      }
}

TEST_F(PlanCommand, BindingsHoldWhatTookItsDefault) {
  const Words sizes = {"conv2d", "N=1", "H=8", "W=8", "C=8", "F=8", "R=3", "S=3"};
  const Json plan = tool(with(with({"plan"}, sizes), {"--json"})).json();
  EXPECT_EQ(plan["bindings"]["pad"], 0);
  EXPECT_EQ(plan["bindings"]["stride"], 1);
  const Json proofs = tool(with(with({"prove"}, sizes), {"--json"})).json();
  EXPECT_EQ(proofs["bindings"]["stride"], 1);
  const Json open = tool({"prove", "conv2d", "--json"}).json();
  EXPECT_FALSE(open["bindings"].contains("stride")) << "it is open, whatever its default";
  const Json run = tool(with(with({"run"}, sizes), {"--json"})).json();
  EXPECT_EQ(run["bindings"]["pad"], 0);
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
  EXPECT_EQ(contents("p.plan").rfind("tilewright plan 2\n", 0), 0u);
  const Json json = tool(with(example(), {"--plan", file, "--json"})).json();
  EXPECT_EQ(json["from_file"], true);
  EXPECT_EQ(json["plan"]["text"], contents("p.plan"));
  EXPECT_EQ(json["automatic"][0]["same"], true);
  EXPECT_EQ(json["automatic"][0]["stored_distance"], 0);
  EXPECT_NE(tool(with(example(), {"--plan", file})).out.find("would choose the same today; losers are not listed"),
            std::string::npos);
  const Words any_width = {"plan", "gemm", "M=512", "N=2048", "K=1024", "BM=32", "BN=64", "BK=32"};
  EXPECT_EQ(tool(with(any_width, {"--set", "threads_per_group=256", "--save-plan", path("wide.plan")})).status, 0);
  const Json wide = tool(with(any_width, {"--plan", path("wide.plan"), "--json"})).json();
  EXPECT_EQ(wide["automatic"][0]["same"], false);
  EXPECT_EQ(wide["automatic"][0]["kernel_score"], 88832);
  EXPECT_EQ(wide["automatic"][0]["stored_distance"], 105472 - 88832);
  const std::string text = tool(with(any_width, {"--plan", path("wide.plan")})).out;
  EXPECT_NE(text.find("would choose another plan today: cooperative, groups of 128 threads, op 5 as 1x4 subgroups of "
                      "4x2 fragments, direct output, kernel score 88832 (stored: 105472)"),
            std::string::npos)
      << text;
  EXPECT_TRUE(tool(with(example(), {"--json"})).json()["automatic"].is_null());
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

TEST_F(PlanCommand, SettingsAreGivenOnceAndNamed) {
  expect_refused(with(example(), {"--set", "threads_per_group=64"}), 2,
                 "--set gives 'threads_per_group' twice: 128 and 64");
  expect_refused(with(example(), {"--set", "cost.matrix_issue=1", "--set", "cost.matrix_issue=2"}), 2,
                 "'cost.matrix_issue' twice: 1 and 2");
  expect_refused(with(example(), {"--set", "matrix_issue=1"}), 2, "did you mean 'cost.matrix_issue'?");
  expect_refused(with(example(), {"--set", "cost.matrix_isue=1"}), 2, "matrix_issue");
  expect_refused(with(example(), {"--set", "noalas=true"}), 2, "did you mean 'noalias'?");
}

TEST_F(PlanCommand, HelpListsEveryOptionOfTheTable) {
  const ToolResult help = tool({"help", "plan"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out, tool({"plan", "--help"}).out);
  const ToolResult list = tool({"list", "--options"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(help.out.find(list.out), std::string::npos);
  const Json json = tool({"list", "--options", "--json"}).json();
  const Json plan = tool(with(example(), {"--json"})).json();
  std::size_t named = 0;
  for (const char* group : {"options", "switches"})
    for (const auto& [name, value] : plan[group].items()) named += name != "cost.version";
  EXPECT_EQ(json.size(), named);
  Words defaults;
  for (const Json& option : json) {
    EXPECT_EQ(option["schema"], 1);
    const std::string name = option["name"], range = option["range"], meaning = option["meaning"];
    EXPECT_TRUE(plan["options"].contains(name) || plan["switches"].contains(name)) << name;
    ASSERT_TRUE(option["default"].is_string()) << name;
    const std::string value = option["default"];
    EXPECT_NE(list.out.find("  " + name + " (default " + value + "; " + range + ")\n      " + meaning + "\n"),
              std::string::npos)
        << name;
    defaults.insert(defaults.end(), {"--set", name + "=" + value});
  }
  const ToolResult set = tool(with({"plan", "gemm", "M=8", "N=8", "K=8"}, defaults));
  EXPECT_EQ(set.status, 0) << "what is listed as a default can be set: " << set.err;
}

TEST_F(PlanCommand, NothingIsPluralThatIsOne) {
  const std::string text =
      tool({"plan", "rowsum", "N=1", "C=64", "BR=1", "BC=64", "--set", "metal_subgroup_reductions=true", "--set",
            "noalias=true", "--set", "threads_per_group=32"})
          .out +
      tool({"plan", "gemm", "M=8", "N=8", "K=8", "BM=8", "BN=8", "BK=8", "--set", "threads_per_group=32"}).out +
      tool({"plan", "gemm", "M=8", "N=8", "K=8", "--target", "cpu"}).out +
      tool({"plan", "swiglu", "N=1", "C=1", "BR=1", "BC=1", "--set", "noalias=true"}).out + tool({"prove", "gemm"}).out;
  EXPECT_NE(text.find("1 program, groups of 32 threads"), std::string::npos) << text;
  EXPECT_NE(text.find("1 width, "), std::string::npos) << text;
  for (const char* noun : {"programs", "threads", "waves", "widths", "candidates", "combinations", "mappings",
                           "subgroups", "elements", "launches", "questions", "bindings", "scalars"})
    for (std::size_t at = text.find(std::string(" 1 ") + noun); at != std::string::npos; at = std::string::npos)
      ADD_FAILURE() << text.substr(at, 80);
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
