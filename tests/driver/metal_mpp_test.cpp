// The target metal-mpp: what differs from metal-simdgroup.

#include <gtest/gtest.h>

#include "driver/faults.h"
#include "driver/kernel_impl.h"
#include "driver/metal_run.h"
#include "driver/run.h"
#include "driver/run_buffers.h"
#include "metal/test_cache.h"
#include "programs/request_line.h"

namespace tilewright::driver {
namespace {

class MetalMpp : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_test_cache(); }

  static RunRequest tensor_request(const std::string& line) {
    RunRequest request = request_of_line(line, Target::MetalMpp);
    request.threads = 1;
    return request;
  }
  static void expect_tensor_check(const std::string& line) {
    RunRequest request = tensor_request(line);
    request.check = true;
    const auto report = run_program(request);
    ASSERT_TRUE(report) << line << "\n" << render(report.error());
    EXPECT_TRUE(report->ok()) << line << "\n" << render(check_faults(*report));
  }
  static Result<Kernel> tensor_kernel(const std::string& line) {
    const RunRequest request = tensor_request(line);
    TW_TRY(const Program program, Program::load(request.program));
    return compile_request(program, request, Purpose::Look);
  }
};

TEST_F(MetalMpp, ProgramsAreRight) {
  for (const char* line : {"gemm M=65 N=33 K=17", "gemm M=0 N=5 K=3", "gemm M=3 N=5 K=0", "mlp N=17 D=19 H=23 C=29",
                           "attention B=1 Hq=2 Hkv=1 Lq=9 Lk=17 D=16 Dv=8 scale=0.25 causal=1", "softmax N=9 C=70"})
    expect_tensor_check(line);
}

/// A launch without tasks among several, and nothing but one.
TEST_F(MetalMpp, EmptyLaunches) {
  for (const char* line : {"gemm_bias_gelu M=300 N=0 K=3", "mlp N=300 D=3 H=0 C=9", "gemm M=0 N=300 K=3"})
    expect_tensor_check(line);
}

TEST_F(MetalMpp, ViewsOfEveryKind) {
  for (const char* line :
       {"gemm M=31 N=29 K=23 view:A=offset:7,strides:40x1 view:B=strides:1x30 view:C=offset:3,strides:64x1",
        "gemm M=64 N=64 K=16 view:C=strides:1x64", "gemm M=31 N=29 K=23 view:C=strides:128x2",
        "gemm M=31 N=29 K=23 view:A=strides:100x2"})
    expect_tensor_check(line);
}

/// The whole program in one kernel a product, with no shared memory.
TEST_F(MetalMpp, FusedEpilogues) {
  for (const char* line : {"gemm_bias_gelu M=65 N=33 K=17 set:fuse_matrix_epilogues=true",
                           "mlp N=17 D=19 H=23 C=29 T=bf16 set:fuse_matrix_epilogues=true",
                           "gemm M=65 N=33 K=17 T=f16 set:fuse_matrix_epilogues=true"}) {
    expect_tensor_check(line);
    const auto kernel = tensor_kernel(line);
    TW_EXPECT_VALUE(kernel);
    for (const plan::LaunchPlan& launch : kernel->impl().metal->planned.planned.plan.launches) {
      EXPECT_EQ(launch.shared_memory_bytes, 0) << line;
      EXPECT_TRUE(launch.matrices[0].fuses_epilogue) << line;
    }
  }
}

TEST_F(MetalMpp, SettingsOfThePlanner) {
  for (const char* line :
       {"gemm M=65 N=33 K=17 set:enabled=false", "gemm M=65 N=33 K=17 set:noalias=false",
        "gemm M=65 N=33 K=17 set:direct_accumulator_store=false", "gemm M=65 N=33 K=17 set:schedules=3 set:layouts=3"})
    expect_tensor_check(line);
}

/// What may overlap is copied; without the word, the launch checks and the plan counts on it.
TEST_F(MetalMpp, OverlapThatIsAllowedReachesThePlan) {
  const auto views_of = [](const Kernel& kernel) {
    return kernel.impl().metal->planned.planned.plan.launches[0].views.size();
  };
  const auto checked = tensor_kernel("gemm M=65 N=33 K=17"),
             allowed = tensor_kernel("gemm M=65 N=33 K=17 set:noalias=false");
  TW_EXPECT_VALUE(checked);
  TW_EXPECT_VALUE(allowed);
  EXPECT_EQ(views_of(*checked), 2u);
  EXPECT_EQ(views_of(*allowed), 0u);
  EXPECT_FALSE(allowed->impl().metal->rules.noalias);
}

