// Runs the built binary and keeps what it says.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/npy.h"
#include "support/temporary_folder.h"

namespace tilewright {

struct ToolResult {
  int status = -1;  ///< 128 + signal when a signal ended it
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string shell_quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A test with a folder of its own and the programs of the source tree.
class ToolTest : public testing::Test {
 protected:
  /// Of compiled kernels: one for all tests, not the user's.
  static std::string cache_folder() {
    return (std::filesystem::temp_directory_path() / "tilewright-test-cache").string();
  }

  ToolResult tool(const std::vector<std::string>& words, const std::string& environment = "") {
    std::string command =
        "cd " + shell_quoted(folder_.path()) + " && TILEWRIGHT_HOME=" + shell_quoted(TILEWRIGHT_SOURCE_DIR) +
        " TILEWRIGHT_CACHE=" + shell_quoted(cache_folder()) + " " + environment + " " + shell_quoted(TILEWRIGHT_BINARY);
    for (const std::string& word : words) command += " " + shell_quoted(word);
    command += " >stdout 2>stderr </dev/null";
    const int raw = std::system(command.c_str());
    ToolResult result;
    result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    result.out = text_of(folder_ / "stdout");
    result.err = text_of(folder_ / "stderr");
    return result;
  }

  /// The tool fails with this status and these words on stderr, prints nothing on stdout, and leaves no file behind.
  void expect_refusal(const std::vector<std::string>& words, int status, const std::vector<std::string>& fragments) {
    const std::vector<std::string> before = files();
    const ToolResult result = tool(words);
    std::string command = "tilewright";
    for (const std::string& word : words) command += " " + word;
    SCOPED_TRACE(command);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string& fragment : fragments)
      EXPECT_NE(result.err.find(fragment), std::string::npos) << fragment << "\nin " << result.err;
    EXPECT_EQ(files(), before);
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names = folder_.names();
    std::erase(names, "stdout");
    std::erase(names, "stderr");
    return names;
  }

  void write_floats(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    EXPECT_TRUE(write_npy(folder_ / name, DataType::F32, shape, {bytes, values.size() * 4}).has_value());
  }

  std::vector<float> read_floats(const std::string& name) {
    const auto array = read_npy(folder_ / name, DataType::F32);
    EXPECT_TRUE(array.has_value()) << render(array.error());
    if (!array) return {};
    const auto* values = reinterpret_cast<const float*>(array->data.data());
    return {values, values + array->data.size() / 4};
  }

  TemporaryFolder folder_;
};

}  // namespace tilewright
