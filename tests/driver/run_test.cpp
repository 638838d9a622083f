// The run command as a function: contents, views, checks, files, on both targets.
#include "driver/run.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "driver/element.h"
#include "driver/faults.h"
#include "driver/small_programs.h"
#include "support/npy.h"
#include "support/temporary_folder.h"

namespace tilewright::driver {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr const char* kProduct = R"(
program product(M, N, K; T: type {f32, f16, bf16} = f32) {
  in A: T[M, K]
  in B: T[K, N]
  out C: T[M, N]
  parallel i in ceildiv(M, 4), j in ceildiv(N, 4) {
    acc[m: 4, n: 4] = 0.0
    pipeline s in ceildiv(K, 4) {
      a[m, k: 4] = A[i*4 + m, s*4 + k]
      b[k, n] = B[s*4 + k, j*4 + n]
      acc = mma(a, b, acc)
    }
    C[i*4 + m, j*4 + n] = T(acc)
  }
}
)";

class Run : public testing::TestWithParam<Target> {
 protected:
  RunRequest request_for(const char* text, std::vector<std::string> assignments) {
    const std::string path = folder_ / "program.tile";
    std::ofstream(path) << text;
    RunRequest request;
    request.program = path;
    request.assignments = std::move(assignments);
    request.target = GetParam();
    return request;
  }

  std::string file_of(const std::string& name, const Numbers& shape, const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * 4);
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    const std::string path = folder_ / name;
    EXPECT_TRUE(write_npy(path, DataType::F32, shape, bytes).has_value());
    return path;
  }

  static std::vector<float> floats_in(const std::string& path, const Numbers& shape) {
    const auto array = read_npy(path, DataType::F32);
    EXPECT_TRUE(array.has_value()) << render(array.error());
    if (!array) return {};
    EXPECT_EQ(array->shape, shape);
    std::vector<float> values(array->data.size() / 4);
    if (!values.empty()) std::memcpy(values.data(), array->data.data(), array->data.size());
    return values;
  }

  void expect_checked(const RunRequest& request) {
    const auto report = run_program(request);
    TW_EXPECT_VALUE(report);
    EXPECT_TRUE(report->ok()) << render(check_faults(*report));
  }

  TemporaryFolder folder_;
};

TEST_P(Run, FillsRunsAndSummarizes) {
  const auto report = run_program(request_for(kDouble, {"M=2", "N=3"}));
  TW_EXPECT_VALUE(report);
  EXPECT_EQ(report->program, "twice");
  EXPECT_EQ(report->target, GetParam());
  EXPECT_EQ(report->bindings.numbers, (std::map<std::string, std::int64_t>{{"M", 2}, {"N", 3}}));
  ASSERT_EQ(report->buffers.size(), 2U);
  EXPECT_EQ(report->buffers[0].contents, "dyadic");
  EXPECT_EQ(report->buffers[1].first, (std::vector<double>{-92.0 / 64, -82.0 / 64, -72.0 / 64}));
  EXPECT_TRUE(report->checks.empty());
  EXPECT_TRUE(report->first_run_milliseconds);
  EXPECT_FALSE(report->times);
  EXPECT_FALSE(report->stage_times.empty());
}

TEST_P(Run, ChecksBothFills) {
  RunRequest request = request_for(kProduct, {"M=5", "N=7", "K=9"});
  request.check = true;
  const auto report = run_program(request);
  TW_EXPECT_VALUE(report);
  EXPECT_TRUE(report->ok()) << render(check_faults(*report));
  ASSERT_EQ(report->checks.size(), 2U);
  EXPECT_EQ(report->checks[0].contents, "dyadic");
  EXPECT_EQ(report->checks[1].contents, "random:1");
  EXPECT_EQ(report->totals().checked_elements, 70);
  EXPECT_FALSE(report->first_run_milliseconds);
  request.fill = Fill{Fill::Kind::Random, 9};
  EXPECT_EQ(run_program(request)->checks.size(), 1U);
}

