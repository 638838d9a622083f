// What a run found, for people and for programs.
#pragma once

#include <string>

#include "driver/run.h"

namespace tilewright::report {

/// A few lines, ending in a newline.
std::string run_text(const driver::RunReport& run);

/// One JSON object, schema 1: {schema, program, target, bindings, ok, checked_elements, wrong_elements,
/// unwritten_elements, undecided_elements, out_of_bounds_writes, changed_inputs, max_abs_error, max_rel_error, rows,
/// checked_rows, first_wrong, repeat, checks, buffers, outputs, times}. Numbers that JSON cannot say are the texts
/// "nan", "inf", "-inf".
std::string run_json(const driver::RunReport& run);

/// "parse 0.1 ms, bind 0.2 ms, ..", one line.
std::string stage_times_text(const std::vector<StageTime>& times);

}  // namespace tilewright::report
