#include "report/prove_report.h"

#include <array>
#include <functional>
#include <map>

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

/// "M, N from 1 on; pad from 0 on".
std::string open_sizes_text(const std::vector<driver::OpenSize>& sizes) {
  std::map<std::int64_t, std::vector<std::string>, std::greater<>> by_least;
  for (const driver::OpenSize& size : sizes) by_least[size.least].push_back(size.name);
  std::vector<std::string> groups;
  for (const auto& [least, names] : by_least)
    groups.push_back(fmt::format("{} from {} on", fmt::join(names, ", "), least));
  return fmt::format("{}", fmt::join(groups, "; "));
}

std::string head_line(const driver::ProveReport& report) {
  std::string text = "prove " + report.program + ":";
  for (const std::string& name : report.names) {
    if (const auto number = report.bindings.numbers.find(name); number != report.bindings.numbers.end())
      text += fmt::format(" {}={}", name, number->second);
    else if (const auto type = report.bindings.types.find(name); type != report.bindings.types.end())
      text += fmt::format(" {}={}", name, data_type_name(type->second));
  }
  if (!report.open_sizes.empty()) text += ", for all sizes " + open_sizes_text(report.open_sizes);
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

struct Counts {
  std::array<std::uint64_t, 3> of_kind{};
  std::uint64_t held = 0, failed = 0;  ///< of rechecks
  bool asked_again() const { return held + failed > 0; }
};

Counts counts_of(const driver::ProveReport& report) {
  Counts counts;
  for (const driver::ProvedQuestion& question : report.questions) {
    ++counts.of_kind[static_cast<std::size_t>(question.finding.kind)];
    if (question.rechecked) ++(*question.rechecked ? counts.held : counts.failed);
  }
  return counts;
}

/// "20 questions: 12 proved, 5 refuted, 3 unknown, in 0.41 ms; 12 certificates rechecked".
std::string summary_line(const driver::ProveReport& report) {
  const Counts counts = counts_of(report);
  std::string text =
      fmt::format("{}: {} proved, {} refuted, {} unknown, in {:.2f} ms", counted(report.questions.size(), "question"),
                  counts.of_kind[0], counts.of_kind[1], counts.of_kind[2], report.milliseconds);
  if (counts.asked_again()) text += fmt::format("; {} rechecked", counted(counts.held, "certificate"));
  if (counts.failed > 0) text += fmt::format(", {} FAILED", counts.failed);
  if (report.quota_overruns > 0)
    text += fmt::format("; {} met the quota", counted(report.quota_overruns, "query", "queries"));
  return text + "\n";
}

Json summary_json(const driver::ProveReport& report) {
  const Counts counts = counts_of(report);
  Json json = Json::object();
  for (const Finding::Kind kind : {Finding::Kind::Proved, Finding::Kind::Refuted, Finding::Kind::Unknown})
    json[std::string(proof::kind_name(kind))] = counts.of_kind[static_cast<std::size_t>(kind)];
  json["rechecked"] = counts.held;
  json["recheck_failed"] = counts.failed;
  return json;
}

}  // namespace

std::string prove_text(const driver::ProveReport& report) {
  std::string text = head_line(report);
  for (const driver::ProvedQuestion& question : report.questions) text += question_text(question);
  return text + summary_line(report);
}

std::string prove_json(const driver::ProveReport& report) {
  Json bindings = Json::object();
  for (const auto& [name, number] : report.bindings.numbers) bindings[name] = number;
  for (const auto& [name, type] : report.bindings.types) bindings[name] = data_type_name(type);
  Json open_sizes = Json::array(), least_sizes = Json::object();
  for (const driver::OpenSize& size : report.open_sizes) {
    open_sizes.push_back(size.name);
    least_sizes[size.name] = size.least;
  }
  Json json = {{"schema", kSchema},
               {"program", report.program},
               {"bindings", bindings},
               {"open_sizes", open_sizes},
               {"least_sizes", least_sizes},
               {"quota_overruns", report.quota_overruns},
               {"milliseconds", report.milliseconds},
               {"summary", summary_json(report)},
               {"questions", Json::array()}};
  for (const driver::ProvedQuestion& question : report.questions) json["questions"].push_back(question_json(question));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
