// Integer constants in attributes: `buffer(BASE + 1)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"

namespace tilewright::msl_emulator {

/// Names of integer constants of the text -> the tokens of their initialisers (indices into TokenText::tokens).
using ConstantNames = std::map<std::string, std::vector<std::size_t>, std::less<>>;

/// `constexpr T NAME = ...;` and `constant T NAME = ...;` at namespace scope.
ConstantNames constant_names(const Code& code, const std::vector<Declaration>& declarations);

/// The value of integers, known names, parentheses, unary + - and binary + - * / %; nothing for anything else, for a
/// division by zero and for values beyond 32 bits.
std::optional<std::int64_t> evaluate_integer(const TokenText& source, const std::vector<std::size_t>& tokens,
                                             const ConstantNames& names);

/// An integer literal with base prefix, digit separators and suffix.
std::optional<std::uint64_t> literal_integer(std::string_view text);

}  // namespace tilewright::msl_emulator
