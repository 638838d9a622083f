#include "bench/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

extern char** environ;

namespace tilewright::bench {

namespace {

using Clock = std::chrono::steady_clock;

// OMP_PROC_BIND alone makes a library run on one thread; a core type from outside makes it run old kernels.
constexpr std::string_view kLibraryVariables[] = {"OPENBLAS_", "GOTO_", "OMP_",    "GOMP_", "KMP_",     "MKL_",
                                                  "BLIS_",     "DNNL_", "ONEDNN_", "TBB_",  "LIBXSMM_", "XSMM_"};

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

/// The same file under a number that none of a contestant's descriptors has.
int move_up(int descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
  ::close(descriptor);
  return moved;
}

struct Pipe {
  int reader = -1, writer = -1;

  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe(ends.data()) != 0) return;
    reader = move_up(ends[0]);
    writer = move_up(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_descriptor(reader);
    close_descriptor(writer);
  }
};

std::vector<std::string> environment_for(const LibraryPlace& place) {
  std::vector<std::string> ours;
  for (char** at = environ; *at != nullptr; ++at) ours.emplace_back(*at);
  std::vector<std::string> lines = neutral_environment(ours);
  if (place.file.empty()) return lines;
  const std::filesystem::path folder = std::filesystem::path(place.file).parent_path();
  std::string folders = folder.string();
  for (const std::string& line : lines)
    if (line.starts_with("LD_LIBRARY_PATH=")) folders += ":" + line.substr(line.find('=') + 1);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("LD_LIBRARY_PATH="); });
  lines.push_back("LD_LIBRARY_PATH=" + folders);
  // Where a package keeps the device that its SYCL runs on.
  std::error_code error;
  if (const auto device = folder / "libintelocl.so"; std::filesystem::exists(device, error))
    lines.push_back("OCL_ICD_FILENAMES=" + device.string());
  lines.push_back("OMP_NUM_THREADS=" + std::to_string(place.threads));
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::vector<std::string> neutral_environment(const std::vector<std::string>& environment) {
  std::vector<std::string> kept;
  for (const std::string& line : environment) {
    const bool is_library = std::any_of(std::begin(kLibraryVariables), std::end(kLibraryVariables),
                                        [&](std::string_view start) { return line.starts_with(start); });
    if (!is_library) kept.push_back(line);
  }
  return kept;
}

Result<OutputFile> OutputFile::make() {
#if defined(__linux__)
  const int descriptor = ::memfd_create("tilewright-bench", MFD_CLOEXEC);
#else
  std::FILE* const file = std::tmpfile();
  const int descriptor = file == nullptr ? -1 : ::dup(::fileno(file));
  if (file != nullptr) std::fclose(file);
#endif
  if (descriptor < 0)
    return failure(DiagCode::OutOfMemory, std::string("no memory to compare outputs in: ") + std::strerror(errno),
                   "free some memory");
  return OutputFile(move_up(descriptor));
}

OutputFile::OutputFile(OutputFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
OutputFile::~OutputFile() { close_descriptor(descriptor_); }

void OutputFile::clear() const {
  if (::ftruncate(descriptor_, 0) != 0) return;  // then what is read is checked against the reference all the same
}

bool OutputFile::read(std::span<float> values) const {
  const auto bytes = std::as_writable_bytes(values);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

Result<Worker> Worker::start(const std::string& program, LibraryKind kind, const LibraryPlace& place,
                             const OutputFile& output) {
  Pipe orders, answers;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, orders.reader, kOrderDescriptor);
  posix_spawn_file_actions_adddup2(&actions, answers.writer, kAnswerDescriptor);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), kOutputDescriptor);
  std::vector<std::string> words = {program,        "bench",
                                    "--contestant", std::string(library_kind_name(kind)),
                                    "--threads",    std::to_string(place.threads)};
  if (!place.file.empty()) words.insert(words.end(), {"--library", place.file});
  std::vector<std::string> environment = environment_for(place);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, nullptr, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return failure(DiagCode::ToolMissing, "cannot start '" + program + "': " + std::generic_category().message(error));
  Worker worker;
  worker.pid_ = pid;
  worker.orders_ = std::exchange(orders.writer, -1);
  worker.answers_ = std::exchange(answers.reader, -1);
  return worker;
}

Worker::Worker(Worker&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      orders_(std::exchange(other.orders_, -1)),
      answers_(std::exchange(other.answers_, -1)),
      pending_(std::move(other.pending_)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(orders_, other.orders_);
  std::swap(answers_, other.answers_);
  std::swap(pending_, other.pending_);
  return *this;
}

Worker::~Worker() {
  if (is_alive()) end(false);
}

Answer Worker::ask(const Fields& order, double seconds) {
  if (!is_alive()) return {true, "it has ended", {}};
  const std::string line = encode_message(order);
  // A contestant that died leaves a pipe without a reader; the error is enough, the signal would end us.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t put = ::write(orders_, line.data() + done, line.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  ::kill(pid_, SIGCONT);
  return wait(seconds);
}

Answer Worker::wait(double seconds) {
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (true) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      Answer answer{false, "", decode_message(std::string_view(pending_).substr(0, end))};
      pending_.erase(0, end + 1);
      if (answer.is(kRefused) && answer.fields.size() > 1) answer.reason = answer.fields[1];
      ::kill(pid_, SIGSTOP);
      return answer;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return {true, this->end(true), {}};
    pollfd waiting{answers_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return {true, this->end(true), {}};
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(answers_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {true, this->end(false), {}};
    pending_.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string Worker::end(bool is_late) {
  close_descriptor(orders_);
  close_descriptor(answers_);
  ::kill(pid_, SIGCONT);
  int status = 0;
  // A library may hang in its own end.
  for (int tries = is_late ? 0 : 2000; tries > 0 && is_alive(); --tries) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      pid_ = -1;
    else
      ::poll(nullptr, 0, 1);
  }
  if (is_alive()) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  if (is_late) return "it did not answer in time";
  if (WIFSIGNALED(status)) return std::string("it died: ") + ::strsignal(WTERMSIG(status));
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace tilewright::bench
