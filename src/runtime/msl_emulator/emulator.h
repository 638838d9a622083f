// The values of the MSL emulator: what is compiled, what is launched, what is reported. See docs/emulator.md.
//
// Text of a kernel --compile()--> CompiledLibrary --launch()--> LaunchResult.
// The kernel never runs in this process: launch() starts the runner, which loads the compiled library, closes itself
// off and executes. This folder shares nothing with the emitters whose kernels it checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright::msl_emulator {

/// Programs and files that the emulator needs at run time; nothing is linked. Paths, all absolute.
struct Toolchain {
  std::string clang;         ///< clang-19, preprocessor and compiler
  std::string opt;           ///< opt-19, early instrumentation
  std::string shim_folder;   ///< the folder with metal_stdlib and emu/abi.h
  std::string runner;        ///< tilewright-msl-runner
  std::string cache_folder;  ///< compiled kernels; empty: nothing is kept
};

enum class Dialect : std::uint8_t {
  OpenCl,  ///< C++ for OpenCL 2021 (C++17): address spaces are types; no MPP
  Cpp20,   ///< C++20 with address spaces erased: MPP, and class types as template arguments
};
std::string_view dialect_name(Dialect dialect);  ///< "opencl", "c++20"

struct CompileRequest {
  std::string path;                              ///< for messages, and where `#include "x"` starts
  std::optional<std::string> text;               ///< instead of the file's contents
  std::vector<std::string> include_paths;        ///< -I; the only folders, beside the file's own, that may be read
  std::vector<std::string> defines;              ///< NAME or NAME=VALUE
  std::map<std::string, std::string> constants;  ///< function constant by id or name -> value in MSL
  std::vector<std::string> kernels;              ///< which entry points to make; empty: all plain kernels, no templates
  std::optional<Dialect> dialect;                ///< default: OpenCl, and Cpp20 for a text that OpenCl cannot express
  int metal_version = 320;                       ///< __METAL_VERSION__; 400 for MPP
  bool checks = true;                            ///< instrument memory accesses
};

enum class ParameterRole : std::uint8_t { Builtin, Buffer, Threadgroup, Tensor };

struct Parameter {
  std::string name;
  ParameterRole role{};
  std::uint32_t index = 0;
  bool read_only = false;
  bool optional = false;
  bool is_constant = false;  ///< address space `constant`
  bool operator==(const Parameter&) const = default;
};

struct Entry {
  std::string name;  ///< host_name, or the name of the function
  std::vector<Parameter> parameters;
  /// Of [[max_total_threads_per_threadgroup(n)]]; 0: none, or one that depends on template arguments.
  std::uint32_t max_threads = 0;
};

/// A shared object with one entry per kernel. The file stays in the cache folder (or a temporary folder that lives as
/// long as `owner`).
struct CompiledLibrary {
  std::string object_path;
  std::vector<Entry> entries;
  Dialect dialect{};
  bool checks = true;
  bool from_cache = false;
  double compile_ms = 0;
  std::string note;  ///< one line for the user when the dialect had to be chosen for him; else empty
  std::shared_ptr<const void> owner;
};

/// What the reports call it; spelled out_of_bounds, uninitialized_read, race, barrier_divergence, wrong_fence,
/// readonly_write, mpp_misuse, limit, misaligned, wild_access, timeout, compile_error.
enum class ReportKind : std::uint8_t {
  OutOfBounds,
  UninitializedRead,
  Race,
  BarrierDivergence,
  WrongFence,
  ReadonlyWrite,
  MppMisuse,
  Limit,
  Misaligned,
  WildAccess,
  Timeout,
  CompileError,
};
std::string_view report_kind_name(ReportKind kind);

/// A thread, or a SIMD group (`thread` empty), or a whole group (both empty), that took part in a fault.
struct Party {
  std::array<std::uint32_t, 3> group{};
  std::optional<std::uint32_t> subgroup;
  std::optional<std::uint32_t> thread;  ///< thread_index_in_threadgroup
  std::string file;
  std::uint32_t line = 0;
  std::string action;  ///< "write of 4 bytes", "read by simdgroup_load", "waits", "returned"
};

/// One fault, however often it happened.
struct Report {
  ReportKind kind{};
  std::string message;  ///< one line: what is wrong, with the numbers
  std::string object;   ///< the variable or buffer; empty when there is none
  std::optional<std::int64_t> byte_offset;
  std::optional<std::int64_t> element;
  std::string file;  ///< of the faulting access, as the source names it
  std::uint32_t line = 0;
  std::vector<Party> parties;  ///< the faulting one first
  std::uint64_t count = 1;
  std::uint32_t schedule = 0;  ///< the first schedule that showed it
};

struct AddressSpaceCounts {
  std::uint64_t fragment_loads = 0, fragment_stores = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;
};

struct BufferCounts {
  std::uint32_t index = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::uint64_t distinct_read_bytes = 0, distinct_written_bytes = 0;  ///< needs checks
};

struct MatmulCount {
  std::uint64_t m = 0, n = 0, k = 0, runs = 0;
};

