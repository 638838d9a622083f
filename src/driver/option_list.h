// What `--set` of `plan` accepts, for help and lists.
#pragma once

#include <string>
#include <vector>

namespace tilewright::driver {

struct ListedOption {
  std::string name;
  std::string kind;           ///< "option", "switch", "coefficient"
  std::string default_value;  ///< as `--set` reads it; empty where the coefficients' file cannot be read
  std::string range;
  std::string meaning;
};

/// Options of the planner, switches of a compilation (off; a target turns on what its device has), coefficients: in the
/// order of their tables.
std::vector<ListedOption> list_options();

}  // namespace tilewright::driver
