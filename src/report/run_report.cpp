#include "report/run_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/check_report.h"
#include "report/schema.h"
#include "support/number_text.h"

namespace tilewright::report {

namespace {

using Json = nlohmann::ordered_json;

const char* role_name(BufferRole role) {
  switch (role) {
    case BufferRole::In:
      return "in";
    case BufferRole::Out:
      return "out";
    case BufferRole::InOut:
      return "inout";
    case BufferRole::Temp:
      break;
  }
  return "temp";
}

std::string shape(const driver::BufferSummary& buffer) {
  std::string text(data_type_name(buffer.view.type));
  if (!buffer.scalar) text += fmt::format("[{}]", fmt::join(buffer.view.extents, ", "));
  return text;
}

std::string element_text(double value, DataType type) {
  if (type == DataType::I32 || type == DataType::Bool) return fmt::format("{}", value);
  if (std::isnan(value)) return "nan";
  return fmt::format("{:.6g}", value);
}

std::string buffer_line(const driver::BufferSummary& buffer, std::size_t name_width, std::size_t shape_width) {
  std::string line = fmt::format("  {:<5} {:<{}}  {:<{}}", role_name(buffer.role), buffer.name, name_width,
                                 shape(buffer), shape_width);
  if (!buffer.dense)
    line += fmt::format("  offset {}, strides ({})", buffer.view.offset, fmt::join(buffer.view.strides, ", "));
  if (buffer.value) line += "  = " + element_text(*buffer.value, buffer.view.type);
  if (!buffer.contents.empty()) line += "  " + buffer.contents;
  if (!buffer.first.empty()) {
    line += "  ->";
    for (double value : buffer.first) line += " " + element_text(value, buffer.view.type);
    if (std::size_t shown = buffer.first.size(); !buffer.view.extents.empty()) {
      double all = 1;
      for (std::int64_t extent : buffer.view.extents) all *= static_cast<double>(extent);
      if (all > static_cast<double>(shown)) line += " ..";
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string bindings_line(const driver::RunReport& run) {
  std::string text;
  for (const std::string& name : run.names) {
    if (const auto number = run.bindings.numbers.find(name); number != run.bindings.numbers.end())
      text += fmt::format(" {}={}", name, number->second);
    else if (const auto type = run.bindings.types.find(name); type != run.bindings.types.end())
      text += fmt::format(" {}={}", name, data_type_name(type->second));
  }
  return text;
}

double total(const std::vector<StageTime>& times) {
  double sum = 0;
  for (const StageTime& time : times) sum += time.milliseconds;
  return sum;
}

std::string time_lines(const driver::RunReport& run) {
  std::string text;
  if (run.times) {
    text += fmt::format("stages  {}\n", stage_times_text(run.stage_times));
    text += fmt::format("kernel  median {:.3f} ms of {} runs, {:.3f} to {:.3f} ms; first run {:.3f} ms\n",
                        run.times->median_milliseconds, run.times->runs, run.times->min_milliseconds,
                        run.times->max_milliseconds, run.first_run_milliseconds.value_or(0));
  } else if (run.first_run_milliseconds) {
    text += fmt::format("ran in {:.3f} ms, ready in {:.1f} ms\n", *run.first_run_milliseconds, total(run.stage_times));
  }
  return text;
}

Json times_json(const driver::RunReport& run) {
  Json times = {{"stages", Json::array()}, {"first_run_milliseconds", nullptr}, {"kernel", nullptr}};
  for (const StageTime& time : run.stage_times)
    times["stages"].push_back({{"stage", time.stage}, {"milliseconds", time.milliseconds}});
  if (run.first_run_milliseconds) times["first_run_milliseconds"] = *run.first_run_milliseconds;
  if (run.times)
    times["kernel"] = {{"median_milliseconds", run.times->median_milliseconds},
                       {"min_milliseconds", run.times->min_milliseconds},
                       {"max_milliseconds", run.times->max_milliseconds},
                       {"runs", run.times->runs}};
  return times;
}

Json scalar_json(double value, DataType type) {
  if (type == DataType::Bool) return value != 0;
  if (type == DataType::I32) return static_cast<std::int32_t>(value);
  return number_json(value);
}

Json bindings_json(const driver::RunReport& run) {
  Json bindings = Json::object();
  for (const std::string& name : run.names) {
    if (const auto number = run.bindings.numbers.find(name); number != run.bindings.numbers.end())
      bindings[name] = number->second;
    else if (const auto type = run.bindings.types.find(name); type != run.bindings.types.end())
      bindings[name] = data_type_name(type->second);
  }
  for (const driver::BufferSummary& buffer : run.buffers)
    if (buffer.value) bindings[buffer.name] = scalar_json(*buffer.value, buffer.view.type);
  return bindings;
}

Json buffer_json(const driver::BufferSummary& buffer) {
  Json first = Json::array();
  for (double value : buffer.first) first.push_back(number_json(value));
  return {{"name", buffer.name},
          {"role", role_name(buffer.role)},
          {"type", data_type_name(buffer.view.type)},
          {"extents", buffer.view.extents},
          {"strides", buffer.view.strides},
          {"offset", buffer.view.offset},
          {"elements", buffer.view.elements},
          {"contents", buffer.contents},
          {"first", first}};
}

}  // namespace

std::string stage_times_text(const std::vector<StageTime>& times) {
  std::string text;
  for (const StageTime& time : times)
    text += fmt::format("{}{} {:.2f} ms", text.empty() ? "" : ", ", time.stage, time.milliseconds);
  return text;
}

std::string run_text(const driver::RunReport& run) {
  std::string text = fmt::format("{} on {}{}:{}\n", run.program, target_name(run.target),
                                 run.route == "direct" ? " by the direct route" : "", bindings_line(run));
  std::size_t name_width = 0, shape_width = 0;
  for (const driver::BufferSummary& buffer : run.buffers) {
    name_width = std::max(name_width, buffer.name.size());
    shape_width = std::max(shape_width, shape(buffer).size());
  }
  for (const driver::BufferSummary& buffer : run.buffers) text += buffer_line(buffer, name_width, shape_width);
  for (const driver::FillCheck& check : run.checks) text += check_line(check);
  text += time_lines(run);
  for (const std::string& path : run.written) text += fmt::format("wrote {}\n", path);
  return text;
}

std::string run_json(const driver::RunReport& run) {
  Json json;
  json["schema"] = kSchema;
  json["program"] = run.program;
  json["target"] = target_name(run.target);
  json["route"] = run.route.empty() ? Json(nullptr) : Json(run.route);
  json["fitted"] = Json(run.fitted);
  json["bindings"] = bindings_json(run);
  json["ok"] = run.ok();
  add_check_counts(json, run.totals());
  json["repeat"] = nullptr;
  json["checks"] = Json::array();
  for (const driver::FillCheck& check : run.checks) {
    if (!check.report.ok() && json["repeat"].is_null()) json["repeat"] = check.repeat;
    json["checks"].push_back(check_json(check));
  }
  json["buffers"] = Json::array();
  for (const driver::BufferSummary& buffer : run.buffers) json["buffers"].push_back(buffer_json(buffer));
  json["outputs"] = run.written;
  json["times"] = times_json(run);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
