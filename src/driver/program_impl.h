// What a tilewright::Program holds.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <tilewright/compile.h>

#include "tile/program.h"

namespace tilewright {

/// A text that is made when it is first asked for, by whichever thread comes first.
class LazyText {
 public:
  template <class Make>
  const std::string& get(Make&& make) const {
    std::call_once(once_, [&] { text_ = make(); });
    return text_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::string text_;
};

struct Program::Impl {
  tile::Program program;               ///< verified
  std::vector<StageTime> stage_times;  ///< parse, verify
  LazyText digest;                     ///< SHA-256 of the canonical text
};

}  // namespace tilewright
