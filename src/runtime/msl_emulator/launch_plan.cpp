#include "runtime/msl_emulator/launch_plan.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "support/spelling.h"

namespace tilewright::msl_emulator {

namespace {

using runner::BindingJob;
using runner::Job;
using runner::SlotJob;

// The options of the runner by number, and the codes of parameters: shims/msl/emu/abi.h, which is not for this
// compiler.
enum Option : std::size_t {
  LayoutSeed,
  M5Layout,
  ZeroCooperative,
  TruncateStaticK,
  OverreadStaticK,
  ZeroExtentRead,
  InfinityLoadNan,
  RelaxedF32,
};
std::uint32_t parameter_code(ParameterRole role, std::uint32_t index) {
  return static_cast<std::uint32_t>(role) * 256 + index;
}

constexpr std::uint64_t kMaxGroups = 0xffffffff;
constexpr std::uint32_t kMaxThreads = 1024;
constexpr std::uint64_t kMaxThreadgroupBytes = 1 << 20;

std::string triple_text(const Uint3& v) { return fmt::format("{} x {} x {}", v[0], v[1], v[2]); }

Result<std::uint32_t> find_entry(const CompiledLibrary& library, const std::string& kernel) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < library.entries.size(); ++i) {
    if (library.entries[i].name == kernel) return i;
    names.push_back(library.entries[i].name);
  }
  return failure(DiagCode::KernelUnknown, fmt::format("the compiled library has no kernel '{}'", kernel),
                 names.empty() ? std::string("it has none at all") : fmt::format("it has: {}", fmt::join(names, ", ")));
}

Result<std::uint32_t> check_threads(const LaunchRequest& request, const Entry& entry) {
  std::uint64_t threads = 1;
  for (const std::uint32_t extent : request.threads_per_threadgroup) threads *= std::min(extent, 1u << 20);
  const std::uint32_t limit = std::min(request.device.max_threads_per_threadgroup, kMaxThreads);
  if (threads == 0)
    return failure(DiagCode::LaunchSize,
                   fmt::format("a threadgroup of {} threads has none", triple_text(request.threads_per_threadgroup)));
  if (threads > limit)
    return failure(DiagCode::LaunchSize,
                   fmt::format("a threadgroup of {} threads is larger than the limit of {}",
                               triple_text(request.threads_per_threadgroup), limit),
                   "use smaller threadgroups");
  if (entry.max_threads != 0 && threads > entry.max_threads)
    return failure(DiagCode::LaunchSize,
                   fmt::format("a threadgroup of {} threads is larger than the {} that kernel '{}' declares",
                               triple_text(request.threads_per_threadgroup), entry.max_threads, entry.name),
                   "[[max_total_threads_per_threadgroup]] bounds every launch of the kernel");
  return static_cast<std::uint32_t>(threads);
}

/// Fills in the grid; the number of groups, 0 for an empty grid.
Result<std::uint64_t> check_grid(const LaunchRequest& request, Job& job) {
  job.threads_per_threadgroup = request.threads_per_threadgroup;
  std::uint64_t groups = 1;
  bool empty = false;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t size = request.threads_per_threadgroup[d];
    const std::uint64_t count = request.threads ? ((*request.threads)[d] + size - 1) / size : request.threadgroups[d];
    const std::uint64_t threads = request.threads ? (*request.threads)[d] : count * size;
    if (threads > 0xffffffff)
      return failure(
          DiagCode::LaunchSize,
          fmt::format("a grid of {} threadgroups of {} threads has {} threads along axis {}; positions have 32 bits",
                      triple_text(request.threadgroups), triple_text(request.threads_per_threadgroup), threads,
                      "xyz"[d]));
    job.threadgroups[d] = static_cast<std::uint32_t>(count);
    job.threads_per_grid[d] = static_cast<std::uint32_t>(threads);
    if (__builtin_mul_overflow(groups, count, &groups)) groups = kMaxGroups + 1;
    if (count == 0) empty = true;
  }
  if (empty) return std::uint64_t{0};
  if (groups > kMaxGroups)
    return failure(DiagCode::LaunchSize, fmt::format("a grid of {} threadgroups has more than {} of them",
                                                     triple_text(job.threadgroups), kMaxGroups));
  return groups;
}

