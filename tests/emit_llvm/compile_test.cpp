// What the emitter promises beside the meaning: determinism, independence of threads, vector code, refusals.
#include <thread>

#include <gtest/gtest.h>

#include "differential.h"
#include "kernel/builder.h"
#include "kernel/random_program.h"
#include "naive_gemm.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(Compile, SameProgramSameBytes) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Program program = random_program(seed, 10);
    const auto first = emit(program, host_variant().options);
    const auto second = emit(program, host_variant().options);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->code, second->code);
    EXPECT_EQ(first->flags, second->flags);
  }
}

TEST(Compile, ThreadsDoNotMeet) {
  const Program program = naive_gemm({70, 70, 40});
  const auto alone = emit(program, host_variant().options);
  ASSERT_TRUE(alone);
  Arena initial(program);
  std::vector<std::string> faults(4);
  std::vector<std::string> codes(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    threads.emplace_back([&, i] {
      if (auto emitted = emit(program, host_variant().options)) codes[i] = emitted->code;
      faults[i] = compare_with_interpreter(program, initial, {host_variant()});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    EXPECT_EQ(faults[i], "");
    EXPECT_EQ(codes[i], alone->code);
  }
}

TEST(Compile, NaiveGemmAgrees) {
  for (const GemmShape& shape :
       {GemmShape{64, 64, 32}, GemmShape{65, 130, 33}, GemmShape{1, 1, 1}, GemmShape{3, 200, 0}}) {
    const Program program = naive_gemm(shape);
    Arena arena(program);
    std::vector<float> a(static_cast<std::size_t>(shape.m * shape.k)), b(static_cast<std::size_t>(shape.k * shape.n));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0.1f * static_cast<float>(i % 37) - 1.7f;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0.3f * static_cast<float>(i % 23) - 3.1f;
    arena.set(BufferId{0}, a);
    arena.set(BufferId{1}, b);
    Variant noalias = host_variant(2);
    noalias.options.noalias = true;
    EXPECT_EQ(compare_with_interpreter(program, arena, {host_variant(1), host_variant(2), noalias}), "");
  }
}

#if defined(__x86_64__)
/// The columns of the accumulator are vectorized at full width, without a check of overlap at run time.
TEST(Compile, LoopsUseTheWidestVectors) {
  const Program program = naive_gemm({128, 128, 128});
  for (const auto& [cpu, fma, registers] :
       {std::tuple{"x86-64-v3", "llvm.fma.v8f32", "ymm"}, std::tuple{"skylake-avx512", "llvm.fma.v16f32", "zmm"},
        std::tuple{"znver5", "llvm.fma.v16f32", "zmm"}}) {
    const auto text = emit_llvm_text(program, {.cpu = cpu});
    ASSERT_TRUE(text) << render(text.error());
    EXPECT_GT(occurrences(*text, fma), 1u) << cpu;
    EXPECT_EQ(occurrences(*text, "vector.memcheck"), 0u) << cpu;
    const auto assembly = emit_assembly_text(program, {.cpu = cpu});
    ASSERT_TRUE(assembly);
    EXPECT_GT(occurrences(*assembly, registers), 10u) << cpu;
  }
}

TEST(Compile, NothingIsContractedOrReassociated) {
  const auto text = emit_llvm_text(naive_gemm({64, 64, 64}), {.cpu = "x86-64-v3"});
  ASSERT_TRUE(text);
  for (const char* flag : {" fast ", " reassoc ", " contract ", " nnan ", " afn "}) {
    EXPECT_EQ(occurrences(*text, flag), 0u) << flag;
  }
  Builder b("apart");
  const BufferId x = b.argument("x", ScalarType::F32, Access::ReadWrite, 3);
  b.begin_kernel("apart", {});
  const auto load = [&](std::int64_t i) { return b.load(x, b.const_i64(i)); };
  b.store(x, b.const_i64(0), b.add(b.mul(load(0), load(1)), load(2)));
  b.end_kernel();
  const auto assembly = emit_assembly_text(b.finish(), {.cpu = "x86-64-v3"});
  ASSERT_TRUE(assembly);
  EXPECT_EQ(occurrences(*assembly, "fmadd"), 0u);
}

/// The instruction flushes subnormals to zero.
TEST(Compile, Bf16IsNarrowedByIntegers) {
  Builder b("narrow");
  const BufferId in = b.argument("in", ScalarType::F32, Access::Read, 64);
  const BufferId out = b.argument("out", ScalarType::BF16, Access::Write, 64);
  b.begin_kernel("narrow", {});
  b.loop(b.const_i64(0), b.const_i64(64), 16,
         [&](ValueId i) { b.store(out, i, b.cast(ScalarType::BF16, b.load(in, i, 16))); });
  b.end_kernel();
  const Program program = b.finish();
  for (const char* cpu : {"znver5", "sapphirerapids"}) {
    const auto assembly = emit_assembly_text(program, {.cpu = cpu});
    ASSERT_TRUE(assembly);
    EXPECT_EQ(occurrences(*assembly, "ne2ps2bf16") + occurrences(*assembly, "neps2bf16"), 0u);
  }
}
#endif

TEST(Compile, UnknownProcessorsAndFeaturesAreRefused) {
  const Program program = naive_gemm({1, 1, 1});
  const auto bad_cpu = emit(program, {.cpu = "pentium-9000"});
  ASSERT_FALSE(bad_cpu);
  EXPECT_EQ(bad_cpu.error()[0].code, DiagCode::BadOption);
  for (const char* features : {"+warp-drive", "avx9", "+avx2,-nonsense"}) {
    const auto bad_feature = emit(program, {.features = features});
    ASSERT_FALSE(bad_feature) << features;
    EXPECT_EQ(bad_feature.error()[0].code, DiagCode::BadOption);
  }
}

TEST(Compile, SizesBeyond64BitsAreRefused) {
  Builder tasks("tasks");
  tasks.begin_kernel("tasks", {std::int64_t{1} << 32, std::int64_t{1} << 32});
  tasks.end_kernel();
  const auto too_many = emit(tasks.finish(), host_variant().options);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error()[0].code, DiagCode::SizeOverflow);

  Builder memory("memory");
  memory.begin_kernel("memory", {1});
  memory.allocation("tile", AllocationSpace::Private, ScalarType::F32, std::int64_t{1} << 62);
  memory.end_kernel();
  const auto too_large = emit(memory.finish(), host_variant().options);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error()[0].code, DiagCode::TileTooLarge);
}

