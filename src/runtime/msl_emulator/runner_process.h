// One run of tilewright-msl-runner: its two files, its start, and how it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/msl_emulator/runner/job.h"
#include "support/result.h"

namespace tilewright::msl_emulator {

/// A file in memory that a child can map; unmapped and closed with the value.
class SharedMemory {
 public:
  static Result<SharedMemory> make(std::uint64_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  int file() const { return file_; }

 private:
  SharedMemory() = default;

  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  int file_ = -1;
};

struct RunLimits {
  double timeout_seconds = 0;
  std::uint64_t group_count = 0;
  std::function<void(double)> progress;  ///< called now and then, with the share of the groups that is done
};

struct RunEnd {
  bool timed_out = false;
  int signal = 0;  ///< that ended the process; 0: none
  int exit_code = 0;
  std::uint64_t peak_memory_bytes = 0;
};

/// Starts the program with `control` and `data` as its files 3 and 4, without environment or other files, and waits.
/// When the time is over it may explain where it is, and is killed. Fails when it cannot be started.
Result<RunEnd> run_to_end(const std::string& program, const SharedMemory& control, const SharedMemory& data,
                          const RunLimits& limits);

}  // namespace tilewright::msl_emulator
