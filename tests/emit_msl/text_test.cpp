// What the text looks like: what becomes a variable, how wide indices are, names, the comment on top.
#include <gtest/gtest.h>

#include "emit/msl/emit.h"
#include "emulated.h"
#include "kernel/group_programs.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

std::string text_of(const std::string& kernel, const EmitOptions& options = {}) {
  const Result<artifact::Artifact> emitted = emit(parsed(kernel), options);
  EXPECT_TRUE(emitted) << (emitted ? "" : render(emitted.error()));
  return emitted ? emitted->code : "";
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// y[..] = x[stride * t + 1] for tasks of the extent.
std::string strided_copy(const std::string& extent, const std::string& stride) {
  return "kernel program p {\nbuffer x: f32[9000000000] read\nbuffer y: f32[9000000000] write\nkernel k tasks(%t: " +
         extent + ") {\n%s: i64 = const " + stride +
         "\n%1: i64 = const 1\n%at: i64 = mul %t, %s\n%at1: i64 = add %at, %1\n%v: f32 = load x[%at1]\n"
         "store y[%at] = %v\n}\n}";
}

TEST(MetalText, IndicesAreAsWideAsTheyMustBe) {
  // The last index is 2^31 - 1, then one more.
  const std::string narrow = text_of(strided_copy("1073741824", "2"));
  EXPECT_TRUE(holds(narrow, "const int task0 = int(task);")) << narrow;
  EXPECT_TRUE(holds(narrow, "x[at + 1]")) << narrow;
  EXPECT_FALSE(holds(narrow, "long")) << narrow;
  const std::string wide = text_of(strided_copy("1073741825", "2"));
  EXPECT_TRUE(holds(wide, "const int task0 = int(task);")) << wide;
  EXPECT_TRUE(holds(wide, "const long at = long(task0) * 2;")) << wide;
  // A coordinate past 2^31, within the 2^32 of a grid.
  const std::string coordinate = text_of(strided_copy("4294967296", "1"));
  EXPECT_TRUE(holds(coordinate, "const long task0 = long(task);")) << coordinate;
}

TEST(MetalText, ALoopWhoseIndexLeaves32BitsIsWide) {
  const auto loop = [](const std::string& high) {
    return "kernel program p {\nbuffer y: i64[4] write\nkernel k tasks() {\n%0: i64 = const 0\n%high: i64 = const " +
           high + "\nloop %i = %0 to %high step 7 {\nstore y[%0] = %i\n}\n}\n}";
  };
  EXPECT_TRUE(holds(text_of(loop("2147483641")), "for (int i = 0; i < 2147483641; i += 7)"));
  // 2147483641 + 7 is no int any more.
  EXPECT_TRUE(holds(text_of(loop("2147483642")), "for (long i = 0; i < 2147483642; i += 7)"));
  EXPECT_TRUE(holds(text_of(loop("9223372036854775807")), "i = saturating_step(i, 7L)"));
}

/// Numbers at both ends of 32 and 64 bits, read from memory and computed with.
TEST(MetalText, WideIndicesComputeWhatTheKernelSays) {
  const std::string text = R"(kernel program p {
    buffer y: i64[64] write
    kernel k tasks(%t: 4, %u: 4) {
      %a: i64 = const 2147483647
      %b: i64 = const 1073741824
      %4: i64 = const 4
      %16: i64 = const 16
      %48: i64 = const 48
      %32: i64 = const 32
      %big: i64 = mul %t, %a
      %more: i64 = mul %u, %b
      %row: i64 = mul %t, %4
      %at: i64 = add %row, %u
      %sum: i64 = add %big, %more
      store y[%at] = %sum
      %difference: i64 = sub %big, %sum
      %at1: i64 = add %at, %16
      store y[%at1] = %difference
      %quotient: i64 = floordiv %sum, %b
      %at2: i64 = add %at, %32
      store y[%at2] = %quotient
      %masked: i64 = and %difference, %big
      %at3: i64 = add %at, %48
      store y[%at3] = %masked
    }
  })";
  const Program program = parsed(text);
  EXPECT_EQ(compare_with_interpreter(program, BufferBytes(program)), "");
}

TEST(MetalText, ASteppingLoopEndsAtTheLastNumber) {
  const std::string text = R"(kernel program p {
    buffer y: i64[1] readwrite
    kernel k tasks() {
      %0: i64 = const 0
      %1: i64 = const 1
      %low: i64 = const 9223372036854775800
      %high: i64 = const 9223372036854775807
      loop %i = %low to %high step 5 {
        %n: i64 = load y[%0]
        %m: i64 = add %n, %1
        store y[%0] = %m
      }
    }
  })";
  const Program program = parsed(text);
  EXPECT_EQ(compare_with_interpreter(program, BufferBytes(program)), "");
}

