// The format of corpus files, and the judge: what is wrong is named with its line, a wrong label is a complaint.
#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <utility>
#include <vector>

#include "corpus_case.h"
#include "corpus_judge.h"

namespace tilewright::msl_emulator::corpus {
namespace {

constexpr const char* kGood = R"(//@ dialect opencl c++20
//@ metal 400
//@ define N=4
//@ constant 3 true
using namespace metal;

//@ kernel first
//@ launch groups=2,1,1 threads=32,2,1
//@ buffer 0 f32 4 values 1 -2 0.5 nan
//@ buffer 1 u8 3 read_only iota
//@ tensor 0 extents=2,2 strides=1,2
//@ threadgroup 1 64
//@ device m5_layout
//@ timeout 1.5
//@ expect race object=tile byte=4 element=1 text="two words"
//@ allow uninitialized_read at=b
kernel void first() {
  one();  // <- race
  two();  // <- race, b
}

//@ kernel second
//@ launch grid=7,1,1 threads=4,1,1
//@ buffer 0 u32 7 zero
//@ expect none
//@ result 0 iota
//@ case again
//@ expect launch_error text=limit
kernel void second() {}
)";

CaseFile parsed(const std::string& text) {
  Result<CaseFile> file = parse_case_file("folder/x.metal", text);
  EXPECT_TRUE(file) << render(file.error());
  return file ? std::move(*file) : CaseFile{};
}

TEST(CorpusCase, ReadsEveryWord) {
  const CaseFile file = parsed(kGood);
  EXPECT_EQ(file.dialects, (std::vector<Dialect>{Dialect::OpenCl, Dialect::Cpp20}));
  EXPECT_EQ(file.metal_version, 400);
  EXPECT_EQ(file.defines, std::vector<std::string>{"N=4"});
  EXPECT_EQ(file.constants.at("3"), "true");
  ASSERT_EQ(file.cases.size(), 3u);
  const Case& first = file.cases[0];
  EXPECT_EQ(first.kernel, "first");
  EXPECT_EQ(first.line, 7u);
  EXPECT_EQ(first.groups, (Uint3{2, 1, 1}));
  EXPECT_EQ(first.threads_per_group, (Uint3{32, 2, 1}));
  ASSERT_EQ(first.buffers.size(), 2u);
  EXPECT_EQ(first.buffers[0].fill.values.size(), 4u);
  EXPECT_EQ(first.buffers[0].tensor_strides, (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(first.buffers[1].read_only);
  EXPECT_EQ(first.threadgroup_memory.at(0).bytes, 64u);
  EXPECT_TRUE(first.device.m5_layout);
  EXPECT_EQ(first.timeout_seconds, 1.5);
  ASSERT_EQ(first.expected.size(), 1u);
  EXPECT_EQ(first.expected[0].lines, (std::vector<std::uint32_t>{18, 19}));
  EXPECT_EQ(first.expected[0].object, "tile");
  EXPECT_EQ(first.expected[0].byte_offset, 4);
  EXPECT_EQ(first.expected[0].element, 1);
  EXPECT_EQ(first.expected[0].text, "two words");
  ASSERT_EQ(first.allowed.size(), 1u);
  EXPECT_EQ(first.allowed[0].lines, (std::vector<std::uint32_t>{19}));
  EXPECT_TRUE(file.cases[1].expects_none);
  EXPECT_EQ(file.cases[1].grid, (Uint3{7, 1, 1}));
  EXPECT_EQ(file.cases[1].results.size(), 1u);
  EXPECT_EQ(file.cases[2].name, "second/again");
  EXPECT_EQ(file.cases[2].error->code, "LaunchSize");
  ASSERT_EQ(file.sections.size(), 2u);
  EXPECT_EQ(file.sections[0].first_line, 7u);
  EXPECT_EQ(file.sections[0].last_line, 21u);
  EXPECT_EQ(file.sections[1].cases, (std::vector<std::size_t>{1, 2}));
}

TEST(CorpusCase, ASectionStandsAloneAtItsLines) {
  const CaseFile file = parsed(kGood);
  const std::string text = text_of_section(file, file.sections[1]);
  EXPECT_EQ(text.find("void first"), std::string::npos);
  EXPECT_NE(text.find("using namespace metal;"), std::string::npos);
  const auto line_of = [](const std::string& in, const char* word) {
    return std::count(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(in.find(word)), '\n');
  };
  EXPECT_EQ(line_of(text, "void second"), line_of(kGood, "void second"));
}

TEST(CorpusCase, NamesTheLineOfWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "x.metal:0"},
      {"//@ launch groups=1,1,1", "belongs behind"},
      {"//@ kernel f\n//@ expect none\n//@ kernel f\n//@ expect none", "x.metal:3:1: error: a second case"},
      {"//@ kernel f\n//@ expect none\n//@ lanch groups=1,1,1", "x.metal:3:1: error: unknown word \"lanch\""},
      {"//@ kernel f\n//@ expect none\n//@ launch groups=1,1", "x.metal:3:1: error: expected groups=X,Y,Z"},
      {"//@ kernel f\n//@ expect none\n//@ launch group=1,1,1", "groups, grid and threads"},
      {"//@ kernel f\n//@ expect none\n//@ buffer 0 f31 4 zero", "expected: buffer INDEX TYPE COUNT"},
      {"//@ kernel f\n//@ expect none\n//@ buffer 0 f32 4 zeros", "a fill is"},
      {"//@ kernel f\n//@ expect none\n//@ buffer 0 f32 2 values 1", "takes 2 numbers, found 1"},
      {"//@ kernel f\n//@ expect none\n//@ buffer 0 f32 2 value one", "\"one\" is not a number"},
      {"//@ kernel f\n//@ expect none\n//@ buffer 0 f32 2 zero\n//@ buffer 0 f32 2 zero", "a second buffer 0"},
      {"//@ kernel f\n//@ expect none\n//@ tensor 0 extents=1", "a buffer that stands above"},
      {"//@ kernel f\n//@ expect none\n//@ device fast", "no switch \"fast\""},
      {"//@ kernel f\n//@ expect rce", "no kind of report \"rce\""},
      {"//@ kernel f\n//@ expect race", "x.metal:2:1: error: no line of the kernel has the mark \"// <- race\""},
      {"//@ kernel f\n//@ expect race line=4\nx  // <- race", "a report is told by"},
      {"//@ kernel f\n//@ expect none\nx  // <- race", "x.metal:3:1: error: no expectation uses the mark"},
      {"x  // <- race\n//@ kernel f\n//@ expect none", "outside every kernel"},
      {"//@ kernel f\n//@ expect none\nx  // <- Race", "a mark is one word"},
      {"//@ kernel f", "x.metal:1:1: error: case \"f\" needs either reports"},
      {"//@ kernel f\n//@ expect none\n//@ expect race at=nowhere", "needs either reports"},
      {"//@ kernel f\n//@ expect none\n//@ allow race at=nowhere", "expects no report and allows some"},
      {"//@ kernel f\n//@ expect none\n//@ metal 400", "in front of the first kernel"},
      {"//@ kernel f\n//@ expect none\nint x; //@ buffer", "stands alone on its line"},
      {"//@ kernel f\n//@ expect race at=nowhere text=\"open", "quotes in pairs"},
      {"//@ dialect c++17\n//@ kernel f\n//@ expect none", "a dialect is opencl or c++20"}};
  for (const auto& [text, message] : wrong) {
    const Result<CaseFile> file = parse_case_file("x.metal", text);
    ASSERT_FALSE(file) << text;
    if (text.empty()) continue;
    EXPECT_NE(render(file.error()).find(message), std::string::npos) << text << "\n" << render(file.error());
  }
}

Report race_at(std::uint32_t line, std::uint32_t other_line) {
  Report report;
  report.kind = ReportKind::Race;
  report.object = "tile";
  report.message = "these two words conflict";
  report.byte_offset = 4;
  report.element = 1;
  report.file = "elsewhere/x.metal";
  report.line = line;
  report.parties.resize(2);
  report.parties[0].file = report.parties[1].file = report.file;
  report.parties[0].line = line;
  report.parties[1].line = other_line;
  return report;
}

TEST(CorpusJudge, AcceptsWhatTheLabelSays) {
  const CaseFile file = parsed(kGood);
  LaunchResult result;
  result.finished = true;
  result.reports = {race_at(18, 19)};
  EXPECT_TRUE(judge_reports(file, file.cases[0], result).empty());
  Report allowed;
  allowed.kind = ReportKind::UninitializedRead;
  allowed.file = "x.metal";
  allowed.line = 19;
  result.reports.push_back(allowed);
  EXPECT_TRUE(judge_reports(file, file.cases[0], result).empty());
  result.reports.clear();
  EXPECT_TRUE(judge_reports(file, file.cases[1], result).empty());
}

TEST(CorpusJudge, ComplainsAboutEveryWrongLabel) {
  const CaseFile file = parsed(kGood);
  LaunchResult result;
  result.finished = true;
  EXPECT_EQ(judge_reports(file, file.cases[0], result).size(), 1u) << "a clean kernel labelled faulty";
  result.reports = {race_at(18, 19)};
  EXPECT_EQ(judge_reports(file, file.cases[1], result).size(), 1u) << "a faulty kernel labelled clean";
  const auto complaints_of = [&](auto change) {
    Report report = race_at(18, 19);
    change(report);
    result.reports = {report};
    return judge_reports(file, file.cases[0], result).size();
  };
  EXPECT_EQ(complaints_of([](Report& report) { report.kind = ReportKind::WrongFence; }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.line = 17; }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.parties[1].line = 20; }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.file = "y.metal"; }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.object = "out"; }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.byte_offset = 8; }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.element.reset(); }), 2u);
  EXPECT_EQ(complaints_of([](Report& report) { report.message = "two"; }), 2u);
  result.reports.clear();
  result.finished = false;
  EXPECT_EQ(judge_reports(file, file.cases[1], result).size(), 1u) << "a launch that did not finish";
}

