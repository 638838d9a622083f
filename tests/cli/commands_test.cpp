// What each command says when all is well.
#include "cli/run_tool.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

namespace tilewright {
namespace {

using Json = nlohmann::json;

class Commands : public ToolTest {
 protected:
  /// On a busy machine the threads may take turns, and a race may end well.
  ToolResult until_wrong(const std::vector<std::string>& words) {
    ToolResult result = tool(words);
    for (int attempt = 1; attempt < 30 && result.status == 0; ++attempt) {
      std::filesystem::remove(folder_ / "y.npy");
      result = tool(words);
    }
    return result;
  }
};

TEST_F(Commands, HelpNamesTheCommandsAndTheirOptions) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"help"}, {"--help"}, {"-h"}, {"help", "help"}}) {
    const ToolResult help = tool(words);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    for (const char* name : {"run", "print", "list", "version", "help", "tilewright run gemm"})
      EXPECT_NE(help.out.find(name), std::string::npos) << name;
  }
  const ToolResult run = tool({"help", "run"});
  EXPECT_EQ(run.status, 0);
  for (const char* option : {"--target", "--threads", "--in", "--out", "--view", "--fill", "--check", "--time", "--set",
                             "--json", "PROGRAM", "NAME=VALUE", "strides:", "random:SEED", "Exit status"})
    EXPECT_NE(run.out.find(option), std::string::npos) << option;
  EXPECT_EQ(run.out, tool({"run", "--help"}).out);
  EXPECT_EQ(tool({"help", "print"}).out, tool({"print", "-h"}).out);
}

TEST_F(Commands, NoCommandIsWrongUsageWithHelp) {
  const ToolResult nothing = tool({});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_NE(nothing.err.find("usage:"), std::string::npos);
}

TEST_F(Commands, Version) {
  const ToolResult text = tool({"version"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.out.rfind("tilewright ", 0), 0U);
  EXPECT_NE(text.out.find("LLVM 19"), std::string::npos);
  EXPECT_NE(text.out.find("host "), std::string::npos);
  EXPECT_EQ(tool({"--version"}).out, text.out);
  const Json json = tool({"version", "--json"}).json();
  EXPECT_EQ(json["schema"], 1);
  for (const char* field : {"version", "llvm", "host"}) EXPECT_TRUE(json[field].is_string()) << field;
  EXPECT_GE(json["cores"], 1);
}

TEST_F(Commands, ListIsAlignedAndComplete) {
  const ToolResult text = tool({"list"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.err, "");
  std::istringstream lines(text.out);
  std::set<std::size_t> columns;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::size_t gap = line.find("  ");
    ASSERT_NE(gap, std::string::npos) << line;
    columns.insert(line.find_first_not_of(' ', gap));
  }
  EXPECT_EQ(columns.size(), 1U);
  EXPECT_GE(count, 10);
}

TEST_F(Commands, ListAsJson) {
  const Json list = tool({"list", "--json"}).json();
  ASSERT_TRUE(list.is_array());
  const auto gemm = std::find_if(list.begin(), list.end(), [](const Json& one) { return one["name"] == "gemm"; });
  ASSERT_NE(gemm, list.end());
  EXPECT_EQ((*gemm)["schema"], 1);
  EXPECT_EQ((*gemm)["symbols"], Json({"M", "N", "K"}));
  EXPECT_FALSE((*gemm)["summary"].get<std::string>().empty());
  for (const Json& param : (*gemm)["params"]) {
    EXPECT_TRUE(param["name"].is_string());
    EXPECT_TRUE(param["choices"].is_array());
    EXPECT_NE(std::find(param["choices"].begin(), param["choices"].end(), param["default"]), param["choices"].end());
  }
}

TEST_F(Commands, PrintOfEveryStage) {
  const ToolResult parse = tool({"print", "gemm"});
  EXPECT_EQ(parse.status, 0) << parse.err;
  EXPECT_NE(parse.out.find("program gemm(M, N, K;"), std::string::npos);
  write_text(folder_ / "again.tile", parse.out);
  EXPECT_EQ(tool({"print", "again.tile"}).out, parse.out);

  const std::vector<std::string> sizes = {"M=5", "N=6", "K=7", "BM=32"};
  const auto after = [&](const char* stage, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"print", "gemm", "--after", stage};
    words.insert(words.end(), sizes.begin(), sizes.end());
    words.insert(words.end(), more.begin(), more.end());
    return tool(words);
  };
  EXPECT_NE(after("bind").out.find("f32[5, 7]"), std::string::npos);
  EXPECT_NE(after("bind", {"T=bf16"}).out.find("bf16[5, 7]"), std::string::npos);
  EXPECT_NE(after("kernel").out.find("kernel program gemm"), std::string::npos);
  EXPECT_NE(after("llvm").out.find("define"), std::string::npos);
  EXPECT_EQ(after("assembly").status, 0);
  const Json json = after("kernel", {"--json"}).json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["program"], "gemm");
  EXPECT_EQ(json["stage"], "kernel");
  EXPECT_EQ(json["text"], after("kernel").out);
}