/// A text that takes a slot for a place is right in one layout and wrong in the next.
TEST_F(MetalMpp, ATextThatCountsOnALayoutIsFound) {
  const RunRequest request = tensor_request("gemm M=33 N=17 K=9 BM=32 BN=32 BK=16 set:layouts=3");
  const auto program = Program::load(request.program);
  TW_EXPECT_VALUE(program);
  const auto kernel = compile_request(*program, request, Purpose::Run);
  TW_EXPECT_VALUE(kernel);
  auto values = resolve_values(*program, request.assignments);
  TW_EXPECT_VALUE(values);
  auto buffers = RunBuffers::make(*kernel, request, *values);
  TW_EXPECT_VALUE(buffers);
  buffers->set_contents({Fill::Kind::Random, 7});
  MetalKernel wrong = *kernel->impl().metal;
  const auto launch = check_launch(kernel->impl().bound, wrong.rules, buffers->arguments());
  TW_EXPECT_VALUE(launch);
  TW_EXPECT_VALUE(emulate_kernel(wrong, *launch, 1));
  const std::string from = "= product[e];", to = "= product[e] + e;";
  std::string& code = wrong.text.code;
  ASSERT_NE(code.find(from), std::string::npos) << code;
  code.replace(code.find(from), from.size(), to);
  wrong.emulated = std::make_shared<MetalKernel::Emulated>();
  expect_fault(emulate_kernel(wrong, *launch, 1), DiagCode::EmulatorReport,
               {"gemm_0", "layout of cooperative tensors"});
  wrong.emulation.layouts = 1;
  TW_EXPECT_VALUE(emulate_kernel(wrong, *launch, 1));
}

/// The text is of MSL 4.0 where it has tensors, and 3.1 where it has none.
TEST_F(MetalMpp, TheTextSaysWhatItNeeds) {
  const auto tensors = tensor_kernel("gemm M=64 N=64 K=32");
  TW_EXPECT_VALUE(tensors);
  const artifact::Artifact& text = tensors->impl().metal->text;
  EXPECT_EQ(text.target, "metal-mpp");
  EXPECT_EQ(text.families, std::vector<std::string>{"metal.mpp"});
  EXPECT_EQ(text.language_version, 400);
  EXPECT_NE(std::find(text.flags.begin(), text.flags.end(), "msl-4.0"), text.flags.end());
  const auto scalar = tensor_kernel("softmax N=9 C=70");
  TW_EXPECT_VALUE(scalar);
  EXPECT_EQ(scalar->impl().metal->text.language_version, 310);
  EXPECT_TRUE(scalar->impl().metal->text.families.empty());
}

/// mlp and gemm_bias_gelu make each product with tensor operations, attention both of its two.
TEST_F(MetalMpp, InterpreterAndEmulatorCountWhatThePlanSays) {
  for (const char* line :
       {"gemm M=64 N=64 K=64 BM=32 BN=32 BK=16", "mlp N=64 D=32 H=64 C=64", "gemm_bias_gelu M=64 N=64 K=32",
        "mlp N=64 D=32 H=64 C=64 T=f16 set:fuse_matrix_epilogues=true",
        "gemm_bias_gelu M=64 N=64 K=32 set:fuse_matrix_epilogues=true",
        "attention B=1 Hq=2 Hkv=1 Lq=32 Lk=48 D=32 Dv=16 scale=0.2 BQ=16 BK=16"}) {
    SCOPED_TRACE(line);
    const RunRequest request = tensor_request(line);
    const auto program = Program::load(request.program);
    TW_EXPECT_VALUE(program);
    const auto kernel = compile_request(*program, request, Purpose::Run);
    TW_EXPECT_VALUE(kernel);
    auto values = resolve_values(*program, request.assignments);
    TW_EXPECT_VALUE(values);
    auto buffers = RunBuffers::make(*kernel, request, *values);
    TW_EXPECT_VALUE(buffers);
    buffers->set_contents({Fill::Kind::Random, 7});
    const auto run = run_metal(*kernel, buffers->arguments());
    TW_EXPECT_VALUE(run);
    const plan::Plan& plan = kernel->impl().metal->planned.planned.plan;
    ASSERT_EQ(run->kernels.size(), plan.launches.size());
    double operations = 0;
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      const double planned =
          plan.launches[i].cost.metal_mpp_operations * static_cast<double>(plan.launches[i].programs);
      const auto& atoms = run->kernels[i].interpreted.atoms;
      const auto found = atoms.find("metal.mpp");
      EXPECT_EQ(found == atoms.end() ? 0.0 : static_cast<double>(found->second), planned);
      EXPECT_EQ(static_cast<double>(run->kernels[i].emulated->tensor_operations), planned);
      EXPECT_EQ(static_cast<std::int64_t>(run->kernels[i].emulated->threadgroup_bytes),
                plan.launches[i].shared_memory_bytes);
      operations += planned;
    }
    EXPECT_GT(operations, 0);
  }
}

}  // namespace
}  // namespace tilewright::driver
