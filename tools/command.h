// The subcommands of the binary, and what they share: reading options, and telling errors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "driver/request.h"
#include "driver/take.h"

namespace tilewright::cli {

using Words = std::vector<std::string>;

using driver::take;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Words& words);  ///< the words after the name; gives the exit status
};

std::span<const Command> commands();

int run_command(const Words& words);
int print_command(const Words& words);
int plan_command(const Words& words);
int prove_command(const Words& words);
int emit_command(const Words& words);
int emulate_command(const Words& words);
int cache_command(const Words& words);
int bench_command(const Words& words);
int list_command(const Words& words);
int version_command(const Words& words);
int help_command(const Words& words);

/// Exit statuses: 0 done, else the highest DiagCategory among the faults.
int exit_status(const Diags& diags);
/// Prints the faults on stderr and, when asked, as JSON on stdout.
int fail(const Diags& diags, bool json);

/// Whether errors are told as JSON too, also when the other words cannot be read.
bool wants_json(const Words& words);

/// Reads the words. A status when the command ends here: after --help, or after a fault that was told.
std::optional<int> read_options(CLI::App& app, const Words& words);

/// Options that name a program and how it is compiled, for `run` and `print`.
struct ProgramOptions {
  std::string program;
  Words assignments, views, settings;
  std::string target = "cpu", device, plan, route = "planned", cache;
  bool json = false;

  void declare(CLI::App& app);
  /// Those that say nothing about code: program, values, settings, --json.
  void declare_program(CLI::App& app);
  /// All faults at once.
  Result<driver::RunRequest> read() const;
};

/// The folder of --cache, else of TILEWRIGHT_CACHE; empty: none.
std::string cache_base(const std::string& given);
/// A cache in that folder, which tells its warnings on stderr, and with TILEWRIGHT_VERBOSE=1 what it finds. None
/// without a folder, and after a warning where the folder cannot be used.
std::shared_ptr<KernelCache> open_cache(const std::string& given);

/// Whether TILEWRIGHT_VERBOSE=1.
bool is_verbose();
/// With TILEWRIGHT_VERBOSE=1, a function that prints the stages' times on stderr; else none.
std::function<void(const std::vector<StageTime>&)> stage_times_printer();

}  // namespace tilewright::cli
