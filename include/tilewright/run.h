// Calling compiled kernels as often and as cheaply as possible: compile once, bind once, call many times.
//
//   auto kernel = tilewright::compile(*program, {.numbers = {{"M", 64}, {"N", 64}, {"K", 64}}});
//   auto call = tilewright::Call::bind(*kernel, {{"A", a}, {"B", b}, {"C", c}});   // every check is made here
//   for (...) (*call)();                                                           // none is made here
//
// Kernel::run() checks its arguments at every run. A Call checks them once; a RawEntry leaves them to the caller. Both
// are for kernels of the CPU; docs/embedding.md compares them.
//
// What an unchecked call counts on:
// - every pointer leads to what its binding says (entry_bindings), aligned to the element or not, and stays valid;
// - a buffer that is written overlaps no other; with CompileOptions::noalias no two buffers overlap;
// - the thread rounds to nearest and keeps subnormals, as threads do until somebody says otherwise. With other settings
//   (code built with -ffast-math sets them) the result is that of other rounding; run() sets and restores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/compile.h>
#include <tilewright/errors.h>

namespace tilewright {

/// Threads of the caller.
class Executor {
 public:
  /// Does not throw.
  using Piece = void (*)(void* context, std::int64_t index);

  virtual ~Executor() = default;
  /// How many pieces run at a time at best; it decides into how many a launch is cut.
  virtual int workers() const = 0;
  /// Runs piece(context, i) once for each i in [0, count), on any threads and in any order, and returns after the last.
  /// Several threads may call it at once when several run kernels. What it throws leaves run(), and the outputs
  /// undefined.
  virtual void parallel_for(std::int64_t count, Piece piece, void* context) = 0;
};

/// oneTBB, which is also what Kernel::run() takes. 0, or more than there are: all processors of the process.
std::unique_ptr<Executor> make_default_executor(int threads = 0);

/// Tasks [begin, end) of one launch, one after the other, on the calling thread.
using EntryFunction = void (*)(void* const* bindings, std::int64_t begin, std::int64_t end, void* scratch);

/// A kernel of one launch without temporaries, as a function and what to call it with. It costs what the function
/// costs: nothing is looked up, checked, locked or allocated. Any number of threads may call it at once, each with its
/// own scratch memory. It is valid as long as a copy of its Kernel.
struct RawEntry {
  EntryFunction function = nullptr;
  std::int64_t tasks = 0;          ///< of the whole launch
  std::int64_t scratch_bytes = 0;  ///< of scratch memory, aligned to 64 bytes; 0: null will do

  /// `bindings`: a pointer an entry_bindings(), in their order.
  void operator()(void* const* bindings, void* scratch) const { function(bindings, 0, tasks, scratch); }
};

/// Unsupported: another target than the CPU, several launches, or temporaries; a Call does those.
Result<RawEntry> raw_entry(const Kernel& kernel);

/// What one pointer of a call leads to.
struct EntryBinding {
  std::string name;
  bool scalar = false;     ///< one element, read
  bool temporary = false;  ///< of a Call itself
  bool read = false, written = false;
  DataType type = DataType::F32;
  /// The pointer leads to the element of the view with the lowest address: with the view's data, offset and strides, to
  /// data + (offset + lowest) * data_type_bytes(type). 0 without negative strides.
  std::int64_t lowest = 0;
  std::int64_t elements = 0;  ///< that may be addressed from there on
};
/// In the order of the pointers. Empty for other targets than the CPU.
std::vector<EntryBinding> entry_bindings(const Kernel& kernel);

/// Pointers, temporaries and scratch memory of one kernel in place. One thread at a time may use a Call; each thread
/// has its own, and they share the Kernel. It keeps the kernel's code alive.
class Call {
 public:
  /// Every check of Kernel::run(). Scalars are copied: later changes of their memory are not seen, see set_pointer().
  /// Unsupported: another target than the CPU. OutOfMemory.
  static Result<Call> bind(const Kernel& kernel, const Arguments& arguments);
  Call(Call&&) noexcept;
  Call& operator=(Call&&) noexcept;
  ~Call();

  /// All launches on the calling thread, without any check.
  void operator()() const {
    for (const Launch* launch = begin_; launch != end_; ++launch) launch->function(table_, 0, launch->tasks, scratch_);
  }
  /// The same in the IEEE environment, whatever the thread's is.
  void run() const;
  /// The same, shared out to threads of the caller. Bit for bit the same result with any number of them. OutOfMemory.
  Result<void> run(Executor& executor);

  /// Another pointer from now on, unchecked. `binding` counts in entry_bindings(); those of temporaries stay.
  void set_pointer(std::size_t binding, void* pointer);

 private:
  struct Launch {
    EntryFunction function;
    std::int64_t tasks;
  };
  struct State;
  explicit Call(std::unique_ptr<State> state);
  void refresh();

  const Launch* begin_ = nullptr;
  const Launch* end_ = nullptr;
  void* const* table_ = nullptr;
  void* scratch_ = nullptr;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
