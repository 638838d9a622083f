// The command: what it refuses, and that it prints its reports.
#include "cli/run_tool.h"

namespace tilewright {
namespace {

class BenchCommand : public ToolTest {};

TEST_F(BenchCommand, BadOptionsAreToldWithWhatFits) {
  expect_refusal({"bench", "--shapes", "3x4"}, 2, {"BadOption", "MxNxK", "found '3x4'"});
  expect_refusal({"bench", "--suite", "quik"}, 2, {"did you mean 'quick'?"});
  expect_refusal({"bench", "--program", "gemv"}, 2, {"--program expects", "gemm_bias_gelu"});
  expect_refusal({"bench", "--suite", "rows", "--program", "gemm"}, 2, {"--suite rows has no shapes"});
  expect_refusal({"bench", "--suite", "quick", "--shapes", "1x1x1"}, 2, {"given both"});
  expect_refusal({"bench", "--threads", "0"}, 2, {"--threads expects a number from 1"});
  expect_refusal({"bench", "--rounds", "many", "--runs", "0"}, 2, {"--rounds expects", "--runs expects"});
  expect_refusal({"bench", "--seconds", "-1"}, 2, {"--seconds expects"});
  expect_refusal({"bench", "--peers", "openblas,atlas"}, 2, {"found 'atlas'", "libxsmm"});
  expect_refusal({"bench", "--clock", "sun"}, 2, {"--clock expects wall or processor"});
  expect_refusal({"bench", "--clock", "processor", "--threads", "2"}, 2, {"goes with one thread"});
  expect_refusal({"bench", "--quick=yes"}, 2, {"Usage", "takes no value"});
  expect_refusal({"bench", "gemm"}, 2, {"does not expect 'gemm'"});
}

TEST_F(BenchCommand, AUserIsNoContestant) {
  const ToolResult result = tool({"bench", "--contestant", "tilewright"}, "3<&- 4<&-");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_NE(result.err.find("starts its own processes"), std::string::npos) << result.err;
  EXPECT_EQ(tool({"bench", "--contestant", "nobody"}).status, 2);
}

TEST_F(BenchCommand, PrintsATableOrJson) {
  const std::vector<std::string> words = {"bench", "--shapes", "4x5x6", "--rounds", "1", "--peers", "none"};
  const ToolResult text = tool(words);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_NE(text.out.find("4x5x6"), std::string::npos) << text.out;
  std::vector<std::string> with_json = words;
  with_json.insert(with_json.end(), {"--json", "--clock", "processor"});
  const ToolResult json = tool(with_json);
  EXPECT_EQ(json.status, 0);
  EXPECT_EQ(json.json()["clock"], "processor");
  EXPECT_EQ(json.json()["shapes"][0]["k"], 6);
}

}  // namespace
}  // namespace tilewright