TEST_P(Run, ChecksSizesOfEveryKind) {
  for (const char* sizes :
       {"4 4 4", "8 12 16", "5 6 7", "1 1 1", "0 5 3", "5 0 3", "3 3 0", "0 0 0", "13 17 19", "1 33 2"}) {
    std::string M, N, K;
    std::istringstream(sizes) >> M >> N >> K;
    for (const char* type : {"f32", "f16", "bf16"}) {
      RunRequest request = request_for(kProduct, {"M=" + M, "N=" + N, "K=" + K, std::string("T=") + type});
      request.check = true;
      SCOPED_TRACE(std::string(sizes) + " " + type);
      expect_checked(request);
    }
  }
}

TEST_P(Run, EmptyContractionGivesZeros) {
  RunRequest request = request_for(kProduct, {"M=3", "N=3", "K=0"});
  request.outputs = {{"C", folder_ / "c.npy"}};
  TW_EXPECT_VALUE(run_program(request));
  const std::vector<float> found = floats_in(folder_ / "c.npy", {3, 3});
  for (float value : found) EXPECT_EQ(std::bit_cast<std::uint32_t>(value), 0U);
}

TEST_P(Run, ChecksViews) {
  const char* views[] = {
      "A=strides:1x5",            // transposed
      "A=strides:16x2,offset:3",  // gaps
      "B=strides:0x1",            // one row again and again
      "B=strides:0x0",            // one element
      "A=strides:-9x1",           // upside down
      "A=strides:9x-1",
      "C=strides:1x5",
      "C=strides:512x1,offset:128,elements:131072",  // a slice of wide rows
      "C=strides:-7x1",
      "A=strides:1x1",  // windows that slide over each other
  };
  for (const char* text : views) {
    SCOPED_TRACE(text);
    RunRequest request = request_for(kProduct, {"M=5", "N=7", "K=9"});
    request.views.insert(*parse_view(text));
    request.check = true;
    expect_checked(request);
  }
}

TEST_P(Run, ChecksAViewFarInsideAVirtualBuffer) {
  RunRequest request = request_for(kProduct, {"M=5", "N=7", "K=9"});
  request.views.insert(*parse_view("A=offset:2147483712,elements:4294967296"));
  request.views.insert(*parse_view("C=offset:2147483712,strides:1073741824x1,elements:8589934592"));
  request.check = true;
  expect_checked(request);
  request.check = false;
  request.outputs = {{"C", folder_ / "far.npy"}};
  TW_EXPECT_VALUE(run_program(request));
  RunRequest plain = request_for(kProduct, {"M=5", "N=7", "K=9"});
  plain.outputs = {{"C", folder_ / "near.npy"}};
  TW_EXPECT_VALUE(run_program(plain));
  EXPECT_EQ(floats_in(folder_ / "far.npy", {5, 7}), floats_in(folder_ / "near.npy", {5, 7}));
}

TEST_P(Run, SampledRowsOfATallResult) {
  RunRequest request = request_for(kDouble, {"M=3000", "N=5"});
  request.views.insert(*parse_view("X=strides:0x0"));
  request.check = true;
  request.sample_rows = 7;
  const auto report = run_program(request);
  TW_EXPECT_VALUE(report);
  EXPECT_TRUE(report->ok());
  EXPECT_EQ(report->checks[0].report.rows, 3000);
  EXPECT_EQ(report->checks[0].report.checked_rows, 7);
  EXPECT_EQ(report->checks[0].report.checked_elements, 35);
}

