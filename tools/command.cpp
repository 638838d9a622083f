#include "command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "report/errors_report.h"
#include "report/run_report.h"
#include "support/spelling.h"

namespace tilewright::cli {

namespace {

/// CLI11 shows the value that a bare flag stands for; what can be written is more useful.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::string bare = "{all}";
    if (const std::size_t at = name.find(bare); at != std::string::npos) name.replace(at, bare.size(), "[=rows:N]");
    return name;
  }
};

/// The option that a word names: up to '='. Null for other words, and for options that the command does not have.
const CLI::Option* option_of(const CLI::App& app, const std::string& word) {
  return word.starts_with("--") ? app.get_option_no_throw(word.substr(0, word.find('='))) : nullptr;
}

/// Options without the value that they need, with one that they do not take, or given twice.
class WordCheck {
 public:
  WordCheck(const CLI::App& app, const Words& words) : app_(app), words_(words) {}

  Diags run() {
    for (at_ = 0; at_ < words_.size() && words_[at_] != "--"; ++at_)
      if (const CLI::Option* option = option_of(app_, words_[at_])) check(*option);
    return std::move(faults_);
  }

 private:
  void check(const CLI::Option& option) {
    const std::string name = words_[at_].substr(0, words_[at_].find('='));
    const bool is_given = name.size() < words_[at_].size();
    std::string value = is_given ? words_[at_].substr(name.size() + 1) : "";
    if (option.get_items_expected_max() == 0) {
      if (is_given && option.get_disable_flag_override())
        fault(name + " takes no value, found '" + value + "'", "write " + name + " alone");
      return;
    }
    const bool is_last = !is_given && at_ + 1 == words_.size();
    if (is_last || (is_given && value.empty()))
      return fault(name + " expects " + option.get_type_name() + ", found none", app_.get_name() + " --help");
    if (!is_given) value = words_[++at_];
    const auto [first, is_new] = seen_.emplace(name, value);
    if (!is_new && option.get_items_expected_max() == 1)
      fault(name + " is given twice: '" + first->second + "' and '" + value + "'", "give it once");
  }

  void fault(const std::string& what, std::string hint) {
    faults_.push_back(Diag{DiagCode::Usage, app_.get_name() + ": " + what, {}, std::move(hint), {}});
  }

  const CLI::App& app_;
  const Words& words_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> seen_;
  Diags faults_;
};

/// An option that no declaration fits.
Diag unknown_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  Words known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& spelling : option->get_lnames()) known.push_back("--" + spelling);
  std::string hint = did_you_mean(name, {known.begin(), known.end()});
  if (!hint.empty()) hint += " ";
  hint += "the options are";
  for (const std::string& option : known) hint += " " + option;
  const bool binding = word.starts_with("--") && word.find('=') != std::string::npos && name.size() <= 4;
  if (binding) hint += "; a size is written without dashes: " + word.substr(2);
  return Diag{DiagCode::UnknownOption, app.get_name() + " has no option '" + name + "'", {}, hint, {}};
}

}  // namespace

bool wants_json(const Words& words) { return std::find(words.begin(), words.end(), "--json") != words.end(); }

int exit_status(const Diags& diags) {
  int status = 0;
  for (const Diag& diag : diags) status = std::max(status, static_cast<int>(diag_code_category(diag.code)));
  return status;
}

int fail(const Diags& diags, bool json) {
  if (json) std::fputs(report::errors_json(diags).c_str(), stdout);
  std::fputs(render(diags).c_str(), stderr);
  return exit_status(diags);
}

std::optional<int> read_options(CLI::App& app, const Words& words) {
  app.allow_extras();
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Show this text");
  const bool json = wants_json(words);
  if (const Diags faults = WordCheck(app, words).run(); !faults.empty()) return fail(faults, json);
  Words reversed(words.rbegin(), words.rend());  // the order that CLI11 asks for
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError&) {
    return fail({Diag{DiagCode::Usage,
                      app.get_name() + " expects the words that its help shows, found others",
                      {},
                      app.get_name() + " --help",
                      {}}},
                json);
  }
  Diags faults;
  for (const std::string& word : app.remaining()) {
    if (word.starts_with("-"))
      faults.push_back(unknown_option(app, word));
    else
      faults.push_back(Diag{
          DiagCode::Usage, app.get_name() + " does not expect '" + word + "'", {}, app.get_name() + " --help", {}});
  }
  if (faults.empty()) return std::nullopt;
  return fail(faults, json);
}

