// tilewright emit, and run and print for metal-simdgroup.
#include "cli/run_tool.h"

#include "support/files.h"

namespace tilewright {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class MetalCommands : public ToolTest {
 protected:
  static Words gemm(const Words& front, const Words& back = {}) {
    Words words = front;
    for (const char* word : {"gemm", "M=64", "N=64", "K=32", "BM=32", "BN=32", "BK=16"}) words.emplace_back(word);
    words.insert(words.end(), back.begin(), back.end());
    return words;
  }
};

TEST_F(MetalCommands, EmitWritesTheText) {
  const ToolResult printed = tool(gemm({"emit"}));
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_TRUE(printed.out.starts_with("// gemm for metal-simdgroup on generic-metal4\n")) << printed.out;
  const ToolResult written = tool(gemm({"emit"}, {"-o", "gemm.metal"}));
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(text_of(folder_ / "gemm.metal"), printed.out);
  EXPECT_NE(written.out.find("gemm.metal"), std::string::npos);
}

TEST_F(MetalCommands, EmitTellsHowToLaunch) {
  const Json json = tool(gemm({"emit"}, {"--device", "apple-m1-max", "--json", "-o", "gemm.metal"})).json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["target"], "metal-simdgroup");
  EXPECT_EQ(json["device"], "apple-m1-max");
  EXPECT_EQ(json["bindings"]["BM"], 32);
  EXPECT_EQ(json["kind"], "text");
  EXPECT_EQ(json["file"], "gemm.metal");
  EXPECT_FALSE(json.contains("text"));
  EXPECT_EQ(json["bytes"], text_of(folder_ / "gemm.metal").size());
  ASSERT_EQ(json["buffers"].size(), 3u);
  const Json c = {{"index", 2},        {"name", "C"},   {"kind", "argument"},
                  {"access", "write"}, {"type", "f32"}, {"elements", 4096}};
  EXPECT_EQ(json["buffers"][2], c);
  ASSERT_EQ(json["launches"].size(), 1u);
  const Json& launch = json["launches"][0];
  EXPECT_EQ(launch["entry"], "gemm_0");
  EXPECT_EQ(launch["groups"], Json({2, 2, 1}));
  EXPECT_EQ(launch["tasks"], 4);
  EXPECT_EQ(launch["shared_bytes"], 4096);
  EXPECT_EQ(launch["buffers"], Json({0, 1, 2}));
  EXPECT_EQ(launch["workers"].get<int>() % 32, 0);
  EXPECT_FALSE(json["hashes"]["plan"].get<std::string>().empty());
  EXPECT_FALSE(json["hashes"]["text"].get<std::string>().empty());
  EXPECT_TRUE(tool(gemm({"emit"}, {"--json"})).json().contains("text"));
}

/// What emit writes is what emulate runs: the two meet in a file only.
TEST_F(MetalCommands, TheTextStandsAlone) {
  const Json json = tool(gemm({"emit"}, {"--json", "-o", "gemm.metal"})).json();
  write_floats("a.npy", {64, 32}, std::vector<float>(64 * 32, 0.5f));
  write_floats("b.npy", {32, 64}, std::vector<float>(32 * 64, 2.0f));
  const ToolResult run = tool({"emulate", "gemm.metal", "--kernel", "gemm_0", "--grid", "2,2", "--group",
                               std::to_string(json["launches"][0]["workers"].get<int>()), "--buffer", "0=a.npy:ro",
                               "--buffer", "1=b.npy:ro", "--buffer", "2=out:f32:64x64", "--out", "2=c.npy"});
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_EQ(read_floats("c.npy"), std::vector<float>(64 * 64, 32.0f));
}

TEST_F(MetalCommands, EmitGivesObjectsForTheCpu) {
  const ToolResult object = tool(gemm({"emit"}, {"--target", "cpu", "-o", "gemm.o", "--json"}));
  EXPECT_EQ(object.status, 0) << object.err;
  EXPECT_EQ(object.json()["kind"], "object");
  EXPECT_TRUE(object.json()["launches"][0]["groups"].is_null());
  EXPECT_TRUE(text_of(folder_ / "gemm.o")
                  .starts_with("\x7f"
                               "ELF"));
  expect_refusal(gemm({"emit"}, {"--target", "cpu"}), 2, {"no text to be printed", "-o FILE"});
  expect_refusal(gemm({"emit"}, {"--target", "interp"}), 3, {"has no code", "[Unsupported]"});
}

