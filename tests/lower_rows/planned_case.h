// One program with its inputs, lowered by a plan and run by the kernel interpreter, against the exact oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/program.h"
#include "plan/plan.h"
#include "proof/subject.h"
#include "realize/row_reduction.h"
#include "tile/interpreter_run.h"

namespace tilewright::lower::testing {

/// A device with room for every mapping.
inline constexpr realize::RowBudget kRoom{1024, 32, 1 << 20, 1'000'000};

/// Every launch that is a row reduction and for which the mapping is legal by it, the others scalar; nothing when no
/// launch is. The subject promises that buffers are apart.
std::optional<plan::Plan> row_plan(const proof::Subject& subject, const realize::RowMapping& mapping);
/// Every launch that is pointwise element by element, the others scalar; nothing when none is.
std::optional<plan::Plan> element_plan(const proof::Subject& subject);

/// Lowers and verifies. Throws what went wrong, with the kernel's text.
kernel::Program lowered_by(const proof::Subject& subject, const plan::Plan& plan);

/// Runs the kernels on the trial's inputs, between guards, with outputs and temporaries poisoned, twice with different
/// poison; what is wrong with the outputs by the oracle's bounds, or nothing. The counts of each kernel go to `counts`.
std::string kernels_disagree(tile::testing::Trial& trial, const kernel::Program& program,
                             std::vector<kernel::Counts>* counts = nullptr);

/// The steps for one mapping. "not legal" where row_plan has nothing.
std::string rows_disagree(tile::testing::Trial& trial, const realize::RowMapping& mapping,
                          std::vector<kernel::Counts>* counts = nullptr);

/// "S 2 Q 1 V 4 U 3 cached"
std::string mapping_text(const realize::RowMapping& mapping);

}  // namespace tilewright::lower::testing
