#include "proof/prove_program.h"

#include <optional>
#include <variant>

#include <fmt/format.h>

#include "proof/access_in_bounds.h"
#include "proof/check/check_access.h"
#include "proof/check/check_traversal.h"
#include "proof/guard_equivalent.h"
#include "proof/prove_matrix.h"
#include "proof/question_text.h"
#include "proof/store_cover.h"
#include "proof/traversal_bijective.h"
#include "support/check.h"

namespace tilewright::proof {

namespace {

/// The rectangle that is asked about: small enough for every grid, and no identity.
constexpr OpenTraversal kAskedWalk{2, 8};

using Walk = std::variant<Traversal, OpenTraversal>;

/// The walk over the last two domains of a launch; nothing when it has fewer.
std::optional<Walk> walk_of(const tile::Program& program, tile::OpId launch) {
  const auto& region = std::get<tile::RegionOp>(program.op(launch).payload);
  const std::vector<tile::CoordId> coords = program.list(region.coords);
  if (coords.size() < 2) return std::nullopt;
  const auto extent = [&](std::size_t from_last) {
    return program.index().as_constant(program.coords()[coords[coords.size() - from_last]].extent);
  };
  const auto rows = extent(2), columns = extent(1);
  if (!rows || !columns) return kAskedWalk;
  return Traversal{*rows, *columns, kAskedWalk.rectangle_rows, kAskedWalk.rectangle_columns};
}

class ProgramProver {
 public:
  ProgramProver(const tile::Program& program, const Assumptions& assumptions)
      : subject_(make_subject(program, assumptions)) {}

  ProofReport run() {
    for (tile::OpId launch : subject_.walk.launches) ask_about_walk(launch);
    for (const analysis::Access& access : subject_.accesses.all) ask_about(access);
    for (Finding& finding : prove_matrix_questions(subject_, context_)) report_.findings.push_back(std::move(finding));
    report_.quota_overruns = context_.overruns();
    return std::move(report_);
  }

 private:
  void ask_about_walk(tile::OpId launch) {
    const auto walk = walk_of(subject_.program, launch);
    if (!walk) return;
    const std::string question = fmt::format("the launch may walk its grid in rectangles of {} x {}",
                                             kAskedWalk.rectangle_rows, kAskedWalk.rectangle_columns);
    const auto verdict = std::visit([](const auto& traversal) { return prove_traversal_bijective(traversal); }, *walk);
    report_.findings.push_back(finding_of(verdict, launch.index, question, {}));
  }

  void ask_about(const analysis::Access& access) {
    for (DomainPart part : {DomainPart::All, DomainPart::Interior})
      add(prove_access_in_bounds(subject_, access.op, part, context_), access.op,
          part == DomainPart::All ? "stays inside at every point" : "stays inside where its whole tile does", part);
    if (access.bounds == tile::BoundsPolicy::Zero && !access.dimensions.empty())
      add(prove_guard_equivalent(subject_, access.op, bounds_guard(access), prefix_guard(access), context_), access.op,
          "is guarded by its upper bounds alone");
    if (access.is_store)
      add(prove_store_cover(subject_, access.op, context_), access.op, "writes every element exactly once");
  }

  template <class Family>
  void add(const Verdict<Family>& verdict, tile::OpId op, std::string_view what,
           std::optional<DomainPart> part = std::nullopt) {
    report_.findings.push_back(
        finding_of(verdict, op.index, question_about(subject_, op, what), common_premises(subject_), part));
  }

  sets::Context context_;
  Subject subject_;
  ProofReport report_;
};

}  // namespace

ProofReport prove_program(const tile::Program& program, const Assumptions& assumptions) {
  return ProgramProver(program, assumptions).run();
}

Result<void> recheck(const tile::Program& program, const Assumptions& assumptions, const Finding& finding) {
  TW_CHECK(finding.certificate != nullptr);
  if (auto matrix = recheck_matrix(program, assumptions, finding)) return *std::move(matrix);
  if (auto access = recheck_access(program, assumptions, finding)) return *std::move(access);
  TW_CHECK(finding.family == TraversalBijective::kId);
  const auto walk = walk_of(program, tile::OpId{finding.operation});
  TW_CHECK(walk.has_value());
  return std::visit([&](const auto& traversal) { return check_traversal_bijective(*finding.certificate, traversal); },
                    *walk);
}

}  // namespace tilewright::proof
