// The binary: chooses the subcommand.
#include "main.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/spelling.h"

namespace tilewright::cli {

namespace {

constexpr Command kCommands[] = {
    {"run", "compile, run, check and measure a program", run_command},
    {"print", "a program as text after a stage", print_command},
    {"plan", "how a program is mapped onto a target, and why", plan_command},
    {"prove", "what is proved about a program, refuted, or not known", prove_command},
    {"emit", "the code of a planned program", emit_command},
    {"emulate", "run and check a Metal kernel without a GPU", emulate_command},
    {"cache", "the compiled kernels that are kept in a folder", cache_command},
    {"bench", "side by side with the libraries that a user would call", bench_command},
    {"list", "the programs that can be named", list_command},
    {"version", "versions and the processor", version_command},
    {"help", "this text, or the options of a command", help_command},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

int dispatch(const Words& words) {
  if (words.empty()) {
    std::fputs(help_text().c_str(), stderr);
    return static_cast<int>(DiagCategory::Input);
  }
  std::string name = words[0];
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version") name = "version";
  std::vector<std::string_view> known;
  std::string all;
  for (const Command& command : commands()) {
    if (command.name == name) return command.run(Words(words.begin() + 1, words.end()));
    known.push_back(command.name);
    all += (all.empty() ? "" : ", ") + std::string(command.name);
  }
  std::string hint = did_you_mean(name, known);
  if (!hint.empty()) hint += " ";
  return fail({Diag{DiagCode::Usage, "unknown command '" + name + "'", {}, hint + "the commands are " + all, {}}},
              wants_json(words));
}

/// A report that could not be written whole is a failure, whatever it said.
int finish_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const int lost = fail({Diag{DiagCode::FileWrite,
                              std::string("the output could not be written: ") + std::strerror(errno),
                              {},
                              "look for a full disk or a reader that has gone",
                              {}}},
                        false);
  return std::max(status, lost);
}

}  // namespace tilewright::cli

int main(int argc, char** argv) {
  const int status = tilewright::cli::dispatch({argv + 1, argv + argc});
  return tilewright::cli::finish_output(status);
}
