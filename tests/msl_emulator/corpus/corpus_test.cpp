// Every kernel of faults/ is reported under every schedule, alone; no kernel of clean/ is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpus_judge.h"
#include "corpus_machine.h"
#include "support/files.h"

namespace tilewright::msl_emulator::corpus {
namespace {

/// How often a case is run.
struct Effort {
  std::uint32_t schedules = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seeds_and_workers;
};

/// The first dialect that a file names, and the others.
const Effort kThorough{4, {{0, 1}, {20240229, 0}}};
const Effort kBrief{2, {{3, 0}}};

std::filesystem::path corpus_folder() {
  return std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests/msl_emulator/corpus";
}

std::vector<std::string> corpus_paths() {
  std::vector<std::string> paths;
  for (const char* const folder : {"faults", "clean"}) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus_folder() / folder)) {
      if (entry.path().extension() == ".metal") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<CaseFile> read_case_file(const std::string& path) {
  TW_TRY(std::string text, read_file(path));
  return parse_case_file(path, std::move(text));
}

void expect_no_complaints(const CaseFile& file, const Case& one, const std::string& when,
                          const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) {
    ADD_FAILURE() << file.path << ":" << one.line << ": " << one.name << " " << when << ": " << complaint;
  }
}

std::vector<std::string> judge_run(const CaseFile& file, const Case& one, const Result<CaseRun>& run) {
  if (one.error) {
    if (run) return {"the launch was accepted"};
    return judge_error(file, *one.error, run.error());
  }
  if (!run) return {"the launch was refused: " + render(run.error())};
  std::vector<std::string> complaints = judge_reports(file, one, run->result);
  for (std::string& more : judge_results(one, *run)) complaints.push_back(std::move(more));
  return complaints;
}

/// One that runs into its timeout does so under any schedule.
bool is_slow(const Case& one) {
  return std::any_of(one.expected.begin(), one.expected.end(),
                     [](const Expectation& expected) { return expected.kind == ReportKind::Timeout; });
}

/// A clean case runs its schedules in one launch, a faulty one in a launch each: another schedule must not help.
void run_case(const CaseFile& file, const Case& one, const CompiledLibrary& library, const Toolchain& toolchain,
              const Effort& effort) {
  for (const auto& [seed, workers] : effort.seeds_and_workers) {
    const std::uint32_t step = one.expects_none ? effort.schedules : 1;
    const std::uint32_t end = one.error || is_slow(one) ? 1 : effort.schedules;
    for (std::uint32_t first = 0; first < end; first += step) {
      const Schedules schedules{first, step, seed, workers};
      expect_no_complaints(file, one,
                           fmt::format("({}, seed {}, schedule {})", dialect_name(library.dialect), seed, first),
                           judge_run(file, one, launch_case(one, library, toolchain, schedules)));
    }
  }
}

void run_section(const CaseFile& file, const Section& section, const Result<CompiledLibrary>& library,
                 const Toolchain& toolchain, const Effort& effort) {
  for (const std::size_t index : section.cases) {
    const Case& one = file.cases[index];
    if (one.expects_compile_error()) {
      expect_no_complaints(
          file, one, "(compiled)",
          library ? std::vector<std::string>{"it compiles"} : judge_error(file, *one.error, library.error()));
    } else if (!library) {
      expect_no_complaints(file, one, "(compiled)", {render(library.error())});
    } else {
      run_case(file, one, *library, toolchain, effort);
    }
  }
}

void run_file(const CaseFile& file, Dialect dialect, const Toolchain& toolchain, const Effort& effort) {
  std::optional<Result<CompiledLibrary>> whole;
  if (!file.separate) whole = compile(compile_request(file, nullptr, dialect), toolchain);
  for (const Section& section : file.sections) {
    run_section(file, section, whole ? *whole : compile(compile_request(file, &section, dialect), toolchain), toolchain,
                effort);
  }
}

class CorpusFile : public testing::TestWithParam<std::string> {};

TEST_P(CorpusFile, IsReportedAsItSays) {
  const Result<Toolchain> toolchain = test_toolchain();
  ASSERT_TRUE(toolchain) << render(toolchain.error());
  const Result<CaseFile> file = read_case_file(GetParam());
  ASSERT_TRUE(file) << render(file.error());
  const bool clean_folder = std::filesystem::path(GetParam()).parent_path().filename() == "clean";
  for (const Case& one : file->cases) {
    EXPECT_EQ(one.expects_none, clean_folder) << one.name << " lies in the wrong folder";
  }
  for (std::size_t i = 0; i < file->dialects.size(); ++i) {
    run_file(*file, file->dialects[i], *toolchain, i == 0 ? kThorough : kBrief);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusFile, testing::ValuesIn(corpus_paths()), [](const auto& info) {
  const std::filesystem::path path(info.param);
  return path.parent_path().filename().string() + "_" + path.stem().string();
});

/// Wrong labels on kernels that run: the driver must object to each.
TEST(Corpus, ObjectsToWrongLabels) {
  const std::string head = "#include <metal_stdlib>\nusing namespace metal;\n//@ kernel k\n";
  const std::string launch = "//@ launch groups=1,1,1 threads=64,1,1\n//@ buffer 0 f32 64 zero\n";
  const std::string clean =
      "kernel void k(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {\n  threadgroup float "
      "tile[64];\n  tile[t] = 1.0f;  // <- here\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  out[t] = "
      "tile[63 "
      "- t];\n}\n";
  const std::vector<std::string> labels = {
      "//@ expect race at=here object=tile\n", "//@ expect uninitialized_read at=here\n",
      "//@ expect none\n//@ result 0 value 2\n//@ case b\n//@ expect timeout at=here\n"};
  const Result<Toolchain> toolchain = test_toolchain();
  ASSERT_TRUE(toolchain) << render(toolchain.error());
  for (const std::string& label : labels) {
    const Result<CaseFile> file = parse_case_file("k.metal", head + launch + label + clean);
    ASSERT_TRUE(file) << render(file.error());
    const Result<CompiledLibrary> library = compile(compile_request(*file, nullptr, Dialect::OpenCl), *toolchain);
    ASSERT_TRUE(library) << render(library.error());
    const Case& one = file->cases.front();
    EXPECT_FALSE(judge_run(*file, one, launch_case(one, *library, *toolchain, {})).empty()) << label;
  }
}

/// The counts that the corpus promises.
TEST(Corpus, HasFiveFaultsOfEveryKindAndAsManyCleanTwins) {
  std::map<std::string, int> faults_by_kind;
  int faults = 0, clean = 0;
  for (const std::string& path : corpus_paths()) {
    const Result<CaseFile> file = read_case_file(path);
    ASSERT_TRUE(file) << render(file.error());
    for (const Case& one : file->cases) {
      (one.expects_none ? clean : faults) += 1;
      if (!one.expected.empty()) ++faults_by_kind[std::string(report_kind_name(one.expected.front().kind))];
      if (one.expects_compile_error()) ++faults_by_kind["compile_error"];
      if (one.error && one.error->by_launch) ++faults_by_kind["limit"];
    }
  }
  EXPECT_GE(faults, 60);
  EXPECT_GE(clean, 60);
  for (int kind = 0; kind <= static_cast<int>(ReportKind::CompileError); ++kind) {
    const std::string name(report_kind_name(static_cast<ReportKind>(kind)));
    EXPECT_GE(faults_by_kind[name], 5) << name;
  }
}

}  // namespace
}  // namespace tilewright::msl_emulator::corpus
