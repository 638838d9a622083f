#include "driver/kit_emulate.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "driver/check_tally.h"
#include "driver/element.h"
#include "driver/emulate.h"
#include "driver/emulated_text.h"
#include "driver/host_memory.h"
#include "driver/kit_check.h"
#include "driver/kit_data.h"
#include "driver/kit_manifest.h"
#include "support/files.h"

namespace tilewright::driver {

namespace {

namespace emu = msl_emulator;

/// The kernels of a kit, ready to run.
struct KitKernels {
  std::string text;
  emu::CompiledLibrary library;
  emu::Toolchain tools;
  emu::DeviceModel device;
};

/// What the kernels find in memory in one run of a case.
class KitMemory {
 public:
  static Result<KitMemory> make(const Kit& kit, const KitData& data, Poison poison) {
    KitMemory memory;
    memory.copies_.resize(kit.buffers.size());
    for (std::size_t i = 0; i < kit.buffers.size(); ++i) {
      const KitBuffer& buffer = kit.buffers[i];
      const auto size = static_cast<std::int64_t>(data_type_bytes(buffer.type));
      std::byte* base = nullptr;
      if (data.views[i].data != nullptr) {
        TW_TRY(memory.copies_[i], PoisonedCopy::make(data.views[i], poison, buffer.role != KitRole::Output));
        base = memory.copies_[i]->view().data;
      } else {
        std::vector<std::byte>& own = memory.own_.emplace_back(static_cast<std::size_t>(buffer.elements * size));
        base = own.data();
        const std::uint32_t bits = buffer.role == KitRole::Scalar ? buffer.bits : poison_bits(buffer.type, poison);
        for (std::int64_t e = 0; e < buffer.elements; ++e) store_bits(buffer.type, base + e * size, bits);
      }
      memory.blocks_.emplace_back(base + buffer.bound_at * size,
                                  static_cast<std::size_t>(buffer.bound_elements * size));
      memory.has_contents_.push_back(buffer.role != KitRole::Output && buffer.role != KitRole::Temporary);
    }
    return memory;
  }

  emu::BufferBinding binding(const Kit& kit, std::uint32_t index) {
    const KitBuffer& buffer = kit.buffers[index];
    emu::BufferBinding binding;
    binding.index = index;
    binding.label = buffer.name;
    binding.bytes = blocks_[index];
    binding.read_only = buffer.access == artifact::BindingAccess::Read;
    binding.initialized = has_contents_[index];
    if (!binding.read_only) has_contents_[index] = true;
    return binding;
  }

  std::optional<PoisonedCopy>& copy(std::size_t index) { return copies_[index]; }

 private:
  std::vector<std::optional<PoisonedCopy>> copies_;
  std::deque<std::vector<std::byte>> own_;
  std::vector<std::span<std::byte>> blocks_;
  std::vector<bool> has_contents_;
};

class KitRunner {
 public:
  KitRunner(const KitEmulateRequest& request, Kit kit, KitKernels kernels)
      : request_(request), kit_(std::move(kit)), kernels_(std::move(kernels)) {}

  Result<KitEmulation> run() {
    KitEmulation done{request_.folder, {}, {}, 0};
    for (const KitCase& one : kit_.cases) {
      TW_TRY(CheckReport report, run_case(one));
      done.cases.push_back(
          {one.contents, std::move(report), "tilewright emulate --kit " + shell_word(request_.folder)});
    }
    done.kit = std::move(kit_);
    done.milliseconds = milliseconds_;
    return done;
  }

