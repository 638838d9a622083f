// The target metal-simdgroup: plan, lower, emit, and run on the emulator.
#include <thread>

#include <gtest/gtest.h>

#include "driver/emit.h"
#include "driver/faults.h"
#include "driver/kernel_impl.h"
#include "driver/metal_run.h"
#include "driver/run.h"
#include "driver/run_buffers.h"
#include "driver/small_programs.h"
#include "metal/test_cache.h"
#include "programs/request_line.h"
#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::driver {
namespace {

/// Compiled kernels are kept from test to test, and not among the user's.
class Metal : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_test_cache(); }

  /// The words of a line: a program, assignments, and `set:NAME=VALUE`.
  static RunRequest request_of(const std::string& line) {
    RunRequest request = request_of_line(line, Target::MetalSimdgroup);
    request.threads = 1;
    return request;
  }
  static void expect_checked(const std::string& line) {
    RunRequest request = request_of(line);
    request.check = true;
    const auto report = run_program(request);
    ASSERT_TRUE(report) << line << "\n" << render(report.error());
    EXPECT_TRUE(report->ok()) << line << "\n" << render(check_faults(*report));
    EXPECT_EQ(report->checks.size(), 2u);
  }

  /// A kernel of a program of the library, and arguments that it can run on.
  struct Compiled {
    Kernel kernel;
    RunBuffers buffers;
  };
  static Result<Compiled> compiled(const std::string& line) {
    const RunRequest request = request_of(line);
    TW_TRY(const Program program, Program::load(request.program));
    TW_TRY(Kernel kernel, compile_request(program, request, Purpose::Run));
    TW_TRY(const Values values, resolve_values(program, request.assignments));
    TW_TRY(RunBuffers buffers, RunBuffers::make(kernel, request, values));
    buffers.set_contents({Fill::Kind::Random, 7});
    return Compiled{std::move(kernel), std::move(buffers)};
  }

  TemporaryFolder folder_;
};

TEST_F(Metal, ProgramsAreRight) {
  for (const char* line : {"gemm M=64 N=64 K=64", "gemm M=65 N=33 K=17", "gemm M=0 N=5 K=3", "gemm M=3 N=5 K=0",
                           "gemm M=31 N=29 K=23 T=bf16", "softmax N=9 C=300", "softmax N=5 C=0", "rowsum N=9 C=70",
                           "swiglu N=3 C=67 T=f16", "mlp N=17 D=19 H=23 C=29",
                           "attention B=1 Hq=2 Hkv=1 Lq=9 Lk=17 D=16 Dv=8 scale=0.25 causal=1"})
    expect_checked(line);
}

TEST_F(Metal, WithoutThePlannerTheyAreRightToo) {
  for (const char* line : {"gemm M=65 N=33 K=17 set:enabled=false", "gemm M=64 N=64 K=64 set:enabled=false",
                           "softmax N=9 C=300 set:enabled=false", "mlp N=17 D=19 H=23 C=29 set:enabled=false"})
    expect_checked(line);
}

TEST_F(Metal, ViewsOfEveryKind) {
  for (const char* line :
       {"gemm M=31 N=29 K=23 view:A=offset:7,strides:40x1 view:B=strides:1x30 view:C=offset:3,strides:64x2",
        "gemm M=64 N=64 K=16 view:C=strides:1x64", "gemm M=31 N=29 K=23 view:A=strides:0x1 view:B=strides:29x0"})
    expect_checked(line);
}

TEST_F(Metal, SchedulesAndChecksAreSettings) {
  RunRequest request = request_of("gemm M=33 N=17 K=9 set:schedules=3 set:layouts=5 set:checks=false set:timeout=7");
  EXPECT_EQ(request.emulation.schedules, 3u);
  EXPECT_EQ(request.emulation.layouts, 5u);
  EXPECT_FALSE(request.emulation.checks);
  EXPECT_EQ(request.emulation.timeout_seconds, 7);
  EXPECT_TRUE(request.settings.empty());
  expect_checked("gemm M=33 N=17 K=9 set:schedules=3");
  for (const char* text : {"schedules=0", "schedules=x", "layouts=0", "layouts=1001", "checks=1", "timeout=0"})
    expect_fault(apply_setting(request, text), DiagCode::BadOption);
  const auto unknown = run_program(request_of("gemm M=1 N=1 K=1 set:no_such=1"));
  expect_fault(unknown, DiagCode::UnknownOption);
}

