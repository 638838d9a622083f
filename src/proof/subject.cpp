#include "proof/subject.h"

#include <fmt/format.h>

#include "support/check.h"
#include "tile/meaning.h"

namespace tilewright::proof {

namespace {

analysis::SizeRanges size_ranges(const tile::Program& program, const Assumptions& assumptions) {
  analysis::SizeRanges sizes;
  for (tile::SymbolId id : program.symbols().ids())
    sizes.symbols[id] = {assumptions.least_of(program.symbols()[id]), kMostSize};
  return sizes;
}

/// "every size is at least 1 (pad at least 0) and at most 2^40".
std::string sizes_premise(const tile::Program& program, const Assumptions& assumptions) {
  std::string smaller;
  for (const tile::Symbol& symbol : program.symbols())
    if (const std::int64_t least = assumptions.least_of(symbol); least < assumptions.least_size)
      smaller += fmt::format("{}{} at least {}", smaller.empty() ? " (" : ", ", symbol.name, least);
  if (!smaller.empty()) smaller += ")";
  return fmt::format("every size is at least {}{} and at most {}", assumptions.least_size, smaller, kMostSize);
}

}  // namespace

Assumptions launch_assumptions(bool noalias) {
  using Origin = analysis::AliasPromise::Origin;
  return {.aliasing = {noalias, noalias ? Origin::LaunchCheck : Origin::None}};
}

Hash128 subject_hash(const tile::Program& program) { return tile::meaning_hash(program); }

Subject make_subject(const tile::Program& program, const Assumptions& assumptions) {
  TW_CHECK(program.params().size() == 0 && program.type_params().size() == 0);
  Subject subject{program, assumptions, subject_hash(program), size_ranges(program, assumptions), {}, {}, {}, {}, {}};
  subject.walk = analysis::walk(program, subject.sizes);
  subject.uses = analysis::uses(program);
  subject.ranges = analysis::over_leaf_ranges(program, subject.sizes);
  subject.accesses = analysis::accesses(program, subject.walk, subject.ranges);
  subject.recurrences = analysis::recurrences(program, subject.walk, subject.uses);
  return subject;
}

std::vector<Premise> common_premises(const tile::Program& program, const Assumptions& assumptions) {
  std::vector<Premise> premises{{Guarantor::Verifier, "the program passes the verifier"}};
  if (program.symbols().size() != 0) premises.push_back({Guarantor::Launch, sizes_premise(program, assumptions)});
  if (!program.requirements().empty())
    premises.push_back({Guarantor::Verifier, "the sizes meet the requirements of the program"});
  return premises;
}

std::vector<Premise> common_premises(const Subject& subject) {
  return common_premises(subject.program, subject.assumptions);
}

}  // namespace tilewright::proof
