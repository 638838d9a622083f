// Tensor operations: the emulated text against the interpreter, under several layouts and schedules.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emulated.h"
#include "kernel/group_programs.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// C[32, 32] = A[32, 24] B[24, 32], two subgroups, each 32 x 16 of it.
constexpr const char* kDirect = R"(kernel program direct {
  buffer A: f32[768] read
  buffer B: f32[768] read
  buffer C: f32[1024] write
  kernel direct tasks() group 64 of 32 {
    %0: i64 = const 0
    %16: i64 = const 16
    %24: i64 = const 24
    %32: i64 = const 32
    %zero: f32 = const 0.0
    %s: i64 = subgroup
    %n: i64 = mul %s, %16
    %acc: f32.32x16 = fragment_fill %zero
    %sum: f32.32x16 = atom metal.mpp m 32 n 16 k dynamic %24 subgroup a view A[%0] stride %24 rows %32 columns %24 b view B[%n] stride %32 rows %24 columns %16 c %acc
    fragment_store C[%n] stride %32 = %sum
  }
}
)";

TEST(MetalTensors, First) {
  const Program program = parsed(kDirect);
  BufferBytes memory(program);
  std::vector<float> a, b;
  for (int i = 0; i < 768; ++i)
    a.push_back(static_cast<float>(i * 37 % 17 - 8)), b.push_back(static_cast<float>(i * 23 % 13 - 6));
  memory.set(BufferId{0}, a);
  memory.set(BufferId{1}, b);
  EXPECT_EQ(compare_with_interpreter(program, memory, 0, 3), "");
}

}  // namespace
}  // namespace tilewright::emit_msl
