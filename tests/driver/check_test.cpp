// The check can fail: kernels with one planted fault each, and what the report says about them.
#include "driver/check.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "driver/faults.h"
#include "driver/kernel_impl.h"
#include "driver/small_programs.h"

namespace tilewright {
namespace {

using Numbers = std::vector<std::int64_t>;

float* at(const Arguments& arguments, const char* name, std::int64_t position) {
  return reinterpret_cast<float*>(arguments.at(name).data) + position;
}

/// A kernel of one program, run through a launcher that may spoil what it does.
class Planted : public testing::Test {
 protected:
  using Spoil = std::function<void(const Arguments&)>;

  void compile_program(const char* text, std::map<std::string, std::int64_t> sizes, CompileOptions options = {}) {
    options.target = Target::Interp;
    const auto program = Program::parse(text);
    TW_EXPECT_VALUE(program);
    auto kernel = compile(*program, {std::move(sizes), {}}, options);
    TW_EXPECT_VALUE(kernel);
    kernel_.emplace(std::move(*kernel));
  }

  void add(const char* name, std::vector<float>& memory, Numbers extents, Numbers strides, std::int64_t offset = 0) {
    arguments_[name] = {DataType::F32,
                        reinterpret_cast<std::byte*>(memory.data()),
                        static_cast<std::int64_t>(memory.size()),
                        offset,
                        std::move(extents),
                        std::move(strides)};
  }

  CheckReport check_with(const Spoil& before, const Spoil& after, const CheckOptions& options = {}) {
    const auto launcher = [&](const Arguments& arguments) -> Result<void> {
      if (before) before(arguments);
      auto done = kernel_->run(arguments);
      if (after) after(arguments);
      return done;
    };
    auto report = driver::check_launcher(kernel_->impl().bound, kernel_->impl().rules, arguments_, launcher, options);
    EXPECT_TRUE(report.has_value()) << render(report.error());
    return report.value_or(CheckReport{});
  }

  void use_double() {
    compile_program(kDouble, {{"M", 2}, {"N", 3}});
    add("X", x_, {2, 3}, {3, 1});
    add("Y", y_, {2, 3}, {3, 1});
  }

  std::optional<Kernel> kernel_;
  Arguments arguments_;
  std::vector<float> x_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> y_ = std::vector<float>(6, -1);
};

TEST_F(Planted, RightKernel) {
  use_double();
  const CheckReport report = check_with(nullptr, nullptr);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.checked_elements, 6);
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.checked_rows, 2);
  EXPECT_EQ(report.max_abs_error, 0);
  EXPECT_FALSE(report.first_wrong);
  EXPECT_EQ(y_, std::vector<float>(6, -1)) << "the caller's output is not written";
}

TEST_F(Planted, WrongValue) {
  use_double();
  const CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 4) += 0.5F; });
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.wrong_elements, 1);
  EXPECT_EQ(report.unwritten_elements, 0);
  ASSERT_TRUE(report.first_wrong);
  EXPECT_EQ(report.first_wrong->buffer, "Y");
  EXPECT_EQ(report.first_wrong->indices, (Numbers{1, 1}));
  EXPECT_EQ(report.first_wrong->kind, WrongKind::Value);
  EXPECT_EQ(report.first_wrong->expected, 10);
  EXPECT_EQ(report.first_wrong->found, 10.5);
  EXPECT_EQ(report.max_abs_error, 0.5);
  EXPECT_NEAR(report.max_rel_error, 0.05, 1e-12);
}

TEST_F(Planted, WrongClassAndSign) {
  use_double();
  x_ = {0, 1, 2, 3, 4, std::numeric_limits<float>::infinity()};
  CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 2) = NAN; });
  ASSERT_TRUE(report.first_wrong);
  EXPECT_EQ(report.first_wrong->kind, WrongKind::Class);
  report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 0) = -0.0F; });
  ASSERT_TRUE(report.first_wrong);
  EXPECT_EQ(report.first_wrong->kind, WrongKind::Sign);
  report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 5) *= -1; });
  ASSERT_TRUE(report.first_wrong);
  EXPECT_EQ(report.first_wrong->indices, (Numbers{1, 2}));
}