TEST(MetalText, WhatIsDecidedIsNotAsked) {
  const std::string text = text_of(R"(kernel program p {
    buffer x: f32[128] read
    buffer y: f32[128] write
    kernel k tasks(%t: 100) {
      %0: i64 = const 0
      %90: i64 = const 90
      %100: i64 = const 100
      %low: i1 = ge %t, %0
      %high: i1 = lt %t, %90
      %inside: i1 = and %low, %high
      %any: i1 = lt %t, %100
      if %any {
        %v: f32 = load x[%t] mask %inside
        store y[%t] = %v
      }
    }
  })");
  EXPECT_TRUE(holds(text, "  y[task0] = task0 < 90 ? x[task0] : 0.0f;")) << text;
  EXPECT_FALSE(holds(text, "if (")) << text;
}

// ---- Variables ------------------------------------------------------------------------------------------------------

/// Two carries change places; a third one counts.
constexpr const char* kTurn = R"(kernel program p {
  buffer y: f32[8] readwrite
  kernel k tasks() {
    %0: i64 = const 0
    %1: i64 = const 1
    %2: i64 = const 2
    %7: i64 = const 7
    %a: f32 = load y[%0]
    %b: f32 = load y[%1]
    %x, %z, %n = loop %i = %0 to %7 step 1 carry (%p: f32 = %a, %q: f32 = %b, %c: i64 = %i0) {
      %d: i64 = add %c, %i
      yield %q, %p, %d
    }
    store y[%0] = %x
    store y[%1] = %z
    %f: f32 = cast %n
    store y[%2] = %f
  }
})";

TEST(MetalText, CarriesThatChangePlaces) {
  std::string text = replaced(kTurn, "%x, %z, %n = loop", "%i0: i64 = const 5\n%x: f32, %z: f32, %n: i64 = loop");
  const Program program = parsed(text);
  BufferBytes memory(program);
  memory.set(BufferId{0}, std::vector<float>{3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(compare_with_interpreter(program, memory), "");
  EXPECT_TRUE(holds(text_of(text), "const float next = "));
}

/// The index of a loop starts a carry of another, which must not change the index.
TEST(MetalText, IndicesAreNotCarried) {
  const std::string text = R"(kernel program p {
    buffer y: i64[8] write
    kernel k tasks() {
      %0: i64 = const 0
      %3: i64 = const 3
      %8: i64 = const 8
      loop %i = %0 to %8 step 1 {
        %r: i64 = loop %j = %0 to %3 step 1 carry (%c: i64 = %i) {
          %d: i64 = add %c, %j
          yield %d
        }
        store y[%i] = %r
      }
    }
  })";
  const Program program = parsed(text);
  EXPECT_EQ(compare_with_interpreter(program, BufferBytes(program)), "");
}

/// The carry of the outer loop says where the inner one begins, and ends as what that one carries.
TEST(MetalText, AStartIsReadBeforeCarriesAreSet) {
  const std::string text = R"(kernel program p {
    buffer y: i64[4] write
    kernel k tasks() {
      %0: i64 = const 0
      %1: i64 = const 1
      %3: i64 = const 3
      %9: i64 = const 9
      %r: i64 = loop %i = %0 to %3 step 1 carry (%c: i64 = %1) {
        %d: i64 = loop %j = %c to %9 step 1 carry (%n: i64 = %0) {
          %m: i64 = add %n, %1
          yield %m
        }
        yield %d
      }
      store y[%0] = %r
    }
  })";
  const Program program = parsed(text);
  EXPECT_EQ(compare_with_interpreter(program, BufferBytes(program)), "");
}

TEST(MetalText, LoadsDoNotPassStores) {
  const std::string text = R"(kernel program p {
    buffer y: f32[4] readwrite
    kernel k tasks() {
      %0: i64 = const 0
      %1: i64 = const 1
      %2: i64 = const 2
      %a: f32 = load y[%0]
      %b: f32 = load y[%1]
      store y[%0] = %b
      %c: f32 = add %a, %b
      store y[%2] = %c
    }
  })";
  const Program program = parsed(text);
  BufferBytes memory(program);
  memory.set(BufferId{0}, std::vector<float>{3, 4, 5, 6});
  EXPECT_EQ(compare_with_interpreter(program, memory), "");
  EXPECT_TRUE(holds(text_of(text), "const float y_value"));
}

TEST(MetalText, WhatIsUsedOnceStandsWhereItIsUsed) {
  const std::string text = text_of(strided_copy("100", "3"));
  EXPECT_EQ(count_of(text, "const int"), 2) << text;  // the coordinate, and the index that is used twice
  EXPECT_TRUE(holds(text, "y[at] = x[at + 1];")) << text;
}

TEST(MetalText, AccumulatorsAreUpdatedInPlace) {
  const std::string text = text_of(kStagedGemm);
  EXPECT_TRUE(holds(text, "simdgroup_multiply_accumulate(acc, a_tile, b_tile, acc);")) << text;
  EXPECT_TRUE(holds(text, "simdgroup_multiply_accumulate(acc_1, a_tile, b_tile_1, acc_1);")) << text;
  EXPECT_EQ(count_of(text, "make_filled_simdgroup_matrix<float, 8, 8>(0.0f);"), 2) << text;
}

// ---- The text as a whole --------------------------------------------------------------------------------------------

