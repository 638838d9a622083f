#include "driver/run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/check.h"
#include "driver/element.h"
#include "driver/host_memory.h"
#include "driver/kernel_impl.h"
#include "driver/launch.h"
#include "driver/output_files.h"
#include "driver/run_buffers.h"
#include "driver/stage_clock.h"
#include "driver/view_range.h"
#include "support/files.h"
#include "support/number_text.h"
#include "tile/bind.h"

namespace tilewright::driver {

namespace {

constexpr std::size_t kFirstElements = 6;
constexpr int kLeastRuns = 5, kMostRuns = 200;
constexpr double kMeasuredMilliseconds = 300;
/// Slower than this, two runs after the first one must do.
constexpr double kSlowMilliseconds = 2000;

/// What check compares when the request names no fill. Many results of the first are exact in every type, which hides
/// narrowing; the second hides nothing.
constexpr std::array kCheckFills = {Fill{Fill::Kind::Dyadic, 0}, Fill{Fill::Kind::Random, 1}};

BufferSummary summarize(const RunBuffer& buffer, const std::string& fill, bool with_results) {
  BufferSummary summary{buffer.name, buffer.role, buffer.scalar, buffer.view, true, "", {}, {}};
  summary.view.data = nullptr;
  summary.dense = buffer.view.offset == 0 && buffer.view.strides == tile::dense_strides(buffer.view.extents);
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(buffer.view.type));
  const auto number_at = [&](std::int64_t position) {
    return bits_to_number(buffer.view.type, load_bits(buffer.view.type, buffer.view.data + position * bytes));
  };
  if (buffer.scalar) {
    summary.value = number_at(0);
    summary.contents = buffer.value ? "given" : "default";
  } else if (buffer.role != BufferRole::Out) {
    summary.contents = buffer.file ? "given" : fill;
  }
  if (!with_results || buffer.role == BufferRole::In) return summary;
  ArrayView head = buffer.view;
  for (std::size_t d = 0; d + 1 < head.extents.size(); ++d)
    head.extents[d] = std::min<std::int64_t>(head.extents[d], 1);
  if (!head.extents.empty())
    head.extents.back() = std::min(head.extents.back(), static_cast<std::int64_t>(kFirstElements));
  for_each_element(head, [&](std::int64_t, std::int64_t position) { summary.first.push_back(number_at(position)); });
  return summary;
}

class Runner {
 public:
  Runner(const RunRequest& request, Kernel kernel, RunBuffers buffers)
      : request_(request), kernel_(std::move(kernel)), buffers_(std::move(buffers)) {}

  Result<RunReport> run() {
    const Fill fill = request_.fill.value_or(Fill{});
    if (request_.check) TW_TRY_VOID(check_all());
    const bool runs = report_.ok() && (!request_.check || request_.time || !request_.outputs.empty());
    if (runs) TW_TRY_VOID(run_once(fill));
    std::string contents = fill_text(fill);
    if (!runs && !request_.fill)
      contents = fmt::format("{}, then {}", fill_text(kCheckFills.front()), fill_text(kCheckFills.back()));
    for (const RunBuffer& buffer : buffers_.buffers()) report_.buffers.push_back(summarize(buffer, contents, runs));
    if (runs) {
      TW_TRY(report_.written, write_outputs(buffers_, request_.outputs));
      if (request_.time) TW_TRY_VOID(measure(fill));
    }
    report_.target = request_.target;
    report_.threads = request_.threads;
    report_.stage_times = kernel_.stage_times();
    if (const auto& metal = kernel_.impl().metal) {
      report_.route = route_name(metal->route);
      report_.fitted = metal->fitted;
    }
    return std::move(report_);
  }

 private:
  Result<void> check_all() {
    if (request_.fill || !buffers_.uses_fill()) {
      buffers_.set_contents(request_.fill.value_or(Fill{}));
      return check_one(request_.fill);
    }
    for (const Fill& fill : kCheckFills) {
      buffers_.set_contents(fill);
      TW_TRY_VOID(check_one(fill));
    }
    return {};
  }

  Result<void> check_one(const std::optional<Fill>& fill) {
    const CheckOptions options{{request_.threads}, request_.sample_rows, request_.progress};
    TW_TRY(CheckReport found, check(kernel_, buffers_.arguments(), options));
    report_.checks.push_back({fill ? fill_text(*fill) : "given", std::move(found), repeat_command(request_, fill)});
    return {};
  }

  Result<double> timed_run() {
    const auto begin = std::chrono::steady_clock::now();
    TW_TRY_VOID(kernel_.run(buffers_.arguments(), {request_.threads}));
    return milliseconds_since(begin);
  }

  Result<void> run_once(const Fill& fill) {
    buffers_.set_contents(fill);
    TW_TRY(report_.first_run_milliseconds, timed_run());
    for (const RunBuffer& buffer : buffers_.buffers()) {
      const std::int64_t harmed = buffer.memory.harmed_guard_bytes();
      if (harmed == 0) continue;
      return failure(DiagCode::MemoryFault,
                     fmt::format("{} bytes directly outside of the buffer '{}' were overwritten", harmed, buffer.name),
                     "this is a fault of the compiler; " + repeat_command(request_, request_.fill));
    }
    return {};
  }

