// What passes from an emitter to a runtime: code, entries, bindings, launch sizes, and what was promised or assumed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/types.h>

namespace tilewright::artifact {

/// Object: a relocatable object file of the host's format. Text: source of the target's language.
enum class CodeKind : std::uint8_t { Object, Text };

/// Same words as the kernel IR, so that a runtime needs no kernel header.
enum class BindingKind : std::uint8_t { Argument, Temporary, Scalar };
enum class BindingAccess : std::uint8_t { Read, Write, ReadWrite };

/// The view of the memory that a tensor handle is, from the bound pointer on: extents innermost first, and the distance
/// of neighbours along each of them, in elements; the first is 1.
struct TensorBinding {
  std::vector<std::int64_t> extents, strides;
  bool operator==(const TensorBinding&) const = default;
};

/// Position in the vector = position in the entry's pointer table.
struct Binding {
  std::string name;
  BindingKind kind = BindingKind::Argument;
  BindingAccess access = BindingAccess::Read;
  DataType type = DataType::F32;
  std::int64_t count = 0;                    ///< elements that may be addressed from the bound pointer
  std::optional<TensorBinding> tensor = {};  ///< bound as a tensor handle; none: as a buffer
};

/// What became of the fences of a kernel, for the record: places in the code, not how often they are passed.
struct FenceRecord {
  std::int64_t sites_before = 0, sites_after = 0;
  std::optional<bool> independent_subgroups;  ///< subgroups.independent is proved; none: there is one worker
  std::string reason;                         ///< why it is not
  bool operator==(const FenceRecord&) const = default;
};

/// How a GPU is asked to run a launch. The entry is a kernel function of the text, whose buffers have the numbers of
/// the bindings.
struct GroupLaunch {
  std::array<std::int64_t, 3> groups{};  ///< x, y, z; each fits 32 bits, a zero means that nothing is launched
  std::int64_t workers = 0;              ///< of a group, along x
  std::int64_t subgroup_size = 0;        ///< that the code counts on
  std::int64_t shared_bytes = 0;         ///< of a group, declared in the code
  std::vector<std::uint32_t> bindings;   ///< those that the entry takes, ascending
  std::optional<FenceRecord> fences;
  bool operator==(const GroupLaunch&) const = default;
};

/// One launch. On a CPU the entry is `extern "C" void entry(void* const* bindings, int64_t task_begin, int64_t
/// task_end, void* scratch)`: it runs tasks [task_begin, task_end) of the row-major task ordinal; scratch is
/// scratch_bytes of memory, aligned to 64, owned by the calling worker.
struct Launch {
  std::string entry;
  std::vector<std::int64_t> task_extents;
  std::int64_t task_count = 0;  ///< checked product of task_extents
  std::int64_t scratch_bytes = 0;
  std::int64_t work_per_task = 0;    ///< operations of one task, roughly, so that tiny launches run inline; 0: unknown
  std::optional<GroupLaunch> group;  ///< of a GPU; the entry is then no function of a CPU
  /// Neighbouring tasks share work that each call of the entry does once: as few calls as there are workers are best.
  bool ranges = false;
};

struct Artifact {
  std::string program;
  std::string target;  ///< for example "cpu:znver5"
  CodeKind kind = CodeKind::Object;
  std::string code;  ///< bytes of the object, or the text
  std::vector<Binding> bindings;
  std::vector<Launch> launches;
  std::vector<std::string> families;          ///< of the matrix atoms in the code, in the order of their first use
  int language_version = 0;                   ///< of a Metal text: 310 is MSL 3.1, 400 is MSL 4.0
  std::vector<std::string> flags;             ///< floating-point and code generation choices, for the record
  std::map<std::string, std::string> hashes;  ///< by what they are of: "text", "plan"
  std::vector<std::string> externals;         ///< functions that an object calls and does not hold, sorted: "expf"
};

}  // namespace tilewright::artifact