std::string parameter_text(const Parameter& parameter) {
  const std::string_view kind = parameter.role == ParameterRole::Threadgroup ? "threadgroup" : "buffer";
  return fmt::format("{} [[{}({})]]", parameter.name, kind, parameter.index);
}

bool takes_buffer(const Parameter& p) { return p.role == ParameterRole::Buffer || p.role == ParameterRole::Tensor; }
bool takes_threadgroup(const Parameter& p) { return p.role == ParameterRole::Threadgroup; }

/// Every needed parameter is bound once, and nothing else is.
template <class Binding, class Takes>
void match_bindings(const Entry& entry, const std::vector<Binding>& bindings, Takes takes, std::string_view kind,
                    Diags& diags) {
  std::vector<std::string> known;
  for (const Parameter& parameter : entry.parameters) {
    if (!takes(parameter)) continue;
    known.push_back(parameter_text(parameter));
    const auto bound = std::ranges::count(bindings, parameter.index, &Binding::index);
    if (bound == 0 && !parameter.optional)
      diags.push_back({DiagCode::KernelBinding,
                       fmt::format("kernel '{}' needs {}, which is not bound", entry.name, parameter_text(parameter)),
                       {},
                       fmt::format("bind {} {}", kind, parameter.index),
                       {}});
    if (bound > 1)
      diags.push_back({DiagCode::KernelBinding,
                       fmt::format("{} {} is bound {} times", kind, parameter.index, bound),
                       {},
                       "bind each index once",
                       {}});
  }
  for (const Binding& binding : bindings) {
    const bool taken =
        std::ranges::any_of(entry.parameters, [&](const Parameter& p) { return takes(p) && p.index == binding.index; });
    if (!taken)
      diags.push_back({DiagCode::KernelBinding,
                       fmt::format("kernel '{}' has no {} {}", entry.name, kind, binding.index),
                       {},
                       known.empty() ? fmt::format("it takes none of this kind")
                                     : fmt::format("it takes {}", fmt::join(known, ", ")),
                       {}});
  }
}

const Parameter* parameter_of(const Entry& entry, std::uint32_t index) {
  const auto found =
      std::ranges::find_if(entry.parameters, [&](const Parameter& p) { return takes_buffer(p) && p.index == index; });
  return found == entry.parameters.end() ? nullptr : &*found;
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

/// The binding whose bytes are meant, through any number of `same_memory_as`.
Result<const BufferBinding*> memory_of(const LaunchRequest& request, const BufferBinding& binding) {
  const BufferBinding* at = &binding;
  for (std::size_t steps = 0; at->same_memory_as; ++steps) {
    const auto found = std::ranges::find(request.buffers, *at->same_memory_as, &BufferBinding::index);
    if (found == request.buffers.end() || steps > request.buffers.size())
      return failure(DiagCode::KernelBinding,
                     fmt::format("buffer {} is to be the memory of buffer {}, which {}", binding.index,
                                 *at->same_memory_as, found == request.buffers.end() ? "is not bound" : "is its own"));
    at = &*found;
  }
  return at;
}

/// The slot with these bytes, a new one, or the reason why neither is possible.
Result<std::uint32_t> slot_for(LaunchPlan& plan, const BufferBinding& binding, const Parameter& parameter,
                               bool read_only) {
  for (std::uint32_t i = 0; i < plan.slots.size(); ++i) {
    SlotPlan& slot = plan.slots[i];
    if (!overlap(slot.bytes, binding.bytes)) continue;
    if (slot.bytes.data() != binding.bytes.data() || slot.bytes.size() != binding.bytes.size())
      return failure(
          DiagCode::KernelBinding,
          fmt::format("the bytes of buffer {} and buffer {} overlap without being the same", slot.index, binding.index),
          "bind the same bytes or bytes apart");
    slot.read_only = slot.read_only && read_only;
    plan.job->slots[i].read_only = slot.read_only ? 1 : 0;
    return i;
  }
  if (binding.bytes.size() > runner::kMaxBufferBytes)
    return failure(DiagCode::LaunchSize, fmt::format("buffer {} has {} bytes; the emulator takes at most {}",
                                                     binding.index, binding.bytes.size(), runner::kMaxBufferBytes));
  const auto number = static_cast<std::uint32_t>(plan.slots.size());
  plan.slots.push_back(
      {binding.bytes, binding.index, parameter.name.empty() ? binding.label : parameter.name, read_only});
  SlotJob& slot = plan.job->slots[number];
  slot.bytes = binding.bytes.size();
  slot.data_offset = plan.data_bytes;
  slot.read_only = read_only ? 1 : 0;
  slot.initialized = binding.initialized ? 1 : 0;
  plan.data_bytes += (slot.bytes + runner::kPageBytes - 1) / runner::kPageBytes * runner::kPageBytes;
  plan.job->slot_count = number + 1;
  return number;
}

Result<void> bind_tensor(const BufferBinding& binding, BindingJob& job) {
  const std::size_t rank = binding.tensor_extents.size();
  if (rank == 0 || rank > job.extents.size())
    return failure(DiagCode::KernelBinding,
                   fmt::format("buffer {} is a tensor handle and needs 1 to {} extents, found {}", binding.index,
                               job.extents.size(), rank),
                   "give the extents of the tensor, innermost first");
  if (!binding.tensor_strides.empty() && binding.tensor_strides.size() != rank)
    return failure(DiagCode::KernelBinding, fmt::format("the tensor of buffer {} has {} extents and {} strides",
                                                        binding.index, rank, binding.tensor_strides.size()));
  job.is_tensor = 1;
  job.rank = static_cast<std::uint32_t>(rank);
  std::int64_t packed = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    job.extents[d] = binding.tensor_extents[d];
    job.strides[d] = binding.tensor_strides.empty() ? packed : binding.tensor_strides[d];
    if (job.extents[d] < 0 || __builtin_mul_overflow(packed, std::max<std::int64_t>(job.extents[d], 1), &packed))
      return failure(DiagCode::KernelBinding, fmt::format("the tensor of buffer {} has extent {} along axis {}",
                                                          binding.index, job.extents[d], d));
  }
  return {};
}

