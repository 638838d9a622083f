#include "sync/synchronize.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "support/check.h"
#include "sync/check.h"
#include "sync/coalesce.h"
#include "sync/drop_fences.h"
#include "sync/elide.h"

namespace tilewright::sync {

namespace {

using RedundantToken = proof::Proved<proof::FenceRedundant>;
using IndependentToken = proof::Proved<proof::SubgroupsIndependent>;

class KernelPasses {
 public:
  KernelPasses(const kernel::Program& program, std::size_t kernel, const KernelRequest& request)
      : program_(program), kernel_(kernel), request_(request) {}

  kernel::Program run(KernelFences& facts) {
    const kernel::Kernel& kernel = program_.kernels[kernel_];
    facts.kernel = kernel.name;
    const auto by_compiler = compiler_fence_sites(program_, kernel);
    for (std::uint32_t identity : fence_sites(program_, kernel))
      facts.fences.push_back({identity, std::ranges::find(by_compiler, identity) == by_compiler.end(), {}, {}});
    facts.sites_before = static_cast<std::int64_t>(facts.fences.size());
    if (kernel.group.workers <= 1) {
      facts.sites_after = facts.sites_before;
      return program_;
    }
    kernel::Program result = passes(facts);
    facts.sites_after = static_cast<std::int64_t>(fence_sites(result, result.kernels[kernel_]).size());
    return result;
  }

 private:
  kernel::Program passes(KernelFences& facts) const {
    const auto isolated = isolated_subgroups(program_, kernel_, request_.premises);
    const KernelTrace trace = isolation_trace(program_, program_.kernels[kernel_], request_.premises);
    facts.independent_subgroups = proof::finding_of(
        isolated, proof::kNoOperation, "no subgroup can observe what another one does", trace.trace.premises);
    const auto* token = std::get_if<IndependentToken>(&isolated);
    if (request_.elide && request_.coalesce && token != nullptr) {
      for (FenceFact& fence : facts.fences)
        if (!fence.by_user) fence.fate = FenceFate::Elided;
      return elide(program_, kernel_, request_.premises, *token);
    }
    return request_.coalesce ? coalesced(facts) : program_;
  }

  kernel::Program coalesced(KernelFences& facts) const {
    const auto premises = order_trace(program_, program_.kernels[kernel_]).trace.premises;
    std::vector<RedundantToken> tokens;
    for (const FenceVerdict& answer : redundant_fences(program_, kernel_)) {
      FenceFact& fact = fact_of(facts, answer);
      const auto* token = std::get_if<RedundantToken>(&answer.verdict);
      if (token != nullptr) tokens.push_back(*token), fact.fate = FenceFate::Coalesced;
      fact.redundant = proof::finding_of(
          answer.verdict, answer.identity,
          fmt::format("every conflict that fence {} stands between is separated by another one", answer.identity),
          premises);
    }
    return coalesce(program_, kernel_, tokens);
  }
  static FenceFact& fact_of(KernelFences& facts, const FenceVerdict& answer) {
    const auto fact = std::ranges::find(facts.fences, answer.identity, &FenceFact::identity);
    TW_CHECK(fact != facts.fences.end());
    return *fact;
  }

  const kernel::Program& program_;
  std::size_t kernel_;
  const KernelRequest& request_;
};

}  // namespace

std::string_view fence_fate_name(FenceFate fate) {
  switch (fate) {
    case FenceFate::Kept:
      return "kept";
    case FenceFate::Coalesced:
      return "coalesced";
    case FenceFate::Elided:
      return "elided";
  }
  return "";
}

Result<Synchronized> synchronize(const kernel::Program& program, const SyncRequest& request) {
  TW_CHECK(request.kernels.size() == program.kernels.size());
  Synchronized result{program, FenceFacts(program.kernels.size())};
  Diags faults;
  for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
    const KernelRequest& wanted = request.kernels[kernel];
    result.program = KernelPasses(result.program, kernel, wanted).run(result.facts[kernel]);
    const CheckPremises premises{wanted.premises.distinct_buffers.has_value(),
                                 wanted.premises.disjoint_parts.has_value(), wanted.subgroups_are_programs};
    for (const UnorderedPair& pair : unordered_accesses(result.program, kernel, premises))
      faults.push_back({DiagCode::FenceMissing,
                        fmt::format("kernel {}: {}", program.kernels[kernel].name, unordered_text(pair)),
                        {},
                        "compile with coalesce_group_barriers=false, and report the program",
                        {}});
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return result;
}

}  // namespace tilewright::sync