TEST_F(Commands, ProveForAllSizesAndForSome) {
  const ToolResult open = tool({"prove", "gemm", "--recheck"});
  EXPECT_EQ(open.status, 0) << open.err;
  EXPECT_NE(open.out.find("for all sizes M, N, K from 1 on"), std::string::npos) << open.out;
  EXPECT_NE(open.out.find("proved   map.exact_cover"), std::string::npos) << open.out;
  EXPECT_NE(open.out.find("certificate guard.equivalent\n"), std::string::npos) << open.out;
  EXPECT_EQ(open.out.find("RECHECK FAILED"), std::string::npos) << open.out;
  EXPECT_NE(open.out.find(" certificates rechecked\n"), std::string::npos) << open.out;
  EXPECT_EQ(tool({"prove", "gemm"}).out.find("certificates rechecked"), std::string::npos);
  const Json padded = tool({"prove", "conv2d", "--json"}).json();
  EXPECT_EQ(padded["least_sizes"]["pad"], 0);
  EXPECT_EQ(padded["least_sizes"]["stride"], 1);
  EXPECT_EQ(padded["open_sizes"].size(), padded["least_sizes"].size());
  EXPECT_NE(tool({"prove", "conv2d"}).out.find("S, stride from 1 on; pad from 0 on"), std::string::npos);

  const ToolResult whole =
      tool({"prove", "gemm", "M=128", "N=64", "K=128", "--set", "noalias=true", "--recheck", "--json"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  const Json json = whole.json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["bindings"]["M"], 128);
  EXPECT_EQ(json["open_sizes"].size(), 0U);
  EXPECT_EQ(json["summary"]["proved"], 19);
  EXPECT_EQ(json["summary"]["refuted"], 1);
  EXPECT_EQ(json["summary"]["unknown"], 0);
  EXPECT_EQ(json["summary"]["rechecked"], 19);
  EXPECT_EQ(json["summary"]["recheck_failed"], 0);
  int in_bounds = 0;
  for (const Json& question : json["questions"]) {
    if (question["id"] == "access.in_bounds") ++in_bounds;
    // Four steps of the loop: each accumulates.
    const bool expected = question["id"] != "overwrite.allowed";
    EXPECT_EQ(question["verdict"], expected ? "proved" : "refuted") << question.dump(2);
    if (!expected) continue;
    EXPECT_EQ(question["rechecked"], true) << question.dump(2);
    EXPECT_GE(question["place"]["line"], 1) << question.dump(2);
  }
  EXPECT_EQ(in_bounds, 6);

  const Json ragged = tool({"prove", "gemm", "M=127", "N=64", "K=32", "--json"}).json();
  const Json& first = ragged["questions"][1];
  EXPECT_EQ(first["verdict"], "refuted") << first.dump(2);
  EXPECT_EQ(first["code"], "past_end");
  EXPECT_EQ(first["witness"]["i"].get<int>() * 64 + first["witness"]["m"].get<int>(), 127);
  EXPECT_NE(tool({"prove", "gemm", "M=4"}).err.find("[MissingSymbol]"), std::string::npos);
}

TEST_F(Commands, RunSummary) {
  const ToolResult run = tool({"run", "gemm", "M=5", "N=6", "K=7"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* fragment :
       {"gemm on cpu:", "M=5", "BM=64", "T=f32", "in    A  f32[5, 7]", "out   C  f32[5, 6]", "dyadic", "->", "ran in "})
    EXPECT_NE(run.out.find(fragment), std::string::npos) << fragment << "\nin " << run.out;
}

TEST_F(Commands, RunCheckTime) {
  for (const char* target : {"cpu", "interp"}) {
    const ToolResult run = tool({"run", "gemm", "M=5", "N=6", "K=7", "--target", target, "--check", "--time"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "") << "no progress line without a terminal";
    for (const char* fragment : {"check dyadic    ok: 30 elements within their bounds", "check random:1  ok",
                                 "stages  parse ", "kernel  median "})
      EXPECT_NE(run.out.find(fragment), std::string::npos) << fragment << "\nin " << run.out;
  }
}

TEST_F(Commands, RunAsJson) {
  const ToolResult run = tool({"run", "gemm", "M=5", "N=6", "K=7", "T=f16", "--check", "--time", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const Json json = run.json();
  ASSERT_TRUE(json.is_object()) << run.out;
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["program"], "gemm");
  EXPECT_EQ(json["target"], "cpu");
  EXPECT_EQ(json["bindings"]["M"], 5);
  EXPECT_EQ(json["bindings"]["BM"], 64);
  EXPECT_EQ(json["bindings"]["T"], "f16");
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["checked_elements"], 60);
  for (const char* zero : {"wrong_elements", "unwritten_elements", "out_of_bounds_writes", "changed_inputs"})
    EXPECT_EQ(json[zero], 0) << zero;
  EXPECT_TRUE(json["max_abs_error"].is_number());
  EXPECT_TRUE(json["max_rel_error"].is_number());
  EXPECT_TRUE(json["first_wrong"].is_null());
  EXPECT_EQ(json["checks"].size(), 2U);
  EXPECT_EQ(json["times"]["stages"][0]["stage"], "parse");
  EXPECT_GT(json["times"]["kernel"]["median_milliseconds"], 0);
  EXPECT_GE(json["times"]["kernel"]["runs"], 2);
  EXPECT_EQ(json["buffers"][2]["name"], "C");
  EXPECT_EQ(json["buffers"][2]["role"], "out");
}

TEST_F(Commands, RunWithFilesAndViews) {
  write_floats("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  write_floats("b.npy", {3, 2}, {1, 0, 0, 1, 1, 1});
  const std::vector<std::string> base = {"run",     "gemm", "M=2",     "N=2",   "K=3",    "--in",
                                         "A=a.npy", "--in", "B=b.npy", "--out", "C=c.npy"};
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--check"},
                                               {"--view", "A=strides:1x2"},
                                               {"--view", "C=strides:100x7,offset:3"},
                                               {"--target", "interp"},
                                               {"--threads", "1"},
                                               {"--set", "noalias=true"}}) {
    std::vector<std::string> words = base;
    words.insert(words.end(), more.begin(), more.end());
    const ToolResult run = tool(words);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.out.find("wrote c.npy"), std::string::npos);
    EXPECT_EQ(read_floats("c.npy"), (std::vector<float>{4, 5, 10, 11}));
    std::filesystem::remove(folder_ / "c.npy");
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"a.npy", "b.npy"}));
}

