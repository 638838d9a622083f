// What `prove` says of a report: the sizes in its first line, the counts in its last, and both in JSON.
#include "report/prove_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilewright::report {
namespace {

using proof::Finding;

driver::ProvedQuestion question(Finding::Kind kind, std::optional<bool> rechecked = {}) {
  driver::ProvedQuestion one;
  one.finding.kind = kind;
  one.rechecked = rechecked;
  return one;
}

std::string first_line(const driver::ProveReport& report) {
  const std::string text = prove_text(report);
  return text.substr(0, text.find('\n'));
}
std::string last_line(const driver::ProveReport& report) {
  const std::string text = prove_text(report);
  const auto begin = text.rfind('\n', text.size() - 2);
  return text.substr(begin + 1, text.size() - begin - 2);
}

TEST(ProveReport, CountsVerdictsAndRechecks) {
  driver::ProveReport report;
  report.questions = {question(Finding::Kind::Proved), question(Finding::Kind::Proved),
                      question(Finding::Kind::Refuted), question(Finding::Kind::Unknown)};
  EXPECT_EQ(last_line(report), "4 questions: 2 proved, 1 refuted, 1 unknown, in 0.00 ms");
  report.questions[0].rechecked = true;
  report.questions[1].rechecked = true;
  EXPECT_EQ(last_line(report), "4 questions: 2 proved, 1 refuted, 1 unknown, in 0.00 ms; 2 certificates rechecked");
  report.questions[1].rechecked = false;
  report.quota_overruns = 3;
  EXPECT_EQ(last_line(report),
            "4 questions: 2 proved, 1 refuted, 1 unknown, in 0.00 ms; 1 certificate rechecked, 1 FAILED; 3 queries met "
            "the quota");
  const auto json = nlohmann::json::parse(prove_json(report));
  EXPECT_EQ(json["summary"],
            nlohmann::json({{"proved", 2}, {"refuted", 1}, {"unknown", 1}, {"rechecked", 1}, {"recheck_failed", 1}}));
}

TEST(ProveReport, NamesOpenSizesByWhereTheyBegin) {
  driver::ProveReport report;
  report.program = "p";
  report.open_sizes = {{"M", 1}, {"pad", 0}, {"N", 1}, {"causal", 0}};
  EXPECT_EQ(first_line(report), "prove p:, for all sizes M, N from 1 on; pad, causal from 0 on");
  const auto json = nlohmann::json::parse(prove_json(report));
  EXPECT_EQ(json["open_sizes"], nlohmann::json({"M", "pad", "N", "causal"}));
  EXPECT_EQ(json["least_sizes"]["causal"], 0);
  EXPECT_EQ(json["least_sizes"]["N"], 1);
}

}  // namespace
}  // namespace tilewright::report
