// Views of atoms that name their place in a matrix: what they read, and what their promise is held to.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "group_programs.h"
#include "kernel/interpreter.h"
#include "test_memory.h"

namespace tilewright::kernel {
namespace {

/// Two tasks of a matrix of 3 rows of 11, 12 apart: columns 0 to 7, and the last three.
constexpr const char* kMatrixViews = R"(kernel program p {
  buffer A: f32[35] read matrix 3 of 11 stride 12
  buffer C: f32[128] write
  kernel p tasks(%t: 2) group 32 of 32 {
    %0: i64 = const 0
    %3: i64 = const 3
    %8: i64 = const 8
    %11: i64 = const 11
    %12: i64 = const 12
    %64: i64 = const 64
    %from: i64 = mul %t, %8
    %left: i64 = sub %11, %from
    %k: i64 = min %left, %8
    %c: f32.8x8 = atom metal.mpp m 8 n 8 k dynamic %k subgroup a view A[%from] stride %12 rows %3 columns %k inner %from outer %0 step 8 b view A[%from] stride %12 rows %k columns %3 transposed inner %from outer %0 step 8
    %to: i64 = mul %t, %64
    fragment_store C[%to] stride %8 = %c
  }
}
)";

std::vector<float> numbered() {
  std::vector<float> numbers(35);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return numbers;
}

TEST(MatrixViews, AreWhatTheirIndexSays) {
  const Program program = parsed(kMatrixViews);
  TestMemory memory(program);
  const std::vector<float> a = numbered();
  memory.set(BufferId{0}, a);
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  const auto c = memory.get<float>(BufferId{1});
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        float sum = 0;
        for (std::size_t k = 8 * t; k < std::min<std::size_t>(8 * t + 8, 11); ++k)
          sum = std::fma(a[i * 12 + k], a[j * 12 + k], sum);
        EXPECT_EQ(c[t * 64 + i * 8 + j], sum);
      }
}

TEST(MatrixViews, ThatPromiseTooMuch) {
  struct Broken {
    const char *from, *to, *mention;
  };
  for (const Broken& broken :
       {Broken{"a view A[%from]", "a view A[%0]", "element 8 of row 0 is element 8 of the buffer, not 0"},
        Broken{"stride %12 rows", "stride %11 rows", "the rows of the matrix are 12 apart, not 11"},
        Broken{"rows %3 columns %k inner", "rows %8 columns %k inner", "the matrix has 3 of 8 rows from 0 on, not 8"},
        Broken{"a view A[%from] stride %12 rows %3", "a view A[%from] stride %12 rows %0",
               "the matrix has 3 of 8 rows from 0 on, not 0"},
        Broken{"columns %k inner %from outer %0 step 8", "columns %k inner %from outer %0 step 9",
               "the matrix has 9 of 9 elements from 0 on, not 8"},
        Broken{"step 8 b", "step 2 b", "k has at most 2, not 8"},
        Broken{"rows %k columns %3 transposed", "rows %k columns %0 transposed",
               "the matrix has 3 of 8 rows from 0 on, not 0"},
        Broken{"transposed inner %from outer %0", "transposed inner %0 outer %0",
               "element 0 of row 0 is element 0 of the buffer, not 8"}}) {
    SCOPED_TRACE(broken.to);
    const Program program = parsed(replaced(kMatrixViews, broken.from, broken.to));
    TestMemory memory(program);
    memory.set(BufferId{0}, numbered());
    const auto counts = interpret(program, memory.bases());
    ASSERT_FALSE(counts);
    EXPECT_EQ(counts.error()[0].code, DiagCode::MemoryFault);
    EXPECT_NE(render(counts.error()).find(broken.mention), std::string::npos) << render(counts.error());
  }
}

}  // namespace
}  // namespace tilewright::kernel