TEST(CorpusJudge, ComplainsAboutAnotherError) {
  const CaseFile file = parsed(kGood);
  const ExpectedError& expected = *file.cases[2].error;
  const auto complaints_of = [&](DiagCode code, const std::string& message) {
    return judge_error(file, expected, {Diag{code, message, {}, {}, {}}}).size();
  };
  EXPECT_EQ(complaints_of(DiagCode::LaunchSize, "over the limit"), 0u);
  EXPECT_EQ(complaints_of(DiagCode::LaunchSize, "too many"), 1u);
  EXPECT_EQ(complaints_of(DiagCode::KernelCompile, "over the limit"), 1u);
}

TEST(CorpusFill, FollowsItsRule) {
  EXPECT_EQ(
      filled(Element::U16, 3, {Rule::Iota, {}}),
      (std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{1}, std::byte{0}, std::byte{2}, std::byte{0}}));
  EXPECT_EQ(filled(Element::F16, 1, {Rule::Value, {1}}), (std::vector<std::byte>{std::byte{0}, std::byte{0x3c}}));
  EXPECT_EQ(filled(Element::Bf16, 1, {Rule::Values, {1}}), (std::vector<std::byte>{std::byte{0x80}, std::byte{0x3f}}));
  EXPECT_EQ(filled(Element::I8, 2, {Rule::Value, {-1}}), (std::vector<std::byte>{std::byte{0xff}, std::byte{0xff}}));
  EXPECT_EQ(filled(Element::F32, 2, {Rule::Uninitialized, {}}).size(), 8u);
  EXPECT_NE(filled(Element::I64, 64, {Rule::Mixed, {}}), filled(Element::I64, 64, {Rule::Zero, {}}));
}

}  // namespace
}  // namespace tilewright::msl_emulator::corpus
