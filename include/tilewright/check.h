// Checking a kernel against the meaning of its program.
//
// The reference is the interpreter in FP64 together with a bound for every element: what any permitted execution in the
// declared types may differ by. The kernel runs on copies of the arguments that lie between guards. Memory that it has
// not to write is poisoned, once with NaN and once with a large number, so that what it forgets or harms is seen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/compile.h>

namespace tilewright {

enum class WrongKind : std::uint8_t {
  Value,      ///< further from the reference than the bound
  Class,      ///< NaN or infinite where the reference is not, or the other way round
  Sign,       ///< an infinity or a zero of the other sign
  Unwritten,  ///< the poison still stands there
  Uninvited,  ///< the program stores nothing there, but the poison is gone
};

struct WrongElement {
  std::string buffer;
  std::vector<std::int64_t> indices;
  WrongKind kind = WrongKind::Value;
  double expected = 0;
  double found = 0;
  double bound = 0;
};

struct CheckReport {
  std::int64_t checked_elements = 0;  ///< of all outputs, each once
  std::int64_t wrong_elements = 0;    ///< Value, Class, Sign, Uninvited under one of the poisons
  std::int64_t unwritten_elements = 0;
  std::int64_t undecided_elements = 0;   ///< the bound is infinite there: any result is permitted
  std::int64_t not_stored_elements = 0;  ///< the program stores nothing there; only that they are untouched was checked
  std::int64_t out_of_bounds_writes = 0;    ///< bytes of guards and elements beside the views that changed
  std::int64_t changed_inputs = 0;          ///< elements of inputs that changed
  double max_abs_error = 0;                 ///< over the finite elements with a finite bound
  double max_rel_error = 0;                 ///< the same, where the reference is larger than its bound
  std::int64_t rows = 0;                    ///< of all outputs; a row is everything but the last index
  std::int64_t checked_rows = 0;            ///< fewer than rows when they were sampled
  std::optional<WrongElement> first_wrong;  ///< the first by buffer and index; also for unwritten elements
  std::vector<std::string> harmed;          ///< buffers whose guards, gaps or (for inputs) content changed

  /// Elements whose value was compared with the reference.
  std::int64_t compared_elements() const { return checked_elements - undecided_elements - not_stored_elements; }
  bool ok() const {
    return wrong_elements == 0 && unwritten_elements == 0 && out_of_bounds_writes == 0 && changed_inputs == 0;
  }
};

struct CheckOptions {
  RunOptions run;
  /// Rows of each output that are compared: the first, the last, and others drawn by a fixed rule. 0: all rows.
  std::int64_t sample_rows = 0;
  /// Called now and then with the fraction of the reference that is done.
  std::function<void(double)> progress;
};

/// Arguments as for Kernel::run; they are read and never written, so outputs give their layout alone. Errors are those
/// of Kernel::run and of the interpreter; a kernel that computes wrongly is no error but a report that is not ok().
Result<CheckReport> check(const Kernel& kernel, const Arguments& arguments, const CheckOptions& options = {});

}  // namespace tilewright
