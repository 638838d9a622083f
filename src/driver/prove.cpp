#include "driver/prove.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "driver/program_impl.h"
#include "driver/stage_clock.h"
#include "proof/prove_program.h"
#include "tile/bind.h"
#include "tile/verifier.h"

namespace tilewright::driver {

namespace {

bool gives_a_size(const Program& program, const Bindings& bindings) {
  const std::vector<std::string> symbols = program.symbols();
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& symbol) { return bindings.numbers.contains(symbol); });
}

/// Bound, or with its parameters chosen when no size is given.
Result<tile::Program> subject_of(const Program& program, const Bindings& bindings) {
  const tile::Program& family = program.impl().program;
  const tile::Bindings values{bindings.numbers, bindings.types};
  const bool open = !family.symbols().empty() && !gives_a_size(program, bindings);
  TW_TRY(tile::Program subject, open ? tile::choose_params(family, values) : tile::bind(family, values));
  TW_TRY_VOID(tile::verify(subject));
  return subject;
}

void recheck_one(const tile::Program& subject, const proof::Assumptions& assumptions, ProvedQuestion& question,
                 Diags& faults) {
  if (question.finding.kind != proof::Finding::Kind::Proved) return;
  const Result<void> held = proof::recheck(subject, assumptions, question.finding);
  question.rechecked = held.has_value();
  if (held) return;
  for (Diag diag : held.error()) {
    diag.place = question.place;
    faults.push_back(std::move(diag));
  }
}

}  // namespace

Result<ProveReport> prove(const RunRequest& request, bool recheck) {
  TW_TRY(const Program program, Program::load(request.program));
  TW_TRY(const Values values, resolve_values(program, request.assignments));
  TW_TRY(const tile::Program subject, subject_of(program, values.bindings));

  const proof::Assumptions assumptions = proof::launch_assumptions(request.noalias);
  const auto begin = std::chrono::steady_clock::now();
  proof::ProofReport found = proof::prove_program(subject, assumptions);

  ProveReport report;
  report.milliseconds = milliseconds_since(begin);
  report.program = program.name();
  report.bindings = with_defaults(program, values.bindings);
  for (const tile::Symbol& symbol : subject.symbols()) {
    report.open_sizes.push_back({symbol.name, assumptions.least_of(symbol)});
    report.bindings.numbers.erase(symbol.name);
  }
  report.names = program.symbols();
  for (const ParamInfo& param : program.params()) report.names.push_back(param.name);
  report.quota_overruns = found.quota_overruns;
  for (proof::Finding& finding : found.findings) {
    const tile::OpId op{finding.operation};
    report.questions.push_back({std::move(finding), subject.place(subject.op(op).location), {}});
    if (recheck) recheck_one(subject, assumptions, report.questions.back(), report.recheck_faults);
  }
  return report;
}

}  // namespace tilewright::driver