TEST_P(Run, ReadsAndWritesFiles) {
  RunRequest request = request_for(kProduct, {"M=2", "N=2", "K=3"});
  request.inputs = {{"A", file_of("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6})},
                    {"B", file_of("b.npy", {3, 2}, {1, 0, 0, 1, 1, 1})}};
  request.outputs = {{"C", folder_ / "c.npy"}};
  request.views.insert(*parse_view("A=strides:1x2"));
  request.views.insert(*parse_view("C=strides:-4x1"));
  request.check = true;
  const auto report = run_program(request);
  TW_EXPECT_VALUE(report);
  EXPECT_TRUE(report->ok());
  ASSERT_EQ(report->checks.size(), 1U);
  EXPECT_EQ(report->checks[0].contents, "given");
  EXPECT_EQ(report->written, (std::vector<std::string>{folder_ / "c.npy"}));
  EXPECT_EQ(floats_in(folder_ / "c.npy", {2, 2}), (std::vector<float>{4, 5, 10, 11}));
}

TEST_P(Run, InOutStartsFromItsFileAndIsWrittenBack) {
  const std::string y = file_of("y.npy", {3}, {10, 20, 30});
  RunRequest request = request_for(kAccumulate, {"N=3"});
  request.inputs = {{"X", file_of("x.npy", {3}, {1, 2, 3})}, {"Y", y}};
  request.outputs = {{"Y", y}};
  request.check = true;
  request.time = true;  // measured runs start from the file's contents too
  const auto report = run_program(request);
  TW_EXPECT_VALUE(report);
  EXPECT_TRUE(report->ok());
  ASSERT_TRUE(report->times);
  EXPECT_GE(report->times->runs, 2);
  EXPECT_EQ(floats_in(y, {3}), (std::vector<float>{11, 22, 33}));
}

TEST_P(Run, ScalarsFromTheRequestTheProgramAndTheRule) {
  RunRequest request = request_for(kScale, {"N=2"});
  request.inputs = {{"X", file_of("x.npy", {2}, {1, 2})}};
  request.outputs = {{"Y", folder_ / "y.npy"}};
  TW_EXPECT_VALUE(run_program(request));
  EXPECT_EQ(floats_in(folder_ / "y.npy", {2}), (std::vector<float>{4.5, 6}));
  request.assignments = {"N=2", "s=-2", "t=0.5"};
  TW_EXPECT_VALUE(run_program(request));
  EXPECT_EQ(floats_in(folder_ / "y.npy", {2}), (std::vector<float>{-1.5, -3.5}));
}

TEST_P(Run, SeveralOutputsOfSeveralTypes) {
  RunRequest request = request_for(kKinds, {"N=10"});
  request.outputs = {{"Y", folder_ / "y.npy"}, {"Z", folder_ / "z.npy"}};
  request.check = true;
  const auto report = run_program(request);
  TW_EXPECT_VALUE(report);
  EXPECT_TRUE(report->ok());
  const auto y = read_npy(folder_ / "y.npy", DataType::I32), z = read_npy(folder_ / "z.npy", DataType::Bool);
  TW_EXPECT_VALUE(y);
  TW_EXPECT_VALUE(z);
  EXPECT_EQ(load_bits(DataType::I32, y->data.data() + 4 * 7), 8U);
  EXPECT_EQ(z->data[2], std::byte{0});
  EXPECT_EQ(z->data[3], std::byte{1});
}

TEST_P(Run, FaultsOfNames) {
  RunRequest request = request_for(kScale, {"N=2"});
  request.inputs = {{"Y", "y.npy"}, {"s", "s.npy"}, {"Q", "q.npy"}};
  request.outputs = {{"X", folder_ / "x.npy"}};
  request.views.insert(*parse_view("y=offset:1"));
  const auto result = run_program(request);
  expect_fault(result, DiagCode::BadOption, {"--in expects an input, but 'Y'"});
  expect_fault(result, DiagCode::UnknownBuffer, {"'Q'"});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().size(), 5U) << render(result.error());
}

TEST_P(Run, FaultsOfFiles) {
  RunRequest request = request_for(kDouble, {"M=2", "N=3"});
  request.outputs = {{"Y", folder_ / "y.npy"}};
  request.inputs = {{"X", file_of("x.npy", {3, 2}, {1, 2, 3, 4, 5, 6})}};
  expect_fault(run_program(request), DiagCode::NpyShape, {"'X' expects f32[2, 3]", "found f32[3, 2]", "x.npy"});
  request.inputs = {{"X", file_of("x.npy", {6}, {1, 2, 3, 4, 5, 6})}};
  expect_fault(run_program(request), DiagCode::NpyShape, {"f32[6]"});
  request.inputs = {{"X", folder_ / "none.npy"}};
  expect_fault(run_program(request), DiagCode::FileRead, {"none.npy"});
  std::ofstream(folder_ / "text.npy") << "not an array";
  request.inputs = {{"X", folder_ / "text.npy"}};
  expect_fault(run_program(request), DiagCode::NpyFormat, {"text.npy"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "y.npy"));
}

TEST_P(Run, FileThatItsStridesCannotHold) {
  RunRequest request = request_for(kDouble, {"M=2", "N=3"});
  request.views.insert(*parse_view("X=strides:0x1"));
  request.inputs = {{"X", file_of("x.npy", {2, 3}, {1, 2, 3, 1, 2, 3})}};
  request.outputs = {{"Y", folder_ / "y.npy"}};
  TW_EXPECT_VALUE(run_program(request));
  EXPECT_EQ(floats_in(folder_ / "y.npy", {2, 3}), (std::vector<float>{2, 4, 6, 2, 4, 6}));
  request.inputs = {{"X", file_of("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6})}};
  expect_fault(run_program(request), DiagCode::ArgumentStrides, {"(0, 1)", "'X'", "x.npy"});
}

TEST_P(Run, OutputsThatCannotBeWritten) {
  RunRequest request = request_for(kDouble, {"M=2", "N=3"});
  request.outputs = {{"Y", folder_ / "no/such/y.npy"}};
  expect_fault(run_program(request), DiagCode::FileWrite, {"y.npy", "no folder"});
  request.outputs = {{"Y", folder_.path()}};
  expect_fault(run_program(request), DiagCode::FileWrite, {"it is a folder"});
}

TEST_P(Run, ViewsOutsideTheirBuffer) {
  const auto fault = [&](const char* view, DiagCode code, std::initializer_list<const char*> fragments) {
    SCOPED_TRACE(view);
    RunRequest request = request_for(kDouble, {"M=2", "N=3"});
    request.views.insert(*parse_view(view));
    request.check = true;
    expect_fault(run_program(request), code, fragments);
  };
  fault("X=elements:5", DiagCode::ViewOutOfBuffer, {"'X' covers elements 0 to 5", "5 elements (20 bytes)"});
  fault("X=offset:-1", DiagCode::ViewOutOfBuffer, {"elements -1 to 4"});
  fault("Y=offset:4,elements:9", DiagCode::ViewOutOfBuffer, {"'Y' covers elements 4 to 9"});
  fault("X=strides:-3x1,offset:2", DiagCode::ViewOutOfBuffer, {"elements -1 to 4"});
  fault("X=offset:9223372036854775807", DiagCode::ViewOutOfBuffer, {"beyond 64 bits"});
  fault("X=strides:9223372036854775807x1,offset:1", DiagCode::ViewOutOfBuffer, {"beyond 64 bits"});
  fault("X=strides:1", DiagCode::ArgumentStrides, {"2 dimensions"});
  fault("Y=strides:0x1", DiagCode::ViewSelfOverlap, {"'Y'"});
  fault("Y=strides:1x1", DiagCode::ViewSelfOverlap, {"'Y'"});
}

TEST_P(Run, SizesBeyondMemoryAndBeyondNumbers) {
  expect_fault(run_program(request_for(kDouble, {"M=1000000", "N=1000000"})), DiagCode::OutOfMemory,
               {"8000000000000 bytes", "bytes available"});
  expect_fault(run_program(request_for(kDouble, {"M=4294967296", "N=2147483648"})), DiagCode::SizeOverflow, {});
  expect_fault(run_program(request_for(kDouble, {"M=2147483648", "N=536870912"})), DiagCode::OutOfMemory,
               {"'X' needs 1152921504606846976 elements (4611686018427387904 bytes)"});
}

INSTANTIATE_TEST_SUITE_P(Targets, Run, testing::Values(Target::Cpu, Target::Interp),
                         [](const auto& param) { return std::string(target_name(param.param)); });

TEST(CheckFaults, NameTheFirstWrongElementAndTheCommand) {
  RunReport report;
  CheckReport found;
  found.checked_elements = 12;
  found.wrong_elements = 2;
  found.out_of_bounds_writes = 4;
  found.harmed = {"C"};
  found.first_wrong = WrongElement{"C", {1, 2}, WrongKind::Value, 1.5, 1.75, 0.125};
  report.checks.push_back({"random:1", found, "tilewright run gemm M=4 --fill random:1 --check"});
  EXPECT_FALSE(report.ok());
  const Diags faults = check_faults(report);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].code, DiagCode::CheckFailed);
  const std::string text = render(faults);
  for (const char* fragment :
       {"2 of 12 elements are wrong", "random:1", "harmed: C", "C[1, 2]: expected 1.5 within 0.125, found 1.75",
        "try: tilewright run gemm M=4 --fill random:1 --check"})
    EXPECT_NE(text.find(fragment), std::string::npos) << fragment << "\nin " << text;
}

}  // namespace
}  // namespace tilewright::driver
