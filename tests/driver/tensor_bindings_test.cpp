// tensor_bindings=handle of metal-mpp, from the request to the run.
#include <string>
#include <vector>

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

constexpr const char* kHandles = " set:tensor_bindings=handle";

struct BoundCase {
  const char* line;
  const char* handles;  ///< names, one after the other
};

class TensorBindingsOf : public testing::TestWithParam<BoundCase> {
 protected:
  static void SetUpTestSuite() { use_test_cache(); }
};

/// What a run leaves in the memory of all arguments; nothing after a fault.
std::vector<std::byte> left_by(const std::string& line, std::string& handles) {
  RunRequest request = request_of_line(line, Target::MetalMpp);
  std::vector<std::byte> left;
  const auto run = [&]() -> Result<void> {
    TW_TRY(const Program program, Program::load(request.program));
    TW_TRY(const Kernel kernel, compile_request(program, request, Purpose::Run));
    for (const artifact::Binding& binding : kernel.impl().metal->text.bindings)
      if (binding.tensor) handles += binding.name;
    TW_TRY(const Values values, resolve_values(program, request.assignments));
    TW_TRY(RunBuffers buffers, RunBuffers::make(kernel, request, values));
    buffers.set_contents({Fill::Kind::Random, 7});
    const Arguments arguments = buffers.arguments();
    TW_TRY(const MetalRun done, run_metal(kernel, arguments));
    for (const auto& [name, view] : arguments)
      left.insert(left.end(), view.data,
                  view.data + view.elements * static_cast<std::int64_t>(data_type_bytes(view.type)));
    return {};
  };
  const Result<void> done = run();
  EXPECT_TRUE(done) << render(done.error());
  return left;
}

TEST_P(TensorBindingsOf, OneProgramGiveTheSameBits) {
  const auto& [line, names] = GetParam();
  std::string handles, none;
  const std::vector<std::byte> found = left_by(std::string(line) + kHandles, handles);
  EXPECT_EQ(handles, names);
  EXPECT_FALSE(found.empty());
  const bool expected = found == left_by(line, none);
  EXPECT_TRUE(expected);
  EXPECT_EQ(none, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, TensorBindingsOf,
    testing::Values(BoundCase{"gemm M=64 N=64 K=64 BM=32 BN=32 BK=16", "AB"},
                    BoundCase{"gemm M=40 N=40 K=61 BM=32 BN=32 BK=16 set:threads_per_group=32", "AB"},
                    BoundCase{"gemm_nt M=40 N=64 K=61 T=f16 BM=32 BN=32 BK=16 set:threads_per_group=32", "AB"},
                    BoundCase{"gemm_tn M=40 N=48 K=61 BM=32 BN=32 BK=16 set:threads_per_group=32", "AB"},
                    BoundCase{"gemm_tt M=40 N=40 K=61 T=bf16 BM=32 BN=32 BK=16 set:threads_per_group=32", "AB"},
                    BoundCase{"gemm M=64 N=64 K=17 view:A=offset:7,strides:40x1 view:B=strides:1x30", "AB"},
                    BoundCase{"mlp N=64 D=32 H=64 C=64", "XW1W2"},
                    BoundCase{"gemm M=64 N=64 K=40 BM=64 BN=64 BK=16 set:mpp_operation_scope=group "
                              "set:threads_per_group=64 set:fuse_matrix_epilogues=true",
                              "AB"}),
    [](const auto& info) { return "Case" + std::to_string(info.index); });

TEST(TensorBindings, BelongToMetalMpp) {
  const auto program = Program::load("gemm");
  TW_EXPECT_VALUE(program);
  const Bindings sizes{.numbers = {{"M", 64}, {"N", 64}, {"K", 64}}};
  for (Target target : {Target::Cpu, Target::Interp, Target::MetalSimdgroup}) {
    CompileOptions options{.target = target};
    options.tensor_bindings = TensorBindings::Handle;
    expect_fault(compile(*program, sizes, options), DiagCode::Unsupported,
                 {"tensor_bindings belongs to target metal-mpp, found target", target_name(target).data()});
  }
}

}  // namespace
}  // namespace tilewright::driver
