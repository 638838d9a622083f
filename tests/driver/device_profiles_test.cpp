// Device profiles by name, by path, from other homes; the profile of the running machine.
#include "driver/device_profiles.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "driver/faults.h"
#include "driver/installed_data.h"
#include "driver/program_library.h"
#include "runtime/cpu/host.h"
#include "support/temporary_folder.h"

namespace tilewright::driver::device_profiles_test {
namespace {

/// Sets or unsets a variable for one test. The tests of one binary run one after another.
class HomeVariable {
 public:
  explicit HomeVariable(const char* value) {
    if (const char* before = std::getenv(kName)) before_ = before;
    if (value == nullptr)
      unsetenv(kName);
    else
      setenv(kName, value, 1);
  }
  HomeVariable(const HomeVariable&) = delete;
  HomeVariable& operator=(const HomeVariable&) = delete;
  ~HomeVariable() {
    if (before_.empty())
      unsetenv(kName);
    else
      setenv(kName, before_.c_str(), 1);
  }

 private:
  static constexpr const char* kName = "TILEWRIGHT_HOME";
  std::string before_;
};

class DeviceProfiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path(folder_ / name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const HomeVariable home_{TILEWRIGHT_SOURCE_DIR};
  const TemporaryFolder folder_;
};

constexpr const char* kCpuText = R"({"schema": 1, "name": "own", "kind": "cpu", "description": "d"})";

TEST_F(DeviceProfiles, EveryInstalledNameLoads) {
  const auto names = profile_names();
  TW_EXPECT_VALUE(names);
  EXPECT_EQ(names->size(), 18u);
  EXPECT_TRUE(std::is_sorted(names->begin(), names->end()));
  for (const std::string& name : *names) {
    const auto device = device_profile(name);
    TW_EXPECT_VALUE(device);
    EXPECT_EQ(device->name, name);
  }
}

TEST_F(DeviceProfiles, HostCpuIsCompletedFromTheMachine) {
  const target::HostFacts facts = runtime_cpu::detect_host();
  const auto device = device_profile("host-cpu");
  TW_EXPECT_VALUE(device);
  EXPECT_EQ(device->processor, facts.name);
  EXPECT_EQ(device->features, facts.features);
  EXPECT_EQ(device->figures.cores->value, facts.cores);
  const auto other = device_profile("host-cpu", {"znver5", "+avx512f", 6});
  TW_EXPECT_VALUE(other);
  EXPECT_EQ(other->processor, "znver5");
  EXPECT_EQ(other->figures.vector_bytes->value, 64);
  EXPECT_EQ(device_profile("apple-m1", {"znver5", "+avx512f", 6})->processor, "");
}

TEST_F(DeviceProfiles, UnknownNamesAreGuessed) {
  expect_fault(device_profile("apple-m1max"), DiagCode::UnknownProfile,
               {"there is no device profile 'apple-m1max'", "did you mean 'apple-m1-max'?", "apple-m1, apple-m1-max,",
                "with a '/' or with .json"});
  expect_fault(device_profile(""), DiagCode::UnknownProfile);
  expect_fault(device_profile("metal.mpp"), DiagCode::UnknownProfile);
  expect_fault(device_profile("no/such/file"), DiagCode::FileRead, {"no/such/file"});
  expect_fault(device_profile("missing.json"), DiagCode::FileRead, {"missing.json"});
}

TEST_F(DeviceProfiles, APathMayExtendAnInstalledProfile) {
  write("mine.json", R"({"schema": 1, "name": "mine", "extends": "apple-m1-max", "description": "a kernel limit of 896",
    "limits": {"max_threads_per_group": {"value": 896, "evidence": "measured", "source": "a test"}}})");
  const auto device = device_profile(folder_ / "mine.json");
  TW_EXPECT_VALUE(device);
  EXPECT_EQ(device->name, "mine");
  EXPECT_EQ(device->limits.max_threads_per_group->value, 896);
  EXPECT_EQ(device->figures.cores->value, 32);
  write("broken.json", R"({"schema": 1, "name": "mine", "extends": "apple-m1-mux", "description": "d"})");
  expect_fault(device_profile(folder_ / "broken.json"), DiagCode::UnknownBase,
               {"broken.json: extends", "did you mean 'apple-m1-max'?"});
  write("large.json", std::string(kProfileLimitBytes + 1, ' '));
  expect_fault(device_profile(folder_ / "large.json"), DiagCode::FileRead, {"large.json"});
}

TEST_F(DeviceProfiles, AnotherHomeHasItsOwn) {
  const HomeVariable home(folder_.path().c_str());
  expect_fault(device_profile("own"), DiagCode::UnknownProfile,
               {"TILEWRIGHT_HOME is set, but", "/profiles' holds no .json file", "the folder that contains profiles/"});
  write("profiles/own.json", kCpuText);
  write("profiles/notes.txt", "no profile");
  write("profiles/broken.json", "{");
  write("profiles/costs/other.json", "{}");
  TW_EXPECT_VALUE(device_profile("own"));
  EXPECT_EQ(*profile_names(), (std::vector<std::string>{"broken", "own"}));
  expect_fault(device_profile("broken"), DiagCode::JsonSyntax, {"profiles/broken.json:1:"});
  expect_fault(device_profile("apple-m1"), DiagCode::UnknownProfile);
  write("profiles/named.json", kCpuText);
  expect_fault(device_profile("named"), DiagCode::ProfileName, {"'named'", "'own'"});
  write("profiles/atoms/scalar.json", "[]");
  write("profiles/atomic.json",
        R"({"schema": 1, "name": "atomic", "kind": "cpu", "description": "d", "atoms": ["scalar"]})");
  expect_fault(device_profile("atomic"), DiagCode::FieldType, {"atoms/scalar.json"});
  TW_EXPECT_VALUE(device_profile("own"));
}

TEST_F(DeviceProfiles, FoundFromTheBinaryWithoutTheVariable) {
  const HomeVariable home(nullptr);
  // A build folder elsewhere finds nothing; then the message must say what to do.
  for (const auto& [folder, of_programs] :
       {std::pair{find_installed(kProfileFolder), false}, std::pair{find_installed(kProgramFolder), true}}) {
    if (folder) {
      EXPECT_TRUE(folder->ends_with(of_programs ? "/programs" : "/profiles")) << *folder;
      continue;
    }
    expect_fault(folder, of_programs ? DiagCode::UnknownProgram : DiagCode::UnknownProfile,
                 {"were not found beside the binary", "set TILEWRIGHT_HOME to the folder that contains"});
  }
}

TEST_F(DeviceProfiles, AnInstalledTreeHasShareTilewright) {
  // The search is by the place of the binary; its two forms of folder are told apart by what they hold.
  write("share/tilewright/profiles/own.json", kCpuText);
  EXPECT_EQ(files_with_suffix(folder_ / "share/tilewright/profiles", ".json"),
            (std::vector<std::string>{folder_ / "share/tilewright/profiles/own.json"}));
  EXPECT_TRUE(files_with_suffix(folder_ / "share/tilewright/profiles", ".tile").empty());
  EXPECT_TRUE(files_with_suffix(folder_ / "nowhere", ".json").empty());
}

}  // namespace
}  // namespace tilewright::driver::device_profiles_test
