#include "driver/metal_run.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/element.h"
#include "driver/emulate.h"
#include "driver/emulated_text.h"
#include "driver/kernel_impl.h"
#include "driver/view_range.h"

namespace tilewright::driver {

namespace {

namespace emu = msl_emulator;

constexpr EmulationHints kHints{
    "unless two instances of a `parallel` touch one element, this is a fault of the compiler; `tilewright emit` "
    "gives the text",
    "give it more time with --set timeout=SECONDS, or use smaller sizes"};

/// The memory of each binding of a run: the caller's, and own memory for temporaries.
class BindingMemory {
 public:
  BindingMemory(const MetalKernel& kernel, const CheckedLaunch& launch) {
    for (const artifact::Binding& binding : kernel.text.bindings) {
      const auto bytes = static_cast<std::size_t>(binding.count) * data_type_bytes(binding.type);
      if (binding.kind == artifact::BindingKind::Temporary) {
        own_.emplace_back(bytes);
        blocks_.emplace_back(own_.back());
        written_.push_back(false);
        continue;
      }
      const tile::ObjectId object = find_buffer(kernel.planned.bound, binding.name);
      const ArrayView& view = launch.arguments.at(object);
      const std::int64_t low = kernel.layout.buffers.at(object).low;
      const bool empty = element_range(view)->empty();
      const auto size = static_cast<std::int64_t>(data_type_bytes(view.type));
      blocks_.emplace_back(empty ? view.data : view.data + (view.offset + low) * size, bytes);
      written_.push_back(binding.access != artifact::BindingAccess::Write);
    }
    part_shared_inputs(kernel);
  }

  std::span<std::byte> block(std::uint32_t index) const { return blocks_[index]; }
  /// Whether the binding has contents; from now on it has.
  bool begin_writing(std::uint32_t index) {
    const bool had = written_[index];
    written_[index] = true;
    return had;
  }
  bool has_contents(std::uint32_t index) const { return written_[index]; }

 private:
  /// The emulator gives each buffer memory of its own. Inputs may share the caller's: they are read from copies.
  void part_shared_inputs(const MetalKernel& kernel) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const bool only_read = kernel.text.bindings[i].access == artifact::BindingAccess::Read;
      const bool shared = std::ranges::any_of(blocks_, [&](const std::span<std::byte>& other) {
        return &other != &blocks_[i] && other.data() < blocks_[i].data() + blocks_[i].size() &&
               blocks_[i].data() < other.data() + other.size();
      });
      if (!only_read || !shared) continue;
      own_.emplace_back(blocks_[i].begin(), blocks_[i].end());
      blocks_[i] = own_.back();
    }
  }

  std::deque<std::vector<std::byte>> own_;
  std::vector<std::span<std::byte>> blocks_;
  std::vector<bool> written_;
};

emu::LaunchRequest launch_request(const MetalKernel& kernel, const artifact::Launch& launch, BindingMemory& memory,
                                  int workers) {
  emu::LaunchRequest request;
  request.kernel = launch.entry;
  for (std::size_t i = 0; i < 3; ++i) request.threadgroups[i] = static_cast<std::uint32_t>(launch.group->groups[i]);
  request.threads_per_threadgroup = {static_cast<std::uint32_t>(launch.group->workers), 1, 1};
  for (std::uint32_t index : launch.group->bindings) {
    const artifact::Binding& binding = kernel.text.bindings[index];
    emu::BufferBinding buffer;
    buffer.index = index;
    buffer.label = binding.name;
    buffer.bytes = memory.block(index);
    buffer.read_only = binding.access == artifact::BindingAccess::Read;
    if (const auto& tensor = binding.tensor)
      buffer.tensor_extents = tensor->extents, buffer.tensor_strides = tensor->strides;
    buffer.initialized = buffer.read_only ? memory.has_contents(index) : memory.begin_writing(index);
    request.buffers.push_back(std::move(buffer));
  }
  request.device = emulated_device(kernel.planned.device);
  // Nothing that is emitted can avoid it: infinities in operands are the caller's. A device that is named has it.
  if (!kernel.device_is_named) request.device.infinity_load_gives_nan = false;
  request.schedules = kernel.emulation.schedules;
  request.timeout_seconds = kernel.emulation.timeout_seconds;
  request.workers = static_cast<std::uint32_t>(workers);
  return request;
}