TEST_F(MetalCommands, RunChecksOnTheEmulator) {
  const ToolResult run = tool({"run", "gemm", "M=33", "N=17", "K=9", "--target", "metal-simdgroup", "--check", "--json",
                               "--set", "schedules=2", "--threads", "1"},
                              "TILEWRIGHT_VERBOSE=1");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["target"], "metal-simdgroup");
  EXPECT_EQ(run.json()["ok"], true);
  EXPECT_EQ(run.json()["checked_elements"], 2 * 33 * 17);
  for (const char* stage : {"plan ", "lower ", "emit ", "load "})
    EXPECT_NE(run.err.find(stage), std::string::npos) << stage << run.err;
}

TEST_F(MetalCommands, OutputsLieInTheCallersViews) {
  write_floats("a.npy", {3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  write_floats("b.npy", {4, 2}, {1, 0, 0, 1, 1, 0, 0, 1});
  const ToolResult run = tool({"run", "gemm", "M=3", "N=2", "K=4", "--target", "metal-simdgroup", "--in", "A=a.npy",
                               "--in", "B=b.npy", "--view", "C=offset:5,strides:1x4", "--out", "C=c.npy"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_floats("c.npy"), (std::vector<float>{4, 6, 12, 14, 20, 22}));
}

TEST_F(MetalCommands, PrintShowsEveryStage) {
  for (const auto& [stage, begin] : {std::pair{"msl", "// gemm for metal-simdgroup"},
                                     {"kernel", "kernel program gemm {"},
                                     {"plan", "tilewright plan 2"}}) {
    const ToolResult text = tool(gemm({"print"}, {"--target", "metal-simdgroup", "--after", stage}));
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_TRUE(text.out.starts_with(begin)) << text.out;
  }
  expect_refusal(gemm({"print"}, {"--after", "msl"}), 2, {"no stage 'msl'", "belongs to the target metal-simdgroup"});
}

TEST_F(MetalCommands, AStoredPlanIsObeyed) {
  EXPECT_EQ(tool(gemm({"plan"}, {"--set", "threads_per_group=64", "--save-plan", "g.plan"})).status, 0);
  const Json json = tool(gemm({"emit"}, {"--plan", "g.plan", "--json"})).json();
  EXPECT_EQ(json["launches"][0]["workers"], 64);
}

TEST_F(MetalCommands, TheDirectRoute) {
  const Words direct = {"--target", "metal-mpp", "--route", "direct"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), direct.begin(), direct.end());
    return more;
  };
  const Json emitted = tool(gemm({"emit"}, with({"--json"}))).json();
  EXPECT_EQ(emitted["route"], "direct");
  EXPECT_EQ(emitted["fitted"], Json::object());
  EXPECT_EQ(emitted["launches"][0]["workers"], 32);
  EXPECT_EQ(emitted["launches"][0]["shared_bytes"], 8192);
  EXPECT_EQ(emitted["atoms"], Json({"metal.mpp"}));
  EXPECT_EQ(tool(gemm({"emit"}, {"--target", "metal-mpp", "--json"})).json()["route"], "planned");
  const Json fitted =
      tool({"emit", "gemm", "M=64", "N=64", "K=64", "BM=128", "--target", "metal-mpp", "--route", "direct", "--json"})
          .json();
  EXPECT_EQ(fitted["fitted"], Json({{"BK", 16}, {"BN", 32}}));
  const ToolResult run = tool(gemm({"run"}, with({"--check", "--json", "--threads", "1"})));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["route"], "direct");
  EXPECT_EQ(run.json()["ok"], true);
  EXPECT_TRUE(tool(gemm({"print"}, with({"--after", "kernel"}))).out.starts_with("kernel program gemm {"));
  EXPECT_EQ(tool(gemm({"print"}, with({"--after", "bind"}))).status, 0);
}

