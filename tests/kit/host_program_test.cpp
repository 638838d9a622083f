// The host program of kits, as far as it can be held against anything without a Mac.
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "driver/emulate.h"
#include "kit/kit_case.h"

namespace tilewright::driver {
namespace {

class HostProgram : public KitTest {
 protected:
  static std::string source() { return content(std::string(TILEWRIGHT_SOURCE_DIR) + "/kit/main.mm"); }

  static int status_of(const std::string& command) {
    const int raw = std::system(command.c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  }

  /// Whether clang takes the text as Objective-C++ against tests/kit/apple.
  bool compiles(const std::string& text) {
    const auto tools = emulator_toolchain();
    EXPECT_TRUE(tools) << render(tools.error());
    write_file("main.mm", text);
    const std::string root = TILEWRIGHT_SOURCE_DIR;
    return status_of(tools->clang + " -x objective-c++ -std=c++17 -fobjc-arc -fblocks -fobjc-runtime=macosx-14 " +
                     "-fsyntax-only -Wall -Wextra -Werror -I" + root + "/tests/kit/apple -I" + root + "/kit '" +
                     folder_ / "main.mm" + "' 2>'" + folder_ / "messages" + "'") == 0;
  }
  bool compiles_with(const std::string& from, const std::string& to) {
    std::string text = source();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return compiles(text.replace(at, from.size(), to));
  }
};

TEST_F(HostProgram, ItsCallsAreThoseOfMetal) {
  EXPECT_TRUE(compiles(source())) << content(folder_ / "messages");
  EXPECT_FALSE(compiles_with("waitUntilCompleted", "waitUntilDone"));
  EXPECT_FALSE(compiles_with("GPUStartTime", "gpuStartTime"));
  EXPECT_FALSE(compiles_with("options.languageVersion", "options.language"));
}

/// MTLLanguageVersion is (major << 16) + minor.
TEST_F(HostProgram, TheLanguageVersionIsMetals) {
  EXPECT_NE(source().find("(language_version / 100 << 16) + language_version % 100 / 10"), std::string::npos);
  const auto metal = [](int version) { return (version / 100 << 16) + version % 100 / 10; };
  EXPECT_EQ(metal(310), 196609);
  EXPECT_EQ(metal(320), 196610);
  EXPECT_EQ(metal(400), 262144);
}

TEST_F(HostProgram, OnThisMachineItSaysThatItCannotRun) {
  TW_EXPECT_VALUE(write("gemm M=3 N=4 K=5"));
  EXPECT_EQ(status_of("'" + in_kit("run.sh") + "' >'" + folder_ / "out" + "'"), 2);
  const std::string said = content(folder_ / "out");
  EXPECT_NE(said.find("expected macOS, found Linux"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("CANNOT RUN\n")) << said;
}

}  // namespace
}  // namespace tilewright::driver
