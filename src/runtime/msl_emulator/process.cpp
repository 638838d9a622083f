#include "runtime/msl_emulator/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "support/check.h"

namespace tilewright::msl_emulator {

namespace {

using ProcessClock = std::chrono::steady_clock;

/// Both ends of a pipe; closed when it goes.
class ProcessPipe {
 public:
  ProcessPipe() { TW_CHECK(::pipe2(ends_.data(), O_CLOEXEC) == 0); }
  ProcessPipe(const ProcessPipe&) = delete;
  ProcessPipe& operator=(const ProcessPipe&) = delete;
  ~ProcessPipe() {
    close_end(0);
    close_end(1);
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }

 private:
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) ::close(std::exchange(ends_[i], -1));
  }

  std::array<int, 2> ends_{-1, -1};
};

/// What posix_spawn is told: streams, own process group, default signals.
class SpawnPlan {
 public:
  SpawnPlan(int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, errors, 2);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  /// 0 or the error.
  int start(const std::vector<std::string>& argv, pid_t& pid) const {
    std::vector<char*> arguments;
    for (const std::string& text : argv) arguments.push_back(const_cast<char*>(text.c_str()));
    arguments.push_back(nullptr);
    std::string environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C"};
    char* words[] = {environment[0].data(), environment[1].data(), environment[2].data(), nullptr};
    return ::posix_spawn(&pid, argv[0].c_str(), &actions_, &attributes_, arguments.data(), words);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

void limit_resources(pid_t pid, const ProcessLimits& limits) {
  const auto set = [pid](auto resource, std::uint64_t value) {
    const rlimit limit{value, value};
    ::prlimit(pid, resource, &limit, nullptr);  // a process that is gone already needs no limit
  };
  set(RLIMIT_AS, limits.memory_bytes);
  set(RLIMIT_CORE, 0);
  set(RLIMIT_FSIZE, std::uint64_t{1} << 30);
}

/// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

/// Collects both streams until they end or a limit is met.
ProcessEnd collect(ProcessPipe& output, ProcessPipe& errors, const ProcessLimits& limits,
                   ProcessClock::time_point deadline, ProcessResult& result) {
  std::array<pollfd, 2> open{pollfd{output.reader(), POLLIN, 0}, pollfd{errors.reader(), POLLIN, 0}};
  const std::array<std::string*, 2> into{&result.output, &result.errors};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - ProcessClock::now());
    if (left.count() <= 0) return ProcessEnd::TimedOut;
    const int wait_ms = static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
    if (::poll(open.data(), open.size(), wait_ms) < 0 && errno != EINTR) return ProcessEnd::TimedOut;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i].fd >= 0 && open[i].revents != 0 && !drain(open[i].fd, *into[i])) open[i].fd = -1;
    if (result.output.size() + result.errors.size() > limits.output_bytes) return ProcessEnd::TooMuchOutput;
  }
  return ProcessEnd::Exited;
}

/// Waits for the end of a process that closed its streams, but not past the deadline. False: it still runs.
bool reap_until(pid_t pid, ProcessClock::time_point deadline, int& status) {
  while (true) {
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid) return true;
    if (got < 0 && errno != EINTR) return true;
    if (ProcessClock::now() >= deadline) return false;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessLimits& limits) {
  ProcessPipe output, errors;
  pid_t pid = 0;
  const int error = SpawnPlan(output.writer(), errors.writer()).start(argv, pid);
  if (error != 0)
    return failure(DiagCode::ToolMissing,
                   fmt::format("cannot start '{}': {}", argv[0], std::generic_category().message(error)));
  limit_resources(pid, limits);
  output.close_writer();
  errors.close_writer();
  const auto deadline = ProcessClock::now() + std::chrono::duration_cast<ProcessClock::duration>(
                                                  std::chrono::duration<double>(limits.seconds));
  ProcessResult result;
  result.end = collect(output, errors, limits, deadline, result);
  int status = 0;
  if (result.end == ProcessEnd::Exited && !reap_until(pid, deadline, status)) result.end = ProcessEnd::TimedOut;
  if (result.end != ProcessEnd::Exited) {
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return result;
  }
  if (WIFSIGNALED(status)) result.end = ProcessEnd::Signalled;
  result.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace tilewright::msl_emulator
