// Kernels that groups run: the emulated text against the interpreter, under several schedules.
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emulated.h"
#include "kernel/group_programs.h"
#include "support/half.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

constexpr std::uint32_t kSchedules = 3;

/// Small numbers whose products and sums are exact.
template <class T = float>
std::vector<T> small_numbers(std::size_t count, std::uint32_t seed = 7) {
  std::vector<T> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<T>(static_cast<std::int32_t>(seed >> 28) - 8));
  }
  return numbers;
}

BufferBytes with_small_numbers(const Program& program) {
  BufferBytes memory(program);
  for (BufferId id : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[id];
    if (buffer.kind == BufferKind::Temporary) continue;
    const auto count = static_cast<std::size_t>(buffer.count);
    const std::vector<float> numbers = small_numbers(count, id.index + 1);
    std::vector<std::uint16_t> halves;
    for (float x : numbers) halves.push_back(buffer.scalar == ScalarType::BF16 ? f32_to_bf16(x) : f32_to_f16(x));
    if (buffer.scalar == ScalarType::F32) memory.set(id, numbers);
    if (buffer.scalar == ScalarType::F16 || buffer.scalar == ScalarType::BF16) memory.set(id, halves);
    if (buffer.scalar == ScalarType::I32) memory.set(id, small_numbers<std::int32_t>(count));
    if (buffer.scalar == ScalarType::I64) memory.set(id, small_numbers<std::int64_t>(count));
  }
  return memory;
}

void expect_agreement_on(const std::string& text) {
  const Program program = parsed(text);
  EXPECT_EQ(compare_with_interpreter(program, with_small_numbers(program), 0, kSchedules), "");
}

std::string everywhere(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(MetalGroups, StagedGemmWithPaddedRows) { expect_agreement_on(kStagedGemm); }

TEST(MetalGroups, OperandsOf16BitsAccumulateInFloat) {
  for (const std::string scalar : {"f16", "bf16"}) {
    std::string text = kStagedGemm;
    for (const char* name : {"buffer A: ", "buffer B: ", "alloc a: ", "alloc b: "})
      text = replaced(text, std::string(name) + "f32", name + scalar);
    for (const char* name : {"%va: ", "%vb: ", "%fa: ", "%fb: ", "%fc: "})
      text = replaced(text, std::string(name) + "f32", name + scalar);
    expect_agreement_on(text);
  }
}

/// C[16, 16] += A[16, 16] B^T, one subgroup, accumulators from memory, an element-wise epilogue on fragments.
constexpr const char* kResidentGemm = R"(kernel program resident {
  buffer A: f32[256] read
  buffer B: f32[256] read
  buffer C: f32[256] readwrite
  buffer D: f16[256] write
  kernel resident tasks(%i: 2, %j: 2) group 32 of 32 {
    alloc t: f16[64] shared row 8 pad 8
    %8: i64 = const 8
    %16: i64 = const 16
    %0: i64 = const 0
    %128: i64 = const 128
    %half: f32 = const 0.5
    %ai: i64 = mul %i, %128
    %bi: i64 = mul %j, %128
    %cj: i64 = mul %j, %8
    %ci: i64 = add %ai, %cj
    %start: f32.8x8 = fragment_load C[%ci] stride %16
    %sum: f32.8x8 = loop %k = %0 to %16 step 8 carry (%c: f32.8x8 = %start) {
      %ak: i64 = add %ai, %k
      %bk: i64 = add %bi, %k
      %a: f32.8x8 = fragment_load A[%ak] stride %16
      %b: f32.8x8 = fragment_load B[%bk] stride %16 transposed
      %d: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %a b %b c %c
      yield %d
    }
    fragment_store C[%ci] stride %16 = %sum
    %halves: f32.8x8 = fragment_fill %half
    %scaled: f32.8x8 = mul %sum, %halves
    %zeros: f32.8x8 = sub %halves, %halves
    %clipped: f32.8x8 = max %scaled, %zeros
    %row: i64.8x8 = fragment_row
    %column: i64.8x8 = fragment_column
    %diagonal: i1.8x8 = eq %row, %column
    %chosen: f32.8x8 = select %diagonal, %clipped, %scaled
    %narrow: f16.8x8 = cast %chosen
    fragment_store t[%0] stride %16 transposed = %narrow
    fence 0 compiler subgroup orders shared
    %lane: i64 = lane
    loop %e = %lane to %cj step 32 { }
    %64: i64 = const 64
    loop %e2 = %lane to %64 step 32 {
      %r: i64 = floordiv %e2, %8
      %q: i64 = floormod %e2, %8
      %v: f16 = load t[%e2]
      %rr: i64 = mul %r, %16
      %p: i64 = add %ci, %rr
      %p2: i64 = add %p, %q
      store D[%p2] = %v
    }
  }
}
)";

TEST(MetalGroups, ResidentAccumulatorsAndElementWiseFragments) { expect_agreement_on(kResidentGemm); }