TEST_F(Commands, RunReadsFortranOrderAndBigEndian) {
  const std::string header = "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }";
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  std::string padded = header + std::string(117 - header.size(), ' ') + "\n";
  text += std::string{static_cast<char>(padded.size()), '\0'} + padded;
  for (float value : {1.0F, 4.0F, 2.0F, 5.0F, 3.0F, 6.0F}) {
    char bytes[4];
    std::memcpy(bytes, &value, 4);
    text += {bytes[3], bytes[2], bytes[1], bytes[0]};
  }
  write_text(folder_ / "a.npy", text);
  write_floats("b.npy", {3, 2}, {1, 0, 0, 1, 1, 1});
  const ToolResult run =
      tool({"run", "gemm", "M=2", "N=2", "K=3", "--in", "A=a.npy", "--in", "B=b.npy", "--out", "C=c.npy"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_floats("c.npy"), (std::vector<float>{4, 5, 10, 11}));
}

TEST_F(Commands, HalfPrecisionOutputsKeepTheirType) {
  EXPECT_EQ(tool({"run", "gemm", "M=2", "N=3", "K=4", "T=bf16", "--out", "C=c.npy"}).status, 0);
  EXPECT_EQ(read_npy(folder_ / "c.npy")->type, DataType::BF16);
  EXPECT_NE(text_of(folder_ / "c.npy").find("V2'"), std::string::npos);
  EXPECT_EQ(tool({"run", "gemm", "M=2", "N=3", "K=4", "T=f16", "--out", "C=c.npy"}).status, 0);
  EXPECT_EQ(read_npy(folder_ / "c.npy")->type, DataType::F16);
}

TEST_F(Commands, ZeroSizesAreCleanNoOps) {
  for (const std::vector<std::string>& sizes : {std::vector<std::string>{"M=0", "N=5", "K=3"},
                                                {"M=5", "N=0", "K=3"},
                                                {"M=3", "N=3", "K=0"},
                                                {"M=0", "N=0", "K=0"}}) {
    for (const char* target : {"cpu", "interp"}) {
      std::vector<std::string> words = {"run", "gemm", "--check", "--target", target, "--out", "C=c.npy"};
      words.insert(words.end(), sizes.begin(), sizes.end());
      const ToolResult run = tool(words);
      EXPECT_EQ(run.status, 0) << run.err;
      for (float value : read_floats("c.npy")) EXPECT_EQ(value, 0);
    }
  }
}

TEST_F(Commands, SampledRowsAreNamed) {
  const ToolResult run = tool({"run", "gemm", "M=100", "N=6", "K=7", "--check=rows:9"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("54 elements in 9 sampled of 100 rows"), std::string::npos) << run.out;
  const Json json = tool({"run", "gemm", "M=100", "N=6", "K=7", "--check=rows:9", "--json"}).json();
  EXPECT_EQ(json["rows"], 200);
  EXPECT_EQ(json["checked_rows"], 18);
}

TEST_F(Commands, ElementsThatNobodyComparedAreCounted) {
  write_text(folder_ / "half.tile",
             "program half(N) {\n  in X: f32[N]\n  out Y: f32[N]\n  parallel i in N / 2 {\n    Y[i] = X[i]\n  }\n}\n");
  const ToolResult run = tool({"run", "half.tile", "N=10", "--check"});
  EXPECT_NE(run.out.find("ok: 5 elements within"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("; 5 that the program does not store"), std::string::npos) << run.out;
  EXPECT_EQ(tool({"run", "half.tile", "N=10", "--check", "--json"}).json()["not_stored_elements"], 10);
}

TEST_F(Commands, NumbersThatJsonCannotWriteAndScalarsOfEachType) {
  write_text(folder_ / "nan.tile",
             "program odd(N) {\n  in k: i32 = -7\n  in b: bool = true\n  in X: f32[N]\n  out Y: f32[N]\n"
             "  parallel i in N {\n    x = X[i] - X[i]\n    Y[i] = -(x / x)\n  }\n}\n");
  const Json json = tool({"run", "nan.tile", "N=3", "--json"}).json();
  EXPECT_EQ(json["buffers"].back()["first"], Json({"nan", "nan", "nan"}));
  EXPECT_EQ(json["bindings"]["k"].dump(), "-7");
  EXPECT_EQ(json["bindings"]["b"].dump(), "true");
  EXPECT_TRUE(json["repeat"].is_null());
}

TEST_F(Commands, VerbosePrintsStagesOnStderr) {
  const std::vector<std::string> words = {"run", "gemm", "M=5", "N=6", "K=7", "--json"};
  const ToolResult verbose = tool(words, "TILEWRIGHT_VERBOSE=1");
  EXPECT_NE(verbose.err.find("parse "), std::string::npos);
  EXPECT_NE(verbose.err.find(" ms"), std::string::npos);
  EXPECT_TRUE(verbose.json().is_object());
  EXPECT_EQ(tool(words, "TILEWRIGHT_VERBOSE=0").err, "");
}

// The program breaks its promise: two instances store one element, the first one late. The reference lets the second
// win.
TEST_F(Commands, RaceIsAWrongResultWithStatusOneAndACommand) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core runs the instances in order";
  write_text(folder_ / "race.tile", R"(
program race(N) {
  in X: f32[N]
  out Y: f32[1]
  parallel i in 2 {
    x[c: 4096] = X[c]
    serial s in (1 - i) * 600 {
      x = exp(0.0 - x * x)
    }
    Y[0] = f32(i) + 0.0 * max(x, c)
  }
}
)");
  const std::vector<std::string> words = {"run", "race.tile", "N=4096",   "--threads",
                                          "2",   "--fill",    "random:1", "--check"};
  const ToolResult run = until_wrong(words);
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_NE(run.out.find("check random:1  WRONG: 1 elements, 1 wrong"), std::string::npos) << run.out;
  for (const char* fragment : {"1 of 1 elements are wrong", "[CheckFailed]", "the first is Y[0]: expected 1.0 within",
                               "found 0.0", "tilewright run race.tile N=4096 --threads 2 --fill random:1 --check"})
    EXPECT_NE(run.err.find(fragment), std::string::npos) << fragment << "\nin " << run.err;

  std::vector<std::string> with_file = words;
  with_file.insert(with_file.end(), {"--json", "--out", "Y=y.npy", "--time"});
  const ToolResult kept = until_wrong(with_file);
  EXPECT_EQ(kept.status, 1);
  const Json json = kept.json();
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["wrong_elements"], 1);
  EXPECT_EQ(json["first_wrong"]["buffer"], "Y");
  EXPECT_EQ(json["first_wrong"]["indices"], Json::array({0}));
  EXPECT_EQ(json["first_wrong"]["expected"], 1.0);
  EXPECT_NE(json["repeat"].get<std::string>().find("--fill random:1 --check"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "y.npy")) << "a wrong result is not written";
}

}  // namespace
}  // namespace tilewright
