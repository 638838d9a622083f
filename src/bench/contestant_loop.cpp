#include "bench/contestant_loop.h"

#include <sched.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "bench/message.h"
#include "bench/statistics.h"
#include "support/number_text.h"

namespace tilewright::bench {

namespace {

constexpr std::int64_t kParts = 11;

double clock_nanoseconds(bool is_processor) {
  timespec now{};
  ::clock_gettime(is_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double nanoseconds_of(const std::function<void()>& call, std::int64_t calls, bool is_processor) {
  const double start = clock_nanoseconds(is_processor);
  for (std::int64_t i = 0; i < calls; ++i) call();
  return (clock_nanoseconds(is_processor) - start) / static_cast<double>(calls);
}

/// The median of up to eleven parts of the calls: an interruption falls into one of them.
double median_nanoseconds(const std::function<void()>& call, std::int64_t calls, bool is_processor) {
  const std::int64_t parts = std::min(calls, kParts);
  std::vector<double> each;
  for (std::int64_t part = 0; part < parts; ++part)
    each.push_back(nanoseconds_of(call, calls * (part + 1) / parts - calls * part / parts, is_processor));
  return median_of(std::move(each));
}

/// Of one call, from enough of them to take a fifth of a millisecond; the least of three tries.
double rough_nanoseconds(const std::function<void()>& call) {
  constexpr double kEnough = 2e5;
  for (std::int64_t calls = 1;; calls *= 4) {
    double each = nanoseconds_of(call, calls, false);
    if (each * static_cast<double>(calls) < kEnough) continue;
    for (int again = 0; again < 2 && each * static_cast<double>(calls) < 10 * kEnough; ++again)
      each = std::min(each, nanoseconds_of(call, calls, false));
    return each;
  }
}

#if defined(__linux__)

/// While it lives, this thread may use as many processors as the contestant has threads: what sizes its pool by the
/// processors that it sees then has the right size.
class NarrowAffinity {
 public:
  explicit NarrowAffinity(int threads) {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t fewer;
    CPU_ZERO(&fewer);
    int count = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && count < threads; ++cpu)
      if (CPU_ISSET(cpu, &before_)) {
        CPU_SET(cpu, &fewer);
        ++count;
      }
    is_narrow_ = ::sched_setaffinity(0, sizeof fewer, &fewer) == 0;
  }
  NarrowAffinity(const NarrowAffinity&) = delete;
  NarrowAffinity& operator=(const NarrowAffinity&) = delete;
  ~NarrowAffinity() {
    if (is_narrow_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool is_narrow_ = false;
};

#else

struct NarrowAffinity {
  explicit NarrowAffinity(int) {}
};

#endif

class ContestantLoop {
 public:
  ContestantLoop(LibraryKind kind, LibraryPlace place) : kind_(kind), place_(std::move(place)) {}

  int run() {
    if (!start()) return 0;
    while (const auto line = read_line()) {
      const Fields order = decode_message(*line);
      answer(obey(order));
    }
    return 0;
  }

 private:
  bool start() {
    const NarrowAffinity narrow(place_.threads);
    auto library = open_library(kind_, place_);
    if (!library) {
      answer(refusal(library.error()));
      return false;
    }
    library_ = std::move(*library);
    warm_up();
    const LibraryIdentity identity = library_->identity();
    Fields hello = {std::string(kHello), identity.version, identity.core};
    hello.insert(hello.end(), identity.variants.begin(), identity.variants.end());
    answer(hello);
    return true;
  }

  /// A product large enough that pools come to life while this process looks as small as it is to be.
  void warm_up() {
    const Problem problem{BenchProgram::Gemm, {192, 192, 192}};
    if (kind_ == LibraryKind::Tilewright || kind_ == LibraryKind::Broken) return;
    const auto operands = Operands::make(problem);
    if (!operands) return;
    for (std::size_t variant = 0; variant < library_->identity().variants.size(); ++variant)
      if (const auto bound = library_->bind(variant, problem, *operands, {})) bound->call();
  }

  Fields obey(const Fields& order) {
    if (order[0] == kPrepare && order.size() >= 7) return prepare(order);
    if (order[0] == kSample && order.size() == 5) return sample(order);
    if (order[0] == kRelease) {
      slots_.clear();
      operands_.reset();
      return {std::string(kDone)};
    }
    return {std::string(kRefused), "no such order: " + order[0]};
  }

  Fields prepare(const Fields& order) {
    const auto program = bench_program_from_name(order[1]);
    if (!program) return refusal(program.error());
    const Problem problem{*program, {number(order[2]), number(order[3]), number(order[4])}};
    CandidateSettings settings{"", {}, order[6]};
    for (std::size_t i = 7; i + 1 < order.size(); i += 2) settings.settings.emplace_back(order[i], order[i + 1]);
    if (!operands_) {
      auto operands = Operands::make(problem);
      if (!operands) return refusal(operands.error());
      operands_.emplace(std::move(*operands));
    }
    auto bound = library_->bind(static_cast<std::size_t>(number(order[5])), problem, *operands_, settings);
    if (!bound) return refusal(bound.error());
    operands_->poison();
    bound->call();
    const std::int64_t harmed = operands_->harmed_guard_bytes();
    if (!put_output()) return {std::string(kRefused), "its output could not be handed over"};
    const double rough = rough_nanoseconds(bound->call);
    slots_.push_back(std::move(*bound));
    return {std::string(kReady), std::to_string(slots_.size() - 1), std::to_string(harmed), format_double(rough),
            format_double(slots_.back().multiply_adds)};
  }

  Fields sample(const Fields& order) {
    const auto slot = static_cast<std::size_t>(number(order[1]));
    if (slot >= slots_.size()) return {std::string(kRefused), "no such slot"};
    const std::function<void()>& call = slots_[slot].call;
    for (std::int64_t i = 0; i < number(order[3]); ++i) call();
    const std::int64_t calls = std::max<std::int64_t>(number(order[2]), 1);
    return {std::string(kTime), format_double(median_nanoseconds(call, calls, order[4] == kProcessorClock))};
  }

  bool put_output() const {
    const auto values = std::as_bytes(operands_->output_values());
    std::size_t done = 0;
    while (done < values.size()) {
      const ssize_t put =
          ::pwrite(kOutputDescriptor, values.data() + done, values.size() - done, static_cast<off_t>(done));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      done += static_cast<std::size_t>(put);
    }
    return true;
  }

  static std::int64_t number(const std::string& text) { return parse_int64(text).value_or(0); }

  static Fields refusal(const Diags& diags) { return {std::string(kRefused), diags[0].message}; }

  static void answer(const Fields& fields) {
    const std::string line = encode_message(fields);
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t put = ::write(kAnswerDescriptor, line.data() + done, line.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) ::_exit(1);
      done += static_cast<std::size_t>(put);
    }
  }

  std::optional<std::string> read_line() {
    while (true) {
      if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      const ssize_t got = ::read(kOrderDescriptor, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
  }

  LibraryKind kind_;
  LibraryPlace place_;
  std::unique_ptr<Library> library_;
  std::optional<Operands> operands_;
  std::vector<BoundCall> slots_;
  std::string pending_;
};

}  // namespace

Result<int> serve_contestant(LibraryKind kind, const LibraryPlace& place) {
  for (const int descriptor : {kOrderDescriptor, kAnswerDescriptor})
    if (struct stat facts{}; ::fstat(descriptor, &facts) != 0 || !S_ISFIFO(facts.st_mode))
      return failure(DiagCode::Usage, "--contestant is what the bench starts its own processes with, found a user",
                     "leave it out");
#if defined(__linux__)
  // A bench that is killed must not leave stopped processes behind.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  return ContestantLoop(kind, place).run();
}

}  // namespace tilewright::bench