TEST(Compile, ArtifactDescribesTheLaunches) {
  const Program program = naive_gemm({100, 70, 33});
  const auto artifact = emit(program, host_variant().options);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->program, "naive_gemm");
  EXPECT_EQ(artifact->kind, artifact::CodeKind::Object);
  ASSERT_EQ(artifact->bindings.size(), 3u);
  EXPECT_EQ(artifact->bindings[2].name, "C");
  EXPECT_EQ(artifact->bindings[2].access, artifact::BindingAccess::Write);
  EXPECT_EQ(artifact->bindings[2].count, 7000);
  ASSERT_EQ(artifact->launches.size(), 1u);
  EXPECT_EQ(artifact->launches[0].task_count, 4);
  EXPECT_EQ(artifact->launches[0].scratch_bytes, (64 * 32 + 32 * 64 + 64 * 64) * 4);
  EXPECT_GT(artifact->launches[0].work_per_task, 2 * 64 * 64 * 32);
}

TEST(Compile, KernelsOfGroupsAreRefused) {
  kernel::Builder b("p");
  b.begin_kernel("k", {1}, kernel::Group{64, 32});
  b.end_kernel();
  const auto made = emit(b.finish(), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error()[0].code, DiagCode::Unsupported);
}

}  // namespace
}  // namespace tilewright::emit_llvm
