// The `emulate` command as a function: any MSL file, a launch, and everything that the emulator found.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/emulate_options.h"
#include "runtime/msl_emulator/emulator.h"
#include "support/result.h"
#include "target/device_profile.h"

namespace tilewright::driver {

struct EmulateRequest {
  std::string path;
  std::string kernel;  ///< may be empty when the file has one
  std::array<std::uint32_t, 3> threadgroups{1, 1, 1};
  std::optional<std::array<std::uint32_t, 3>> threads;  ///< dispatchThreads
  std::array<std::uint32_t, 3> threads_per_threadgroup{1, 1, 1};
  std::vector<EmulatedBuffer> buffers;
  std::map<std::uint32_t, std::uint64_t> threadgroup_memory;  ///< index -> bytes
  std::map<std::uint32_t, std::string> outputs;               ///< index -> .npy file
  std::vector<std::string> defines, include_paths;
  std::map<std::string, std::string> constants;
  std::optional<msl_emulator::Dialect> dialect;
  std::optional<int> metal_version;
  bool checks = true;
  std::uint32_t schedules = 1;
  std::uint64_t seed = 0;
  std::uint32_t workers = 0;
  std::string device;                 ///< profile; empty: generic limits, no hazards
  std::vector<std::string> imitated;  ///< switches of the device model beside those of the profile, by name
  double timeout_seconds = 300;
  std::function<void(double fraction, std::uint32_t schedule)> progress;
  std::function<void(const msl_emulator::MemoryEstimate&)> on_start;  ///< before the kernel runs
};

/// What the emulator imitates of a device: its limits, choices and known faults.
msl_emulator::DeviceModel emulated_device(const target::DeviceProfile& device);

/// The same for the name of a profile; generic limits and no fault without one. Errors: those of device_profile;
/// BadOption for a device that runs no MSL.
Result<msl_emulator::DeviceModel> emulated_profile(const std::string& name);

/// One buffer after the launch.
struct EmulatedOutput {
  std::uint32_t index = 0;
  std::string name;  ///< of the parameter
  EmulatedBuffer buffer;
  std::string file;                            ///< empty: not written
  std::optional<std::uint64_t> written_bytes;  ///< by the kernel, each byte once; known where accesses are checked
};

struct EmulateReport {
  std::string path;
  msl_emulator::Entry entry;
  msl_emulator::Dialect dialect{};
  std::string note;  ///< why that dialect; may be empty
  std::array<std::uint32_t, 3> threads_per_threadgroup{};
  std::optional<std::array<std::uint32_t, 3>> threads;  ///< in all, where that was asked for
  std::uint32_t schedules = 1;
  bool checks = true;
  bool from_cache = false;
  double compile_ms = 0;
  msl_emulator::MemoryEstimate memory;
  msl_emulator::LaunchResult result;
  std::vector<EmulatedOutput> buffers;

  bool ok() const { return result.finished && result.reports.empty(); }
};

/// The names that EmulateRequest::imitated takes, in the order of emulator.h.
std::vector<std::string_view> imitable_behaviours();

/// Which programs and files the emulator uses: clang-19 and opt-19 of the search path, the installed shims, the runner
/// beside the binary. ToolMissing names the package or what was looked for.
Result<msl_emulator::Toolchain> emulator_toolchain();

/// Compiles, launches, writes the outputs. Reports are no errors: see ok(). MSL that does not compile is KernelCompile.
Result<EmulateReport> emulate(EmulateRequest request);

}  // namespace tilewright::driver