/// How cooperative tensors lie: the device's layout, the other of the two known ones, shuffled ones.
void choose_layout(emu::LaunchRequest& request, std::uint32_t number) {
  if (number == 1) request.device.m5_layout = !request.device.m5_layout;
  if (number > 1) request.device.m5_layout = false;
  request.seed = number > 1 ? number - 1 : 0;
}

std::uint32_t layouts_of(const MetalKernel& kernel) {
  const bool has_tensors = std::ranges::find(kernel.text.families, "metal.mpp") != kernel.text.families.end();
  return has_tensors ? kernel.emulation.layouts : 1;
}

/// What the buffers of a launch hold before it.
class BufferImage {
 public:
  explicit BufferImage(const emu::LaunchRequest& request) : request_(request) {
    for (const emu::BufferBinding& buffer : request.buffers)
      blocks_.try_emplace(buffer.bytes.data(), buffer.bytes.begin(), buffer.bytes.end());
  }

  /// Launches from the image, in memory of its own, and says whether it ends with other bytes than the request has now.
  Result<emu::LaunchResult> launch(std::uint32_t layout, const emu::CompiledLibrary& library,
                                   const emu::Toolchain& tools, bool& disagrees) const {
    std::map<const std::byte*, std::vector<std::byte>> blocks = blocks_;
    emu::LaunchRequest request = request_;
    choose_layout(request, layout);
    for (emu::BufferBinding& buffer : request.buffers) buffer.bytes = blocks.at(buffer.bytes.data());
    TW_TRY(emu::LaunchResult result, emu::launch(library, request, tools));
    for (std::size_t i = 0; i < request.buffers.size(); ++i)
      disagrees = disagrees || !std::ranges::equal(request.buffers[i].bytes, request_.buffers[i].bytes);
    return result;
  }

 private:
  const emu::LaunchRequest& request_;
  std::map<const std::byte*, std::vector<std::byte>> blocks_;
};

void add_faults(const MetalKernel& kernel, const artifact::Launch& launch, const emu::LaunchResult& result,
                Diags& faults) {
  for (Diag& fault : emulation_faults(launch.entry, kernel.text.code, result, kHints))
    faults.push_back(std::move(fault));
}

/// The launch in every layout that is asked for; what the first one did, and the faults of all.
Result<emu::LaunchResult> launch_in_layouts(const MetalKernel& kernel, const artifact::Launch& launch,
                                            const emu::LaunchRequest& request, const emu::CompiledLibrary& library,
                                            const emu::Toolchain& tools, Diags& faults) {
  std::optional<BufferImage> image;
  if (layouts_of(kernel) > 1) image.emplace(request);
  TW_TRY(emu::LaunchResult first, emu::launch(library, request, tools));
  add_faults(kernel, launch, first, faults);
  bool disagrees = false;
  for (std::uint32_t layout = 1; layout < layouts_of(kernel) && faults.empty(); ++layout) {
    TW_TRY(const emu::LaunchResult other, image->launch(layout, library, tools, disagrees));
    add_faults(kernel, launch, other, faults);
  }
  if (disagrees && faults.empty())
    faults.push_back(Diag{DiagCode::EmulatorReport,
                          fmt::format("kernel {}: the layout of cooperative tensors changes its result", launch.entry),
                          {},
                          std::string(kHints.on_report),
                          {}});
  return first;
}

Result<emu::CompiledLibrary> library_of(const MetalKernel& kernel) {
  const std::lock_guard lock(kernel.emulated->mutex);
  std::optional<Result<emu::CompiledLibrary>>& known = kernel.emulated->library;
  if (!known)
    known = compile_emitted(kernel.text.program + ".metal", kernel.text.code, kernel.text.language_version,
                            kernel.emulation.checks);
  return *known;
}

