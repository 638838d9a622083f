// Texts of operations and values for the families about matrix products. Internal to the provers of src/proof; checkers
// derive the same fields with code of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/question_text.h"
#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

/// "mma(a#4, b#5, acc#3)": the kind and its operands in order.
std::string op_text(const tile::Program& program, tile::OpId op);
/// "serial s in ceildiv(K, 32)".
std::string region_text(const tile::Program& program, tile::OpId region);
/// "m in 64, n in 64"; "one element".
std::string axes_text(const tile::Program& program, tile::ValueId value);
/// "+0", "-0", or the number and its bits.
std::string literal_text(tile::Literal literal);
/// "op 12 mma(a#4, b#5, acc#3), line 9: acc = mma(a, b, acc)".
std::string place_text(const tile::Program& program, tile::OpId op);
std::string use_text(const tile::Program& program, const analysis::Use& use);

/// The same literal at every point: a constant, or broadcasts of one.
std::optional<tile::Literal> literal_of(const tile::Program& program, tile::ValueId value);
bool is_positive_zero(tile::Literal literal);

/// Why a coordinate that moves with an axis has no affine form; nothing when each has one.
std::optional<std::string> form_fault(const tile::Program& program, const analysis::Access& access);

/// A refutation by the structure of the program: no point, but what breaks the statement.
Refuted broken_by(std::string_view code, std::string what);

}  // namespace tilewright::proof
