#include "proof/load_forwardable.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "analysis/roles.h"
#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/statement.h"
#include "support/check.h"

namespace tilewright::proof {

using analysis::Access;
using analysis::MutableReason;
using analysis::Use;
using tile::OpId;
using tile::ValueId;

bool only_relabels(const tile::Program& program, OpId op) {
  const auto* reindex = std::get_if<tile::ReindexOp>(&program.op(op).payload);
  if (reindex == nullptr) return false;
  const auto from = program.list(program.value(reindex->operand).axes);
  const auto coords = program.list(reindex->coords);
  const auto result = program.list(program.value(program.list(program.op(op).results)[0]).axes);
  std::set<tile::AxisId> seen;
  for (std::size_t i = 0; i < coords.size(); ++i) {
    const tile::IndexNode& node = program.index()[coords[i]];
    if (node.kind != tile::IndexKind::Axis) return false;
    seen.insert(node.axis());
    if (program.axes()[node.axis()].extent != program.axes()[from[i]].extent) return false;
  }
  return seen.size() == coords.size() && coords.size() == result.size();
}

namespace {

class ForwardProver {
 public:
  ForwardProver(const Subject& subject, const Access& access)
      : subject_(subject), program_(subject.program), access_(access) {}

  Verdict<LoadForwardable> run() {
    if (auto other = ask_source()) return *other;
    if (auto broken = ask_uses()) return *broken;
    Certificate certificate = certificate_of(subject_, access_.op);
    if (promised_) certificate.premises.push_back(alias_premise(subject_));
    certificate.fields = {{"access", access_text(program_, access_)},
                          {"launch", fmt::format("{}", subject_.walk.places[access_.op].launch)},
                          {"outside", access_.fallback == analysis::FallbackKind::None ? "none" : "+0"},
                          {"consumers", consumers_},
                          {"rounds", fmt::format("{}", rounds_)}};
    return Issuer::issue<LoadForwardable>(std::move(certificate));
  }

 private:
  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }

  std::optional<Verdict<LoadForwardable>> ask_source() {
    if (auto other = ask_immutable()) return other;
    const auto launch = subject_.walk.places[access_.op].launch;
    const auto effects = analysis::launch_effects(program_, subject_.walk)[launch];
    if (!effects.opaque.empty())
      return broken(LoadForwardable::kOpaque, "a call in the launch may do anything", effects.opaque.front());
    if (!effects.barriers.empty())
      return broken(LoadForwardable::kBarrier, "a barrier in the launch orders the load", effects.barriers.front());
    if (access_.fallback == analysis::FallbackKind::Constant || access_.fallback == analysis::FallbackKind::Value)
      return broken(LoadForwardable::kFallback, "elements outside are not +0", access_.op);
    return std::nullopt;
  }

  std::optional<Verdict<LoadForwardable>> ask_immutable() {
    const auto launch = subject_.walk.places[access_.op].launch;
    const auto reason_with = [&](const analysis::AliasPromise& promise) {
      return analysis::why_maybe_mutable(program_, subject_.walk, access_.object, launch, promise);
    };
    const auto reason = reason_with(subject_.assumptions.aliasing);
    promised_ = !reason && reason_with({}).has_value();
    if (!reason) return std::nullopt;
    const std::string text = analysis::to_text(program_, *reason);
    const std::string where = reason->op.valid() ? ": " + place_text(program_, reason->op) : std::string();
    switch (reason->kind) {
      case MutableReason::Kind::ExplicitMemory:
        return broken(LoadForwardable::kMemory, text, access_.op);
      case MutableReason::Kind::Written:
        return broken_by(LoadForwardable::kWritten, text + where);
      case MutableReason::Kind::OpaqueCall:
        return broken_by(LoadForwardable::kOpaque, text + where);
      case MutableReason::Kind::AliasWritten:
        break;
    }
    return Unknown{LoadForwardable::kAliasing, text + where};
  }

  /// One value a round: the load, then relabellings of values taken before.
  std::optional<Refuted> ask_uses() {
    std::vector<ValueId> round{access_.value};
    for (; !round.empty(); ++rounds_) {
      std::vector<ValueId> next;
      for (ValueId value : round) {
        if (subject_.uses.of(value).empty())
          return broken(LoadForwardable::kUnused, "nothing uses the value", program_.value(value).def);
        for (const Use& use : subject_.uses.of(value))
          if (auto fault = ask_use(use, next)) return fault;
      }
      round = std::move(next);
    }
    return std::nullopt;
  }

  std::optional<Refuted> ask_use(const Use& use, std::vector<ValueId>& next) {
    const tile::MmaOp* mma = analysis::as_mma(program_, use.op);
    const bool relabels = only_relabels(program_, use.op);
    if (use.kind != analysis::UseKind::Operand || (mma == nullptr && !relabels))
      return broken_by(LoadForwardable::kObserved, "another use reads the value: " + use_text(program_, use));
    if (subject_.walk.nest(use.op).branches.size() > subject_.walk.nest(access_.op).branches.size())
      return broken(LoadForwardable::kConditional, "the consumer stands in a branch", use.op);
    if (relabels) {
      next.push_back(program_.list(program_.op(use.op).results)[0]);
    } else if (use.position > 1) {
      return broken(LoadForwardable::kAccumulator, "the value is the accumulator", use.op);
    } else if (!mma->reassociate) {
      return broken(LoadForwardable::kOrdered, "the order of the sum is fixed", use.op);
    }
    consumers_ += fmt::format("{}op {} {} operand {}", consumers_.empty() ? "" : ", ", use.op.index,
                              relabels ? "reindex" : "mma", use.position);
    return std::nullopt;
  }

  const Subject& subject_;
  const tile::Program& program_;
  const Access& access_;
  bool promised_ = false;
  std::string consumers_;
  int rounds_ = 0;
};

}  // namespace

Verdict<LoadForwardable> prove_load_forwardable(const Subject& subject, OpId op) {
  const Access* access = subject.accesses.of(op);
  TW_CHECK(access != nullptr && !access->is_store);
  return ForwardProver(subject, *access).run();
}

}  // namespace tilewright::proof
