#include "proof/prove_matrix.h"

#include <algorithm>

#include "analysis/roles.h"
#include "proof/check/check_matrix.h"
#include "proof/epilogue_same_owner.h"
#include "proof/extent_bounded.h"
#include "proof/load_forwardable.h"
#include "proof/operands_congruent.h"
#include "proof/output_direct.h"
#include "proof/overwrite_allowed.h"
#include "proof/question_text.h"
#include "proof/recurrence_closed.h"
#include "proof/store_bounded_prefix.h"
#include "support/check.h"

namespace tilewright::proof {

using analysis::Access;
using tile::OpId;

namespace {

class MatrixQuestions {
 public:
  MatrixQuestions(const Subject& subject, const sets::Context& context) : subject_(subject), context_(context) {}

  std::vector<Finding> run() {
    for (OpId op : subject_.walk.order) {
      const Access* access = subject_.accesses.of(op);
      if (access != nullptr && access->is_store) ask_store(*access);
      if (access != nullptr && !access->is_store && feeds_an_mma(access->value)) ask_load(*access);
      if (analysis::as_mma(subject_.program, op) != nullptr) ask_mma(op);
    }
    return std::move(findings_);
  }

 private:
  bool feeds_an_mma(tile::ValueId value) const {
    for (const analysis::Use& use : subject_.uses.of(value)) {
      if (use.kind != analysis::UseKind::Operand) continue;
      const tile::Op& user = subject_.program.op(use.op);
      if (std::holds_alternative<tile::MmaOp>(user.payload)) return true;
      if (std::holds_alternative<tile::ReindexOp>(user.payload) && feeds_an_mma(subject_.program.list(user.results)[0]))
        return true;
    }
    return false;
  }

  void ask_load(const Access& load) {
    add(prove_load_forwardable(subject_, load.op), load.op, "may be read where it is used");
  }

  void ask_mma(OpId op) {
    add(prove_recurrence_closed(subject_, op), op, "is the whole update of a carry");
    add(prove_output_direct(subject_, op), op, "accumulates what one store writes");
    add(prove_overwrite_allowed(subject_, op), op, "may overwrite its accumulator");
    add(prove_extent_bounded_k(subject_, op, context_), op, "may stop at the end of K");
    add(prove_extent_bounded_mn(subject_, op, context_), op, "may stop at the ends of M, N and K");
  }

  void ask_store(const Access& store) {
    const auto made_of = analysis::pure_sources_of(subject_.program, subject_.uses, store.value);
    const bool follows_a_region = std::any_of(made_of.leaves.begin(), made_of.leaves.end(), [&](tile::ValueId leaf) {
      return subject_.uses.definitions[leaf].kind == analysis::DefinitionKind::RegionResult;
    });
    if (follows_a_region) {
      add(prove_epilogue_same_owner(subject_, store.op), store.op, "writes a function of one accumulator");
      if (!operands_of(subject_, store.op).empty())
        add(prove_operands_congruent(subject_, store.op), store.op, "may read its operands itself");
    }
    add(prove_store_bounded_prefix(subject_, store.op, context_), store.op, "writes a prefix of its tile");
  }

  template <class Family>
  void add(const Verdict<Family>& verdict, OpId op, std::string_view what) {
    findings_.push_back(finding_of(verdict, op.index, question_about(subject_, op, what), common_premises(subject_)));
  }

  const Subject& subject_;
  const sets::Context& context_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> prove_matrix_questions(const Subject& subject, const sets::Context& context) {
  return MatrixQuestions(subject, context).run();
}

std::optional<Result<void>> recheck_matrix(const tile::Program& program, const Assumptions& assumptions,
                                           const Finding& finding) {
  using Check =
      Result<void> (*)(const Certificate&, const tile::Program&, const Assumptions&, OpId, const MatrixCheckLimits&);
  constexpr std::pair<std::string_view, Check> kChecks[] = {
      {RecurrenceClosed::kId, check_recurrence_closed},      {OutputDirect::kId, check_output_direct},
      {OverwriteAllowed::kId, check_overwrite_allowed},      {EpilogueSameOwner::kId, check_epilogue_same_owner},
      {OperandsCongruent::kId, check_operands_congruent},    {LoadForwardable::kId, check_load_forwardable},
      {ExtentBoundedK::kId, check_extent_bounded_k},         {ExtentBoundedMn::kId, check_extent_bounded_mn},
      {StoreBoundedPrefix::kId, check_store_bounded_prefix},
  };
  for (const auto& [family, check] : kChecks) {
    if (finding.family != family) continue;
    TW_CHECK(finding.certificate != nullptr);
    return check(*finding.certificate, program, assumptions, OpId{finding.operation}, {});
  }
  return std::nullopt;
}

}  // namespace tilewright::proof
