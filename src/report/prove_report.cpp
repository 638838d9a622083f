#include "report/prove_report.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/place_json.h"
#include "report/plan_words.h"
#include "report/schema.h"
#include "support/counted.h"

namespace tilewright::report {

namespace {

using proof::Finding;
using Json = nlohmann::ordered_json;

std::string head_line(const driver::ProveReport& report) {
  std::string text = "prove " + report.program + ":";
  for (const std::string& name : report.names) {
    if (const auto number = report.bindings.numbers.find(name); number != report.bindings.numbers.end())
      text += fmt::format(" {}={}", name, number->second);
    else if (const auto type = report.bindings.types.find(name); type != report.bindings.types.end())
      text += fmt::format(" {}={}", name, data_type_name(type->second));
  }
  if (!report.open_sizes.empty())
    text += fmt::format(", for all sizes {} from 1 on", fmt::join(report.open_sizes, ", "));
  return text + "\n";
}

std::string witness_text(const Finding& finding) {
  std::string text;
  for (const proof::Witness::Coordinate& coordinate : finding.witness)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", coordinate.name, coordinate.value);
  return text;
}

std::string indented(const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
    out += "        " + text.substr(begin, end - begin + 1);
  return out;
}

std::string question_text(const driver::ProvedQuestion& question) {
  const Finding& finding = question.finding;
  std::string text = fmt::format("  {:<8} {:<20} {:<6} {}", proof::kind_name(finding.kind), finding.family,
                                 operation_number(finding.operation), finding.question);
  if (question.rechecked) text += *question.rechecked ? "  (rechecked)" : "  (RECHECK FAILED)";
  text += "\n";
  if (finding.certificate) return text + indented(proof::print_certificate(*finding.certificate));
  std::string why = fmt::format("{}: {}", finding.code, finding.reason);
  if (!finding.witness.empty()) why += fmt::format(", with {}", witness_text(finding));
  text += indented(why + "\n");
  for (const proof::Premise& premise : finding.premises)
    text += indented(fmt::format("premise {}: {}\n", proof::guarantor_name(premise.by), premise.text));
  return text;
}

Json question_json(const driver::ProvedQuestion& question) {
  const Finding& finding = question.finding;
  Json json = {{"id", finding.family},
               {"operation", finding.operation == proof::kNoOperation ? Json(nullptr) : Json(finding.operation)},
               {"place", place_json(question.place)},
               {"question", finding.question},
               {"verdict", proof::kind_name(finding.kind)},
               {"code", nullptr},
               {"reason", nullptr},
               {"witness", Json::object()},
               {"premises", Json::array()},
               {"certificate", nullptr},
               {"rechecked", nullptr}};
  if (finding.certificate) {
    json["certificate"] = proof::print_certificate(*finding.certificate);
  } else {
    json["code"] = finding.code;
    json["reason"] = finding.reason;
  }
  for (const proof::Witness::Coordinate& coordinate : finding.witness)
    json["witness"][coordinate.name] = coordinate.value;
  for (const proof::Premise& premise : finding.premises)
    json["premises"].push_back({{"by", proof::guarantor_name(premise.by)}, {"text", premise.text}});
  if (question.rechecked) json["rechecked"] = *question.rechecked;
  return json;
}

}  // namespace

std::string prove_text(const driver::ProveReport& report) {
  std::string text = head_line(report);
  std::array<int, 3> counts{};
  for (const driver::ProvedQuestion& question : report.questions) {
    ++counts[static_cast<std::size_t>(question.finding.kind)];
    text += question_text(question);
  }
  text +=
      fmt::format("{}: {} proved, {} refuted, {} unknown, in {:.2f} ms", counted(report.questions.size(), "question"),
                  counts[0], counts[1], counts[2], report.milliseconds);
  if (report.quota_overruns > 0)
    text += fmt::format("; {} met the quota", counted(report.quota_overruns, "query", "queries"));
  return text + "\n";
}

std::string prove_json(const driver::ProveReport& report) {
  Json bindings = Json::object();
  for (const auto& [name, number] : report.bindings.numbers) bindings[name] = number;
  for (const auto& [name, type] : report.bindings.types) bindings[name] = data_type_name(type);
  Json json = {{"schema", kSchema},
               {"program", report.program},
               {"bindings", bindings},
               {"open_sizes", report.open_sizes},
               {"quota_overruns", report.quota_overruns},
               {"milliseconds", report.milliseconds},
               {"questions", Json::array()}};
  for (const driver::ProvedQuestion& question : report.questions) json["questions"].push_back(question_json(question));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
