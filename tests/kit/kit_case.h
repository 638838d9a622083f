// Kits in folders of their own, and the same kits with changes.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "driver/faults.h"
#include "driver/kit_emulate.h"
#include "driver/kit_manifest.h"
#include "driver/kit_write.h"
#include "metal/test_cache.h"
#include "programs/request_line.h"
#include "support/sha256.h"
#include "support/temporary_folder.h"

namespace tilewright::driver {

class KitTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_test_cache(); }

  /// The words of a line, as request_of_line takes them.
  Result<KitReport> write(const std::string& line, Target target = Target::MetalSimdgroup) {
    return write_kit(request_of_line(line, target), kit());
  }
  /// The same for a program that is given as text.
  Result<KitReport> write_text(const std::string& program, const std::string& assignments) {
    write_file("program.tile", program);
    return write(folder_ / "program.tile" + (" " + assignments));
  }

  Result<KitEmulation> emulate(std::uint32_t schedules = 1) {
    return emulate_kit({.folder = kit(), .schedules = schedules, .workers = 1});
  }
  void expect_pass(std::uint32_t schedules = 1) {
    const auto done = emulate(schedules);
    TW_EXPECT_VALUE(done);
    EXPECT_TRUE(done->ok()) << render(check_faults(done->cases));
    EXPECT_EQ(done->cases.size(), 2u);
  }

  std::string kit() const { return folder_ / "kit"; }
  std::string in_kit(const std::string& name) const { return kit() + "/" + name; }

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write_file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void write_in_kit(const std::string& name, const std::string& text) {
    std::ofstream(in_kit(name), std::ios::binary) << text;
  }

  nlohmann::ordered_json manifest() const { return nlohmann::ordered_json::parse(content(in_kit(kKitManifest))); }
  void set_manifest(const nlohmann::ordered_json& json) { write_in_kit(kKitManifest, json.dump(1)); }

  /// Another content, with a manifest that agrees.
  void replace(const std::string& name, const std::string& text) {
    write_in_kit(name, text);
    nlohmann::ordered_json json = manifest();
    json["files"][name]["bytes"] = text.size();
    json["files"][name]["sha256"] = sha256_text(text);
    set_manifest(json);
  }
  void replace_in_text(const std::string& from, const std::string& to) {
    std::string text = content(in_kit("kernels.metal"));
    const std::size_t at = text.rfind(from);
    ASSERT_NE(at, std::string::npos) << from << "\nin " << text;
    replace("kernels.metal", text.replace(at, from.size(), to));
  }

  TemporaryFolder folder_;
};

}  // namespace tilewright::driver
