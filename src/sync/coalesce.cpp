#include "sync/coalesce.h"

#include <set>

#include "support/check.h"
#include "sync/drop_fences.h"
#include "sync/trace.h"

namespace tilewright::sync {

std::vector<FenceVerdict> redundant_fences(const kernel::Program& program, std::size_t kernel) {
  std::vector<FenceVerdict> verdicts;
  proof::CoalescedFences answers = proof::coalesce_fences(order_trace(program, program.kernels.at(kernel)).trace);
  for (auto& [identity, verdict] : answers.verdicts) verdicts.push_back({identity, std::move(verdict)});
  return verdicts;
}

kernel::Program coalesce(const kernel::Program& program, std::size_t kernel,
                         const std::vector<proof::Proved<proof::FenceRedundant>>& tokens) {
  proof::EffectTrace trace = order_trace(program, program.kernels.at(kernel)).trace;
  std::set<std::uint32_t> dropped;
  for (const auto& token : tokens) {
    const std::uint32_t identity = token.certificate().operation;
    TW_CHECK(token.holds_for(proof::effect_trace_subject(trace), identity));
    trace = proof::with_fence_dropped(std::move(trace), identity);
    dropped.insert(identity);
  }
  return without_fences(program, kernel, dropped);
}

}  // namespace tilewright::sync
