// Bad input of every kind: the status, the place, what was expected and found, what to try; nothing written.
#include "cli/run_tool.h"

#include <sys/stat.h>
#include <unistd.h>

namespace tilewright {
namespace {

class BadInput : public ToolTest {
 protected:
  /// A run of gemm with files, spoilt by the words.
  void expect_bad_run(std::vector<std::string> words, const std::vector<std::string>& fragments) {
    words.insert(words.begin(), {"run", "gemm"});
    expect_refusal(words, 2, fragments);
  }
  const std::vector<std::string> sizes_ = {"M=2", "N=2", "K=3"};

  std::vector<std::string> with_sizes(std::vector<std::string> words) const {
    words.insert(words.begin(), sizes_.begin(), sizes_.end());
    return words;
  }
};

TEST_F(BadInput, Commands) {
  expect_refusal({"rnu"}, 2,
                 {"unknown command 'rnu'", "did you mean 'run'?",
                  "run, print, plan, prove, emit, emulate, bench, cache, list, version, help", "[Usage]"});
  expect_refusal({"emulate", "gemm"}, 2, {"cannot read 'gemm'", "[FileRead]"});
  expect_refusal({"help", "me"}, 2, {"unknown command 'me'"});
  expect_refusal({"help", "run", "print"}, 2, {"one command"});
  expect_refusal({"version", "now"}, 2, {"'now'"});
  expect_refusal({"list", "--jsn"}, 2, {"no option '--jsn'", "did you mean '--json'?"});
}

TEST_F(BadInput, Programs) {
  expect_refusal({"run"}, 2, {"expected a program", "tilewright list"});
  expect_refusal({"print"}, 2, {"expected a program"});
  expect_refusal({"run", "gem"}, 2, {"no program 'gem'", "did you mean 'gemm'?", "[UnknownProgram]"});
  expect_refusal({"run", "./gemm.tile"}, 2, {"gemm.tile", "[FileRead]"});
  expect_refusal({"print", "/"}, 2, {"[FileRead]"});
}

TEST_F(BadInput, TextsOfPrograms) {
  write_text(folder_ / "syntax.tile", "program p(N) {\n  in X: f32[N\n  out Y f32[N]\n}\n");
  expect_refusal({"run", "syntax.tile", "N=1"}, 2, {"syntax.tile:", "[SyntaxError]", "^"});
  write_text(folder_ / "types.tile",
             "program p(N) {\n  in X: f32[N]\n  in Z: i32[N]\n  out Y: f32[N]\n  parallel i in N {\n"
             "    Y[i] = X[i] + Z[i]\n    Y[i] = Q[i]\n  }\n}\n");
  expect_refusal({"run", "types.tile", "N=1"}, 2,
                 {"types.tile:6:", "[TypeMismatch]", "types.tile:7:", "[UnknownName]"});
  write_text(folder_ / "meaning.tile",
             "program p(N) {\n  in X: f32[N]\n  out Y: f32[N]\n  out Z: f32[N]\n  parallel i in N {\n"
             "    X[i] = 1.0\n    Y[i] = Y[i] + 1.0\n  }\n}\n");
  expect_refusal({"print", "meaning.tile"}, 2, {"[WriteToInput]", "[ReadOfOutput]", "[OutputNeverWritten]"});
}

TEST_F(BadInput, Options) {
  expect_bad_run(with_sizes({"--fil", "dyadic"}), {"no option '--fil'", "did you mean '--fill'?", "[UnknownOption]"});
  expect_bad_run({"--M=2"}, {"no option '--M'", "without dashes: M=2"});
  expect_bad_run(with_sizes({"--target", "interp", "--plan", "p.json"}), {"--plan belongs to a target with plans"});
  expect_bad_run(with_sizes({"--target", "gpu"}),
                 {"'gpu'", "cpu, interp, metal-simdgroup and metal-mpp", "[BadOption]"});
  expect_bad_run(with_sizes({"--target"}), {"run: --target expects TARGET, found none", "[Usage]"});
  expect_bad_run(with_sizes({"--threads="}), {"--threads expects N, found none"});
  expect_bad_run(with_sizes({"--target", "cpu", "--target=interp"}),
                 {"--target is given twice: 'cpu' and 'interp'", "give it once"});
  expect_bad_run(with_sizes({"--set", "noalias=true", "--set", "noalias=false"}),
                 {"--set gives 'noalias' twice: true and false", "[BadOption]"});
  expect_bad_run(with_sizes({"--threads", "0"}), {"--threads", "'0'"});
  expect_bad_run(with_sizes({"--fill", "random"}), {"--fill", "random:1"});
  expect_bad_run(with_sizes({"--check=rows:0"}), {"--check", "rows:64"});
  expect_bad_run(with_sizes({"--target", "interp", "--set", "window=2"}),
                 {"--set knows no option 'window'", "noalias", "[UnknownOption]"});
  expect_bad_run(with_sizes({"--set", "window=2"}), {"window", "[UnknownOption]"});
  expect_bad_run(with_sizes({"--view", "A=steps:1"}), {"--view", "'steps:1'", "offset, strides and elements"});
  expect_bad_run(with_sizes({"--view", "A=offset:1,offset:2"}), {"offset is given twice"});
  expect_bad_run(with_sizes({"--view", "A=elements:-1"}), {"at least 0 elements"});
  expect_bad_run(with_sizes({"--time=5"}), {"--time takes no value, found '5'", "write --time alone", "[Usage]"});
  expect_bad_run(with_sizes({"--json=false"}), {"--json takes no value, found 'false'"});
  expect_bad_run(with_sizes({"--view", "A=offset:1", "--view", "A=offset:2"}), {"twice for 'A'"});
  expect_bad_run(with_sizes({"--in", "A"}), {"--in expects NAME=FILE.npy"});
  expect_bad_run(with_sizes({"--out", "C=1.npy", "--out", "C=2.npy"}), {"--out is given twice for 'C'"});
  expect_bad_run(with_sizes({"--in", "C=c.npy"}), {"'C' is not one", "--out C=FILE.npy"});
  expect_bad_run(with_sizes({"--out", "A=a.npy"}), {"'A' is not one"});
  expect_bad_run(with_sizes({"--in", "D=d.npy"}), {"no buffer 'D'", "A, B, C", "[UnknownBuffer]"});
  expect_refusal({"print", "gemm", "--after", "fences"}, 2, {"[MissingSymbol]"});
  expect_refusal({"print", "gemm", "M=1", "N=1", "K=1", "--after", "fences"}, 2,
                 {"a stage, found 'fences'", "parse, bind"});
}

TEST_F(BadInput, EveryCommandTellsWrongOptionsAlike) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [command, option] :
       Pairs{{"run", "--in"}, {"print", "--after"}, {"plan", "--plan"}, {"plan", "--set"}, {"prove", "--set"}})
    expect_refusal({command, "gemm", option}, 2, {"tilewright " + command + ": " + option + " expects ", "found none"});
  for (const auto& [command, option] : Pairs{{"print", "--after"}, {"plan", "--device"}})
    expect_refusal({command, "gemm", option, "a", option, "b"}, 2, {option + " is given twice: 'a' and 'b'"});
  for (const auto& [command, option] :
       Pairs{{"list", "--options"}, {"version", "--json"}, {"prove", "--recheck"}, {"plan", "--all"}})
    expect_refusal({command, option + "=1"}, 2, {option + " takes no value, found '1'"});
}

