// Plans: how a program is mapped onto a target, what else was possible, and why it was not chosen. All of it values.
//
//   auto plan = tilewright::make_plan(*program, {.numbers = {{"M", 512}, {"N", 2048}, {"K", 1024}}});
//   for (const auto& launch : plan->launches) std::puts(launch.why.c_str());
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tilewright/compile.h>
#include <tilewright/errors.h>

namespace tilewright {

struct PlanOptions {
  std::string target = "metal-simdgroup";  ///< metal-simdgroup, metal-mpp, cpu, interp
  std::string device;                      ///< a profile, by name or path; empty: the general one of the target
  /// Planner options and compile switches by name, as `tilewright plan --set` takes them.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Buffers that are not dense row-major, by name: the plan is for these strides.
  std::map<std::string, BufferLayout> layouts;
};

/// What was decided for one launch. Names of features and their meaning: docs/planner.md.
struct LaunchDecision {
  std::uint32_t launch = 0;
  std::string mapping;  ///< scalar, row_reduction, cooperative
  std::int64_t programs = 0;
  std::int64_t threads = 0;
  std::int64_t shared_memory_bytes = 0;
  std::vector<std::string> matrices;  ///< one sentence a matrix operation
  std::string cost_basis;             ///< "none" when nothing was priced
  std::optional<double> kernel_score;
  std::map<std::string, double> features;
  std::string why;
};

/// One way to do one matrix operation at one width.
struct PlanCandidate {
  std::uint32_t launch = 0;
  std::uint32_t matrix = 0;  ///< of the launch, in the order of the text
  std::int64_t threads = 0;
  std::string distribution;
  bool legal = false;
  std::string reason;                      ///< the broken constraint and its numbers; empty when legal
  std::map<std::string, double> features;  ///< when legal
};

/// A mapping or rewrite of a launch that was not taken.
struct PlanRefusal {
  std::uint32_t launch = 0;
  std::string subject, code, reason;
};

/// A question that was asked for the plan.
struct PlanProof {
  std::uint32_t launch = 0;
  std::string family, question;
  std::string verdict;  ///< proved, refuted, unknown
  std::string reason;   ///< of the latter two
  bool used = false;    ///< a decision stands on it
};

/// One binding of the parameters that were left open.
struct PlanCapture {
  std::map<std::string, std::int64_t> numbers;
  std::optional<double> kernel_score;
  std::string outcome;
  bool chosen = false;
};

struct ExecutionPlan {
  std::string text;   ///< every decision, readable; verify_plan() takes it
  Bindings bindings;  ///< of the chosen capture, defaults included
  std::string target, device;
  std::vector<LaunchDecision> launches;
  std::vector<PlanCandidate> candidates;
  std::vector<PlanRefusal> refusals;
  std::vector<PlanProof> proofs;
  std::vector<PlanCapture> captures;
};

/// Parameters without a value in `bindings` are chosen too: the lowest kernel score over all their choices. Errors:
/// those of binding; BadOption, UnknownOption, UnknownProfile, Unsupported, SearchBudget, ThreadLimit; PlanRefused when
/// an explicit request cannot be kept.
Result<ExecutionPlan> make_plan(const Program& program, const Bindings& bindings, const PlanOptions& options = {});

/// A stored plan, every decision of it proved anew. Errors: PlanInvalid, PlanStale, PlanIllegal with the reason.
Result<ExecutionPlan> verify_plan(const Program& program, const Bindings& bindings, std::string_view text,
                                  const PlanOptions& options = {});

}  // namespace tilewright
