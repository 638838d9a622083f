#include "driver/request.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/element.h"
#include "driver/program_impl.h"
#include "support/number_text.h"
#include "support/spelling.h"

namespace tilewright::driver {

namespace {

constexpr std::string_view kNoalias = "noalias";
constexpr int kMostThreads = 4096;

Diag bad(DiagCode code, std::string message, std::string hint) {
  return Diag{code, std::move(message), {}, std::move(hint), {}};
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find_first_of(separators);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// One program's names and what each accepts.
class Resolver {
 public:
  Resolver(const Program& program, const std::vector<std::string>& assignments) : program_(program) {
    for (const std::string& assignment : assignments) split_one(assignment);
  }

  Result<Values> run() {
    for (const ParamInfo& param : program_.params()) param.is_type() ? take_type(param) : take_number(param.name);
    for (const std::string& symbol : program_.symbols()) take_number(symbol);
    for (const BufferInfo& buffer : program_.buffers())
      if (is_scalar(buffer)) take_scalar(buffer);
    for (const auto& [name, text] : texts_)
      if (!known_.contains(name)) faults_.push_back(unknown(name));
    if (faults_.empty()) return std::move(values_);
    add_missing();
    return std::unexpected(std::move(faults_));
  }

 private:
  static bool is_scalar(const BufferInfo& buffer) { return buffer.role == BufferRole::In && buffer.extents.empty(); }

  void fault(std::string message, std::string hint) {
    faults_.push_back(bad(DiagCode::BadBinding, std::move(message), std::move(hint)));
  }

  void split_one(const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      return fault(fmt::format("expected NAME=VALUE, found '{}'", assignment),
                   assignment.starts_with("rows:") ? "write --check=" + assignment : "for example M=128");
    const std::string name = assignment.substr(0, equals);
    if (!texts_.emplace(name, assignment.substr(equals + 1)).second)
      fault(fmt::format("'{}' is given twice", name), "give it once");
  }

  const std::string* text_of(const std::string& name) {
    known_.insert(name);
    const auto found = texts_.find(name);
    return found == texts_.end() ? nullptr : &found->second;
  }

  void take_number(const std::string& name) {
    const std::string* text = text_of(name);
    if (text == nullptr) return;
    const auto number = parse_int64(*text);
    if (number)
      values_.bindings.numbers[name] = *number;
    else if (number.error() == NumberFault::OutOfRange)
      fault(fmt::format("'{}' expects a number of at most {}, found '{}'", name,
                        std::numeric_limits<std::int64_t>::max(), *text),
            "use a smaller size");
    else
      fault(fmt::format("'{}' expects an integer, found '{}'", name, *text), fmt::format("for example {}=128", name));
  }

  /// Symbols without value or default. Printing the family needs none, so this is told beside other faults only.
  void add_missing() {
    for (const tile::Symbol& symbol : program_.impl().program.symbols())
      if (!symbol.default_value && !texts_.contains(symbol.name))
        faults_.push_back(bad(DiagCode::MissingSymbol,
                              fmt::format("the symbol '{}' of '{}' has no value", symbol.name, program_.name()),
                              fmt::format("add {}=NUMBER", symbol.name)));
  }

  void take_type(const ParamInfo& param) {
    const std::string* text = text_of(param.name);
    if (text == nullptr) return;
    const auto type = data_type_from_name(*text);
    if (type) {
      values_.bindings.types[param.name] = *type;
      return;
    }
    std::vector<std::string_view> choices;
    choices.reserve(param.type_choices.size());
    for (DataType choice : param.type_choices) choices.push_back(data_type_name(choice));
    fault(fmt::format("'{}' expects an element type, found '{}'", param.name, *text),
          fmt::format("it can be {}", fmt::join(choices, ", ")));
  }

  DataType scalar_type(const BufferInfo& buffer) const {
    if (const auto type = data_type_from_name(buffer.element)) return *type;
    const auto bound = values_.bindings.types.find(buffer.element);
    if (bound != values_.bindings.types.end()) return bound->second;
    for (const ParamInfo& param : program_.params())
      if (param.name == buffer.element) return param.default_type;
    return DataType::F32;
  }

  void take_scalar(const BufferInfo& buffer) {
    const std::string* text = text_of(buffer.name);
    if (text == nullptr) return;
    const DataType type = scalar_type(buffer);
    std::optional<double> number;
    bool overflows = false;
    if (type == DataType::I32) {
      const auto value = parse_int32(*text);
      if (value) number = *value;
      overflows = !value && value.error() == NumberFault::OutOfRange;
    } else if (type == DataType::Bool) {
      if (*text == "true" || *text == "1") number = 1;
      if (*text == "false" || *text == "0") number = 0;
    } else if (const auto value = parse_double(*text)) {
      overflows = std::isfinite(*value) && !std::isfinite(bits_to_number(type, number_to_bits(type, *value)));
      if (!overflows) number = *value;
    }
    if (number)
      values_.scalars[buffer.name] = number_to_bits(type, *number);
    else if (overflows)
      fault(fmt::format("the scalar '{}' expects a number within the range of {}, found '{}'", buffer.name,
                        data_type_name(type), *text),
            is_float(type) ? fmt::format("infinity is {}=inf", buffer.name) : "use a smaller number");
    else
      fault(fmt::format("the scalar '{}' expects a number of type {}, found '{}'", buffer.name, data_type_name(type),
                        *text),
            fmt::format("for example {}={}", buffer.name, type == DataType::Bool ? "true" : "1"));
  }

  Diag unknown(const std::string& name) const {
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    std::string hint = did_you_mean(name, names);
    if (!hint.empty()) hint += " ";
    for (const BufferInfo& buffer : program_.buffers())
      if (buffer.name == name)
        hint += buffer.role == BufferRole::Out
                    ? fmt::format("'{}' is an output: --out {}=FILE.npy writes it; ", name, name)
                    : fmt::format("'{}' is a buffer: give it with --in {}=FILE.npy; ", name, name);
    hint += names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
    return bad(DiagCode::UnknownSymbol,
               fmt::format("'{}' has no symbol, parameter or scalar '{}'", program_.name(), name), hint);
  }

  const Program& program_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> known_;
  Values values_;
  Diags faults_;
};

}  // namespace

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<Values> resolve_values(const Program& program, const std::vector<std::string>& assignments) {
  return Resolver(program, assignments).run();
}

Bindings with_defaults(const Program& program, const Bindings& bindings) {
  Bindings full = bindings;
  for (const tile::Symbol& symbol : program.impl().program.symbols())
    if (symbol.default_value) full.numbers.emplace(symbol.name, *symbol.default_value);
  for (const ParamInfo& param : program.params()) {
    if (param.is_type())
      full.types.emplace(param.name, param.default_type);
    else
      full.numbers.emplace(param.name, param.default_value);
  }
  return full;
}

Result<std::pair<std::string, std::string>> parse_named(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return failure(DiagCode::BadOption, fmt::format("{} expects NAME=FILE.npy, found '{}'", option, text),
                   fmt::format("for example {} A=a.npy", option));
  return std::pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

namespace {

constexpr const char* kViewExample =
    "for example --view A=offset:64,strides:512x1,elements:4096; each part may be left out";

std::string part_fault(std::string_view key, const std::vector<std::int64_t>& numbers, const ViewRequest& view) {
  const bool twice =
      (key == "strides" && view.strides) || (key == "offset" && view.offset) || (key == "elements" && view.elements);
  if (twice) return fmt::format("{} is given twice", key);
  if (key != "offset" && key != "elements") return "the parts are offset, strides and elements";
  if (numbers.size() != 1) return fmt::format("{} is one number", key);
  return "a buffer has at least 0 elements";
}

}  // namespace

Result<std::pair<std::string, ViewRequest>> parse_view(std::string_view text) {
  const auto malformed = [&](std::string_view part) {
    return failure(DiagCode::BadOption, fmt::format("--view cannot read '{}' in '{}'", part, text), kViewExample);
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return malformed(text);
  ViewRequest view;
  std::string_view last_key;
  for (std::string_view part : split(text.substr(equals + 1), ",")) {
    const std::size_t colon = part.find(':');
    if (const auto more = parse_int64(part); more && last_key == "strides") {
      view.strides->push_back(*more);
      continue;
    }
    const std::string_view key = part.substr(0, colon);
    const std::string_view value = colon == std::string_view::npos ? std::string_view{} : part.substr(colon + 1);
    std::vector<std::int64_t> numbers;
    for (std::string_view word : split(value, "x:")) {
      const auto number = parse_int64(word);
      if (!number) return malformed(part);
      numbers.push_back(*number);
    }
    if (key == "strides" && !view.strides)
      view.strides = numbers;
    else if (key == "offset" && !view.offset && numbers.size() == 1)
      view.offset = numbers[0];
    else if (key == "elements" && !view.elements && numbers.size() == 1 && numbers[0] >= 0)
      view.elements = numbers[0];
    else
      return failure(DiagCode::BadOption,
                     fmt::format("--view cannot read '{}' in '{}': {}", part, text, part_fault(key, numbers, view)),
                     kViewExample);
    last_key = key;
  }
  return std::pair{std::string(text.substr(0, equals)), view};
}

std::string view_text(const ViewRequest& view) {
  std::vector<std::string> parts;
  if (view.offset) parts.push_back(fmt::format("offset:{}", *view.offset));
  if (view.strides) parts.push_back(fmt::format("strides:{}", fmt::join(*view.strides, "x")));
  if (view.elements) parts.push_back(fmt::format("elements:{}", *view.elements));
  return fmt::format("{}", fmt::join(parts, ","));
}

Result<std::int64_t> parse_check(std::string_view text) {
  if (text == "all") return 0;
  constexpr std::string_view kRows = "rows:";
  if (text.starts_with(kRows)) {
    const auto rows = parse_int64(text.substr(kRows.size()));
    if (rows && *rows > 0) return *rows;
  }
  return failure(DiagCode::BadOption,
                 fmt::format("--check expects nothing or rows:N with N of at least 1, found '{}'", text),
                 "for example --check=rows:64");
}

Result<Target> parse_target(std::string_view text) {
  if (const auto target = target_from_name(text)) return *target;
  return failure(DiagCode::BadOption, fmt::format("--target expects a target, found '{}'", text),
                 "the targets are cpu, interp, metal-simdgroup and metal-mpp");
}

Result<Route> parse_route(std::string_view text) {
  if (const auto route = route_from_name(text)) return *route;
  return failure(DiagCode::BadOption, fmt::format("--route expects a route, found '{}'", text),
                 "the routes are planned and direct");
}

Result<int> parse_threads(std::string_view text) {
  const auto threads = parse_int32(text);
  if (threads && *threads >= 1 && *threads <= kMostThreads) return *threads;
  return failure(DiagCode::BadOption,
                 fmt::format("--threads expects a number from 1 to {}, found '{}'", kMostThreads, text),
                 "leave it out to use all cores");
}

Diags repeated_settings(const std::vector<std::pair<std::string, std::string>>& settings) {
  Diags faults;
  std::map<std::string_view, std::string_view> first;
  for (const auto& [name, value] : settings)
    if (const auto [known, is_new] = first.emplace(name, value); !is_new)
      faults.push_back(Diag{DiagCode::BadOption,
                            fmt::format("--set gives '{}' twice: {} and {}", name, known->second, value),
                            {},
                            "give it once",
                            {}});
  return faults;
}

namespace {

/// What --set takes beside the options of a planner.
constexpr std::string_view kTensorBindings = "tensor_bindings";
constexpr std::string_view kEmulationSettings[] = {"checks", "layouts", "schedules", "timeout"};
constexpr int kMostEmulations = 1000;  // in as many orders or layouts

Result<bool> truth_of(std::string_view name, std::string_view value) {
  if (value == "true" || value == "false") return value == "true";
  return failure(DiagCode::BadOption, fmt::format("--set {} expects true or false, found '{}'", name, value),
                 fmt::format("for example --set {}=true", name));
}

Result<void> apply_emulation(EmulationOptions& emulation, std::string_view name, std::string_view value) {
  if (name == "checks") {
    TW_TRY(emulation.checks, truth_of(name, value));
    return {};
  }
  const auto number = parse_int32(value);
  const bool is_count = name != "timeout";
  if (!number || *number < 1 || (is_count && *number > kMostEmulations))
    return failure(
        DiagCode::BadOption,
        fmt::format("--set {} expects a number {}, found '{}'", name,
                    is_count ? fmt::format("from 1 to {}", kMostEmulations) : std::string("of seconds, at least 1"),
                    value),
        fmt::format("for example --set {}=4", name));
  if (name == "schedules")
    emulation.schedules = static_cast<std::uint32_t>(*number);
  else if (name == "layouts")
    emulation.layouts = static_cast<std::uint32_t>(*number);
  else
    emulation.timeout_seconds = *number;
  return {};
}

Result<TensorBindings> tensor_bindings_of(Target target, std::string_view value) {
  const bool handle = value == "handle";
  if (!handle && value != "inline")
    return failure(DiagCode::BadOption,
                   fmt::format("--set {} expects inline or handle, found '{}'", kTensorBindings, value),
                   fmt::format("for example --set {}=handle", kTensorBindings));
  const TensorBindings bindings = handle ? TensorBindings::Handle : TensorBindings::Inline;
  TW_TRY_VOID(check_tensor_bindings(target, TensorBindings::Handle));
  return bindings;
}

}  // namespace

Result<void> check_tensor_bindings(Target target, TensorBindings bindings) {
  if (bindings == TensorBindings::Inline || target == Target::MetalMpp) return {};
  return failure(DiagCode::Unsupported,
                 fmt::format("{} belongs to target metal-mpp, found target {}", kTensorBindings, target_name(target)),
                 "--target metal-mpp, or leave it out");
}

Result<void> apply_setting(RunRequest& request, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
  const bool metal = is_metal(request.target);
  if (name == kNoalias) {
    TW_TRY(request.noalias, truth_of(name, value));
    // Where launches check it, plans count on it unless they are told not to.
    if (metal && !request.noalias) request.settings.emplace_back(name, value);
    return {};
  }
  if (name == kTensorBindings) {
    TW_TRY(request.tensor_bindings, tensor_bindings_of(request.target, value));
    return {};
  }
  if (metal && std::ranges::find(kEmulationSettings, name) != std::end(kEmulationSettings))
    return apply_emulation(request.emulation, name, value);
  const bool has_plans = metal || request.target == Target::Cpu;
  if (has_plans && equals != std::string_view::npos && equals > 0) {
    request.settings.emplace_back(name, value);
    return {};
  }
  std::vector<std::string_view> known{kNoalias};
  if (request.target == Target::MetalMpp) known.push_back(kTensorBindings);
  if (metal) known.insert(known.end(), std::begin(kEmulationSettings), std::end(kEmulationSettings));
  std::string hint = did_you_mean(name, known);
  if (!hint.empty()) hint += " ";
  return failure(DiagCode::UnknownOption, fmt::format("--set knows no option '{}'", name),
                 hint + (metal ? "`tilewright plan --help` lists the options of the planner; there are also noalias, "
                                 "checks, layouts, schedules, timeout and, for metal-mpp, tensor_bindings"
                               : "the options are noalias=true|false, and for target cpu those of the planner"));
}

namespace {

using CommandWords = std::vector<std::string>;

void add_option(CommandWords& words, std::string option, std::string value) {
  words.push_back(std::move(option));
  words.push_back(std::move(value));
}

/// The words that say what is compiled, from the program to the settings of the planner.
void add_program(CommandWords& words, const RunRequest& request, Target usual) {
  words.push_back(request.program);
  words.insert(words.end(), request.assignments.begin(), request.assignments.end());
  if (request.target != usual) add_option(words, "--target", std::string(target_name(request.target)));
  for (const auto& [name, view] : request.views) add_option(words, "--view", name + "=" + view_text(view));
  if (!request.device.empty()) add_option(words, "--device", request.device);
  if (request.noalias) add_option(words, "--set", "noalias=true");
  for (const auto& [name, value] : request.settings) add_option(words, "--set", name + "=" + value);
  if (request.tensor_bindings == TensorBindings::Handle)
    add_option(words, "--set", fmt::format("{}=handle", kTensorBindings));
  if (request.route != Route::Planned) add_option(words, "--route", std::string(route_name(request.route)));
  if (request.plan_file) add_option(words, "--plan", *request.plan_file);
}

std::string command_text(const CommandWords& words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_word(word);
  return command;
}

}  // namespace

std::string repeat_command(const RunRequest& request, const std::optional<Fill>& fill) {
  CommandWords words{"tilewright", "run"};
  add_program(words, request, Target::Cpu);
  if (request.threads != 0) add_option(words, "--threads", std::to_string(request.threads));
  for (const auto& [name, path] : request.inputs) add_option(words, "--in", name + "=" + path);
  const EmulationOptions usual;
  if (request.emulation.schedules != usual.schedules)
    add_option(words, "--set", fmt::format("schedules={}", request.emulation.schedules));
  if (request.emulation.layouts != usual.layouts)
    add_option(words, "--set", fmt::format("layouts={}", request.emulation.layouts));
  if (request.emulation.checks != usual.checks) add_option(words, "--set", "checks=false");
  if (fill) add_option(words, "--fill", fill_text(*fill));
  words.push_back(request.sample_rows > 0 ? fmt::format("--check=rows:{}", request.sample_rows) : "--check");
  return command_text(words);
}

std::string kit_command(const RunRequest& request, const std::string& folder) {
  CommandWords words{"tilewright", "emit"};
  add_program(words, request, Target::MetalSimdgroup);
  add_option(words, "--kit", folder);
  return command_text(words);
}

}  // namespace tilewright::driver
