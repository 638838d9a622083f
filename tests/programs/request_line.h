// A problem in one line: a program and its assignments as on the command line, with `view:NAME=..`, `set:NAME=VALUE`
// and `rows:N` for sampled checks.
#pragma once

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "driver/request.h"

namespace tilewright::driver {

/// What does not fit fails the test.
inline RunRequest request_of_line(const std::string& line, Target target) {
  RunRequest request;
  request.target = target;
  std::istringstream words(line);
  words >> request.program;
  for (std::string word; words >> word;) {
    if (word.starts_with("view:")) {
      auto view = parse_view(word.substr(5));
      EXPECT_TRUE(view) << word;
      if (view) request.views.insert(*view);
    } else if (word.starts_with("set:")) {
      EXPECT_TRUE(apply_setting(request, word.substr(4))) << word;
    } else if (word.starts_with("rows:")) {
      request.sample_rows = std::stol(word.substr(5));
    } else {
      request.assignments.push_back(word);
    }
  }
  return request;
}

}  // namespace tilewright::driver