TEST_F(Metal, ThePublicInterface) {
  const auto program = Program::parse(kScale);
  TW_EXPECT_VALUE(program);
  CompileOptions options{.target = Target::MetalSimdgroup, .device = "apple-m1-max"};
  options.emulation.schedules = 2;
  const auto kernel = compile(*program, {.numbers = {{"N", 5}}}, options);
  TW_EXPECT_VALUE(kernel);
  EXPECT_EQ(target_name(Target::MetalSimdgroup), "metal-simdgroup");
  EXPECT_EQ(target_from_name("metal-simdgroup"), Target::MetalSimdgroup);
  std::vector<float> x{1, 2, 3, 4, 5}, y(5), s{0.5f};
  const auto view = [](std::vector<float>& numbers, std::vector<std::int64_t> extents) {
    const auto count = static_cast<std::int64_t>(numbers.size());
    return ArrayView{DataType::F32, reinterpret_cast<std::byte*>(numbers.data()), count, 0, std::move(extents), {}};
  };
  TW_EXPECT_VALUE(kernel->run({{"X", view(x, {5})}, {"s", view(s, {})}, {"Y", view(y, {5})}}, {.threads = 1}));
  EXPECT_EQ(y, (std::vector<float>{3.5f, 4, 4.5f, 5, 5.5f}));
  options.settings = {{"threads_per_group", "many"}};
  expect_fault(compile(*program, {.numbers = {{"N", 5}}}, options), DiagCode::BadOption);
}

// ---- The interpreter beside the emulator
// -----------------------------------------------------------------------------

TEST_F(Metal, InterpreterAndEmulatorAgreeAndCountAlike) {
  auto made = compiled("gemm M=64 N=64 K=64 BM=32 BN=32 BK=16");
  TW_EXPECT_VALUE(made);
  const auto run = run_metal(made->kernel, made->buffers.arguments());
  TW_EXPECT_VALUE(run);
  EXPECT_EQ(run->difference, "");
  ASSERT_EQ(run->kernels.size(), 1u);
  const kernel::Counts& counted = run->kernels[0].interpreted;
  ASSERT_TRUE(run->kernels[0].emulated);
  const msl_emulator::Counters& seen = *run->kernels[0].emulated;
  EXPECT_EQ(seen.matrix_8x8, counted.atoms.at("metal.simdgroup8x8"));
  EXPECT_EQ(seen.matrix_8x8, 512u);
  const kernel::FragmentCounts shared = counted.fragments_of(kernel::MemoryKind::Shared);
  EXPECT_EQ(seen.threadgroup.fragment_loads, shared.operand_loads + shared.accumulator_loads);
  EXPECT_EQ(seen.device.fragment_stores, counted.fragments_of(kernel::MemoryKind::Buffer).stores);
  EXPECT_EQ(seen.threadgroup_barriers, counted.group_fences);
  EXPECT_EQ(seen.threadgroup_bytes, 4u * (32 * 16 + 16 * 32));
}

TEST_F(Metal, ARunWithoutTasksIsInterpretedAlone) {
  auto made = compiled("gemm M=0 N=5 K=3");
  TW_EXPECT_VALUE(made);
  const auto run = run_metal(made->kernel, made->buffers.arguments());
  TW_EXPECT_VALUE(run);
  ASSERT_EQ(run->kernels.size(), 1u);
  EXPECT_FALSE(run->kernels[0].emulated);
  EXPECT_EQ(run->kernels[0].interpreted.tasks, 0u);
}

// ---- Faults
// ----------------------------------------------------------------------------------------------------------

/// The kernel with a change of its text, wherever it fits.
MetalKernel changed(const Kernel& kernel, const std::string& from, const std::string& to) {
  MetalKernel copy = *kernel.impl().metal;
  copy.emulated = std::make_shared<MetalKernel::Emulated>();
  std::size_t at = copy.text.code.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  for (; at != std::string::npos; at = copy.text.code.find(from, at + to.size()))
    copy.text.code.replace(at, from.size(), to);
  return copy;
}