TEST(MetalText, NamesThatMetalTakesAreChanged) {
  const std::string text = R"(kernel program p {
    buffer half: f32[4] read
    buffer simd_sum: f32[4] write
    buffer a.b: f32[4] write
    kernel kernel tasks(%t: 4) {
      %v: f32 = load half[%t]
      store simd_sum[%t] = %v
      store a.b[%t] = %v
    }
  })";
  const Program program = parsed(text);
  BufferBytes memory(program, 5);
  EXPECT_EQ(compare_with_interpreter(program, memory), "");
  const std::string emitted = text_of(text);
  EXPECT_TRUE(holds(emitted, "void kernel_1(device const float* half_1 [[buffer(0)]]")) << emitted;
  EXPECT_TRUE(holds(emitted, "device float* a_b [[buffer(2)]]")) << emitted;
}

/// Also such that a number behind them would not free, macros of the library, and types that the text spells.
TEST(MetalText, NamesThatNoNumberFrees) {
  for (const char* name : {"threadgroup", "atomic", "simdgroup", "M", "FLT_MAX", "INT_MAX", "MAXFLOAT", "int32_t",
                           "ray_data", "float4", "emu", "METAL"}) {
    const std::string buffer = name;
    const std::string text = text_of("kernel program p {\n  buffer " + buffer + ": f32[4] read\n  buffer " + buffer +
                                     "_: f32[4] write\n  kernel p tasks(%t: 4) {\n    %a: f32 = load " + buffer +
                                     "[%t]\n    store " + buffer + "_[%t] = %a\n  }\n}\n");
    EXPECT_TRUE(holds(text, "[[buffer(1)]]")) << name;
    if (buffer.size() > 5) {
      EXPECT_FALSE(holds(text, "* " + buffer + " [[")) << name;
    }
  }
}

TEST(MetalText, ABoundOfExactly32ThreadsIsNeverDeclared) {
  const auto program = [](int workers) {
    return "kernel program p {\nkernel k tasks(%t: 2) group " + std::to_string(workers) + " of 32 {\n}\n}";
  };
  EXPECT_TRUE(holds(text_of(program(32)), "max_total_threads_per_threadgroup(64)"));
  EXPECT_TRUE(holds(text_of(program(96)), "max_total_threads_per_threadgroup(96)"));
  EXPECT_TRUE(
      holds(text_of("kernel program p {\nkernel k tasks(%t: 32) {\n}\n}"), "max_total_threads_per_threadgroup(64)"));
}

TEST(MetalText, BarriersAreThoseOfTheProgram) {
  const Program program = parsed(kStagedGemm);
  int fences = 0;
  for (const Op& op : program.ops) fences += std::holds_alternative<FenceOp>(op.payload) ? 1 : 0;
  EXPECT_EQ(count_of(text_of(kStagedGemm), "threadgroup_barrier(mem_flags::mem_threadgroup);"), fences);
}

TEST(MetalText, EqualProgramsGiveEqualTexts) {
  const Result<artifact::Artifact> one = emit(parsed(kStagedGemm)), two = emit(parsed(kStagedGemm));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->code, two->code);
  EXPECT_EQ(one->hashes, two->hashes);
  EXPECT_TRUE(holds(one->code, "// text " + one->hashes.at("text")));
}

TEST(MetalText, TheCommentSaysHowToLaunch) {
  EmitOptions options;
  options.device = "apple-m1-max";
  options.bindings = "M=16 N=16 K=24";
  options.plan = "tilewright plan 2\nlaunch 0 ends in a backslash \\";
  options.plan_digest = "0123";
  const std::string text = text_of(kStagedGemm, options);
  for (const char* line : {"// gemm for metal-simdgroup on apple-m1-max\n", "// M=16 N=16 K=24\n",
                           "//   0 = A: f32[384], read\n", "//   2 = C: f32[256], write\n",
                           "//   gemm: grid 1 x 1 x 1, 64 threads a group, 2304 bytes of threadgroup memory\n",
                           "// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise\n",
                           "//   tilewright plan 2\n", "//   launch 0 ends in a backslash \\.\n", "// plan 0123\n"})
    EXPECT_TRUE(holds(text, line)) << line << text;
}

TEST(MetalText, CoordinatesHaveTheNamesOfTheProgram) {
  EmitOptions options;
  options.coordinates = {{"row"}};
  EXPECT_TRUE(holds(text_of(strided_copy("100", "3"), options), "const int row = int(task);"));
}

TEST(MetalText, ArtifactsNameWhatALaunchBinds) {
  const Result<artifact::Artifact> emitted = emit(parsed(kStagedGemm));
  ASSERT_TRUE(emitted);
  EXPECT_EQ(emitted->kind, artifact::CodeKind::Text);
  ASSERT_EQ(emitted->launches.size(), 1u);
  const artifact::GroupLaunch& launch = *emitted->launches[0].group;
  EXPECT_EQ(launch.bindings, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(launch.workers, 64);
  EXPECT_EQ(launch.subgroup_size, 32);
  EXPECT_EQ(launch.shared_bytes, 4 * (192 + 128 + 256));
}

}  // namespace
}  // namespace tilewright::emit_msl
