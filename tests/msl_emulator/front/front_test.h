// Shared by the tests of the emulator's front end.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/front/rewrite.h"
#include "runtime/msl_emulator/toolchain.h"

namespace tilewright::msl_emulator {

inline RewriteRequest rewrite_request(Dialect dialect = Dialect::OpenCl) { return {dialect, "/shim", {}, {}}; }

/// Rewrites a text as if it were the whole of k.metal.
inline Result<RewrittenText> rewrite_text(std::string_view text, const RewriteRequest& request = rewrite_request()) {
  return rewrite("# 1 \"k.metal\"\n" + std::string(text), request);
}

/// What becomes of the text itself: without definitions in front and launcher behind.
inline std::string body_of(const Result<RewrittenText>& result) {
  if (!result) return render(result.error());
  const std::string& text = result->text;
  const std::string first = "# 1 \"k.metal\"\n";
  const std::size_t begin = text.find(first) + first.size();
  return text.substr(begin, text.find("\n# 1 \"<launcher>\"") - begin);
}

inline std::string launcher_of(const Result<RewrittenText>& result) {
  if (!result) return render(result.error());
  const std::string first = "# 1 \"<launcher>\"\n";
  return result->text.substr(result->text.find(first) + first.size());
}

/// The one fault of a failure: its code, its line in the text and words of its message.
template <class T>
void expect_fault(const Result<T>& result, DiagCode code, std::uint32_t line, std::string_view words) {
  ASSERT_FALSE(result) << words;
  ASSERT_FALSE(result.error().empty());
  const Diag& diag = result.error()[0];
  EXPECT_EQ(diag_code_name(diag.code), diag_code_name(code)) << render(result.error());
  EXPECT_EQ(diag.place.line, line) << render(result.error());
  EXPECT_NE(render(result.error()).find(words), std::string::npos) << render(result.error());
}

/// The programs of this machine and the shim of the tree. Fails the test when a program is missing.
inline Toolchain test_toolchain(const std::string& cache_folder = {}) {
  const Result<Toolchain> found =
      find_toolchain(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl", "/nonexistent/runner", cache_folder);
  EXPECT_TRUE(found) << (found ? "" : render(found.error()));
  return found ? *found : Toolchain{};
}

}  // namespace tilewright::msl_emulator
