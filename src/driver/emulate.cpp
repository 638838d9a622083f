#include "driver/emulate.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/device_profiles.h"
#include "driver/installed_data.h"
#include "driver/output_files.h"
#include "driver/take.h"
#include "runtime/msl_emulator/toolchain.h"
#include "support/spelling.h"
#include "target/device_profile.h"

namespace tilewright::driver {

namespace {

namespace emu = msl_emulator;
namespace fs = std::filesystem;

constexpr InstalledFolder kShimFolder{"shims/msl/emu", ".h", "the headers of the MSL emulator", DiagCode::ToolMissing};
constexpr const char* kRunnerName = "tilewright-msl-runner";
constexpr int kMetal3 = 320;

/// $TILEWRIGHT_CACHE, else $XDG_CACHE_HOME/tilewright, else ~/.cache/tilewright; empty when none of them is set.
std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string own = variable("TILEWRIGHT_CACHE"); !own.empty()) return own + "/emulator";
  if (const std::string base = variable("XDG_CACHE_HOME"); !base.empty()) return base + "/tilewright/emulator";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/tilewright/emulator";
  return {};
}

struct Behaviour {
  std::string_view name;
  bool emu::DeviceModel::* flag;
};
constexpr Behaviour kBehaviours[] = {
    {"m5_layout", &emu::DeviceModel::m5_layout},
    {"zero_cooperative_destinations", &emu::DeviceModel::zero_cooperative_destinations},
    {"truncate_static_k", &emu::DeviceModel::truncate_static_k},
    {"overread_static_k", &emu::DeviceModel::overread_static_k},
    {"zero_extent_reads_row", &emu::DeviceModel::zero_extent_reads_row},
    {"infinity_load_gives_nan", &emu::DeviceModel::infinity_load_gives_nan},
    {"truncate_relaxed_f32", &emu::DeviceModel::truncate_relaxed_f32},
};

std::uint64_t limit_of(const std::optional<target::Figure>& figure, std::uint64_t otherwise) {
  return figure ? static_cast<std::uint64_t>(figure->value) : otherwise;
}

Result<emu::DeviceModel> device_model(const EmulateRequest& request) {
  TW_TRY(emu::DeviceModel model, emulated_profile(request.device));
  for (const std::string& name : request.imitated) {
    const auto known = std::ranges::find(kBehaviours, name, &Behaviour::name);
    if (known == std::end(kBehaviours))
      return failure(DiagCode::BadOption, fmt::format("--imitate: '{}' is nothing that can be imitated", name),
                     did_you_mean(name, imitable_behaviours()) +
                         fmt::format(" the names are {}", fmt::join(imitable_behaviours(), ", ")));
    model.*(known->flag) = true;
  }
  return model;
}

/// The entry that was asked for, or the only one.
Result<emu::Entry> chosen_entry(const emu::CompiledLibrary& library, const EmulateRequest& request) {
  if (request.kernel.empty()) {
    if (library.entries.size() == 1) return library.entries.front();
    std::vector<std::string> names;
    for (const emu::Entry& entry : library.entries) names.push_back(entry.name);
    return failure(DiagCode::KernelUnknown,
                   names.empty() ? fmt::format("'{}' holds no kernel", request.path)
                                 : fmt::format("'{}' holds {} kernels: say which", request.path, names.size()),
                   names.empty() ? "a kernel is a function with the word kernel or [[kernel]]"
                                 : fmt::format("--kernel with one of {}", fmt::join(names, ", ")));
  }
  for (const emu::Entry& entry : library.entries)
    if (entry.name == request.kernel) return entry;
  return failure(DiagCode::KernelUnknown, fmt::format("'{}' has no kernel '{}'", request.path, request.kernel));
}

emu::CompileRequest compile_request_of(const EmulateRequest& request) {
  emu::CompileRequest compile;
  compile.path = request.path;
  compile.include_paths = request.include_paths;
  compile.defines = request.defines;
  compile.constants = request.constants;
  if (!request.kernel.empty()) compile.kernels = {request.kernel};
  compile.dialect = request.dialect;
  compile.metal_version = request.metal_version.value_or(kMetal3);
  compile.checks = request.checks;
  return compile;
}

