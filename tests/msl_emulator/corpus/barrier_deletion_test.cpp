// Every barrier of the kernels in barriers/ is deleted, one at a time: that must be reported, unless the line says
// "// redundant: reason", and then it must not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus_judge.h"
#include "corpus_machine.h"
#include "support/files.h"

namespace tilewright::msl_emulator::corpus {
namespace {

struct Barrier {
  std::size_t begin = 0, end = 0;  ///< of the call in the text, without the semicolon
  std::uint32_t line = 0;
  bool redundant = false;
};

std::vector<Barrier> barriers_of(std::string_view text) {
  std::vector<Barrier> found;
  for (std::size_t at = 0; (at = text.find("group_barrier(mem_flags", at)) != std::string_view::npos;) {
    Barrier barrier;
    barrier.begin = text.find_last_of(" \n", at) + 1;
    barrier.end = text.find(");", at) + 1;
    barrier.line =
        1 + static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    barrier.redundant = text.substr(at, text.find('\n', at) - at).find("// redundant: ") != std::string_view::npos;
    found.push_back(barrier);
    at = barrier.end;
  }
  return found;
}

bool is_about_order(ReportKind kind) {
  return kind == ReportKind::Race || kind == ReportKind::WrongFence || kind == ReportKind::UninitializedRead;
}

void expect_reported(const Barrier& barrier, const Case& one, const Result<CaseRun>& run) {
  const std::string where = fmt::format("{}, the barrier at line {}", one.name, barrier.line);
  ASSERT_TRUE(run) << where << ": " << render(run.error());
  const auto& reports = run->result.reports;
  const auto about_order =
      std::count_if(reports.begin(), reports.end(), [](const Report& report) { return is_about_order(report.kind); });
  EXPECT_EQ(about_order > 0, !barrier.redundant) << where;
  for (const Report& report : reports) {
    EXPECT_TRUE(is_about_order(report.kind)) << where << ": " << report_text(report);
  }
}

/// Under each schedule alone, one of the barriers of the section deleted.
void delete_barriers(const CaseFile& file, const Section& section, const Toolchain& toolchain, int& deleted) {
  const std::string text = text_of_section(file, section);
  for (const Barrier& barrier : barriers_of(text)) {
    CompileRequest request = compile_request(file, &section, file.dialects[0]);
    request.text->replace(barrier.begin, barrier.end - barrier.begin, barrier.end - barrier.begin, ' ');
    const Result<CompiledLibrary> library = compile(request, toolchain);
    ASSERT_TRUE(library) << render(library.error());
    for (const std::size_t index : section.cases) {
      for (std::uint32_t schedule = 0; schedule < 3; ++schedule) {
        expect_reported(barrier, file.cases[index],
                        launch_case(file.cases[index], *library, toolchain, {schedule, 1, 7, 1}));
      }
    }
    ++deleted;
  }
}

class BarrierFile : public testing::TestWithParam<const char*> {};

TEST_P(BarrierFile, NoneCanBeDeleted) {
  const std::filesystem::path path =
      std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests/msl_emulator/corpus/barriers" / GetParam();
  Result<std::string> text = read_file(path.string());
  ASSERT_TRUE(text) << render(text.error());
  const Result<CaseFile> file = parse_case_file(path.string(), std::move(*text));
  ASSERT_TRUE(file) << render(file.error());
  const Result<Toolchain> toolchain = test_toolchain();
  ASSERT_TRUE(toolchain) << render(toolchain.error());
  const Result<CompiledLibrary> whole = compile(compile_request(*file, nullptr, file->dialects[0]), *toolchain);
  ASSERT_TRUE(whole) << render(whole.error());
  for (const Case& one : file->cases) {
    const Result<CaseRun> run = launch_case(one, *whole, *toolchain, {0, 4, 7, 0});
    ASSERT_TRUE(run) << one.name << ": " << render(run.error());
    for (const std::string& complaint : judge_reports(*file, one, run->result))
      ADD_FAILURE() << one.name << ": " << complaint;
    for (const std::string& complaint : judge_results(one, *run)) ADD_FAILURE() << one.name << ": " << complaint;
  }
  int deleted = 0;
  for (const Section& section : file->sections) delete_barriers(*file, section, *toolchain, deleted);
  EXPECT_GE(deleted, 8);
}

INSTANTIATE_TEST_SUITE_P(Barriers, BarrierFile, testing::Values("gemm.metal", "rows.metal"),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

}  // namespace
}  // namespace tilewright::msl_emulator::corpus