TEST_F(Metal, AReportMakesARunFail) {
  auto made = compiled("gemm M=64 N=64 K=64 BM=32 BN=32 BK=16");
  TW_EXPECT_VALUE(made);
  const MetalKernel racing =
      changed(made->kernel, "threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);", ";");
  const auto launch = check_launch(made->kernel.impl().bound, racing.rules, made->buffers.arguments());
  TW_EXPECT_VALUE(launch);
  const auto result = emulate_kernel(racing, *launch, 1);
  expect_fault(result, DiagCode::EmulatorReport, {"kernel gemm_0: race", "gemm.metal:", "`tilewright emit`"});
}

TEST_F(Metal, ALaunchThatTakesTooLongIsStopped) {
  auto made = compiled("rowsum N=9 C=70 set:timeout=1");
  TW_EXPECT_VALUE(made);
  const std::string& text = made->kernel.impl().metal->text.code;
  const std::size_t body = text.find(") {\n", text.find("void rowsum_0("));
  ASSERT_NE(body, std::string::npos);
  const MetalKernel spinning =
      changed(made->kernel, text.substr(body, 4), ") {\n  for (volatile int spin = 0; spin < 1; spin = 0) {}\n");
  const auto launch = check_launch(made->kernel.impl().bound, spinning.rules, made->buffers.arguments());
  TW_EXPECT_VALUE(launch);
  expect_fault(emulate_kernel(spinning, *launch, 1), DiagCode::EmulatorTimeout, {"set timeout=SECONDS"});
}

// ---- Plans and layouts
// -----------------------------------------------------------------------------------------------

TEST_F(Metal, ALayoutWithoutCompactRowsIsPlannedWithoutDirectStores) {
  const auto stores_directly = [](const Kernel& kernel) {
    return kernel.impl().metal->planned.planned.plan.launches[0].matrices[0].sink.valid();
  };
  auto compact = compiled("gemm M=64 N=64 K=16 BM=32 BN=32 BK=16");
  auto apart = compiled("gemm M=64 N=64 K=16 BM=32 BN=32 BK=16 view:C=strides:128x2");
  TW_EXPECT_VALUE(compact);
  TW_EXPECT_VALUE(apart);
  EXPECT_TRUE(stores_directly(compact->kernel));
  EXPECT_FALSE(stores_directly(apart->kernel));
  expect_checked("gemm M=64 N=64 K=16 BM=32 BN=32 BK=16 view:C=strides:128x2");
  const std::string asked =
      "gemm M=64 N=64 K=16 BM=32 BN=32 BK=16 view:C=strides:128x2 set:direct_accumulator_store=true";
  auto permitted = compiled(asked);
  TW_EXPECT_VALUE(permitted);
  EXPECT_FALSE(stores_directly(permitted->kernel));
  // A stored plan is not changed.
  const std::string plan = folder_ / "gemm.plan";
  TW_EXPECT_VALUE(write_file_atomically(plan, *compact->kernel.print_after("plan")));
  RunRequest stored = request_of("gemm M=64 N=64 K=16 BM=32 BN=32 BK=16 view:C=strides:128x2");
  stored.plan_file = plan;
  expect_fault(run_program(stored), DiagCode::ArgumentStrides,
               {"'C' has strides (128, 2)", "direct_accumulator_store=false"});
}

TEST_F(Metal, WhatThePlanNeedsIsCheckedAtEveryLaunch) {
  auto made = compiled("gemm M=8 N=8 K=8 set:noalias=true");
  TW_EXPECT_VALUE(made);
  Arguments arguments = made->buffers.arguments();
  arguments["B"] = arguments["A"];
  expect_fault(made->kernel.run(arguments), DiagCode::BufferOverlap, {"noalias"});
  // Without the promise inputs may share memory, wherever they begin.
  auto shared = compiled("gemm M=8 N=8 K=7");
  TW_EXPECT_VALUE(shared);
  std::vector<float> numbers(64, 0.5f);
  Arguments overlapping = shared->buffers.arguments();
  for (const char* name : {"A", "B"}) {
    overlapping[name].data = reinterpret_cast<std::byte*>(numbers.data());
    overlapping[name].elements = 64;
    overlapping[name].offset = *name == 'A' ? 0 : 3;
  }
  TW_EXPECT_VALUE(shared->kernel.run(overlapping));
}

