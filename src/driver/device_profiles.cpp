#include "driver/device_profiles.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "driver/installed_data.h"
#include "runtime/cpu/host.h"
#include "support/files.h"
#include "support/spelling.h"
#include "target/host_profile.h"
#include "target/profile_loader.h"

namespace tilewright::driver {

namespace {

constexpr std::string_view kAtomFolder = "atoms";

Result<std::map<std::string, target::DataText>> read_folder(const std::string& folder) {
  std::map<std::string, target::DataText> texts;
  for (const std::string& path : files_with_suffix(folder, kProfileFolder.suffix)) {
    TW_TRY(std::string text, read_file(path, kProfileLimitBytes));
    texts[std::filesystem::path(path).stem().string()] = {path, std::move(text)};
  }
  return texts;
}

Result<target::ProfileLibrary> installed_profiles() {
  TW_TRY(const std::string folder, find_installed(kProfileFolder));
  target::ProfileLibrary library;
  TW_TRY(library.profiles, read_folder(folder));
  TW_TRY(library.atoms, read_folder((std::filesystem::path(folder) / kAtomFolder).string()));
  return library;
}

Diag unknown_profile(const std::string& name, const target::ProfileLibrary& library) {
  std::vector<std::string_view> names;
  std::string all;
  for (const auto& [known, text] : library.profiles) {
    names.push_back(known);
    all += (all.empty() ? "" : ", ") + known;
  }
  std::string hint = did_you_mean(name, names);
  if (!hint.empty()) hint += " ";
  hint += "the profiles are " + all + "; a file is written with a '/' or with .json at its end";
  return Diag{DiagCode::UnknownProfile, "there is no device profile '" + name + "'", {}, hint, {}};
}

Result<target::DeviceProfile> load_device(const std::string& path_or_name) {
  TW_TRY(const target::ProfileLibrary library, installed_profiles());
  if (path_or_name.find('/') != std::string::npos || path_or_name.ends_with(kProfileFolder.suffix)) {
    TW_TRY(std::string text, read_file(path_or_name, kProfileLimitBytes));
    return target::load_profile(library, target::DataText{path_or_name, std::move(text)});
  }
  if (!library.profiles.contains(path_or_name)) return failure(unknown_profile(path_or_name, library));
  return target::load_profile(library, path_or_name);
}

}  // namespace

Result<std::vector<std::string>> profile_names() {
  TW_TRY(const std::string folder, find_installed(kProfileFolder));
  std::vector<std::string> names;
  for (const std::string& path : files_with_suffix(folder, kProfileFolder.suffix))
    names.push_back(std::filesystem::path(path).stem().string());
  std::sort(names.begin(), names.end());  // paths are sorted with their suffix
  return names;
}

Result<target::DeviceProfile> device_profile(const std::string& path_or_name, const target::HostFacts& host) {
  TW_TRY(target::DeviceProfile device, load_device(path_or_name));
  return target::complete_for_host(std::move(device), host);
}

Result<target::DeviceProfile> device_profile(const std::string& path_or_name) {
  TW_TRY(target::DeviceProfile device, load_device(path_or_name));
  if (!target::is_host_template(device)) return device;
  return target::complete_for_host(std::move(device), runtime_cpu::detect_host());
}

}  // namespace tilewright::driver
