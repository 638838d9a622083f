#include "driver/metal_direct.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/device_profiles.h"
#include "driver/program_impl.h"
#include "driver/request.h"
#include "driver/stage_clock.h"
#include "kernel/verifier.h"
#include "lower/lower_direct.h"
#include "target/atom_legality.h"
#include "tile/bind.h"
#include "tile/verifier.h"

namespace tilewright::driver {

namespace {

constexpr const char* kTensorAtom = "metal.mpp";
/// Bindings of parameters that are tried before the answer is that none fits.
constexpr std::size_t kMostAttempts = 256;

Result<lower::DirectDevice> direct_device(const target::DeviceProfile& device) {
  const auto refuse = [&](const std::string& why) {
    return failure(DiagCode::Unsupported, "the direct route " + why, "name another --device, or --route planned");
  };
  if (!target::has_capability(device, target::Capability::DirectMpp))
    return refuse(fmt::format("needs {}, which device {} does not have",
                              target::capability_name(target::Capability::DirectMpp), device.name));
  const target::AtomDescriptor* atom = target::find_atom(device, kTensorAtom);
  if (atom == nullptr)
    return refuse(fmt::format("needs the atom {}, which device {} does not list", kTensorAtom, device.name));
  if (const auto why = target::why_unavailable(device, *atom)) return refuse("cannot be taken: " + why->reason);
  lower::DirectDevice direct{device.name, *atom};
  if (const auto& shared = device.limits.shared_memory_bytes) direct.shared_memory_bytes = shared->value;
  return direct;
}

/// A family with values for its parameters, lowered.
struct Attempt {
  tile::Program bound;
  LaunchRules rules;
  lower::LaunchLayout layout;
  kernel::Program lowered;
};

Result<Attempt> attempt(const Program& program, const Bindings& bindings, const CompileOptions& options,
                        const lower::DirectDevice& device) {
  Attempt made;
  TW_TRY(made.bound, tile::bind(program.impl().program, {bindings.numbers, bindings.types}));
  TW_TRY_VOID(tile::verify(made.bound));
  TW_TRY(made.rules, launch_rules(made.bound, options.layouts, options.noalias));
  TW_TRY_VOID(check_layouts_once(made.bound, made.rules));
  TW_TRY(made.layout, launch_layout(made.bound, made.rules));
  TW_TRY(made.lowered, lower::lower_direct(made.bound, made.layout, device));
  return made;
}

using Numbers = std::map<std::string, std::int64_t>;

/// Every choice of the parameters, those first that differ from the defaults by the fewest steps along the lists.
std::vector<Numbers> nearest_choices(const std::vector<ParamInfo>& params) {
  struct Choice {
    Numbers numbers;
    std::size_t distance = 0;
  };
  std::vector<Choice> choices{{}};
  for (const ParamInfo& param : params) {
    std::vector<Choice> longer;
    const auto at = [&](std::int64_t value) { return std::ranges::find(param.choices, value) - param.choices.begin(); };
    for (const Choice& choice : choices)
      for (std::int64_t value : param.choices) {
        Choice next = choice;
        next.numbers[param.name] = value;
        next.distance += static_cast<std::size_t>(std::abs(at(value) - at(param.default_value)));
        if (longer.size() < kMostAttempts * kMostAttempts) longer.push_back(std::move(next));
      }
    choices = std::move(longer);
  }
  std::ranges::sort(choices, {}, [](const Choice& choice) { return std::pair(choice.distance, choice.numbers); });
  std::vector<Numbers> numbers;
  for (Choice& choice : choices)
    if (numbers.size() < kMostAttempts) numbers.push_back(std::move(choice.numbers));
  return numbers;
}

bool is_too_large(const Diags& faults) {
  return std::ranges::all_of(faults, [](const Diag& fault) { return fault.code == DiagCode::TileTooLarge; });
}

std::string numbers_text(const Numbers& numbers) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : numbers) parts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Attempts at one program, from the nearest values on.
class Search {
 public:
  Search(const Program& program, const Bindings& bindings, const CompileOptions& options,
         const lower::DirectDevice& device)
      : program_(program), bindings_(bindings), options_(options), device_(device) {}

