// What this build is and what machine it runs on.
#pragma once

#include <string>

namespace tilewright::driver {

struct VersionFacts {
  std::string version;  ///< of Tilewright
  std::string llvm;     ///< version of the code generator
  std::string host;     ///< LLVM's name of the processor
  int cores = 1;
};

VersionFacts version_facts();

}  // namespace tilewright::driver