emu::BufferBinding binding_of(EmulatedBuffer& buffer) {
  emu::BufferBinding binding;
  binding.index = buffer.index;
  binding.label = fmt::format("buffer {}", buffer.index);
  binding.bytes = buffer.data;
  binding.initialized = buffer.initialized;
  binding.read_only = buffer.read_only;
  binding.same_memory_as = buffer.same_memory_as;
  if (buffer.tensor) binding.tensor_extents.assign(buffer.shape.rbegin(), buffer.shape.rend());
  return binding;
}

Result<emu::LaunchRequest> launch_request_of(EmulateRequest& request, const emu::Entry& entry) {
  emu::LaunchRequest launch;
  launch.kernel = entry.name;
  launch.threadgroups = request.threadgroups;
  launch.threads_per_threadgroup = request.threads_per_threadgroup;
  launch.threads = request.threads;
  for (EmulatedBuffer& buffer : request.buffers) launch.buffers.push_back(binding_of(buffer));
  for (const auto& [index, bytes] : request.threadgroup_memory) launch.threadgroup_memory.push_back({index, bytes});
  TW_TRY(launch.device, device_model(request));
  launch.schedules = request.schedules;
  launch.seed = request.seed;
  launch.workers = request.workers;
  launch.timeout_seconds = request.timeout_seconds;
  launch.progress = request.progress;
  return launch;
}

/// "buffer 1=@0" names a buffer with memory of its own.
void check_shared_memory(const EmulateRequest& request, Diags& faults) {
  for (const EmulatedBuffer& buffer : request.buffers) {
    if (!buffer.same_memory_as) continue;
    const auto owner = std::ranges::find(request.buffers, *buffer.same_memory_as, &EmulatedBuffer::index);
    if (owner != request.buffers.end() && !owner->same_memory_as) continue;
    faults.push_back(Diag{DiagCode::KernelBinding,
                          fmt::format("buffer {} shall be the memory of buffer {}, which has none of its own",
                                      buffer.index, *buffer.same_memory_as),
                          {},
                          "bind that one to a file or to out:TYPE:SHAPE",
                          {}});
  }
}

/// Every output names a bound buffer, once, and its folder takes files.
Result<void> check_bindings(const EmulateRequest& request) {
  Diags faults;
  std::map<std::uint32_t, int> bound;
  for (const EmulatedBuffer& buffer : request.buffers)
    if (++bound[buffer.index] == 2)
      faults.push_back(
          Diag{DiagCode::KernelBinding, fmt::format("buffer {} is bound twice", buffer.index), {}, "bind it once", {}});
  std::map<std::string, std::string> files;
  for (const auto& [index, file] : request.outputs) {
    files[fmt::format("buffer {}", index)] = file;
    if (!bound.contains(index))
      faults.push_back(Diag{DiagCode::KernelBinding,
                            fmt::format("--out {}={}: nothing is bound to buffer {}", index, file, index),
                            {},
                            fmt::format("bind it, for example --buffer {}=out:f32:64x64", index),
                            {}});
  }
  check_shared_memory(request, faults);
  take(check_output_folders(files), faults);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

std::string parameter_name(const emu::Entry& entry, std::uint32_t index) {
  for (const emu::Parameter& parameter : entry.parameters)
    if (parameter.index == index &&
        (parameter.role == emu::ParameterRole::Buffer || parameter.role == emu::ParameterRole::Tensor))
      return parameter.name;
  return {};
}

/// Files are written only when the launch came to its end: reports or not, the memory is what the kernel left.
Result<void> collect_buffers(EmulateRequest& request, EmulateReport& report) {
  for (EmulatedBuffer& buffer : request.buffers) {
    EmulatedOutput output{buffer.index, parameter_name(report.entry, buffer.index), std::move(buffer), {}, {}};
    for (const emu::BufferCounts& counts : report.result.counters.buffers)
      if (request.checks && counts.index == output.index) output.written_bytes = counts.distinct_written_bytes;
    const auto file = request.outputs.find(output.index);
    if (file != request.outputs.end() && report.result.finished) {
      const RawElement& element = output.buffer.element == nullptr ? *raw_element("u8") : *output.buffer.element;
      const std::vector<std::int64_t> flat{static_cast<std::int64_t>(output.buffer.data.size())};
      TW_TRY_VOID(write_raw_npy(file->second, element, output.buffer.element == nullptr ? flat : output.buffer.shape,
                                output.buffer.data));
      output.file = file->second;
    }
    report.buffers.push_back(std::move(output));
  }
  std::ranges::sort(report.buffers, {}, &EmulatedOutput::index);
  return {};
}

}  // namespace