 private:
  Result<CheckReport> run_case(const KitCase& one) {
    TW_TRY(const KitData data, load_kit_case(kit_, one, request_.folder));
    CheckTally tally;
    std::vector<std::size_t> checked;
    for (std::uint32_t i = 0; i < kit_.buffers.size(); ++i) {
      if (data.views[i].data == nullptr) continue;
      checked.push_back(i);
      const KitBuffer& buffer = kit_.buffers[i];
      if (buffer.role == KitRole::Input) {
        tally.add_input(buffer.name);
        continue;
      }
      std::vector<std::int64_t> rows(static_cast<std::size_t>(checked_row_count(buffer.extents)));
      std::iota(rows.begin(), rows.end(), std::int64_t{0});
      tally.add_output(buffer.name, data.views[i], buffer.role == KitRole::InOut, data.exact.at(i), std::move(rows));
    }
    for (const Poison poison : {Poison::Nan, Poison::Large}) {
      TW_TRY(KitMemory memory, KitMemory::make(kit_, data, poison));
      TW_TRY_VOID(launch_all(memory));
      for (std::size_t i = 0; i < checked.size(); ++i) tally.inspect(i, *memory.copy(checked[i]), poison);
    }
    return tally.report();
  }

  Result<void> launch_all(KitMemory& memory) {
    const std::string on_report = fmt::format("the text is {}/{}", request_.folder, kit_.text_file);
    const EmulationHints hints{on_report, "give it more time with --timeout SECONDS"};
    Diags faults;
    for (const KitLaunch& launch : kit_.launches) {
      if (std::ranges::count(launch.groups, 0) > 0) continue;
      TW_TRY(const emu::LaunchResult result,
             emu::launch(kernels_.library, launch_request(launch, memory), kernels_.tools));
      milliseconds_ += result.run_ms;
      for (Diag& fault : emulation_faults(launch.entry, kernels_.text, result, hints))
        faults.push_back(std::move(fault));
    }
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return {};
  }

  emu::LaunchRequest launch_request(const KitLaunch& launch, KitMemory& memory) const {
    emu::LaunchRequest request;
    request.kernel = launch.entry;
    for (std::size_t i = 0; i < 3; ++i) request.threadgroups[i] = static_cast<std::uint32_t>(launch.groups[i]);
    request.threads_per_threadgroup = {static_cast<std::uint32_t>(launch.threads), 1, 1};
    for (const std::uint32_t index : launch.buffers) request.buffers.push_back(memory.binding(kit_, index));
    request.device = kernels_.device;
    request.schedules = request_.schedules;
    request.seed = request_.seed;
    request.workers = request_.workers;
    request.timeout_seconds = request_.timeout_seconds;
    return request;
  }

  const KitEmulateRequest& request_;
  Kit kit_;
  KitKernels kernels_;
  double milliseconds_ = 0;
};

Result<Kit> read_kit(const std::string& folder) {
  const std::string path = folder + "/" + kKitManifest;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return failure(DiagCode::KitFolder, fmt::format("'{}' is no kit: expected a file '{}', found none", folder, path),
                   "`tilewright emit PROGRAM .. --kit DIR` makes one");
  TW_TRY(const std::string text, read_file(path));
  return read_manifest(text, path);
}

Result<KitEmulation> emulate_kit_stages(const KitEmulateRequest& request) {
  TW_TRY(Kit kit, read_kit(request.folder));
  KitKernels kernels;
  TW_TRY(kernels.text, check_kit_files(kit, request.folder));
  TW_TRY_VOID(expect_memory(4 * kit_memory_bytes(kit), "the kit '" + request.folder + "'"));
  TW_TRY(kernels.device, emulated_profile(request.device));
  TW_TRY(kernels.tools, emulator_toolchain());
  TW_TRY(kernels.library,
         compile_emitted(request.folder + "/" + kit.text_file, kernels.text, kit.language_version, request.checks));
  return KitRunner(request, std::move(kit), std::move(kernels)).run();
}

}  // namespace

bool KitEmulation::ok() const {
  return std::ranges::all_of(cases, [](const FillCheck& one) { return one.report.ok(); });
}

Result<KitEmulation> emulate_kit(const KitEmulateRequest& request) {
  try {
    return emulate_kit_stages(request);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left for the kit '{}'", request.folder),
                   "use a kit of smaller sizes");
  }
}

}  // namespace tilewright::driver