void ProgramOptions::declare_program(CLI::App& app) {
  app.add_option("PROGRAM", program, "A .tile file, or the name of a program that `tilewright list` shows")
      ->type_name("");
  app.add_option("NAME=VALUE", assignments, "Symbols and parameters (M=512 BM=32), types (T=f16), scalars (alpha=0.5)")
      ->type_name("");
  app.add_option("--set", settings,
                 "noalias=true promises that no two buffers overlap; planner options; Metal: schedules=N, "
                 "layouts=N, checks=false, timeout=SECONDS of the emulator; metal-mpp: tensor_bindings=inline|handle")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
}

void ProgramOptions::declare(CLI::App& app) {
  declare_program(app);
  app.add_option("--target", target, "cpu, interp (the interpreter), metal-simdgroup or metal-mpp (the emulator)")
      ->type_name("TARGET")
      ->capture_default_str();
  app.add_option("--device", device, "A device profile, by name or file; default: the general one of the target")
      ->type_name("PROFILE");
  app.add_option("--plan", plan, "A stored plan, in place of planning")->type_name("FILE");
  app.add_option("--route", route, "metal-mpp: planned, or direct: without a planner, the second way of a comparison")
      ->type_name("ROUTE")
      ->capture_default_str();
  app.add_option("--cache", cache, "cpu: a folder where compiled kernels are kept; default: TILEWRIGHT_CACHE, or none")
      ->type_name("DIR");
  app.add_option("--view", views, "How a buffer lies in memory: NAME=offset:N,strides:SxS..,elements:N")
      ->type_name("VIEW")
      ->allow_extra_args(false);
}

Result<driver::RunRequest> ProgramOptions::read() const {
  Diags faults;
  driver::RunRequest request;
  request.program = program;
  request.assignments = assignments;
  if (program.empty())
    faults.push_back(
        Diag{DiagCode::Usage, "expected a program, found none", {}, "`tilewright list` shows what there is", {}});
  request.target = take(driver::parse_target(target), faults).value_or(Target::Cpu);
  const bool has_plans = request.target != Target::Interp;
  for (const auto& [option, value] : {std::pair{"--device", device}, {"--plan", plan}})
    if (!has_plans && !value.empty())
      faults.push_back(Diag{DiagCode::BadOption,
                            std::string(option) + " belongs to a target with plans, found target '" + target + "'",
                            {},
                            "--target cpu, metal-simdgroup or metal-mpp",
                            {}});
  if (request.target == Target::Cpu)
    request.cache = open_cache(cache);
  else if (!cache.empty())
    faults.push_back(Diag{DiagCode::BadOption,
                          "--cache belongs to the target cpu, found target '" + target + "'",
                          {},
                          "set TILEWRIGHT_CACHE for what the emulator keeps",
                          {}});
  request.device = device;
  request.route = take(driver::parse_route(route), faults).value_or(Route::Planned);
  if (!plan.empty()) request.plan_file = plan;
  for (const std::string& text : views) {
    const auto view = take(driver::parse_view(text), faults);
    if (view && !request.views.insert(*view).second)
      faults.push_back(
          Diag{DiagCode::BadOption, "--view is given twice for '" + view->first + "'", {}, "give it once", {}});
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : settings) {
    const std::size_t equals = std::min(text.find('='), text.size());
    pairs.emplace_back(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
    take(driver::apply_setting(request, text), faults);
  }
  const Diags repeated = driver::repeated_settings(pairs);
  faults.insert(faults.end(), repeated.begin(), repeated.end());
  request.on_compiled = stage_times_printer();
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return request;
}

bool is_verbose() {
  const char* verbose = std::getenv("TILEWRIGHT_VERBOSE");
  return verbose != nullptr && std::strcmp(verbose, "1") == 0;
}

std::function<void(const std::vector<StageTime>&)> stage_times_printer() {
  if (!is_verbose()) return nullptr;
  return [](const std::vector<StageTime>& times) {
    std::fprintf(stderr, "stages: %s\n", report::stage_times_text(times).c_str());
  };
}

}  // namespace tilewright::cli
