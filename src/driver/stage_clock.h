// Milliseconds of stages, as they pass.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/compile.h>

namespace tilewright::driver {

inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Runs `work`, appends its time under `stage`, and gives its result.
template <class F>
auto timed(std::vector<StageTime>& times, std::string stage, F&& work) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = std::forward<F>(work)();
  times.push_back({std::move(stage), milliseconds_since(begin)});
  return result;
}

}  // namespace tilewright::driver