  Result<void> measure(const Fill& fill) {
    std::vector<double> samples;
    double total = 0;
    const int least = *report_.first_run_milliseconds > kSlowMilliseconds ? 2 : kLeastRuns;
    while (static_cast<int>(samples.size()) < least ||
           (total < kMeasuredMilliseconds && static_cast<int>(samples.size()) < kMostRuns)) {
      buffers_.restore_inouts(fill);
      TW_TRY(const double sample, timed_run());
      samples.push_back(sample);
      total += sample;
    }
    std::sort(samples.begin(), samples.end());
    report_.times =
        RunTimes{samples[samples.size() / 2], samples.front(), samples.back(), static_cast<int>(samples.size())};
    return {};
  }

  const RunRequest& request_;
  Kernel kernel_;
  RunBuffers buffers_;
  RunReport report_;
};

std::string indices_text(const std::vector<std::int64_t>& indices) {
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

std::string wrong_text(const WrongElement& wrong) {
  const std::string place = wrong.buffer + (wrong.indices.empty() ? "" : indices_text(wrong.indices));
  const std::string expected = format_double(wrong.expected), found = format_double(wrong.found);
  switch (wrong.kind) {
    case WrongKind::Unwritten:
      return fmt::format("{} was never written; expected {}", place, expected);
    case WrongKind::Uninvited:
      return fmt::format("{} = {} was written, but the program stores nothing there", place, found);
    case WrongKind::Value:
    case WrongKind::Class:
    case WrongKind::Sign:
      break;
  }
  return fmt::format("{}: expected {} within {}, found {}", place, expected, format_double(wrong.bound), found);
}

Result<RunReport> run_stages(const RunRequest& request) {
  TW_TRY(const Program program, Program::load(request.program));
  TW_TRY_VOID(check_output_folders(request.outputs));
  TW_TRY(Kernel kernel, compile_request(program, request, Purpose::Run));
  if (request.on_compiled) request.on_compiled(kernel.stage_times());
  TW_TRY(const Values values, resolve_values(program, request.assignments));
  TW_TRY(RunBuffers buffers, RunBuffers::make(kernel, request, values));
  const Bindings bindings = kernel.bindings();
  TW_TRY(RunReport report, Runner(request, std::move(kernel), std::move(buffers)).run());
  report.program = program.name();
  report.bindings = bindings;
  report.names = program.symbols();
  for (const ParamInfo& param : program.params()) report.names.push_back(param.name);
  return report;
}

}  // namespace

bool RunReport::ok() const {
  return std::all_of(checks.begin(), checks.end(), [](const FillCheck& check) { return check.report.ok(); });
}

CheckReport RunReport::totals() const {
  CheckReport sum;
  for (const FillCheck& check : checks) {
    const CheckReport& one = check.report;
    sum.checked_elements += one.checked_elements;
    sum.wrong_elements += one.wrong_elements;
    sum.unwritten_elements += one.unwritten_elements;
    sum.undecided_elements += one.undecided_elements;
    sum.not_stored_elements += one.not_stored_elements;
    sum.out_of_bounds_writes += one.out_of_bounds_writes;
    sum.changed_inputs += one.changed_inputs;
    sum.max_abs_error = std::max(sum.max_abs_error, one.max_abs_error);
    sum.max_rel_error = std::max(sum.max_rel_error, one.max_rel_error);
    sum.rows += one.rows;
    sum.checked_rows += one.checked_rows;
    if (!sum.first_wrong) sum.first_wrong = one.first_wrong;
    for (const std::string& name : one.harmed)
      if (std::count(sum.harmed.begin(), sum.harmed.end(), name) == 0) sum.harmed.push_back(name);
  }
  return sum;
}

Diags check_faults(const std::vector<FillCheck>& checks) {
  Diags faults;
  for (const FillCheck& check : checks) {
    const CheckReport& found = check.report;
    if (found.ok()) continue;
    std::string message =
        fmt::format("with the contents {}: {} of {} elements are wrong, {} were never written", check.contents,
                    found.wrong_elements, found.checked_elements, found.unwritten_elements);
    if (found.out_of_bounds_writes > 0)
      message += fmt::format(", {} writes beside the views", found.out_of_bounds_writes);
    if (found.changed_inputs > 0) message += fmt::format(", {} elements of inputs changed", found.changed_inputs);
    if (!found.harmed.empty()) message += fmt::format(" (harmed: {})", fmt::join(found.harmed, ", "));
    Diag diag{DiagCode::CheckFailed, std::move(message), {}, check.repeat, {}};
    if (found.first_wrong) diag.notes.push_back({"the first is " + wrong_text(*found.first_wrong), {}});
    faults.push_back(std::move(diag));
  }
  return faults;
}

Diags check_faults(const RunReport& report) { return check_faults(report.checks); }

Result<Kernel> compile_request(const Program& program, const RunRequest& request, Purpose purpose) {
  TW_TRY(const Values values, resolve_values(program, request.assignments));
  TW_TRY_VOID(check_buffer_names(program, request));
  CompileOptions options{.target = request.target, .layouts = layouts_of(request), .noalias = request.noalias};
  options.cache = request.cache;
  options.symbol_prefix = request.symbol_prefix;
  options.device = request.device;
  options.settings = request.settings;
  options.emulation = request.emulation;
  options.route = request.route;
  options.tensor_bindings = request.tensor_bindings;
  if (request.plan_file) {
    TW_TRY(options.plan, read_file(*request.plan_file));
    options.plan_label = *request.plan_file;
  }
  return compile_for(program, values.bindings, options, purpose);
}

Result<RunReport> run_program(const RunRequest& request) {
  try {
    return run_stages(request);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left to run '{}'", request.program),
                   "use smaller sizes");
  }
}

}  // namespace tilewright::driver