Result<void> bind_buffers(LaunchPlan& plan, const LaunchRequest& request) {
  for (const BufferBinding& binding : request.buffers) {
    const Parameter& parameter = *parameter_of(*plan.entry, binding.index);
    TW_TRY(const BufferBinding* memory, memory_of(request, binding));
    TW_TRY(const std::uint32_t slot, slot_for(plan, *memory, parameter, binding.read_only || parameter.read_only));
    BindingJob& job = plan.job->bindings[binding.index];
    job.slot = slot;
    job.parameter = parameter_code(parameter.role, parameter.index);
    if (parameter.role == ParameterRole::Tensor) TW_TRY_VOID(bind_tensor(binding, job));
  }
  for (const Parameter& parameter : plan.entry->parameters)
    if (takes_buffer(parameter) && parameter.optional && parameter.index < runner::kBuffers &&
        plan.job->bindings[parameter.index].slot == runner::kNone)
      plan.job->absent_buffers |= 1u << parameter.index;
  return {};
}

Result<void> bind_threadgroup_memory(LaunchPlan& plan, const LaunchRequest& request) {
  for (const ThreadgroupBinding& binding : request.threadgroup_memory) {
    if (binding.bytes == 0 || binding.bytes % 16 != 0)
      return failure(DiagCode::LaunchSize,
                     fmt::format("threadgroup memory {} has {} bytes; its length is a multiple of 16", binding.index,
                                 binding.bytes),
                     "round the length up");
    if (binding.bytes > kMaxThreadgroupBytes)
      return failure(DiagCode::LaunchSize,
                     fmt::format("threadgroup memory {} has {} bytes; the emulator takes at most {}", binding.index,
                                 binding.bytes, kMaxThreadgroupBytes));
    plan.job->threadgroup_bytes[binding.index] = binding.bytes;
    plan.threadgroup_bytes += binding.bytes;
  }
  return {};
}

void set_options(const LaunchRequest& request, Job& job) {
  const DeviceModel& device = request.device;
  job.options[LayoutSeed] = request.seed;
  job.options[M5Layout] = device.m5_layout ? 1 : 0;
  job.options[ZeroCooperative] = device.zero_cooperative_destinations ? 1 : 0;
  job.options[TruncateStaticK] = device.truncate_static_k ? 1 : 0;
  job.options[OverreadStaticK] = device.overread_static_k ? 1 : 0;
  job.options[ZeroExtentRead] = device.zero_extent_reads_row ? 1 : 0;
  job.options[InfinityLoadNan] = device.infinity_load_gives_nan ? 1 : 0;
  job.options[RelaxedF32] = device.truncate_relaxed_f32 ? 1 : 0;
  job.threadgroup_limit_bytes = std::min(device.threadgroup_bytes, kMaxThreadgroupBytes);
}