/// Every worker folds a part of the row, subgroups leave partial results, one subgroup folds those.
constexpr const char* kRowReduction = R"(kernel program rows {
  buffer x: f32[500] read
  buffer y: f32[20] write
  kernel rows tasks(%t: 5) group WORKERS of 32 {
    alloc partial: f32[32] shared
    %w: i64 = worker
    %lane: i64 = lane
    %s: i64 = subgroup
    %0: i64 = const 0
    %4: i64 = const 4
    %100: i64 = const 100
    %subgroups: i64 = const SUBGROUPS
    %none: f32 = const START
    %base: i64 = mul %t, %100
    %own: f32 = loop %e = %w to %100 step WORKERS carry (%sum: f32 = %none) {
      %at: i64 = add %base, %e
      %v: f32 = load x[%at]
      %next: f32 = FOLD %sum, %v
      yield %next
    }
    %all: f32 = subgroup_FOLD %own
    %first: i1 = eq %lane, %0
    if %first { store partial[%s] = %all }
    fence 0 compiler group orders shared
    %here: i1 = lt %lane, %subgroups
    %part: f32 = if %here {
      %p: f32 = load partial[%lane]
      yield %p
    } else { yield %none }
    %total: f32 = subgroup_FOLD %part
    %one: i1 = eq %w, %0
    if %one {
      %out: i64 = mul %t, %4
      store y[%out] = %total
    }
  }
}
)";

TEST(MetalGroups, RowReductionsOfAnyWidth) {
  for (const auto& [workers, fold, start] : {std::tuple{32, "add", "0.0"},
                                             {64, "max", "-inf"},
                                             {96, "min", "inf"},
                                             {96, "add", "0.0"},
                                             {256, "max", "-inf"}}) {
    std::string text = everywhere(kRowReduction, "WORKERS", std::to_string(workers));
    text = everywhere(text, "SUBGROUPS", std::to_string(workers / 32));
    expect_agreement_on(everywhere(everywhere(text, "FOLD", fold), "START", start));
  }
}

/// One subgroup exchanges a number of each type.
constexpr const char* kExchanges = R"(kernel program exchanges {
  buffer x: TYPE[32] read
  buffer y: TYPE[COUNT] write
  kernel exchanges tasks() group 32 of 32 {
    %lane: i64 = lane
    %v: TYPE = load x[%lane]
    %0: TYPE = shuffle_xor %v, 5
    %1: TYPE = shuffle_down %v, 3
    %2: TYPE = shuffle_index %v, 17
    %3: TYPE = subgroup_max %v
    %4: TYPE = subgroup_min %v
    SUM
    %32: i64 = const 32
    STORES
  }
}
)";

std::string exchanges_of(const std::string& type) {
  const bool sums = type != "i1";
  const int results = sums ? 6 : 5;
  std::string stores = "%at0: i64 = add %lane, %lane\n%base0: i64 = sub %at0, %lane\n";
  for (int i = 0; i < results; ++i) {
    stores += "store y[%base" + std::to_string(i) + "] = %" + std::to_string(i) + "\n";
    stores += "%base" + std::to_string(i + 1) + ": i64 = add %base" + std::to_string(i) + ", %32\n";
  }
  std::string text = everywhere(kExchanges, "TYPE", type);
  text = everywhere(text, "COUNT", std::to_string(32 * results));
  text = everywhere(text, "SUM", sums ? "%5: " + type + " = subgroup_add %v" : "");
  return everywhere(text, "STORES", stores);
}

TEST(MetalGroups, ExchangesAndReductionsOfEveryType) {
  for (const char* type : {"i1", "i32", "i64", "f16", "bf16", "f32"}) {
    SCOPED_TRACE(type);
    const Program program = parsed(exchanges_of(type));
    EXPECT_EQ(compare_with_interpreter(program, with_small_numbers(program)), "");
    // Any bits at all: integers wrap.
    if (type[0] == 'i') {
      EXPECT_EQ(compare_with_interpreter(program, BufferBytes(program, 3)), "");
    }
  }
}

TEST(MetalGroups, ExtremesKeepNaNsAndOrderZeros) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  const Program program = parsed(exchanges_of("f32"));
  // A sum of zeros of both signs is +0 in any order; one of -0 alone depends on where the sum begins.
  for (const float odd : {0.0f, kNan, -kNan, kInfinity, -kInfinity, 1e-45f, -1e-45f}) {
    std::vector<float> numbers(32, -0.0f);
    numbers[3] = 0.0f;
    numbers[17] = odd;
    BufferBytes memory(program);
    memory.set(BufferId{0}, numbers);
    EXPECT_EQ(compare_with_interpreter(program, memory), "") << odd;
  }
}

/// Each barrier of the staged gemm is needed: without one the emulator finds a race.
TEST(MetalGroups, ADeletedBarrierIsReported) {
  const Program program = parsed(kStagedGemm);
  const Result<artifact::Artifact> emitted = emit(program);
  ASSERT_TRUE(emitted);
  const std::string barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
  int barriers = 0;
  for (std::size_t at = emitted->code.find(barrier); at != std::string::npos;
       at = emitted->code.find(barrier, at + 1), ++barriers) {
    artifact::Artifact spoilt = *emitted;
    spoilt.code.replace(at, barrier.size(), std::string(barrier.size(), ' '));
    BufferBytes memory = with_small_numbers(program);
    EXPECT_NE(run_emulated(spoilt, memory).fault.find("race"), std::string::npos);
  }
  EXPECT_EQ(barriers, 3);
}

}  // namespace
}  // namespace tilewright::emit_msl
