// What the command line says about a run, as values, and how each piece is spelt.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tilewright/compile.h>

#include "driver/fill.h"
#include "support/result.h"

namespace tilewright::driver {

/// NAME=offset:N,strides:SxS..,elements:N; every part may be absent. Strides count elements, one a dimension, and may
/// be negative; 'x', ':' and ',' part them. The default is the program's own layout. The default offset puts the lowest
/// element at 0; the default size of the buffer ends with the highest one.
struct ViewRequest {
  std::optional<std::int64_t> offset;
  std::optional<std::vector<std::int64_t>> strides;
  std::optional<std::int64_t> elements;
};

/// A run as it was asked for. Maps go from buffer to value.
struct RunRequest {
  std::string program;                   ///< file or name
  std::vector<std::string> assignments;  ///< NAME=VALUE
  Target target = Target::Cpu;
  int threads = 0;
  std::map<std::string, std::string> inputs, outputs;  ///< .npy files
  std::map<std::string, ViewRequest> views;
  std::optional<Fill> fill;
  bool check = false;
  std::int64_t sample_rows = 0;  ///< 0: all
  bool time = false;
  bool noalias = false;

  // Of the CPU.
  std::shared_ptr<KernelCache> cache;
  std::string symbol_prefix;  ///< of CompileOptions

  // Of the targets of Metal.
  std::string device;                                         ///< a profile; empty: the general one
  std::vector<std::pair<std::string, std::string>> settings;  ///< of the planner
  std::optional<std::string> plan_file;
  Route route = Route::Planned;
  EmulationOptions emulation;
  TensorBindings tensor_bindings = TensorBindings::Inline;

  std::function<void(double)> progress;  ///< of a check's reference
  std::function<void(const std::vector<StageTime>&)> on_compiled;
};

/// The values of the assignments, by kind.
struct Values {
  Bindings bindings;
  std::map<std::string, std::uint32_t> scalars;  ///< bits in the scalar's type
};

/// Numbers for symbols and number parameters, type names for type parameters, numbers for scalar inputs. All faults:
/// BadBinding (form, kind, range, given twice), UnknownSymbol.
Result<Values> resolve_values(const Program& program, const std::vector<std::string>& assignments);

/// The same with the program's defaults filled in, for records. Premise: the program compiled with them.
Bindings with_defaults(const Program& program, const Bindings& bindings);

/// Every text option below is BadOption when it does not fit; `option` names it in the message.
Result<std::pair<std::string, std::string>> parse_named(std::string_view option, std::string_view text);
Result<std::pair<std::string, ViewRequest>> parse_view(std::string_view text);
std::string view_text(const ViewRequest& view);
/// "all" or "rows:N" to the number of rows, 0 for all.
Result<std::int64_t> parse_check(std::string_view text);
Result<Target> parse_target(std::string_view text);
Result<Route> parse_route(std::string_view text);
Result<int> parse_threads(std::string_view text);
/// A fault for each name that stands twice, with both values: BadOption.
Diags repeated_settings(const std::vector<std::pair<std::string, std::string>>& settings);
/// Unsupported: handles, for a target that has no tensors.
Result<void> check_tensor_bindings(Target target, TensorBindings bindings);
/// OPTION=VALUE into the request, whose target is set: noalias; for Metal also checks, layouts, schedules and timeout
/// of the emulator, and every other name for the planner; for metal-mpp tensor_bindings (Unsupported for the others).
/// UnknownOption lists what there is.
Result<void> apply_setting(RunRequest& request, std::string_view text);

/// A word as a shell reads it: itself where that is plain, else in quotes.
std::string shell_word(const std::string& word);

/// The command that repeats the check with one fill, quoted for a shell.
std::string repeat_command(const RunRequest& request, const std::optional<Fill>& fill);
/// The command that makes a kit of the same program.
std::string kit_command(const RunRequest& request, const std::string& folder);

}  // namespace tilewright::driver