TEST_F(MetalCommands, WhatTheDirectRouteRefuses) {
  const Words direct = {"--target", "metal-mpp", "--route", "direct"};
  const auto refuse = [&](const Words& more, int status, const Words& fragments) {
    Words words = direct;
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(gemm({"emit"}, words), status, fragments);
  };
  refuse({"--set", "threads_per_group=64"}, 2, {"'threads_per_group' is a setting of the planner"});
  refuse({"--plan", TILEWRIGHT_SOURCE_DIR "/README.md"}, 2, {"takes no plan", "README.md"});
  refuse({"--device", "generic-metal"}, 3, {"needs direct_mpp", "generic-metal"});
  expect_refusal(gemm({"emit"}, {"--route", "direct"}), 3, {"found target metal-simdgroup", "--target metal-mpp"});
  expect_refusal(gemm({"run"}, {"--route", "direct"}), 3, {"found target cpu"});
  expect_refusal(gemm({"emit"}, {"--route", "straight"}), 2, {"--route expects a route", "planned and direct"});
  expect_refusal(gemm({"print"}, {"--target", "metal-mpp", "--route", "direct", "--after", "plan"}), 2, {"no plan"});
  expect_refusal(gemm({"plan"}, {"--route", "direct"}), 2, {"[UnknownOption]", "--route"});
}

TEST_F(MetalCommands, TensorHandles) {
  const Words handles = {"--target", "metal-mpp", "--set", "tensor_bindings=handle"};
  Words words = handles;
  words.emplace_back("--json");
  const Json json = tool(gemm({"emit"}, words)).json();
  const Json b = {{"index", 1},    {"name", "B"},      {"kind", "tensor"},    {"access", "read"},
                  {"type", "f32"}, {"elements", 2048}, {"extents", {64, 32}}, {"strides", {1, 64}}};
  EXPECT_EQ(json["buffers"][1], b);
  EXPECT_EQ(json["buffers"][2]["kind"], "argument");
  EXPECT_FALSE(json["buffers"][2].contains("extents"));
  EXPECT_EQ(json["flags"].back(), "tensor-bindings=handle");
  words = handles;
  words.emplace_back("--check");
  const ToolResult run = tool(gemm({"run"}, words));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  words = handles;
  words.insert(words.end(), {"--kit", "kit"});
  expect_refusal(gemm({"emit"}, words), 3, {"the host program of a kit binds buffers", "tensor_bindings=handle"});
  expect_refusal(gemm({"emit"}, {"--set", "tensor_bindings=handle"}), 3,
                 {"tensor_bindings belongs to target metal-mpp, found target metal-simdgroup"});
  expect_refusal(gemm({"run"}, {"--target", "metal-mpp", "--set", "tensor_bindings=yes"}), 2,
                 {"[BadOption]", "inline or handle"});
  expect_refusal(gemm({"plan"}, handles), 2, {"[UnknownOption]", "tensor_bindings"});
}

TEST_F(MetalCommands, WrongOptions) {
  expect_refusal(gemm({"run"}, {"--target", "interp", "--device", "apple-m1"}), 2,
                 {"--device belongs to a target with plans"});
  expect_refusal(gemm({"run"}, {"--device", "apple-m1"}), 3, {"not one that target cpu runs on"});
  expect_refusal(gemm({"run"}, {"--plan", "x.plan"}), 2, {"[FileRead]"});
  expect_refusal(gemm({"run"}, {"--target", "metal-simdgroup", "--device", "nothing"}), 2, {"[UnknownProfile]"});
  expect_refusal(gemm({"run"}, {"--target", "metal-simdgroup", "--set", "thread_per_group=64"}), 2,
                 {"[UnknownOption]", "threads_per_group"});
  expect_refusal(gemm({"run"}, {"--target", "metal-simdgroup", "--set", "schedules=none"}), 2, {"from 1 to 1000"});
  expect_refusal(gemm({"emit"}, {"--plan", "no.plan"}), 2, {"[FileRead]"});
  expect_refusal(gemm({"emit"}, {"-o", "no/such/folder/x.metal"}), 2, {"[FileWrite]"});
}

}  // namespace
}  // namespace tilewright