TEST_F(Metal, AStoredPlanIsObeyed) {
  RunRequest request = request_of("gemm M=64 N=64 K=64 BM=32 BN=32 BK=16 set:threads_per_group=64");
  const auto first = emit_program(request);
  TW_EXPECT_VALUE(first);
  const Program program = *Program::load("gemm");
  const auto text = compile_request(program, request, Purpose::Look)->print_after("plan");
  TW_EXPECT_VALUE(text);
  const std::string path = folder_ / "gemm.plan";
  ASSERT_TRUE(write_file_atomically(path, *text));
  request.settings.clear();
  request.plan_file = path;
  const auto second = emit_program(request);
  TW_EXPECT_VALUE(second);
  EXPECT_EQ(first->artifact.code, second->artifact.code);
  EXPECT_EQ(second->artifact.launches[0].group->workers, 64);
  request.assignments[0] = "M=128";
  expect_fault(emit_program(request), DiagCode::PlanStale);
}

TEST_F(Metal, OpenParametersAreChosenByThePlanner) {
  auto made = compiled("gemm M=40 N=40 K=40");
  TW_EXPECT_VALUE(made);
  EXPECT_TRUE(made->kernel.bindings().numbers.contains("BM"));
  EXPECT_EQ(made->kernel.bindings().numbers.at("M"), 40);
}

// ---- Texts
// -----------------------------------------------------------------------------------------------------------

TEST_F(Metal, EveryStageIsAText) {
  const Program program = *Program::load("gemm");
  const auto kernel = compile_request(program, request_of("gemm M=8 N=8 K=8"), Purpose::Look);
  TW_EXPECT_VALUE(kernel);
  EXPECT_TRUE(kernel->print_after("msl")->contains("#include <metal_stdlib>"));
  EXPECT_TRUE(kernel->print_after("kernel")->starts_with("kernel program gemm {"));
  EXPECT_TRUE(kernel->print_after("plan")->starts_with("tilewright plan"));
  EXPECT_TRUE(kernel->print_after("bind")->contains("program gemm"));
  expect_fault(kernel->print_after("llvm"), DiagCode::BadOption, {"no stage 'llvm'", "belongs to the target cpu"});
  expect_fault(kernel->print_after("mls"), DiagCode::BadOption, {"did you mean 'msl'?"});
  std::vector<std::string> stages;
  for (const StageTime& time : kernel->stage_times()) stages.push_back(time.stage);
  EXPECT_EQ(stages,
            (std::vector<std::string>{"parse", "verify", "plan", "lower", "verify kernel", "synchronize", "emit"}));
}

TEST_F(Metal, EmittingNeedsATargetWithCode) {
  RunRequest request = request_of("gemm M=8 N=8 K=8");
  const auto text = emit_program(request);
  TW_EXPECT_VALUE(text);
  EXPECT_EQ(text->artifact.kind, artifact::CodeKind::Text);
  EXPECT_EQ(text->device, "generic-metal4");
  EXPECT_EQ(text->artifact.hashes.size(), 2u);
  request.target = Target::Cpu;
  const auto object = emit_program(request);
  TW_EXPECT_VALUE(object);
  EXPECT_EQ(object->artifact.kind, artifact::CodeKind::Object);
  EXPECT_FALSE(object->artifact.code.empty());
  request.target = Target::Interp;
  expect_fault(emit_program(request), DiagCode::Unsupported);
}

TEST_F(Metal, KernelsAreCompiledAndRunSideBySide) {
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&right, i] {
      auto made = compiled(i % 2 == 0 ? "gemm M=33 N=17 K=9" : "softmax N=9 C=300");
      right[static_cast<std::size_t>(i)] = made && made->kernel.run(made->buffers.arguments()) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::vector<int>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace tilewright::driver
