// tilewright emulate: what it prints, what it writes, and how it ends.
#include "cli/run_tool.h"

#include "support/files.h"
#include "support/npy_raw.h"

namespace tilewright {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const char* const kReverse = R"(#include <metal_stdlib>
using namespace metal;
constant float factor [[function_constant(0)]];
kernel void reverse(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  threadgroup float tile[64];
  tile[i % 64] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = factor * tile[63 - i % 64];
}
)";

class EmulateCommand : public ToolTest {
 protected:
  std::string written(const std::string& name, std::string text) {
    const std::string path = folder_ / name;
    EXPECT_TRUE(write_file_atomically(path, text));
    return path;
  }
  static Words launch(const std::string& file, const Words& more = {}) {
    Words words{
        "emulate",       file,         "--grid",  "2", "--group", "64", "--buffer", "0=random:1:f32:128", "--buffer",
        "1=out:f32:128", "--constant", "factor=2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::string without_barrier() {
    std::string text = kReverse;
    const std::size_t at = text.find("  threadgroup_barrier");
    return text.erase(at, text.find('\n', at) + 1 - at);
  }
};

TEST_F(EmulateCommand, ACleanKernel) {
  const std::string out = folder_ / "y.npy";
  const ToolResult text = tool(launch(written("k.metal", kReverse), {"--out", "1=" + out}));
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"reverse: (2,1,1) groups of (64,1,1) threads", "ok: no report", "memory: buffers 1 KiB",
                           "compiled as opencl", "1 y            f32[128]", "2 of threadgroups"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  const auto y = read_raw_npy(out);
  ASSERT_TRUE(y) << render(y.error());
  EXPECT_EQ(y->shape, (std::vector<std::int64_t>{128}));
}

TEST_F(EmulateCommand, AFaultIsReportedWithItsLine) {
  const ToolResult result = tool(launch(written("k.metal", without_barrier()), {"--json"}));
  EXPECT_EQ(result.status, 1);
  const Json json = result.json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["finished"], true);
  const auto race = std::find_if(json["reports"].begin(), json["reports"].end(),
                                 [](const Json& report) { return report["kind"] == "race"; });
  ASSERT_NE(race, json["reports"].end()) << result.out;
  EXPECT_EQ((*race)["object"], "tile");
  EXPECT_EQ((*race)["parties"].size(), 2u);
  const int line = (*race)["line"];
  EXPECT_TRUE(line == 7 || line == 8) << line;
}

TEST_F(EmulateCommand, TextThatDoesNotCompile) {
  const std::string file = written("k.metal", "kernel void f(device float* x [[buffer(0)]]) { x[0] = y; }\n");
  const ToolResult result = tool({"emulate", file, "--buffer", "0=out:f32:1", "--json"});
  EXPECT_EQ(result.status, 2);
  const Json json = result.json();
  EXPECT_EQ(json["errors"][0]["code"], "KernelCompile") << result.out;
  EXPECT_EQ(json["reports"][0]["kind"], "compile_error");
  EXPECT_EQ(json["reports"][0]["line"], 1);
}

TEST_F(EmulateCommand, TensorsNeedTheirLanguageVersion) {
  const std::string file = written("t.metal", R"(#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
kernel void copy(device float* x [[buffer(0)]], device float* y [[buffer(1)]]) {
  tensor<device float, dextents<int, 2>, tensor_inline> a(x, dextents<int, 2>(4, 4));
  y[0] = a[1, 2];
}
)");
  const Words words{"emulate", file, "--buffer", "0=random:1:f32:16", "--buffer", "1=out:f32:1"};
  expect_refusal(words, 2, {"--metal 4.0"});
  Words with_version = words;
  with_version.insert(with_version.end(), {"--metal", "4.0"});
  const ToolResult result = tool(with_version);
  EXPECT_EQ(result.status, 0) << result.err << result.out;
  EXPECT_NE(result.out.find("compiled as c++20"), std::string::npos) << result.out;
}

TEST_F(EmulateCommand, AKernelBoundsItsThreads) {
  const std::string file = written("b.metal", R"(#include <metal_stdlib>
constant constexpr int kThreads = 32;
[[kernel, max_total_threads_per_threadgroup(kThreads * 2)]] void f(
    device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  y[i] = 1.0f;
}
)");
  EXPECT_EQ(tool({"emulate", file, "--group", "64", "--buffer", "0=out:f32:64"}).status, 0);
  expect_refusal({"emulate", file, "--group", "65", "--buffer", "0=out:f32:65"}, 2,
                 {"larger than the 64 that kernel 'f' declares", "[LaunchSize]"});
}