/// Apple10 is the family of the M5 (metal.md 2.2 and 3): its layout, and what relaxed operands keep, are public.
emu::DeviceModel emulated_device(const target::DeviceProfile& device) {
  emu::DeviceModel model;
  using target::Hazard;
  model.max_threads_per_threadgroup =
      static_cast<std::uint32_t>(limit_of(device.limits.max_threads_per_group, model.max_threads_per_threadgroup));
  model.threadgroup_bytes = limit_of(device.limits.shared_memory_bytes, model.threadgroup_bytes);
  model.m5_layout = limit_of(device.figures.apple_gpu_family, 0) >= 10;
  model.truncate_relaxed_f32 = model.m5_layout;
  model.truncate_static_k = has_hazard(device, Hazard::StaticKTruncated);
  model.overread_static_k = has_hazard(device, Hazard::StaticKOverread);
  model.zero_extent_reads_row = has_hazard(device, Hazard::ZeroExtentRead);
  model.infinity_load_gives_nan = has_hazard(device, Hazard::FragmentLoadInfinity);
  return model;
}

Result<emu::DeviceModel> emulated_profile(const std::string& name) {
  if (name.empty()) return emu::DeviceModel{};
  TW_TRY(const target::DeviceProfile device, device_profile(name));
  if (device.kind != target::DeviceKind::Metal)
    return failure(DiagCode::BadOption, fmt::format("--device {}: MSL runs on Metal devices", name),
                   "`tilewright list` shows the profiles");
  return emulated_device(device);
}

std::vector<std::string_view> imitable_behaviours() {
  std::vector<std::string_view> names;
  for (const Behaviour& behaviour : kBehaviours) names.push_back(behaviour.name);
  return names;
}

Result<emu::Toolchain> emulator_toolchain() {
  TW_TRY(const std::string headers, find_installed(kShimFolder));
  TW_TRY(const std::string runner, find_program_beside(kRunnerName));
  return emu::find_toolchain(fs::path(headers).parent_path().string(), runner, cache_folder());
}

Result<EmulateReport> emulate(EmulateRequest request) {
  TW_TRY_VOID(check_bindings(request));
  TW_TRY(const emu::Toolchain tools, emulator_toolchain());
  TW_TRY(const emu::CompiledLibrary library, emu::compile(compile_request_of(request), tools));
  EmulateReport report;
  report.path = request.path;
  TW_TRY(report.entry, chosen_entry(library, request));
  report.dialect = library.dialect;
  report.note = library.note;
  report.threads = request.threads;
  report.threads_per_threadgroup = request.threads_per_threadgroup;
  report.schedules = request.schedules;
  report.checks = request.checks;
  report.from_cache = library.from_cache;
  report.compile_ms = library.compile_ms;
  TW_TRY(const emu::LaunchRequest launch, launch_request_of(request, report.entry));
  report.memory = emu::estimate_memory(library, launch);
  if (request.on_start) request.on_start(report.memory);
  TW_TRY(report.result, emu::launch(library, launch, tools));
  TW_TRY_VOID(collect_buffers(request, report));
  return report;
}

}  // namespace tilewright::driver