TEST_F(BadInput, AllFaultsOfTheOptionsAtOnce) {
  expect_bad_run({"--target", "gpu", "--threads", "x", "--set", "y"}, {"'gpu'", "'x'", "'y'"});
}

TEST_F(BadInput, Bindings) {
  expect_bad_run({"M=2", "N=2"}, {"'K'", "add K=NUMBER", "[MissingSymbol]"});
  expect_bad_run({"M=2", "N=2", "K=-3"}, {"'K'", "-3", "[NegativeSize]"});
  expect_bad_run({"M=2", "N=2", "K=3", "Q=1"}, {"'Q'", "[UnknownSymbol]"});
  expect_bad_run({"M=2", "N=2", "K=3", "BQ=1"}, {"did you mean 'BK'?"});
  expect_bad_run({"M=2", "N=2", "K=three"}, {"'three'", "[BadBinding]"});
  expect_bad_run({"M=2", "N=2", "K=99999999999999999999"}, {"at most 9223372036854775807", "[BadBinding]"});
  expect_bad_run({"M=2", "N=2", "K"}, {"NAME=VALUE"});
  expect_bad_run({"M=2", "M=3", "N=2", "K=1"}, {"'M' is given twice"});
  expect_bad_run({"M=2", "N=2", "K=3", "T=f64"}, {"'T'", "[BadBinding]"});
  expect_bad_run({"M=2", "Q=3"}, {"'N'", "'K'", "'Q'"});
  expect_bad_run(with_sizes({"C=3"}), {"'C' is an output: --out C=FILE.npy"});
  expect_bad_run(with_sizes({"rows:3"}), {"--check=rows:3"});
  expect_refusal({"run", "gemm_alpha_beta", "M=1", "N=1", "K=1", "alpha=1e50"}, 2,
                 {"'alpha'", "within the range of f32, found '1e50'", "alpha=inf"});
  expect_bad_run({"M=2", "N=2", "K=3", "T=i32"}, {"'T' accepts f32, f16, bf16, found i32"});
}

