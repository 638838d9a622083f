// The direct route on the emulator: against the oracle, and against the planned route.
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tilewright/check.h>

#include "case_count.h"
#include "driver/element.h"
#include "driver/faults.h"
#include "driver/kernel_impl.h"
#include "driver/metal_run.h"
#include "driver/run.h"
#include "driver/run_buffers.h"
#include "driver/small_programs.h"
#include "metal/test_cache.h"
#include "programs/interpreted_kernel.h"
#include "programs/request_line.h"
#include "tile/interpreter.h"

namespace tilewright::driver {
namespace {

class MetalDirect : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_test_cache(); }
};

RunRequest routed(const std::string& line, Route route) {
  RunRequest request = request_of_line(line, Target::MetalMpp);
  request.route = route;
  request.threads = 1;
  return request;
}

/// One element in every second row of each matrix, in columns of their own. Premise: f32, at least 13 x 13.
void put_special_values(RunBuffers& buffers) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array kValues = {-0.0f,  0.0f,         Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                  1e-42f, Limits::max()};
  for (const RunBuffer& buffer : buffers.buffers()) {
    if (buffer.role != BufferRole::In) continue;
    const ArrayView& view = buffer.view;
    ASSERT_TRUE(view.type == DataType::F32 && view.extents[0] >= 13 && view.extents[1] >= 13);
    for (std::size_t i = 0; i < kValues.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t place = view.offset + 2 * at * view.strides[0] + at * view.strides[1];
      std::memcpy(view.data + place * 4, &kValues[i], 4);
    }
  }
}

struct Trial {
  bool special_values = false;
  /// No function whose last bits are free: the dyadic fill, whose sums are the same in any order, gives the same bits
  /// on emulator and interpreter.
  bool is_exact = true;
};

/// One program by both routes with the same contents.
class Routes {
 public:
  static Result<Routes> make(const std::string& line) {
    const RunRequest request = routed(line, Route::Direct);
    TW_TRY(const Program program, Program::load(request.program));
    TW_TRY(const Values values, resolve_values(program, request.assignments));
    TW_TRY(Kernel direct, compile_request(program, request, Purpose::Run));
    TW_TRY(Kernel planned, compile_request(program, routed(line, Route::Planned), Purpose::Look));
    TW_TRY(RunBuffers buffers, RunBuffers::make(direct, request, values));
    return Routes(std::move(direct), std::move(planned), std::move(buffers));
  }

  void expect_agreement(const Fill& fill, const Trial& trial) {
    set_contents(fill, trial);
    const Arguments arguments = buffers_.arguments();
    const auto report = check(direct_, arguments, CheckOptions{.run = {1}});
    TW_EXPECT_VALUE(report);
    EXPECT_TRUE(report->ok()) << report->wrong_elements << " wrong";
    const Kernel::Impl& impl = direct_.impl();
    const auto launch = check_launch(impl.bound, impl.rules, arguments);
    TW_EXPECT_VALUE(launch);
    const auto exact = tile::interpret_exact(impl.bound, launch->arguments, {});
    TW_EXPECT_VALUE(exact);
    const auto run = run_metal(direct_, arguments);
    TW_EXPECT_VALUE(run);
    if (trial.is_exact && fill.kind == Fill::Kind::Dyadic) {
      EXPECT_EQ(run->difference, "");
    }
    const auto direct = outputs();
    set_contents(fill, trial);
    TW_EXPECT_VALUE(interpret_compiled(planned_, buffers_.arguments()));
    compare(*exact, direct, outputs());
  }

 private:
  Routes(Kernel direct, Kernel planned, RunBuffers buffers)
      : direct_(std::move(direct)), planned_(std::move(planned)), buffers_(std::move(buffers)) {}

  void set_contents(const Fill& fill, const Trial& trial) {
    buffers_.set_contents(fill);
    if (trial.special_values) put_special_values(buffers_);
  }

  std::map<std::string, std::vector<std::byte>> outputs() const {
    std::map<std::string, std::vector<std::byte>> found;
    for (const RunBuffer& buffer : buffers_.buffers())
      if (buffer.role != BufferRole::In) found[buffer.name] = RunBuffers::dense_bytes(buffer);
    return found;
  }

  /// Each lies within a bound of the oracle; of each other they lie within two.
  void compare(const std::map<tile::ObjectId, tile::ExactOutput>& exact,
               const std::map<std::string, std::vector<std::byte>>& direct,
               const std::map<std::string, std::vector<std::byte>>& planned) const {
    for (const auto& [id, output] : exact) {
      const tile::Object& object = direct_.impl().bound.object(id);
      const DataType type = object.element.data;
      const std::size_t bytes = data_type_bytes(type);
      for (std::size_t i = 0; i < output.value.size(); ++i) {
        if (output.written[i] == 0) continue;
        const auto number = [&](const std::vector<std::byte>& image) {
          return bits_to_number(type, load_bits(type, image.data() + i * bytes));
        };
        const double a = number(direct.at(object.name)), b = number(planned.at(object.name));
        ASSERT_EQ(tile::agree(a, b, 2 * output.bound[i]), tile::Agreement::Within)
            << object.name << " element " << i << ": " << a << " by the direct route, " << b << " planned";
      }
    }
  }

