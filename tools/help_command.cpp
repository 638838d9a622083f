// tilewright help: the commands, or the options of one of them.
#include <algorithm>
#include <cstdio>

#include "command.h"
#include "main.h"

namespace tilewright::cli {

std::string help_text() {
  std::string text =
      "Tilewright compiles tile programs to fast kernels and checks them.\n\nusage: tilewright COMMAND ..\n\n";
  for (const Command& command : commands()) {
    std::string name(command.name);
    name.resize(9, ' ');
    text += "  " + name + std::string(command.summary) + "\n";
  }
  return text +
         "\n`tilewright help COMMAND` shows the options of a command. A first run:\n\n"
         "  tilewright run gemm M=512 N=512 K=512 --check\n";
}

int help_command(const Words& words) {
  if (words.size() > 1)
    return fail(
        {Diag{
            DiagCode::Usage, "help expects one command, found '" + words[1] + "' too", {}, "tilewright help run", {}}},
        false);
  const bool whole = words.empty() || words[0] == "help" || words[0] == "--help" || words[0] == "-h";
  if (!whole) return dispatch({words[0], "--help"});
  std::fputs(help_text().c_str(), stdout);
  return 0;
}

}  // namespace tilewright::cli