TEST_F(BadInput, ParametersThatTheProgramCannotAccept) {
  for (const char* param : {"BM=0", "BM=-1", "BK=0"}) {
    const ToolResult result = tool({"run", "gemm", "M=2", "N=2", "K=3", param});
    EXPECT_EQ(result.status, 2) << param << result.out << result.err;
    EXPECT_EQ(result.out, "");
  }
  expect_bad_run(with_sizes({"BM=0"}), {"divides by zero: ceildiv(2, 0)", "at least 1", "[ZeroDivisor]"});
  const ToolResult huge = tool({"run", "gemm", "M=2", "N=2", "K=3", "BM=1000000000"});
  EXPECT_EQ(huge.status, 3) << huge.err;
  EXPECT_NE(huge.err.find("[TileTooLarge]"), std::string::npos) << huge.err;
}

TEST_F(BadInput, ProductsBeyondNumbersAndMemory) {
  for (const char* target : {"cpu", "interp"}) {
    expect_bad_run({"M=4294967296", "N=2147483648", "K=1", "--target", target}, {"[SizeOverflow]"});
    expect_bad_run({"M=1000000", "N=1000000", "K=1000000", "--target", target},
                   {"12000000000000 bytes", "bytes available", "[OutOfMemory]"});
    expect_bad_run({"M=1000000", "N=1000000", "K=1000000", "--check", "--target", target}, {"[OutOfMemory]"});
  }
}

TEST_F(BadInput, ArraysOfTheWrongKind) {
  write_floats("a.npy", {3, 2}, {1, 2, 3, 4, 5, 6});
  expect_bad_run(with_sizes({"--in", "A=a.npy"}), {"'A' expects f32[2, 3]", "found f32[3, 2]", "[NpyShape]"});
  write_floats("flat.npy", {6}, {1, 2, 3, 4, 5, 6});
  expect_bad_run(with_sizes({"--in", "A=flat.npy"}), {"found f32[6]", "[NpyShape]"});
  expect_bad_run(with_sizes({"T=f16", "--in", "A=a.npy"}), {"'A' expects f16", ".astype('float16')", "[NpyType]"});
  expect_bad_run(with_sizes({"--in", "A=none.npy"}), {"none.npy", "[FileRead]"});
  std::string bytes = text_of(folder_ / "a.npy");
  write_text(folder_ / "short.npy", bytes.substr(0, bytes.size() - 4));
  expect_bad_run(with_sizes({"--in", "A=short.npy"}), {"short.npy", "[NpyLength]"});
  write_text(folder_ / "long.npy", bytes + "more");
  expect_bad_run(with_sizes({"--in", "A=long.npy"}), {"[NpyLength]"});
  write_text(folder_ / "text.npy", "1,2,3\n");
  expect_bad_run(with_sizes({"--in", "A=text.npy"}), {"[NpyFormat]"});
  write_text(folder_ / "empty.npy", "");
  expect_bad_run(with_sizes({"--in", "A=empty.npy"}), {"empty.npy", "[NpyLength]"});
  const std::size_t shape = bytes.find("(3, 2)");
  write_text(folder_ / "hostile.npy", bytes.replace(shape, 6, "(9999999999999999999, 2)").substr(0, bytes.size()));
  expect_bad_run(with_sizes({"--in", "A=hostile.npy"}), {"hostile.npy"});
}

