// What the host and the runner share: one mapping that holds the job and the answer to it. Plain data.
//
// The host writes Job, the runner writes Answer. A hostile kernel may overwrite all of Answer, so the host treats every
// number in it as unchecked. A second file holds the bytes of the buffers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tilewright::msl_emulator::runner {

/// Where the runner finds its two files.
inline constexpr int kControlFile = 3;
inline constexpr int kDataFile = 4;

inline constexpr std::uint32_t kJobVersion = 1;
inline constexpr std::uint32_t kBuffers = 31;
inline constexpr std::uint32_t kMaxWorkers = 32;
inline constexpr std::uint32_t kMaxReports = 1000;
inline constexpr std::uint32_t kMaxParties = 8;
inline constexpr std::uint32_t kMaxSites = 65534;  ///< site 0: unknown; 65535 is taken (shadow.h)
inline constexpr std::uint32_t kMaxVariables = 256;
inline constexpr std::uint32_t kMaxMatmuls = 256;
inline constexpr std::uint32_t kStringBytes = 1 << 18;
inline constexpr std::uint32_t kNone = 0xffffffff;
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kPageBytes = 4096;
/// The stack of one lane, with the guard below it, which is wide since a large frame may jump over a narrow one.
inline constexpr std::uint64_t kStackBytes = 256 << 10;
inline constexpr std::uint64_t kGuardBytes = 64 << 10;
/// Threadgroup variables and the red zones between them, of one worker.
inline constexpr std::uint64_t kThreadgroupRegionBytes = 4 << 20;
/// Shadow of one granule: three stamps and three sites.
inline constexpr std::uint64_t kCellBytes = 3 * sizeof(std::uint64_t) + 3 * sizeof(std::uint16_t);
inline constexpr std::uint32_t kCoarsestGranuleShift = 2;
/// What an optional buffer that is not bound points to: quiet NaNs, for each index.
inline constexpr std::uint64_t kAbsentBytes = 64 << 10;

using Triple = std::array<std::uint32_t, 3>;

struct SlotJob {
  std::uint64_t bytes = 0;
  std::uint64_t data_offset = 0;                        ///< in the data file, a multiple of the page size
  std::uint32_t granule_shift = kCoarsestGranuleShift;  ///< the coarsest to use
  std::uint32_t read_only = 0;
  std::uint32_t initialized = 1;
};

struct BindingJob {
  std::uint32_t slot = kNone;
  std::uint32_t parameter = 0;  ///< EMU_PARAMETER code, for emu_element
  std::uint32_t is_tensor = 0;
  std::uint32_t rank = 0;
  std::array<std::int64_t, 16> extents{};
  std::array<std::int64_t, 16> strides{};
};

struct Job {
  std::uint32_t version = kJobVersion;
  std::uint32_t entry = 0;
  std::uint32_t checks = 1;
  std::uint32_t workers = 1;
  std::uint32_t schedule = 0;
  std::uint32_t slot_count = 0;
  std::uint32_t threadgroup_granule_shift = kCoarsestGranuleShift;
  std::uint32_t absent_buffers = 0;  ///< bit i: buffer i is optional and not bound
  Triple threadgroups{};
  Triple threads_per_threadgroup{};
  Triple threads_per_grid{};  ///< fewer than the product of the two above when the last groups are partial
  std::uint64_t seed = 0;
  std::uint64_t threadgroup_limit_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  std::uint64_t memory_limit_bytes = 0;
  std::array<std::uint64_t, 16> options{};  ///< enum emu_option
  std::array<SlotJob, kBuffers> slots{};
  std::array<BindingJob, kBuffers> bindings{};
  std::array<std::uint64_t, kBuffers> threadgroup_bytes{};
  std::array<char, 4096> object_path{};
};

enum class RunStatus : std::uint32_t {
  Running,       ///< the runner was killed, or died without a word
  Finished,      ///< every group ran to its end or was abandoned
  Stopped,       ///< a fault ended the launch
  FinerGranule,  ///< to be run again with the granules of Answer
  TooLarge,      ///< Answer::message says how much memory is needed
  Failed,        ///< Answer::message
};