TEST_F(EmulateCommand, TimeoutsAreRefusals) {
  const std::string endless = written("k.metal", R"(kernel void spin(device int* x [[buffer(0)]]) {
  for (volatile int i = 0;; i = i + 1) x[0] = i;
}
)");
  const ToolResult result = tool({"emulate", endless, "--buffer", "0=zero:i32:1", "--timeout", "0.5", "--json"});
  EXPECT_EQ(result.status, 3) << result.err;
  const Json json = result.json();
  EXPECT_EQ(json["finished"], false);
  EXPECT_EQ(json["reports"].back()["kind"], "timeout") << result.out;
}

TEST_F(EmulateCommand, WhatWasNotDoneIsSaid) {
  const std::string file =
      written("p.metal", R"(kernel void f(device float* y [[buffer(1)]], device float* x [[buffer(0)]],
                   uint i [[thread_position_in_grid]]) {
  float local = x[0];
  y[i] = local;
}
)");
  const Words words{"emulate", file, "--group", "4", "--buffer", "1=out:f32:16", "--buffer", "0=zero:f32:1"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), words.begin(), words.end());
    return tool(more);
  };
  const ToolResult part = with({"--threads", "10"});
  EXPECT_EQ(part.status, 0) << part.err << part.out;
  for (const char* text : {"(3,1,1) groups of (4,1,1) threads for (10,1,1) threads in all", "compiled as opencl",
                           "6 of 16 elements not written"})
    EXPECT_NE(part.out.find(text), std::string::npos) << text << "\n" << part.out;
  EXPECT_LT(part.out.find(" 0 x"), part.out.find(" 1 y")) << part.out;
  EXPECT_NE(with({"--grid", "0"}).out.find("the grid is empty, so nothing ran"), std::string::npos);
  EXPECT_EQ(with({"--grid", "1", "--threads", "4"}).status, 2);
  const Json json = with({"--threads", "10", "--json"}).json();
  EXPECT_EQ(json["threadgroups"], (Json{3, 1, 1}));
  EXPECT_EQ(json["buffers"][1]["written_bytes"], 40);
}

TEST_F(EmulateCommand, AtomicsInBothArmsKeepTheirLines) {
  const std::string file = written("a.metal", R"(#include <metal_stdlib>
using namespace metal;
kernel void f(device atomic_uint* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i % 2 == 0)
    atomic_fetch_add_explicit(y + 4, 1u, memory_order_relaxed);
  else
    atomic_fetch_add_explicit(y + 5, 1u, memory_order_relaxed);
}
)");
  const Json json = tool({"emulate", file, "--group", "32", "--buffer", "0=zero:u32:4", "--json"}).json();
  ASSERT_EQ(json["reports"].size(), 2u) << json.dump(2);
  EXPECT_EQ(json["reports"][0]["line"], 5);
  EXPECT_EQ(json["reports"][1]["line"], 7);
}

TEST_F(EmulateCommand, WhatIsAskedForWrongly) {
  const std::string file = written("k.metal", kReverse);
  expect_refusal({"emulate"}, 2, {"expected a .metal file"});
  expect_refusal(launch(file, {"--kernel", "revers"}), 2, {"[KernelUnknown]", "reverse"});
  expect_refusal(launch(file, {"--buffer", "1=zero:f32:4"}), 2, {"buffer 1 is bound twice", "[KernelBinding]"});
  expect_refusal(launch(file, {"--buffer", "7=zero:f32:4"}), 2, {"[KernelBinding]"});
  expect_refusal(launch(file, {"--buffer", "2=@7"}), 2, {"which has none of its own"});
  expect_refusal(launch(file, {"--out", "3=" + (folder_ / "z.npy")}), 2, {"nothing is bound to buffer 3"});
  expect_refusal(launch(file, {"--checks", "some"}), 2, {"--checks expects all or none"});
  expect_refusal(launch(file, {"--dialect", "msl"}), 2, {"--dialect expects opencl or c++20"});
  expect_refusal(launch(file, {"--timeout", "0"}), 2, {"--timeout expects seconds above 0"});
  expect_refusal(launch(file, {"--imitate", "m5_layou"}), 2, {"did you mean 'm5_layout'?"});
  expect_refusal(launch(file, {"--constant", "factor"}), 2, {"--constant expects ID=VALUE"});
  expect_refusal(launch(file, {"--constant", "other=1"}), 2, {"[KernelBinding]", "other"});
  expect_refusal(launch(file, {"--device", "h200"}), 2, {"MSL runs on Metal devices"});
  expect_refusal(launch(file, {"--schedules", "0"}), 2, {"--schedules expects a number from 1"});
}

}  // namespace
}  // namespace tilewright