/// As many as there are groups for, and no more than the system can guard the stacks of.
std::uint32_t worker_count(const LaunchRequest& request, std::uint64_t groups, std::uint32_t threads) {
  const std::uint64_t wanted = request.workers != 0 ? request.workers : std::thread::hardware_concurrency();
  const std::uint64_t guarded = std::max<std::uint64_t>(1, 24'000 / (2 * std::uint64_t{threads}));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      std::min({wanted, groups, guarded, std::uint64_t{runner::kMaxWorkers}}), 1, runner::kMaxWorkers));
}

}  // namespace

std::uint64_t memory_limit_of(const LaunchRequest& request) {
  if (request.memory_limit_bytes != 0) return request.memory_limit_bytes;
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 4 * 3;
}

MemoryEstimate estimate_of(const LaunchPlan& plan) {
  const Job& job = *plan.job;
  MemoryEstimate estimate;
  for (std::uint32_t i = 0; i < job.slot_count; ++i) {
    const SlotJob& slot = job.slots[i];
    estimate.buffer_bytes += slot.bytes;
    const std::uint64_t cells = (slot.bytes >> slot.granule_shift) + 1;
    if (job.checks != 0) estimate.shadow_bytes += cells * (slot.read_only != 0 ? 1 : runner::kCellBytes);
  }
  const std::uint64_t threads =
      std::uint64_t{job.threads_per_threadgroup[0]} * job.threads_per_threadgroup[1] * job.threads_per_threadgroup[2];
  estimate.stack_bytes = job.workers * threads * (runner::kStackBytes - runner::kGuardBytes);
  return estimate;
}

Result<LaunchPlan> plan_launch(const CompiledLibrary& library, const LaunchRequest& request) {
  LaunchPlan plan;
  plan.job = std::make_unique<Job>();
  Job& job = *plan.job;
  TW_TRY(job.entry, find_entry(library, request.kernel));
  plan.entry = &library.entries[job.entry];
  if (library.object_path.size() >= job.object_path.size())
    return failure(DiagCode::EmulatorRunner,
                   fmt::format("the path of the compiled kernel has {} characters, at most {} are possible",
                               library.object_path.size(), job.object_path.size() - 1));
  std::ranges::copy(library.object_path, job.object_path.begin());
  TW_TRY(const std::uint32_t threads, check_threads(request, *plan.entry));
  TW_TRY(plan.group_count, check_grid(request, job));
  Diags diags;
  match_bindings(*plan.entry, request.buffers, takes_buffer, "buffer", diags);
  match_bindings(*plan.entry, request.threadgroup_memory, takes_threadgroup, "threadgroup memory", diags);
  for (const BufferBinding& binding : request.buffers)
    if (binding.index >= runner::kBuffers && diags.empty())
      diags.push_back({DiagCode::KernelBinding,
                       fmt::format("buffer {} is beyond the last index {}", binding.index, runner::kBuffers - 1),
                       {},
                       {},
                       {}});
  for (const ThreadgroupBinding& binding : request.threadgroup_memory)
    if (binding.index >= runner::kBuffers && diags.empty())
      diags.push_back(
          {DiagCode::KernelBinding,
           fmt::format("threadgroup memory {} is beyond the last index {}", binding.index, runner::kBuffers - 1),
           {},
           {},
           {}});
  if (!diags.empty()) return std::unexpected(std::move(diags));
  TW_TRY_VOID(bind_buffers(plan, request));
  TW_TRY_VOID(bind_threadgroup_memory(plan, request));
  set_options(request, job);
  job.checks = library.checks ? 1 : 0;
  job.seed = request.seed;
  job.workers = worker_count(request, plan.group_count, threads);
  job.memory_limit_bytes = memory_limit_of(request);
  job.cpu_seconds = static_cast<std::uint64_t>(std::clamp(request.timeout_seconds, 1.0, 1e9)) * (job.workers + 1) + 60;
  return plan;
}

MemoryEstimate estimate_memory(const CompiledLibrary& library, const LaunchRequest& request) {
  const Result<LaunchPlan> plan = plan_launch(library, request);
  return plan ? estimate_of(*plan) : MemoryEstimate{};
}

}  // namespace tilewright::msl_emulator
