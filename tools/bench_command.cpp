// tilewright bench: side by side with the libraries that a user would call instead.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "bench/bench.h"
#include "bench/contestant_loop.h"
#include "command.h"
#include "report/bench_report.h"
#include "support/number_text.h"
#include "support/spelling.h"

namespace tilewright::cli {

namespace {

constexpr const char* kBenchFooter =
    R"(Every library runs in a process of its own, with the variables that choose its kernels or threads unset; contestants take
turns in rotating order; every output is compared with FP64. docs/benchmarking.md says what the columns mean.

  tilewright bench --quick
  tilewright bench --suite random40 --runs 3 --peer-path build/peers
  tilewright bench --shapes 1024x1024x1024,33x65x129 --threads 2 --json

Exit status: 0 done (whoever was faster), 1 a wrong result, 2 bad usage or input, 3 refused, 4 a fault of this program.)";

constexpr double kQuickSeconds = 30;

Diag bad_bench_option(std::string message, std::string hint) {
  return Diag{DiagCode::BadOption, std::move(message), {}, std::move(hint), {}};
}

/// The path of this binary, to start contestants from.
std::string own_binary() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "tilewright" : path.string();
}

struct BenchOptionTexts {
  std::string shapes, suite, program, threads = "1", rounds, seconds, runs = "1", clock = "wall", peers, contestant,
                                      library;
  Words paths;
  bool quick = false, candidates = false, json = false, own_paths_only = false;

  void declare(CLI::App& app) {
    app.add_option("--shapes", shapes, "Sizes to time: MxNxK, or MxN for programs of rows")->type_name("SHAPE,..");
    std::string names;
    for (const bench::SuiteName& each : bench::suite_names())
      names += (names.empty() ? "" : ", ") + std::string(each.name);
    app.add_option("--suite", suite, "Named sizes: " + names + " (quick)")->type_name("SUITE");
    app.add_option("--program", program, "gemm, gemm_bias_gelu, softmax, rmsnorm, attention, attention_causal (gemm)")
        ->type_name("PROGRAM");
    app.add_option("--threads", threads, "Threads of every contestant")->type_name("N")->capture_default_str();
    app.add_option("--rounds", rounds, "Turns of every contestant for a shape (11)")->type_name("R");
    app.add_option("--seconds", seconds, "Fewer rounds where this would be exceeded, then fewer shapes")
        ->type_name("S");
    app.add_option("--runs", runs, "Whole runs, each with new processes; a shape falls short only in all of them")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--clock", clock, "wall, or processor: one thread on a machine that does other work too")
        ->type_name("CLOCK")
        ->capture_default_str();
    app.add_flag("--quick", quick, "Under 40 seconds: short turns, few rounds")->disable_flag_override();
    app.add_option("--peers", peers, "Compare with these only: openblas, blis, onednn, libxsmm, mkl; or none")
        ->type_name("NAME,..");
    app.add_option("--peer-path", paths, "A folder to look for libraries in, before the system's")
        ->type_name("DIR")
        ->allow_extra_args(false);
    app.add_flag("--no-system", own_paths_only, "Look in the folders of --peer-path only")->disable_flag_override();
    app.add_flag("--candidates", candidates, "Time every mapping that the planner lists for a shape as well")
        ->disable_flag_override();
    app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
    // How the bench starts its contestants.
    app.add_option("--contestant", contestant, "")->group("");
    app.add_option("--library", library, "")->group("");
    app.footer(kBenchFooter);
  }

