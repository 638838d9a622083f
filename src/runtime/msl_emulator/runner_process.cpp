#include "runtime/msl_emulator/runner_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::msl_emulator {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kProgressStep{100};
/// How long a runner that is out of time may take to say where it is.
constexpr std::chrono::milliseconds kLastWords{500};

std::unexpected<Diags> system_failure(DiagCode code, std::string_view what, int error) {
  return failure(code, fmt::format("{}: {}", what, std::strerror(error)));
}

Result<pid_t> spawn(const std::string& program, int control, int data) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // Signals that the caller blocks or ignores are as usual in the child.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, control, runner::kControlFile);
  posix_spawn_file_actions_adddup2(&actions, data, runner::kDataFile);
  std::string name = "tilewright-msl-runner";
  std::array<char*, 2> arguments{name.data(), nullptr};
  std::array<char*, 1> environment{nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return failure(DiagCode::EmulatorRunner, fmt::format("'{}' cannot be started: {}", program, std::strerror(error)),
                   "it is built and installed beside tilewright");
  return child;
}

/// Waits at most so long for the process to end.
bool has_ended(int process_file, std::chrono::milliseconds at_most) {
  pollfd poll_file{process_file, POLLIN, 0};
  return poll(&poll_file, 1, static_cast<int>(std::max<std::int64_t>(at_most.count(), 0))) > 0;
}

double share_done(const SharedMemory& control, std::uint64_t groups) {
  const auto& answer = reinterpret_cast<const runner::Control*>(control.data())->answer;
  const auto done = static_cast<double>(answer.groups_done.load(std::memory_order_relaxed));
  return groups == 0 ? 1 : std::min(1.0, done / static_cast<double>(groups));
}

/// True: the process ended by itself in time.
bool wait_in_time(int process_file, const SharedMemory& control, const RunLimits& limits) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::clamp(limits.timeout_seconds, 0.001, 1e8)));
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (has_ended(process_file, std::min(left + std::chrono::milliseconds(1), kProgressStep))) return true;
    if (Clock::now() >= end) return false;
    if (limits.progress) limits.progress(share_done(control, limits.group_count));
  }
}

}  // namespace

Result<SharedMemory> SharedMemory::make(std::uint64_t bytes) {
  SharedMemory memory;
  memory.bytes_ = std::max<std::uint64_t>(bytes, 1);
  memory.file_ = memfd_create("tilewright", MFD_CLOEXEC);
  if (memory.file_ < 0) return system_failure(DiagCode::EmulatorRunner, "no memory to share with the runner", errno);
  // Above the numbers that the child's files get, so that giving it one does not close the other.
  const int high = fcntl(memory.file_, F_DUPFD_CLOEXEC, 16);
  if (high >= 0) close(std::exchange(memory.file_, high));
  if (ftruncate(memory.file_, static_cast<off_t>(memory.bytes_)) != 0)
    return system_failure(DiagCode::OutOfMemory, fmt::format("{} bytes to share with the runner", bytes), errno);
  void* at = mmap(nullptr, memory.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memory.file_, 0);
  if (at == MAP_FAILED)
    return system_failure(DiagCode::OutOfMemory, fmt::format("{} bytes to share with the runner", bytes), errno);
  memory.data_ = static_cast<std::byte*>(at);
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      file_(std::exchange(other.file_, -1)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (file_ >= 0) close(file_);
}

Result<RunEnd> run_to_end(const std::string& program, const SharedMemory& control, const SharedMemory& data,
                          const RunLimits& limits) {
  TW_TRY(const pid_t child, spawn(program, control.file(), data.file()));
  const int process_file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  RunEnd end;
  if (process_file < 0 || !wait_in_time(process_file, control, limits)) {
    end.timed_out = true;
    kill(child, SIGTERM);
    if (process_file < 0 || !has_ended(process_file, kLastWords)) kill(child, SIGKILL);
  }
  if (process_file >= 0) close(process_file);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  end.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return end;
}

}  // namespace tilewright::msl_emulator