  Result<Attempt> run() {
    Result<Attempt> usual = attempt(program_, bindings_, options_, device_);
    if (usual || !is_too_large(usual.error())) return usual;
    if (auto found = first_that_fits(params(true))) return std::move(*found);
    Diags faults = std::move(usual.error());
    if (first_that_fits(params(false)))
      for (Diag& fault : faults) fault.hint = fmt::format("{} would fit; or --route planned", numbers_text(chosen_));
    return std::unexpected(std::move(faults));
  }

  /// What the result of run() has in place of defaults.
  Numbers fitted() const {
    Numbers moved;
    for (const ParamInfo& param : program_.params())
      if (const auto found = chosen_.find(param.name); found != chosen_.end() && found->second != param.default_value)
        moved.insert(*found);
    return moved;
  }

 private:
  /// Number parameters with choices; `open`: without those that have a value.
  std::vector<ParamInfo> params(bool open) const {
    std::vector<ParamInfo> found;
    for (const ParamInfo& param : program_.params())
      if (!param.choices.empty() && !(open && bindings_.numbers.contains(param.name))) found.push_back(param);
    return found;
  }

  std::optional<Attempt> first_that_fits(const std::vector<ParamInfo>& params) {
    for (const Numbers& numbers : nearest_choices(params)) {
      Bindings changed = bindings_;
      for (const auto& [name, value] : numbers) changed.numbers[name] = value;
      auto made = attempt(program_, changed, options_, device_);
      if (!made) continue;
      chosen_ = numbers;
      return std::move(*made);
    }
    return std::nullopt;
  }

  const Program& program_;
  const Bindings& bindings_;
  const CompileOptions& options_;
  const lower::DirectDevice& device_;
  Numbers chosen_;
};

std::string note_of(const MetalKernel& kernel) {
  std::string note = "route direct: no plan; an mma is one tensor operation over its whole tile";
  if (!kernel.fitted.empty())
    note += fmt::format("\n{} in place of the defaults, whose tiles do not fit", numbers_text(kernel.fitted));
  return note;
}

}  // namespace

Result<void> check_direct_options(const CompileOptions& options) {
  Diags faults;
  const auto refuse = [&](DiagCode code, std::string message, std::string hint) {
    faults.push_back(Diag{code, std::move(message), {}, std::move(hint), {}});
  };
  if (options.target != Target::MetalMpp)
    refuse(DiagCode::Unsupported,
           fmt::format("the direct route belongs to target metal-mpp, found target {}", target_name(options.target)),
           "--target metal-mpp, or --route planned");
  for (const auto& [name, value] : options.settings)
    refuse(DiagCode::BadOption,
           fmt::format("'{}' is a setting of the planner, which the direct route goes without", name),
           "leave it out, or --route planned");
  if (!options.plan.empty())
    refuse(DiagCode::BadOption, fmt::format("the direct route takes no plan, found {}", options.plan_label),
           "leave it out, or --route planned");
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

Result<MetalKernel> compile_direct(const Program& program, const Bindings& bindings, const CompileOptions& options,
                                   std::vector<StageTime>& times) {
  MetalKernel kernel;
  kernel.route = Route::Direct;
  kernel.emulation = options.emulation;
  kernel.tensor_bindings = options.tensor_bindings;
  kernel.device_is_named = !options.device.empty();
  PlanReport& facts = kernel.planned;
  const std::string target(target_name(options.target));
  TW_TRY(facts.device, device_profile(options.device.empty() ? std::string(general_device(target)) : options.device));
  TW_TRY(const lower::DirectDevice device, direct_device(facts.device));
  facts.program = program.name();
  facts.names = program.symbols();
  for (const ParamInfo& param : program.params()) facts.names.push_back(param.name);

  Search search(program, bindings, options, device);
  TW_TRY(Attempt made, timed(times, "lower", [&] { return search.run(); }));
  kernel.fitted = search.fitted();
  Bindings values = bindings;
  for (const auto& [name, value] : kernel.fitted) values.numbers[name] = value;
  facts.bindings = with_defaults(program, values);
  facts.bound = std::move(made.bound);
  kernel.rules = std::move(made.rules);
  kernel.layout = std::move(made.layout);
  kernel.lowered = std::move(made.lowered);
  TW_TRY_VOID(timed(times, "verify kernel", [&] { return kernel::verify(kernel.lowered); }));
  emit_msl::EmitOptions text = text_options(kernel);
  text.target = target;
  text.note = note_of(kernel);
  TW_TRY(kernel.text, timed(times, "emit", [&] { return emit_msl::emit(kernel.lowered, text); }));
  return kernel;
}

}  // namespace tilewright::driver
