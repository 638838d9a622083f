// Expectations on the diagnostics of a Result.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include <tilewright/errors.h>

namespace tilewright {

/// The result is a failure that holds a diagnostic with this code, whose rendering contains every fragment.
template <class T>
void expect_fault(const Result<T>& result, DiagCode code, std::initializer_list<const char*> fragments = {}) {
  ASSERT_FALSE(result.has_value()) << "expected " << diag_code_name(code);
  const Diags& diags = result.error();
  const auto found = std::find_if(diags.begin(), diags.end(), [&](const Diag& diag) { return diag.code == code; });
  ASSERT_NE(found, diags.end()) << "expected " << diag_code_name(code) << ", found\n" << render(diags);
  const std::string text = render(*found);
  for (const char* fragment : fragments)
    EXPECT_NE(text.find(fragment), std::string::npos) << fragment << "\nin " << text;
}

/// The value, or a failed test that shows the diagnostics.
#define TW_EXPECT_VALUE(result) ASSERT_TRUE((result).has_value()) << ::tilewright::render((result).error())

}  // namespace tilewright
