// Group programs that tests take apart: each is text, so that a test can change a line of it.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "kernel/parser.h"
#include "kernel/program.h"

namespace tilewright::kernel {

inline Program parsed(const std::string& text) {
  Result<Program> program = parse(text, "test");
  if (program) return std::move(*program);
  ADD_FAILURE() << render(program.error()) << text;
  return {};
}

/// `text` without the line that holds `part`; the part occurs once.
inline std::string without_line(std::string text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  EXPECT_EQ(text.find(part, at + 1), std::string::npos) << part;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// C[16, 16] = A[16, K] B[K, 16] with K = 24: one group of 64 workers, two subgroups, each owns 8 rows. Tiles of 16x8
/// and 8x16 are staged in shared memory; the result leaves by way of shared memory too.
inline const char* const kStagedGemm = R"(kernel program gemm {
  buffer A: f32[384] read
  buffer B: f32[384] read
  buffer C: f32[256] write
  kernel gemm tasks(%t: 1) group 64 of 32 {
    alloc a: f32[128] shared row 8 pad 4
    alloc b: f32[128] shared
    alloc c: f32[256] shared
    %w: i64 = worker
    %s: i64 = subgroup
    %0: i64 = const 0
    %8: i64 = const 8
    %12: i64 = const 12
    %16: i64 = const 16
    %24: i64 = const 24
    %64: i64 = const 64
    %128: i64 = const 128
    %256: i64 = const 256
    %zero: f32 = const 0.0
    %first: f32.8x8 = fragment_fill %zero
    %rows: i64 = mul %s, %64
    %left: f32.8x8, %right: f32.8x8 = loop %k = %0 to %24 step 8 carry (%l: f32.8x8 = %first, %r: f32.8x8 = %first) {
      loop %e = %w to %128 step 64 {
        %row: i64 = floordiv %e, %8
        %column: i64 = floormod %e, %8
        %from: i64 = mul %row, %24
        %from2: i64 = add %from, %k
        %from3: i64 = add %from2, %column
        %va: f32 = load A[%from3]
        store a[%e] = %va
        %brow: i64 = floordiv %e, %16
        %bcolumn: i64 = floormod %e, %16
        %bfrom: i64 = add %brow, %k
        %bfrom2: i64 = mul %bfrom, %16
        %bfrom3: i64 = add %bfrom2, %bcolumn
        %vb: f32 = load B[%bfrom3]
        store b[%e] = %vb
      }
      fence 0 compiler group orders shared
      %fa: f32.8x8 = fragment_load a[%rows] stride %12
      %fb: f32.8x8 = fragment_load b[%0] stride %16
      %fc: f32.8x8 = fragment_load b[%8] stride %16
      %ln: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fb c %l
      %rn: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fc c %r
      fence 1 compiler group orders shared
      yield %ln, %rn
    }
    %out: i64 = mul %s, %128
    %out2: i64 = add %out, %8
    fragment_store c[%out] stride %16 = %left
    fragment_store c[%out2] stride %16 = %right
    fence 2 compiler group orders shared
    loop %e2 = %w to %256 step 64 {
      %v: f32 = load c[%e2]
      store C[%e2] = %v
    }
  }
}
)";

/// y[i] = 2 x[i] for tasks of 32 elements: one subgroup fills slots of a ring, one empties them. Two groups share five
/// tasks.
inline const char* const kRingCopy = R"(kernel program copy {
  buffer x: f32[160] read
  buffer y: f32[160] write
  kernel copy persistent 2 tasks(5) group 64 of 32 {
    alloc slots: f32[64] shared
    ring full versions 2 producers 1 consumers 1
    tasks %t {
      %32: i64 = const 32
      %2: i64 = const 2
      %lane: i64 = lane
      %base: i64 = mul %t, %32
      %at: i64 = add %base, %lane
      %step: i64 = floordiv %t, %2
      %slot: i64 = floormod %step, %2
      %slot2: i64 = mul %slot, %32
      %place: i64 = add %slot2, %lane
      roles {
        producer 1 {
          %v: f32 = load x[%at]
          ring_acquire full[%step]
          store slots[%place] = %v
          ring_commit full[%step]
        }
        consumer 1 {
          ring_await full[%step]
          %u: f32 = load slots[%place]
          ring_release full[%step]
          %d: f32 = add %u, %u
          store y[%at] = %d
        }
      }
    }
  }
}
)";

/// Each worker reverses 32 elements of its subgroup by way of shared memory that an asynchronous copy fills.
inline const char* const kAsyncReverse = R"(kernel program reverse {
  buffer x: f32[64] read
  buffer y: f32[64] write
  kernel reverse tasks(%t: 1) group 64 of 32 {
    alloc s: f32[64] shared
    %w: i64 = worker
    %1: i64 = const 1
    %63: i64 = const 63
    %token: token = async_copy s[%w] = x[%w] count %1
    wait %token
    fence 0 compiler group orders shared async
    %from: i64 = sub %63, %w
    %v: f32 = load s[%from]
    store y[%w] = %v
  }
}
)";

}  // namespace tilewright::kernel