/// What a fault is, more finely than its kind; the host makes the sentence.
enum class Detail : std::uint32_t {
  Plain,              ///< the sentence of the kind; for barrier divergence: differing sites
  OtherGroup,         ///< race between groups
  GroupFence,         ///< wrong_fence across a threadgroup_barrier
  SubgroupFence,      ///< wrong_fence across a simdgroup_barrier
  PartialSubgroup,    ///< a collective or simdgroup_barrier that part of the SIMD group reached
  NarrowSubgroup,     ///< a collective in a SIMD group of fewer than 32 lanes; n0: lanes
  Returned,           ///< a barrier that some threads never reach
  Scope,              ///< n0: SIMD groups declared, n1: launched
  ShimText,           ///< Report::text with n0..n3
  StackOverflow,      ///< n0: bytes of a stack
  Division,           ///< an integer division that the processor refuses
  SystemCall,         ///< n0: number
  Signal,             ///< n0: number; address
  Instruction,        ///< the processor refuses an instruction
  PageFault,          ///< out of bounds by the page, without checks
  ObjectWrite,        ///< a write to the constants of the program
  AbsentBuffer,       ///< n0: the index of an optional buffer that is not bound
  ThreadgroupMemory,  ///< n0: bytes wanted, n1: limit
  VariableTooLarge,   ///< n0: bytes
  TooManyVariables,   ///< n0: limit
  TooManyIntervals,   ///< n0: limit
  Details
};

enum class Action : std::uint32_t {
  Read,
  Write,
  AtomicRead,
  AtomicWrite,
  CollectiveRead,
  CollectiveWrite,
  Waits,
  Returned,
  Runs,
  Actions
};

/// Where in the program: an offset in the object (one past the instruction), or a place that the shim named.
struct SiteRecord {
  enum Kind : std::uint32_t { Unknown, Code, Text };
  std::uint32_t kind = Unknown;
  std::uint32_t file = 0;  ///< offset of the name in Answer::strings
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint64_t code_offset = 0;
};

struct PartyRecord {
  Triple group{};
  std::uint32_t subgroup = kNone;
  std::uint32_t thread = kNone;
  std::uint32_t known_group = 1;
  std::uint32_t several = 0;  ///< atomics of several threads
  std::uint32_t site = 0;
  std::uint32_t lanes = 0;  ///< of a wait: how many
  Action action{};
  std::uint64_t bytes = 0;
};

struct ReportRecord {
  std::uint32_t kind = 0;  ///< enum emu_report_kind
  Detail detail{};
  std::uint32_t slot = kNone;      ///< buffer
  std::uint32_t variable = kNone;  ///< threadgroup variable
  std::int64_t offset = 0;         ///< of the access in the object
  std::uint64_t bytes = 0;
  std::uint64_t element_bytes = 0;  ///< 0: unknown
  std::uint64_t address = 0;
  std::uint32_t text = 0;
  std::uint32_t party_count = 0;
  std::array<PartyRecord, kMaxParties> parties{};
  std::array<std::int64_t, 4> numbers{};
  std::uint64_t count = 0;
};

struct SlotAnswer {
  std::uint64_t element_bytes = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::uint64_t distinct_read_bytes = 0, distinct_written_bytes = 0;
  std::uint32_t wanted_granule_shift = kNone;
};

struct SpaceAnswer {
  std::uint64_t fragment_loads = 0, fragment_stores = 0, read_bytes = 0, written_bytes = 0;
};

struct MatmulAnswer {
  std::uint64_t m = 0, n = 0, k = 0, runs = 0;
};

struct CounterAnswer {
  std::uint64_t matrix_8x8 = 0, tensor_operations = 0;
  std::uint64_t threadgroup_barriers = 0, simdgroup_barriers = 0;
  std::uint64_t simd_operations = 0, partial_simd_operations = 0;
  std::uint64_t atomics = 0;
  SpaceAnswer device, threadgroup;
};

struct VariableAnswer {
  std::uint32_t name = 0;
  std::uint64_t bytes = 0;
};

struct Answer {
  std::atomic<RunStatus> status{};
  std::atomic<std::uint64_t> groups_done{};
  std::atomic<std::uint32_t> report_count{};
  std::atomic<std::uint64_t> reports_dropped{};  ///< distinct reports beyond kMaxReports, at most this many
  std::atomic<std::uint32_t> site_count{};
  std::atomic<std::uint32_t> variable_count{};
  std::uint32_t string_bytes = 0;
  std::uint32_t matmul_count = 0;
  std::uint32_t wanted_threadgroup_granule_shift = kNone;
  double run_ms = 0;
  std::uint64_t threadgroup_bytes = 0;
  std::array<char, 512> message{};
  CounterAnswer counters;
  std::array<SlotAnswer, kBuffers> slots{};
  std::array<MatmulAnswer, kMaxMatmuls> matmuls{};
  std::array<VariableAnswer, kMaxVariables> variables{};
  std::array<ReportRecord, kMaxReports> reports{};
  std::array<SiteRecord, kMaxSites + 1> sites{};
  std::array<char, kStringBytes> strings{};
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The control file.
struct Control {
  Job job;
  Answer answer;
};

}  // namespace tilewright::msl_emulator::runner