TEST_F(Planted, UnwrittenElementKeepsItsPoison) {
  use_double();
  float kept = 0;
  const CheckReport report = check_with([&](const Arguments& a) { kept = *at(a, "Y", 3); },
                                        [&](const Arguments& a) { std::memcpy(at(a, "Y", 3), &kept, 4); });
  EXPECT_EQ(report.unwritten_elements, 1);
  EXPECT_EQ(report.wrong_elements, 0);
  ASSERT_TRUE(report.first_wrong);
  EXPECT_EQ(report.first_wrong->kind, WrongKind::Unwritten);
  EXPECT_EQ(report.first_wrong->indices, (Numbers{1, 0}));
}

TEST_F(Planted, KernelThatDoesNothing) {
  use_double();
  const auto report = driver::check_launcher(kernel_->impl().bound, kernel_->impl().rules, arguments_,
                                             [](const Arguments&) { return Result<void>{}; }, {});
  TW_EXPECT_VALUE(report);
  EXPECT_EQ(report->unwritten_elements, 6);
}

TEST_F(Planted, ReadOfTheOldOutput) {
  use_double();
  // max() with what stood there: right under the NaN poison alone.
  float kept = 0;
  const CheckReport report = check_with([&](const Arguments& a) { kept = *at(a, "Y", 0); },
                                        [&](const Arguments& a) { *at(a, "Y", 0) = std::fmax(*at(a, "Y", 0), kept); });
  EXPECT_EQ(report.wrong_elements, 1);
}

TEST_F(Planted, WriteBeforeAndBehindTheBuffer) {
  use_double();
  CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 6) = 0; });
  EXPECT_GT(report.out_of_bounds_writes, 0);
  EXPECT_EQ(report.wrong_elements, 0);
  EXPECT_EQ(report.harmed, std::vector<std::string>{"Y"});
  report = check_with(nullptr, [](const Arguments& a) { *at(a, "X", -1) = 0; });
  EXPECT_GT(report.out_of_bounds_writes, 0);
  EXPECT_EQ(report.harmed, std::vector<std::string>{"X"});
}

TEST_F(Planted, WriteBesideTheView) {
  compile_program(kDouble, {{"M", 2}, {"N", 3}}, {Target::Cpu, {{"Y", {{8, 1}}}}, false});
  std::vector<float> wide(16, 7);
  add("X", x_, {2, 3}, {3, 1});
  add("Y", wide, {2, 3}, {8, 1}, 2);
  EXPECT_TRUE(check_with(nullptr, nullptr).ok());
  const CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 5) = 0; });
  EXPECT_EQ(report.out_of_bounds_writes, 1);
  EXPECT_EQ(report.harmed, std::vector<std::string>{"Y"});
  EXPECT_EQ(wide, std::vector<float>(16, 7));
}

TEST_F(Planted, ReadBesideTheViewMeetsPoison) {
  compile_program(kDouble, {{"M", 2}, {"N", 3}}, {Target::Cpu, {{"X", {{8, 1}}}}, false});
  std::vector<float> wide(16, 0);
  add("X", wide, {2, 3}, {8, 1});
  add("Y", y_, {2, 3}, {3, 1});
  const CheckReport report =
      check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 2) = *at(a, "Y", 2) + *at(a, "X", 3); });
  EXPECT_EQ(report.wrong_elements, 1);
}

TEST_F(Planted, ChangedInput) {
  use_double();
  const CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "X", 2) = 9; });
  EXPECT_EQ(report.changed_inputs, 1);
  EXPECT_EQ(report.out_of_bounds_writes, 0);
  EXPECT_EQ(report.harmed, std::vector<std::string>{"X"});
  EXPECT_EQ(x_[2], 3);
}

TEST_F(Planted, WriteWhereTheProgramStoresNothing) {
  compile_program(kEven, {{"N", 3}});
  std::vector<float> x = {1, 2, 3};
  add("X", x, {3}, {1});
  add("Y", y_, {6}, {1});
  EXPECT_TRUE(check_with(nullptr, nullptr).ok());
  const CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 3) = 0; });
  EXPECT_EQ(report.wrong_elements, 1);
  ASSERT_TRUE(report.first_wrong);
  EXPECT_EQ(report.first_wrong->kind, WrongKind::Uninvited);
  EXPECT_EQ(report.first_wrong->indices, Numbers{3});
}

