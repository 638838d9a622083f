#include "planned.h"

#include <algorithm>

#include "plan/cost_priors.h"
#include "support/files.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::plan {

std::string library_text(const std::string& name) {
  auto text = read_file(std::string(TILEWRIGHT_SOURCE_DIR) + "/programs/" + name + ".tile");
  EXPECT_TRUE(text) << (text ? "" : render(text.error()));
  return text.value_or("");
}

tile::Program bound_program(const std::string& text, const Sizes& sizes) {
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error()) << text;
  auto program = tile::bind(*family, {.numbers = sizes, .types = {}});
  EXPECT_TRUE(program) << render(program.error()) << text;
  const auto verified = tile::verify(*program);
  EXPECT_TRUE(verified) << render(verified.error()) << text;
  return std::move(*program);
}

PlanningRequest planning_request(Family family, const Settings& settings) {
  PlanningRequest request;
  request.target = family == Family::Mpp ? "metal-mpp" : family == Family::Simdgroup ? "metal-simdgroup" : "cpu";
  request.device = "test";
  request.limits = {.max_threads = 1024, .subgroup_size = 32, .shared_memory_bytes = 32768};
  request.options.cost = *load_cost_priors(std::string(TILEWRIGHT_SOURCE_DIR) + "/profiles/costs/priors-v1.json");
  CompileSwitches& switches = request.switches;
  switches.cooperative_matrix = family != Family::None;
  switches.metal_mpp = switches.noalias = switches.forward_readonly_tile_loads = family == Family::Mpp;
  if (family == Family::Mpp)
    switches.bounded_k = switches.bounded_mnk = switches.bounded_store = switches.element_epilogue = 1;
  for (const auto& [name, value] : settings) {
    const auto set = set_option(request.options, switches, name, value);
    EXPECT_TRUE(set) << (set ? "" : render(set.error()));
  }
  return request;
}

Bound subject_of(const std::string& text, const Sizes& sizes, const PlanningRequest& request) {
  Bound made;
  made.program = std::make_unique<tile::Program>(bound_program(text, sizes));
  made.subject = std::make_unique<proof::Subject>(
      proof::make_subject(*made.program, proof::launch_assumptions(request.switches.noalias)));
  return made;
}

Result<PlannedProgram> try_plan(const std::string& text, const Sizes& sizes, const PlanningRequest& request) {
  const Bound bound = subject_of(text, sizes, request);
  return plan_program(*bound.subject, request, sets::Context());
}

PlannedProgram planned(const std::string& text, const Sizes& sizes, const PlanningRequest& request) {
  auto made = try_plan(text, sizes, request);
  if (made) return std::move(*made);
  ADD_FAILURE() << render(made.error()) << text;
  return PlannedProgram{.plan = {.program = {}, .target = {}, .device = {}, .needs = {}, .launches = {{}}},
                        .launches = {{}}};
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  }
  return text;
}

bool has_refusal(const LaunchReport& launch, std::string_view code) {
  return std::any_of(launch.refusals.begin(), launch.refusals.end(),
                     [&](const LaunchRefusal& refusal) { return refusal.why.code == code; });
}

bool uses_proof(const LaunchPlan& launch, std::string_view family) {
  return std::any_of(launch.proofs.begin(), launch.proofs.end(),
                     [&](const ProofUse& proof) { return proof.family == family; });
}

}  // namespace tilewright::plan
