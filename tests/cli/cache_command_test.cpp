// tilewright cache, and --cache of run.
#include "cli/run_tool.h"

namespace tilewright {
namespace {

class CacheCommand : public ToolTest {
 protected:
  ToolResult run_gemm(const std::string& environment = "") {
    return tool({"run", "gemm", "M=8", "N=8", "K=8", "--cache", "kept", "--check"}, environment);
  }
  std::string entry_file() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "kept/cpu")) return entry.path().string();
    return "";
  }
};

TEST_F(CacheCommand, KeepsShowsAndClears) {
  EXPECT_EQ(run_gemm().status, 0);
  const ToolResult again = run_gemm("TILEWRIGHT_VERBOSE=1");
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("cache: 'gemm' was found"), std::string::npos) << again.err;
  const ToolResult text = tool({"cache", "show", "--cache", "kept"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("kept/cpu: 1 entry, "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("gemm BK="), std::string::npos) << text.out;
  const auto json = tool({"cache", "show", "--json"}, "TILEWRIGHT_CACHE=kept").json();
  ASSERT_EQ(json["entries"].size(), 1u);
  EXPECT_TRUE(json["entries"][0]["damage"].is_null());
  EXPECT_EQ(json["entries"][0]["key"]["binding M"], "8");
  EXPECT_EQ(json["bytes"], json["entries"][0]["bytes"]);
  const auto cleared = tool({"cache", "clear", "--cache", "kept", "--json"}).json();
  EXPECT_EQ(cleared["cleared_entries"], 1);
  EXPECT_EQ(tool({"cache", "show", "--cache", "kept", "--json"}).json()["entries"].size(), 0u);
  EXPECT_EQ(tool({"cache", "show", "--cache", "nowhere"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
}

TEST_F(CacheCommand, AMissIsExplained) {
  EXPECT_EQ(run_gemm().status, 0);
  const ToolResult other =
      tool({"run", "gemm", "M=8", "N=8", "K=9", "--cache", "kept", "--check"}, "TILEWRIGHT_VERBOSE=1");
  EXPECT_EQ(other.status, 0);
  EXPECT_NE(other.err.find("binding K is 9, there 8"), std::string::npos) << other.err;
}

// cases.md H7: damage and folders that cannot be used are warnings; the result is right.
TEST_F(CacheCommand, DamageIsAWarning) {
  EXPECT_EQ(run_gemm().status, 0);
  std::filesystem::resize_file(entry_file(), 100);
  const auto shown = tool({"cache", "show", "--cache", "kept", "--json"}).json();
  EXPECT_TRUE(shown["entries"][0]["damage"].is_string());
  const ToolResult run = run_gemm();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("warning: the cache entry"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("[CacheDamaged]"), std::string::npos) << run.err;
  EXPECT_EQ(run_gemm().err, "");
}

TEST_F(CacheCommand, AFolderThatCannotBeUsedIsAWarning) {
  write_text(folder_ / "kept", "a file");
  const ToolResult run = run_gemm();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("[CacheFolder]"), std::string::npos) << run.err;
  EXPECT_EQ(tool({"cache", "clear", "--cache", "kept"}).status, 2);
}

TEST_F(CacheCommand, Refusals) {
  expect_refusal({"cache"}, 2, {"show or clear", "neither"});
  expect_refusal({"cache", "shown"}, 2, {"'shown'"});
  expect_refusal({"run", "gemm", "M=1", "N=1", "K=1", "--cache", "c", "--target", "interp"}, 2, {"--cache", "interp"});
  const ToolResult nameless = tool({"cache", "show"}, "TILEWRIGHT_CACHE=");
  EXPECT_EQ(nameless.status, 2);
  EXPECT_NE(nameless.err.find("--cache DIR"), std::string::npos) << nameless.err;
}

}  // namespace
}  // namespace tilewright