TEST_F(Planted, InOutStartsFromItsContents) {
  compile_program(kAccumulate, {{"N", 6}});
  add("X", x_, {6}, {1});
  add("Y", y_, {6}, {1});
  EXPECT_TRUE(check_with(nullptr, nullptr).ok());
  EXPECT_EQ(y_, std::vector<float>(6, -1));
  const CheckReport report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 0) += *at(a, "X", 0); });
  EXPECT_EQ(report.wrong_elements, 1);
  EXPECT_EQ(report.first_wrong->expected, 0);
  EXPECT_EQ(report.first_wrong->found, 1);
}

TEST_F(Planted, SampledRowsAloneAreCompared) {
  compile_program(kDouble, {{"M", 100}, {"N", 4}});
  std::vector<float> x(400, 1), y(400, 0);
  add("X", x, {100, 4}, {4, 1});
  add("Y", y, {100, 4}, {4, 1});
  CheckOptions options;
  options.sample_rows = 10;
  CheckReport report = check_with(nullptr, nullptr, options);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.rows, 100);
  EXPECT_EQ(report.checked_rows, 10);
  EXPECT_EQ(report.checked_elements, 40);
  // The first and the last row are always among them.
  report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 399) = 0; }, options);
  EXPECT_EQ(report.wrong_elements, 1);
  EXPECT_EQ(report.first_wrong->indices, (Numbers{99, 3}));
  report = check_with(nullptr, [](const Arguments& a) { *at(a, "Y", 0) = 0; }, options);
  EXPECT_EQ(report.first_wrong->indices, (Numbers{0, 0}));
}

TEST_F(Planted, ErrorsOfTheArgumentsAreErrors) {
  use_double();
  arguments_.erase("X");
  const auto report = driver::check_launcher(kernel_->impl().bound, kernel_->impl().rules, arguments_,
                                             [](const Arguments&) { return Result<void>{}; }, {});
  expect_fault(report, DiagCode::MissingArgument, {"'X'"});
}

TEST_F(Planted, ErrorsOfTheLaunchAreErrors) {
  use_double();
  const auto report =
      driver::check_launcher(kernel_->impl().bound, kernel_->impl().rules, arguments_,
                             [](const Arguments&) -> Result<void> { return failure(DiagCode::Unsupported, "no"); }, {});
  expect_fault(report, DiagCode::Unsupported);
}

TEST(SampledRows, FirstLastAndOthers) {
  EXPECT_EQ(driver::sampled_rows(5, 0), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(driver::sampled_rows(3, 8), (Numbers{0, 1, 2}));
  EXPECT_EQ(driver::sampled_rows(9, 1), (Numbers{0}));
  EXPECT_EQ(driver::sampled_rows(0, 4), Numbers{});
  const Numbers rows = driver::sampled_rows(1'000'000'000'000, 16);
  EXPECT_EQ(rows.size(), 16U);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 999'999'999'999);
  EXPECT_EQ(rows, driver::sampled_rows(1'000'000'000'000, 16));
}

TEST(PublicCheck, OnBothTargets) {
  const auto program = Program::parse(kDouble);
  TW_EXPECT_VALUE(program);
  std::vector<float> x = {1, 2, 3, 4}, y(4, 0);
  const auto view = [](std::vector<float>& memory) {
    return ArrayView{DataType::F32, reinterpret_cast<std::byte*>(memory.data()), 4, 0, {2, 2}, {2, 1}};
  };
  for (Target target : {Target::Cpu, Target::Interp}) {
    const auto kernel = compile(*program, {{{"M", 2}, {"N", 2}}, {}}, {target, {}, false});
    TW_EXPECT_VALUE(kernel);
    const auto report = check(*kernel, {{"X", view(x)}, {"Y", view(y)}});
    TW_EXPECT_VALUE(report);
    EXPECT_TRUE(report->ok());
  }
}

}  // namespace
}  // namespace tilewright
