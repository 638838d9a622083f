// The profiles and atoms of the source tree, and small ones of the tests' own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/files.h"
#include "target/profile_loader.h"

namespace tilewright::target {

inline std::map<std::string, DataText> json_files(const std::string& folder) {
  std::map<std::string, DataText> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    auto text = read_file(entry.path().string());
    EXPECT_TRUE(text) << entry.path();
    if (text) texts[entry.path().stem().string()] = {entry.path().filename().string(), *text};
  }
  return texts;
}

inline const ProfileLibrary& shipped() {
  static const ProfileLibrary kLibrary{json_files(TILEWRIGHT_SOURCE_DIR "/profiles"),
                                       json_files(TILEWRIGHT_SOURCE_DIR "/profiles/atoms")};
  return kLibrary;
}

inline DeviceProfile shipped_profile(const std::string& name) {
  auto profile = load_profile(shipped(), name);
  EXPECT_TRUE(profile) << render(profile.error());
  return profile ? *profile : DeviceProfile{};
}

inline AtomDescriptor shipped_atom(const std::string& name) {
  auto atom = parse_atom(shipped().atoms.at(name));
  EXPECT_TRUE(atom) << render(atom.error());
  return atom ? *atom : AtomDescriptor{};
}

/// A figure of the tests: its text in a file.
inline std::string figure_text(const std::string& name, std::int64_t value) {
  return "\"" + name + "\": {\"value\": " + std::to_string(value) +
         ", \"evidence\": \"prior\", \"source\": \"a test\"}";
}

/// A complete metal profile; `more` is further fields, each with a comma before it.
inline std::string metal_text(const std::string& name, const std::string& more = {}) {
  return R"({"schema": 1, "name": ")" + name + R"(", "kind": "metal", "description": "d",
    "msl_version": {"value": "3.1", "source": "s"}, "limits": {)" +
         figure_text("subgroup_size", 32) + ", " + figure_text("max_threads_per_group", 1024) + ", " +
         figure_text("shared_memory_bytes", 32768) + "}" + more + "}";
}

/// A profile that extends another.
inline std::string child_text(const std::string& name, const std::string& base, const std::string& more = {}) {
  return R"({"schema": 1, "name": ")" + name + R"(", "extends": ")" + base + R"(", "description": "d")" + more + "}";
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace tilewright::target
