// The memory of one run: a guarded buffer for every buffer and scalar of a program, filled or read from files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/compile.h>

#include "driver/fill.h"
#include "driver/guarded_buffer.h"
#include "driver/request.h"
#include "support/npy.h"
#include "support/result.h"

namespace tilewright::driver {

/// One buffer or scalar of a run.
struct RunBuffer {
  std::string name;
  BufferRole role = BufferRole::In;
  bool scalar = false;
  int input = 0;  ///< number among the inputs, for fills
  GuardedBuffer memory;
  ArrayView view;
  std::optional<NpyArray> file;        ///< contents that were given
  std::optional<std::uint32_t> value;  ///< of a scalar that was given
  std::optional<double> default_value;

  bool filled() const { return role != BufferRole::Out && !scalar && !file; }
};

class RunBuffers {
 public:
  /// Allocates and reads the files. Nothing is filled yet. Faults: UnknownBuffer and BadOption for names that do not
  /// fit their option, those of read_npy, NpyShape, ViewOutOfBuffer, OutOfMemory. `kernel` is what the request compiles
  /// to.
  static Result<RunBuffers> make(const Kernel& kernel, const RunRequest& request, const Values& values);

  /// Writes the contents of inputs and inouts; outputs become zeros.
  void set_contents(const Fill& fill);
  /// The contents of the inout buffers alone, so that a run can be repeated.
  void restore_inouts(const Fill& fill);
  /// At least one buffer gets its contents from a fill.
  bool uses_fill() const;

  Arguments arguments() const;
  const std::vector<RunBuffer>& buffers() const { return buffers_; }

  /// Elements of a buffer's view, dense row-major.
  static std::vector<std::byte> dense_bytes(const RunBuffer& buffer);

 private:
  std::vector<RunBuffer> buffers_;
};

/// The layouts that the views ask for.
std::map<std::string, BufferLayout> layouts_of(const RunRequest& request);

/// The names in --in, --out and --view exist and fit: UnknownBuffer, BadOption.
Result<void> check_buffer_names(const Program& program, const RunRequest& request);

}  // namespace tilewright::driver
