// What passes from an emitter to a runtime: code, entries, bindings, launch sizes, and what was promised or assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/types.h>

namespace tilewright::artifact {

/// Object: a relocatable object file of the host's format. Text: source of the target's language.
enum class CodeKind : std::uint8_t { Object, Text };

/// Same words as the kernel IR, so that a runtime needs no kernel header.
enum class BindingKind : std::uint8_t { Argument, Temporary, Scalar };
enum class BindingAccess : std::uint8_t { Read, Write, ReadWrite };

/// Position in the vector = position in the entry's pointer table.
struct Binding {
  std::string name;
  BindingKind kind = BindingKind::Argument;
  BindingAccess access = BindingAccess::Read;
  DataType type = DataType::F32;
  std::int64_t count = 0;  ///< elements that may be addressed from the bound pointer
};

/// One launch. The entry is `extern "C" void entry(void* const* bindings, int64_t task_begin, int64_t task_end,
/// void* scratch)`: it runs tasks [task_begin, task_end) of the row-major task ordinal; scratch is scratch_bytes of
/// memory, aligned to 64, owned by the calling worker.
struct Launch {
  std::string entry;
  std::vector<std::int64_t> task_extents;
  std::int64_t task_count = 0;  ///< checked product of task_extents
  std::int64_t scratch_bytes = 0;
  std::int64_t work_per_task = 0;  ///< operations of one task, roughly, so that tiny launches run inline; 0: unknown
};

struct Artifact {
  std::string program;
  std::string target;  ///< for example "cpu:znver5"
  CodeKind kind = CodeKind::Object;
  std::string code;  ///< bytes of the object, or the text
  std::vector<Binding> bindings;
  std::vector<Launch> launches;
  std::vector<std::string> flags;  ///< floating-point and code generation choices, for the record
};

}  // namespace tilewright::artifact