TEST_F(BadInput, FaultyInputsAreAllReported) {
  write_floats("a.npy", {3, 2}, {1, 2, 3, 4, 5, 6});
  expect_bad_run(with_sizes({"--in", "A=a.npy", "--in", "B=none.npy"}), {"[NpyShape]", "[FileRead]"});
}

TEST_F(BadInput, Views) {
  expect_bad_run(with_sizes({"--view", "A=elements:5"}),
                 {"'A' covers elements 0 to 5 (bytes 0 to 23)", "5 elements (20 bytes)", "[ViewOutOfBuffer]"});
  expect_bad_run(with_sizes({"--view", "A=offset:-3"}), {"elements -3 to 2", "[ViewOutOfBuffer]"});
  expect_bad_run(with_sizes({"--view", "A=offset:9223372036854775806"}), {"[ViewOutOfBuffer]"});
  expect_bad_run(with_sizes({"--view", "A=strides:3"}), {"2 dimensions", "[ArgumentStrides]"});
  expect_bad_run(with_sizes({"--view", "C=strides:0x1"}), {"'C'", "(0, 0)", "(1, 0)", "[ViewSelfOverlap]"});
}

TEST_F(BadInput, OutputsThatCannotBeWrittenLeaveTheOldFile) {
  expect_bad_run(with_sizes({"--out", "C=no/such/c.npy"}), {"no/such/c.npy", "[FileWrite]"});
  expect_bad_run(with_sizes({"--out", "C=."}), {"it is a folder"});
  expect_bad_run(with_sizes({"--out", "C=/dev/stdout"}), {"the report goes there"});
  mkfifo((folder_ / "pipe").c_str(), 0600);
  expect_bad_run(with_sizes({"--out", "C=pipe"}), {"no ordinary file"});
  expect_refusal({"run", "residual_layernorm", "N=2", "C=4", "--out", "H=same.npy", "--out", "Y=./same.npy"}, 2,
                 {"another output goes there"});
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  std::filesystem::create_directory(folder_ / "locked");
  write_text(folder_ / "locked/c.npy", "old");
  chmod((folder_ / "locked").c_str(), 0500);
  expect_bad_run(with_sizes({"--out", "C=locked/c.npy"}), {"locked", "[FileWrite]"});
  EXPECT_EQ(text_of(folder_ / "locked/c.npy"), "old");
  chmod((folder_ / "locked").c_str(), 0700);
}

TEST_F(BadInput, NothingIsWrittenWhenAnythingElseIsWrong) {
  write_text(folder_ / "c.npy", "old");
  expect_bad_run(with_sizes({"--out", "C=c.npy", "--view", "A=elements:1"}), {"[ViewOutOfBuffer]"});
  expect_bad_run(with_sizes({"--out", "C=c.npy", "--in", "A=none.npy"}), {"[FileRead]"});
  EXPECT_EQ(text_of(folder_ / "c.npy"), "old");
}

TEST_F(BadInput, UsageErrorsAsJson) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "gemm", "--bogus", "--json"}, {"list", "foo", "--json"}, {"rnu", "--json"}}) {
    const ToolResult result = tool(words);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.json()["ok"], false) << words[0] << result.out;
  }
}

TEST_F(BadInput, AReportThatIsLostIsAFailure) {
  for (const char* words : {"list", "version", "help", "print gemm", "run gemm M=1 N=1 K=1 --check --json"}) {
    const std::string command = "TILEWRIGHT_HOME=" + shell_quoted(TILEWRIGHT_SOURCE_DIR) + " " +
                                shell_quoted(TILEWRIGHT_BINARY) + " " + words + " >/dev/full 2>/dev/null";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 2) << words;
  }
}

TEST_F(BadInput, ErrorsAsJson) {
  const ToolResult result = tool({"run", "gemm", "M=2", "N=2", "K=x", "--json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("[BadBinding]"), std::string::npos);
  const nlohmann::json json = result.json();
  ASSERT_TRUE(json.is_object()) << result.out;
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["errors"][0]["code"], "BadBinding");
  EXPECT_TRUE(json["errors"][0]["message"].is_string());
  EXPECT_TRUE(json["errors"][0]["hint"].is_string());
  write_text(folder_ / "syntax.tile", "program p(N) {");
  EXPECT_EQ(tool({"print", "syntax.tile", "--json"}).json()["errors"][0]["place"]["line"], 1);
}

}  // namespace
}  // namespace tilewright