// ---- The interpreter ------------------------------------------------------------------------------------------------

bool is_nan(DataType type, std::uint32_t bits) { return bits_to_number(type, bits) != bits_to_number(type, bits); }

/// Of two images of one view.
std::string first_difference(const std::string& name, const ArrayView& a, const ArrayView& b) {
  std::string found;
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(a.type));
  for_each_element(a, [&](std::int64_t ordinal, std::int64_t position) {
    const std::uint32_t x = load_bits(a.type, a.data + position * bytes);
    const std::uint32_t y = load_bits(b.type, b.data + position * bytes);
    if (!found.empty() || x == y || (is_nan(a.type, x) && is_nan(b.type, y))) return;
    found = fmt::format("element {} of '{}' is {} on the emulator and {} in the interpreter", ordinal, name,
                        bits_to_number(a.type, x), bits_to_number(b.type, y));
  });
  return found;
}

/// Copies of the whole memory behind every argument.
struct CopiedArguments {
  std::deque<std::vector<std::byte>> blocks;
  Arguments arguments;

  explicit CopiedArguments(const Arguments& originals) {
    for (const auto& [name, view] : originals) {
      const auto bytes = static_cast<std::size_t>(view.elements) * data_type_bytes(view.type);
      blocks.emplace_back(view.data, view.data + bytes);
      arguments[name] = view;
      arguments[name].data = blocks.back().data();
    }
  }
};

Result<std::vector<kernel::Counts>> interpret_kernel(const MetalKernel& kernel, const CheckedLaunch& launch) {
  const BindingMemory memory(kernel, launch);
  std::vector<std::byte*> bases;
  for (std::uint32_t i = 0; i < kernel.text.bindings.size(); ++i) bases.push_back(memory.block(i).data());
  return kernel::interpret(kernel.lowered, bases);
}

}  // namespace

Result<void> load_metal(const MetalKernel& kernel) {
  TW_TRY(const emu::CompiledLibrary library, library_of(kernel));
  return {};
}

Result<std::vector<emu::LaunchResult>> emulate_kernel(const MetalKernel& kernel, const CheckedLaunch& launch,
                                                      int workers) {
  TW_TRY(const emu::CompiledLibrary library, library_of(kernel));
  TW_TRY(const emu::Toolchain tools, emulator_toolchain());
  BindingMemory memory(kernel, launch);
  std::vector<emu::LaunchResult> results;
  Diags faults;
  for (const artifact::Launch& one : kernel.text.launches) {
    if (one.task_count == 0) continue;
    const emu::LaunchRequest request = launch_request(kernel, one, memory, workers);
    TW_TRY(emu::LaunchResult result, launch_in_layouts(kernel, one, request, library, tools, faults));
    results.push_back(std::move(result));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return results;
}

Result<MetalRun> run_metal(const Kernel& compiled, const Arguments& arguments) {
  const MetalKernel& kernel = *compiled.impl().metal;
  CopiedArguments copies(arguments);
  const tile::Program& bound = compiled.impl().bound;
  TW_TRY(const CheckedLaunch launch, check_launch(bound, kernel.rules, arguments));
  TW_TRY(std::vector<emu::LaunchResult> emulated, emulate_kernel(kernel, launch, 0));
  TW_TRY(const CheckedLaunch copied, check_launch(bound, kernel.rules, copies.arguments));
  TW_TRY(std::vector<kernel::Counts> interpreted, interpret_kernel(kernel, copied));
  MetalRun run;
  std::size_t next = 0;
  for (std::size_t i = 0; i < kernel.text.launches.size(); ++i) {
    KernelCounts counts{kernel.text.launches[i].entry, std::move(interpreted[i]), {}};
    if (kernel.text.launches[i].task_count != 0) counts.emulated = std::move(emulated[next++].counters);
    run.kernels.push_back(std::move(counts));
  }
  for (const auto& [id, view] : launch.arguments)
    if (is_written(bound.object(id)) && run.difference.empty())
      run.difference = first_difference(bound.object(id).name, view, copied.arguments.at(id));
  return run;
}

}  // namespace tilewright::driver
