// The bench's side of a contestant's process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/library.h"
#include "bench/message.h"

namespace tilewright::bench {

/// What came back, or that nothing will: the process ended, or did not answer in time and was ended.
struct Answer {
  bool gone = false;
  std::string reason;  ///< of one that is gone, or refused
  Fields fields;       ///< the verb first

  bool is(std::string_view verb) const { return !gone && !fields.empty() && fields[0] == verb; }
};

/// Memory that a contestant writes its output to.
class OutputFile {
 public:
  /// OutOfMemory.
  static Result<OutputFile> make();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  int descriptor() const { return descriptor_; }
  /// Emptied first.
  void clear() const;
  /// False: there is less.
  bool read(std::span<float> values) const;

 private:
  explicit OutputFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

class Worker {
 public:
  /// Starts `program bench --contestant ..`. Its environment is ours without the variables by which libraries are told
  /// their kernels and threads, and with the library's folder where the loader looks. ToolMissing: it does not start.
  static Result<Worker> start(const std::string& program, LibraryKind kind, const LibraryPlace& place,
                              const OutputFile& output);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  ~Worker();

  /// The first answer, without an order.
  Answer greeting(double seconds) { return wait(seconds); }
  /// The process is stopped between its answers, so that threads of it that wait by spinning take nothing from others.
  Answer ask(const Fields& order, double seconds);
  bool is_alive() const { return pid_ > 0; }

 private:
  Worker() = default;

  Answer wait(double seconds);
  /// Ends the process if it still runs; says how it ended.
  std::string end(bool is_late);

  int pid_ = -1, orders_ = -1, answers_ = -1;
  std::string pending_;
};

/// NAME=VALUE lines of an environment without those that choose kernels, threads or their places for a library.
std::vector<std::string> neutral_environment(const std::vector<std::string>& environment);

}  // namespace tilewright::bench
