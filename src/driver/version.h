// What this build is and what machine it runs on.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::driver {

struct VersionFacts {
  std::string version;  ///< of Tilewright
  std::string llvm;     ///< version of the code generator
  std::string host;     ///< LLVM's name of the processor
  int cores = 1;
};

VersionFacts version_facts();

std::string_view version_text();
std::string_view llvm_version_text();
/// SHA-256 over the sources that this build was made from: two builds that may emit other code differ in it.
std::string_view source_digest();

}  // namespace tilewright::driver