/// Of one launch under the first schedule.
struct Counters {
  std::uint64_t matrix_8x8 = 0;
  std::uint64_t tensor_operations = 0;
  std::vector<MatmulCount> matmuls;  ///< sorted by extents
  AddressSpaceCounts device, threadgroup;
  std::uint64_t threadgroup_barriers = 0;  ///< one per group and barrier reached
  std::uint64_t simdgroup_barriers = 0;
  std::uint64_t simd_operations = 0;
  std::uint64_t partial_simd_operations = 0;
  std::uint64_t threadgroup_bytes = 0;  ///< static and dynamic, of one group
  std::vector<BufferCounts> buffers;
};

struct BufferBinding {
  std::uint32_t index = 0;
  std::string label;                         ///< what reports call it when the kernel gives no name
  std::span<std::byte> bytes;                ///< read before, written back after the first schedule
  bool initialized = true;                   ///< false: a read before a write is reported
  bool read_only = false;                    ///< a write is reported, whatever the kernel declares
  std::vector<std::int64_t> tensor_extents;  ///< innermost first; for a tensor handle
  std::vector<std::int64_t> tensor_strides;  ///< in elements; empty: packed
  /// The index of another binding whose memory this one is, at equal addresses; `bytes` is empty then.
  std::optional<std::uint32_t> same_memory_as;
};

struct ThreadgroupBinding {
  std::uint32_t index = 0;
  std::uint64_t bytes = 0;
};

using Uint3 = std::array<std::uint32_t, 3>;

/// Limits of the device, its choices where the language leaves one, and known faults of hardware and system software,
/// all mimicked on request.
struct DeviceModel {
  std::uint32_t max_threads_per_threadgroup = 1024;
  std::uint64_t threadgroup_bytes = 32768;
  bool m5_layout = false;
  bool zero_cooperative_destinations = false;
  bool truncate_static_k = false;
  bool overread_static_k = false;
  bool zero_extent_reads_row = false;
  bool infinity_load_gives_nan = false;
  bool truncate_relaxed_f32 = false;  ///< where relaxed_precision permits it, float operands keep 10 bits of mantissa
};

struct LaunchRequest {
  std::string kernel;
  Uint3 threadgroups{1, 1, 1};
  Uint3 threads_per_threadgroup{1, 1, 1};
  /// dispatchThreads: the number of threads in all, with partial last groups; threadgroups is then derived.
  std::optional<Uint3> threads;
  std::vector<BufferBinding> buffers;
  std::vector<ThreadgroupBinding> threadgroup_memory;
  DeviceModel device;
  std::uint32_t schedules = 1;  ///< how many; 0 is the natural order, the others are permutations from their number
  std::uint32_t first_schedule = 0;  ///< run first_schedule, first_schedule + 1, ..; `buffers` get what the first wrote
  std::uint64_t seed = 0;            ///< of those permutations and of the opaque layouts
  std::uint32_t workers = 0;         ///< threads of the runner; 0: all cores
  double timeout_seconds = 300;
  std::uint64_t memory_limit_bytes = 0;  ///< 0: 3/4 of the machine's
  std::function<void(double fraction, std::uint32_t schedule)> progress;
};

struct LaunchResult {
  bool finished = false;        ///< every group of every schedule ran to its end
  Uint3 threadgroups{};         ///< of the grid, also where the request counts threads
  std::vector<Report> reports;  ///< in a fixed order: file, line, kind, object
  Counters counters;
  std::uint64_t peak_memory_bytes = 0;
  double run_ms = 0;  ///< of the groups under the first schedule, without starting the runner
  /// Another schedule left other bytes in a buffer, though nothing was reported and no atomic was used (needs checks).
  bool schedules_disagree = false;
  std::vector<std::string> notes;  ///< what limits the reports: no symbolizer, more reports than are kept
};

/// MSL that does not compile: KernelCompile with clang's messages, placed in the source as written. A missing program:
/// ToolMissing, with the package that holds it. A text that asks for what the emulator does not have (textures, inline
/// assembly, recursion through a kernel): KernelNotModelled, with the place.
Result<CompiledLibrary> compile(const CompileRequest& request, const Toolchain& toolchain);

/// What a launch will need, before it is made: arena, shadow, stacks.
struct MemoryEstimate {
  std::uint64_t buffer_bytes = 0, shadow_bytes = 0, stack_bytes = 0;
};
MemoryEstimate estimate_memory(const CompiledLibrary& library, const LaunchRequest& request);

/// An unknown kernel, a missing or superfluous binding, sizes over the limit: errors with the numbers, nothing is run.
/// Faults of the kernel are reports, not errors. A timeout is a report of kind timeout. Two bindings of the very same
/// bytes are one buffer; bytes that overlap otherwise are refused. The caller's bytes change only when this succeeds.
Result<LaunchResult> launch(const CompiledLibrary& library, const LaunchRequest& request, const Toolchain& toolchain);

}  // namespace tilewright::msl_emulator
