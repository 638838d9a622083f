#include "driver/plan.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "driver/device_profiles.h"
#include "driver/installed_priors.h"
#include "driver/launch.h"
#include "driver/metal_compile.h"
#include "driver/program_impl.h"
#include "driver/request.h"
#include "driver/stage_clock.h"
#include "plan/plan_family.h"
#include "plan/verify_plan.h"
#include "support/files.h"
#include "support/spelling.h"
#include "target/capability.h"
#include "tile/bind.h"
#include "tile/copy.h"
#include "tile/verifier.h"

namespace tilewright::driver {

namespace {

constexpr std::array<std::string_view, 4> kTargets = {"metal-simdgroup", "metal-mpp", "cpu", "interp"};

bool is_metal(std::string_view target) { return target.starts_with("metal-"); }

Result<std::string> checked_target(const std::string& target) {
  if (std::find(kTargets.begin(), kTargets.end(), target) != kTargets.end()) return target;
  std::string hint = did_you_mean(target, {kTargets.begin(), kTargets.end()});
  hint += std::string(hint.empty() ? "" : " ") + "targets are metal-simdgroup, metal-mpp, cpu, interp";
  return failure(DiagCode::BadOption, fmt::format("there is no target '{}' to plan for", target), hint);
}

plan::Limits limits_of(const target::DeviceProfile& device) {
  plan::Limits limits;
  const auto take = [](const std::optional<target::Figure>& figure, std::int64_t& into) {
    if (figure) into = figure->value;
  };
  take(device.limits.max_threads_per_group, limits.max_threads);
  take(device.limits.subgroup_size, limits.subgroup_size);
  take(device.limits.shared_memory_bytes, limits.shared_memory_bytes);
  take(device.limits.shared_memory_granule_bytes, limits.shared_granule_bytes);
  if (device.kind == target::DeviceKind::Cpu) limits.max_threads = 1;  // a group is one worker
  return limits;
}

/// What is not known of a processor is taken to be small.
plan::VectorTarget vectors_of(const target::DeviceProfile& device) {
  plan::VectorTarget vectors;
  const target::DeviceFigures& figures = device.figures;
  if (figures.vector_bytes) vectors.lanes = std::max<std::int64_t>(1, figures.vector_bytes->value / 4);
  if (figures.vector_registers) vectors.registers = figures.vector_registers->value;
  vectors.masks = vectors.lanes >= 16;
  if (figures.l1_data_cache_bytes) vectors.near_bytes = figures.l1_data_cache_bytes->value;
  if (figures.l2_cache_bytes) vectors.far_bytes = figures.l2_cache_bytes->value;
  return vectors;
}

Result<void> check_kind(const std::string& target, const target::DeviceProfile& device) {
  const target::DeviceKind kind = is_metal(target) ? target::DeviceKind::Metal : target::DeviceKind::Cpu;
  if (device.kind == kind) return {};
  return failure(DiagCode::Unsupported, fmt::format("device {} is not one that target {} runs on", device.name, target),
                 fmt::format("for example --device {}", general_device(target)));
}

/// A setting may leave a capability unused; it cannot add one.
void check_switches(const plan::CompileSwitches& switches, const std::string& target,
                    const target::DeviceProfile& device, Diags& faults) {
  const auto check = [&](target::Capability capability, std::int64_t wanted) {
    const std::int64_t has = is_metal(target) ? target::capability_version(device, capability) : 0;
    if (wanted <= has) return;
    faults.push_back(
        Diag{DiagCode::Unsupported,
             fmt::format("{} {} is asked for, target {} on device {} has {}", target::capability_name(capability),
                         wanted, target, device.name, has == 0 ? "none" : fmt::format("{}", has)),
             {},
             "name another --target or --device",
             {}});
  };
  check(target::Capability::CooperativeMatrix, switches.cooperative_matrix ? 1 : 0);
  check(target::Capability::MetalMpp, switches.metal_mpp ? 1 : 0);
  check(target::Capability::BoundedK, switches.bounded_k);
  check(target::Capability::BoundedMnk, switches.bounded_mnk);
  check(target::Capability::BoundedStore, switches.bounded_store);
  check(target::Capability::ElementEpilogue, switches.element_epilogue);
  if (target == "metal-simdgroup" && switches.metal_mpp && faults.empty())
    faults.push_back(Diag{DiagCode::BadOption, "metal_mpp belongs to target metal-mpp", {}, "--target metal-mpp", {}});
}

Result<plan::PlanningRequest> planning_request(const PlanOptions& options, const std::string& target,
                                               const target::DeviceProfile& device) {
  plan::PlanningRequest planning;
  planning.target = target;
  planning.device = device.name;
  planning.limits = limits_of(device);
  if (target == "cpu") planning.vectors = vectors_of(device);
  TW_TRY(planning.switches, target_switches(target, device));
  TW_TRY(planning.options.cost, installed_priors());
  // The one figure of a device that the priors have a place for.
  if (const auto& figure = device.figures.concurrent_subgroups)
    planning.options.cost.metal_mpp_concurrent_subgroups = figure->value;
  Diags faults = repeated_settings(options.settings);
  for (const auto& [name, value] : options.settings) {
    const auto set = plan::set_option(planning.options, planning.switches, name, value);
    if (!set) faults.insert(faults.end(), set.error().begin(), set.error().end());
  }
  if (faults.empty()) check_switches(planning.switches, target, device, faults);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return planning;
}

Result<void> use_stored_plan(const StoredPlan& given, const Program& program, const Bindings& bindings,
                             PlanReport& report) {
  TW_TRY(const plan::Plan stored, plan::parse_plan(given.text, given.label));
  TW_TRY(report.bound, tile::bind(program.impl().program, {bindings.numbers, bindings.types}));
  TW_TRY_VOID(tile::verify(report.bound));
  const proof::Subject subject =
      proof::make_subject(report.bound, proof::launch_assumptions(report.request.switches.noalias));
  const sets::Context context;
  TW_TRY(report.planned, plan::verify_plan(stored, subject, report.request, context));
  if (auto automatic = plan::plan_program(subject, report.request, context))
    report.automatic = std::move(automatic->plan);
  report.from_file = true;
  report.bindings = with_defaults(program, bindings);
  return {};
}

}  // namespace

std::string_view general_device(std::string_view target) { return is_metal(target) ? "generic-metal4" : "host-cpu"; }

Result<plan::CompileSwitches> target_switches(std::string_view target, const target::DeviceProfile& device) {
  plan::CompileSwitches switches;
  // A launch refuses a written buffer that overlaps any other.
  if (target == "cpu") switches.noalias = true;
  if (!is_metal(target)) return switches;
  const auto version = [&](target::Capability capability) { return target::capability_version(device, capability); };
  const auto require = [&](target::Capability capability) -> Result<void> {
    if (version(capability) > 0) return {};
    return failure(DiagCode::Unsupported,
                   fmt::format("target {} needs {}, which device {} does not have", target,
                               target::capability_name(capability), device.name),
                   "name another --device or --target");
  };
  TW_TRY_VOID(require(target::Capability::CooperativeMatrix));
  switches.cooperative_matrix = true;
  if (target != "metal-mpp") return switches;
  TW_TRY_VOID(require(target::Capability::MetalMpp));
  switches.metal_mpp = true;
  // The runtime compares the ranges of all buffers at every launch.
  switches.noalias = true;
  switches.forward_readonly_tile_loads = true;
  switches.bounded_k = version(target::Capability::BoundedK);
  switches.bounded_mnk = version(target::Capability::BoundedMnk);
  switches.bounded_store = version(target::Capability::BoundedStore);
  switches.element_epilogue = version(target::Capability::ElementEpilogue);
  return switches;
}

Result<PlanReport> plan_request(const PlanRequest& request) {
  TW_TRY(const Program program, Program::load(request.program));
  TW_TRY(const Values values, resolve_values(program, request.assignments));
  PlanOptions options = request.options;
  Diags faults;
  for (const std::string& setting : request.settings) {
    const std::size_t equals = setting.find('=');
    if (equals != std::string::npos && equals > 0)
      options.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    else
      faults.push_back(Diag{DiagCode::BadOption,
                            fmt::format("--set expects OPTION=VALUE, found '{}'", setting),
                            {},
                            "for example --set threads_per_group=128",
                            {}});
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  std::optional<StoredPlan> stored;
  if (request.plan_file) {
    TW_TRY(std::string text, read_file(*request.plan_file));
    stored = StoredPlan{std::move(text), *request.plan_file};
  }
  TW_TRY(PlanReport report, plan_report(program, values.bindings, options, stored));
  report.families = families_beside(program, values.bindings, options, report);
  if (is_metal(report.planned.plan.target))
    if (auto fences = fence_records(report)) report.fences = std::move(*fences);
  report.target_is_named = request.target_is_named;
  return report;
}

namespace {

/// The family with the strides of the layouts declared. Those that it declares itself stay: launch_rules compares them.
Result<tile::Program> with_layouts(const tile::Program& family, const std::map<std::string, BufferLayout>& layouts) {
  std::map<tile::ObjectId, std::vector<std::int64_t>> strides;
  for (const auto& [name, layout] : layouts) {
    const tile::ObjectId object = find_buffer(family, name);
    if (!object.valid()) return failure(unknown_buffer(family, name));
    if (layout.strides.size() != family.object(object).rank())
      return failure(DiagCode::ArgumentStrides,
                     fmt::format("'{}' has {} dimensions, its layout has {}: {}", name, family.object(object).rank(),
                                 layout.strides.size(), list_text(layout.strides)));
    if (family.object(object).strides.empty()) strides[object] = layout.strides;
  }
  return tile::with_strides(family, strides);
}

/// On a processor tiles of a product do not matter, and nothing else has a price: parameters are the program's own.
tile::Bindings open_values(const Program& program, const Bindings& bindings, const std::string& target) {
  tile::Bindings values{bindings.numbers, bindings.types};
  if (target == "cpu")
    for (const ParamInfo& param : program.params())
      if (!param.is_type()) values.numbers.emplace(param.name, param.default_value);
  return values;
}

}  // namespace

Result<PlanReport> plan_report(const Program& program, const Bindings& bindings, const PlanOptions& options,
                               const std::optional<StoredPlan>& stored) {
  TW_TRY(const std::string target, checked_target(options.target));
  PlanReport report;
  TW_TRY(report.device, device_profile(options.device.empty() ? std::string(general_device(target)) : options.device));
  TW_TRY_VOID(check_kind(target, report.device));
  TW_TRY(report.request, planning_request(options, target, report.device));
  report.program = program.name();
  report.names = program.symbols();
  for (const ParamInfo& param : program.params()) report.names.push_back(param.name);

  const auto begin = std::chrono::steady_clock::now();
  if (stored) {
    TW_TRY_VOID(use_stored_plan(*stored, program, bindings, report));
  } else {
    TW_TRY(const tile::Program known, with_layouts(program.impl().program, options.layouts));
    TW_TRY(plan::PlannedFamily family,
           plan::plan_family(known, open_values(program, bindings, target), report.request, sets::Context()));
    report.bindings = with_defaults(program, {std::move(family.bindings.numbers), std::move(family.bindings.types)});
    report.bound = std::move(family.bound);
    report.planned = std::move(family.planned);
    report.captures = std::move(family.captures);
  }
  report.milliseconds = milliseconds_since(begin);
  return report;
}

}  // namespace tilewright::driver