  Kernel direct_, planned_;
  RunBuffers buffers_;
};

void expect_agreement(const std::string& line, const Trial& trial = {}) {
  SCOPED_TRACE(line);
  auto routes = Routes::make(line);
  TW_EXPECT_VALUE(routes);
  for (const Fill& fill : {Fill{}, Fill{Fill::Kind::Random, 7}}) routes->expect_agreement(fill, trial);
}

TEST_F(MetalDirect, Gemms) {
  for (const char* name : {"gemm", "gemm_nt", "gemm_tn", "gemm_tt"}) {
    expect_agreement(std::string(name) + " M=65 N=33 K=37 set:schedules=2");
    if (kSanitized) break;
  }
}

TEST_F(MetalDirect, FusedPrograms) {
  expect_agreement("gemm_bias_gelu M=33 N=37 K=19", {.is_exact = false});
  expect_agreement("mlp N=17 D=19 H=23 C=29 T=f16", {.is_exact = false});
}

TEST_F(MetalDirect, Attention) {
  expect_agreement("attention B=1 Hq=2 Hkv=1 Lq=9 Lk=40 D=24 Dv=16 scale=0.25 causal=1 BQ=16 BK=16",
                   {.is_exact = false});
}

TEST_F(MetalDirect, RowPrograms) { expect_agreement("softmax N=5 C=131", {.is_exact = false}); }

TEST_F(MetalDirect, SizesOfZero) {
  for (const char* line : {"gemm M=3 N=5 K=0", "gemm M=0 N=5 K=3"}) expect_agreement(line);
}

TEST_F(MetalDirect, NanInfinityAndZeros) {
  expect_agreement("gemm M=17 N=19 K=13 BM=32 BN=32 BK=16", {.special_values = true, .is_exact = false});
  expect_agreement("gemm_tt M=17 N=19 K=13 BM=32 BN=32 BK=16", {.special_values = true, .is_exact = false});
}

// ---- Refusals -------------------------------------------------------------------------------------------------------

Result<Kernel> compiled(const CompileOptions& options) {
  return compile_for(Program::load("gemm").value(), {{{"M", 8}, {"N", 8}, {"K", 8}}, {}}, options, Purpose::Look);
}

TEST(DirectOptions, WhatBelongsToAPlannerIsRefused) {
  CompileOptions options{.target = Target::MetalMpp};
  options.route = Route::Direct;
  TW_EXPECT_VALUE(compiled(options));
  options.settings = {{"threads_per_group", "64"}, {"bounded_k", "true"}};
  options.plan = "tilewright plan 2";
  options.plan_label = "my.plan";
  const auto refused = compiled(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().size(), 3u);
  expect_fault(refused, DiagCode::BadOption, {"'threads_per_group' is a setting of the planner", "--route planned"});
  const std::string all = render(refused.error());
  EXPECT_NE(all.find("'bounded_k'"), std::string::npos) << all;
  EXPECT_NE(all.find("my.plan"), std::string::npos) << all;
}

TEST(DirectOptions, TheCommandThatRepeatsACheckHasTheRoute) {
  const auto command = [](Route route) { return repeat_command(routed("gemm M=1 N=1 K=1", route), std::nullopt); };
  EXPECT_NE(command(Route::Direct).find("--target metal-mpp --route direct --threads 1"), std::string::npos);
  EXPECT_EQ(command(Route::Planned).find("--route"), std::string::npos);
}

TEST(DirectOptions, OtherTargetsAreRefusedByName) {
  for (Target target : {Target::Cpu, Target::Interp, Target::MetalSimdgroup}) {
    CompileOptions options{.target = target};
    options.route = Route::Direct;
    const std::string name = "found target " + std::string(target_name(target));
    expect_fault(compiled(options), DiagCode::Unsupported, {name.c_str(), "--target metal-mpp"});
  }
}

TEST(DirectOptions, TheDeviceNeedsTheCapability) {
  CompileOptions options{.target = Target::MetalMpp};
  options.route = Route::Direct;
  options.device = "generic-metal";
  expect_fault(compiled(options), DiagCode::Unsupported, {"needs direct_mpp", "device generic-metal", "--device"});
  options.device = "apple-m5";
  TW_EXPECT_VALUE(compiled(options));
}

TEST(DirectOptions, ThereIsNoStageOfAPlan) {
  CompileOptions options{.target = Target::MetalMpp};
  options.route = Route::Direct;
  const auto kernel = compiled(options);
  TW_EXPECT_VALUE(kernel);
  expect_fault(kernel->print_after("plan"), DiagCode::BadOption, {"no plan"});
  TW_EXPECT_VALUE(kernel->print_after("kernel"));
  const artifact::Artifact& text = kernel->impl().metal->text;
  EXPECT_FALSE(text.hashes.contains("plan"));
  EXPECT_NE(text.code.find("// route direct: no plan"), std::string::npos);
  EXPECT_EQ(text.code.find("// plan"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::driver
