#include "sync/elide.h"

#include "support/check.h"
#include "sync/drop_fences.h"

namespace tilewright::sync {

proof::Verdict<proof::SubgroupsIndependent> isolated_subgroups(const kernel::Program& program, std::size_t kernel,
                                                               const IsolationPremises& premises) {
  return proof::prove_subgroups_independent(isolation_trace(program, program.kernels.at(kernel), premises).trace);
}

kernel::Program elide(const kernel::Program& program, std::size_t kernel, const IsolationPremises& premises,
                      const proof::Proved<proof::SubgroupsIndependent>& token) {
  const proof::EffectTrace trace = isolation_trace(program, program.kernels.at(kernel), premises).trace;
  TW_CHECK(token.holds_for(proof::effect_trace_subject(trace), proof::kNoOperation));
  const auto sites = compiler_fence_sites(program, program.kernels[kernel]);
  return without_fences(program, kernel, {sites.begin(), sites.end()});
}

}  // namespace tilewright::sync