  Result<bench::BenchRequest> read() const {
    Diags faults;
    bench::BenchRequest request;
    request.program = own_binary();
    request.search = {paths, !own_paths_only};
    request.candidates = candidates;
    if (quick) {
      request.rounds = 9;
      request.seconds = kQuickSeconds;
      request.sample_seconds = 3e-3;
    }
    read_count("--threads", threads, 1024, request.threads, faults);
    read_count("--rounds", rounds, 10'000, request.rounds, faults);
    read_count("--runs", runs, 100, request.runs, faults);
    read_seconds(request, faults);
    read_peers(request, faults);
    read_clock(request, faults);
    if (auto read = take(read_suite(), faults)) request.suite = std::move(*read);
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return request;
  }

 private:
  static void read_count(const char* option, const std::string& text, int most, int& count, Diags& faults) {
    if (text.empty()) return;
    const auto value = parse_int32(text);
    if (value && *value >= 1 && *value <= most)
      count = *value;
    else
      faults.push_back(bad_bench_option(
          std::string(option) + " expects a number from 1 to " + std::to_string(most) + ", found '" + text + "'",
          std::string("for example ") + option + " 3"));
  }

  void read_seconds(bench::BenchRequest& request, Diags& faults) const {
    if (seconds.empty()) return;
    const auto value = parse_double(seconds);
    if (value && *value > 0 && *value <= 1e6)
      request.seconds = *value;
    else
      faults.push_back(
          bad_bench_option("--seconds expects a number above 0, found '" + seconds + "'", "for example 60"));
  }

  void read_clock(bench::BenchRequest& request, Diags& faults) const {
    request.processor_clock = clock == "processor";
    if (clock != "wall" && clock != "processor")
      faults.push_back(bad_bench_option("--clock expects wall or processor, found '" + clock + "'", "leave it out"));
    if (request.processor_clock && request.threads > 1)
      faults.push_back(
          bad_bench_option("--clock processor goes with one thread, found --threads " + std::to_string(request.threads),
                           "--clock wall"));
  }

  void read_peers(bench::BenchRequest& request, Diags& faults) const {
    if (peers.empty()) return;
    request.peers.clear();
    if (peers == "none") return;
    std::vector<std::string_view> known;
    for (const bench::LibraryKind kind : bench::peer_kinds()) known.push_back(bench::library_kind_name(kind));
    std::string_view rest = peers;
    while (true) {
      const std::string_view name = rest.substr(0, rest.find(','));
      const auto kind = bench::library_kind_from_name(name);
      if (kind && (std::ranges::find(known, name) != known.end() || *kind == bench::LibraryKind::Broken))
        request.peers.push_back(*kind);
      else
        faults.push_back(
            bad_bench_option("--peers expects names of libraries, found '" + std::string(name) + "'",
                             did_you_mean(name, known) + " they are openblas, blis, onednn, libxsmm, mkl"));
      if (name.size() == rest.size()) return;
      rest.remove_prefix(name.size() + 1);
    }
  }

  Result<bench::Suite> read_suite() const {
    std::optional<bench::BenchProgram> chosen;
    if (!program.empty()) {
      TW_TRY(chosen, bench::bench_program_from_name(program));
    }
    if (!shapes.empty() && !suite.empty())
      return failure(bad_bench_option("--shapes and --suite are given both", "leave one out"));
    if (shapes.empty()) return bench::make_suite(suite.empty() ? default_suite(chosen) : suite, chosen);
    TW_TRY(auto problems, bench::parse_shapes(shapes, chosen.value_or(bench::BenchProgram::Gemm)));
    return bench::Suite{"", std::move(problems), false};
  }

  static std::string default_suite(std::optional<bench::BenchProgram> chosen) {
    if (chosen && bench::is_row_program(*chosen)) return "rows";
    return chosen && bench::is_attention(*chosen) ? "attention" : "quick";
  }
};

int serve_bench(const BenchOptionTexts& options) {
  const auto kind = bench::library_kind_from_name(options.contestant);
  const auto threads = parse_int32(options.threads);
  if (!kind || !threads || *threads < 1)
    return fail(
        {bad_bench_option("--contestant expects a contestant, found '" + options.contestant + "'", "leave it out")},
        false);
  const auto status = bench::serve_contestant(*kind, {options.library, *threads});
  if (!status) return fail(status.error(), false);
  std::fflush(stdout);
  // Pools of libraries do not always survive the end of a process; nothing here needs its destructors.
  ::_exit(*status);
}

/// A line on a terminal that says what is done now; an empty text wipes it.
void show_bench_step(const std::string& what) {
  std::fprintf(stderr, "\r\033[K%s", what.c_str());
  std::fflush(stderr);
}

}  // namespace

int bench_command(const Words& words) {
  CLI::App app("Times this compiler beside the libraries that a user would call.", "tilewright bench");
  BenchOptionTexts options;
  options.declare(app);
  if (const auto status = read_options(app, words)) return *status;
  if (!options.contestant.empty()) return serve_bench(options);

  auto request = options.read();
  if (!request) return fail(request.error(), options.json);
  if (isatty(STDERR_FILENO) != 0) request->progress = show_bench_step;
  const auto report = bench::run_bench(*request);
  if (request->progress) show_bench_step("");
  if (!report) return fail(report.error(), options.json);
  std::fputs((options.json ? report::bench_json(*report) : report::bench_text(*report)).c_str(), stdout);
  std::fflush(stdout);
  return fail(bench::bench_faults(*report), false);
}

}  // namespace tilewright::cli
