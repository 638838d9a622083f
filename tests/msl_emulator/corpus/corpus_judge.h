// Whether what happened is what a corpus case says. A complaint is one line; none: the case holds.
#pragma once

#include <string>
#include <vector>

#include "corpus_case.h"

namespace tilewright::msl_emulator::corpus {

/// One line: kind, place, object, message, parties.
std::string report_text(const Report& report);

/// Complaints about the reports of a launch: an expected one is missing, one came that nobody named, or a race has a
/// party at a line without the mark.
std::vector<std::string> judge_reports(const CaseFile& file, const Case& one, const LaunchResult& result);

/// Complaints about the diagnostics of a compilation or launch that had to fail.
std::vector<std::string> judge_error(const CaseFile& file, const ExpectedError& expected, const Diags& diags);

}  // namespace tilewright::msl_emulator::corpus
