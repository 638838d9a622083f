// Result<T> and the one macro that unwraps it or returns its diagnostics.
#pragma once

#include <tilewright/errors.h>

#define TW_CONCAT_INNER(a, b) a##b
#define TW_CONCAT(a, b) TW_CONCAT_INNER(a, b)

/// TW_TRY(auto x, call()): x is the value, or the enclosing function returns the diagnostics.
// NOLINTBEGIN(bugprone-macro-parentheses): declaration is a declaration
#define TW_TRY(declaration, expression)                                                                       \
  auto TW_CONCAT(tw_try_, __LINE__) = (expression);                                                           \
  if (!TW_CONCAT(tw_try_, __LINE__)) return std::unexpected(std::move(TW_CONCAT(tw_try_, __LINE__)).error()); \
  declaration = std::move(*TW_CONCAT(tw_try_, __LINE__))
// NOLINTEND(bugprone-macro-parentheses)

/// The same for Result<void>.
#define TW_TRY_VOID(expression)                                                   \
  do {                                                                            \
    auto tw_try_result = (expression);                                            \
    if (!tw_try_result) return std::unexpected(std::move(tw_try_result).error()); \
  } while (false)
