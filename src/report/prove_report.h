// Questions and verdicts, for people and for programs.
#pragma once

#include <string>

#include "driver/prove.h"

namespace tilewright::report {

/// A line a question, below the operation that it is about, with the witness or reason and the certificate.
std::string prove_text(const driver::ProveReport& report);

/// {schema, program, bindings, open_sizes, quota_overruns, milliseconds, questions: [{id, operation, place, question,
/// verdict, code, reason, witness, premises, certificate, rechecked}]}. code and reason are null for proved ones,
/// certificate for the others; rechecked is null unless it was asked.
std::string prove_json(const driver::ProveReport& report);

}  // namespace tilewright::report
