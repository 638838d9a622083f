#include "kernels.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernel/interpreter.h"
#include "kernel/parser.h"
#include "kernel/test_memory.h"
#include "sync/drop_fences.h"

namespace tilewright::sync {

namespace {

/// C[16, 16] = A[16, 24] B[24, 16]: 64 workers, two subgroups of 8 rows each; one copy of each operand, one slot.
const char* const kWindowOne = R"(kernel program gemm {
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
    %1: i64 = const 1
    %3: i64 = const 3
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
    %left: f32.8x8, %right: f32.8x8 = loop %i = %0 to %3 step 1 carry (%l: f32.8x8 = %first, %r: f32.8x8 = %first) {
      %k: i64 = mul %i, %8
      loop %e = %w to %128 step 64 {
        %row: i64 = floordiv %e, %8
        %column: i64 = floormod %e, %8
        %from: i64 = mul %row, %24
        %from2: i64 = add %from, %k
        %from3: i64 = add %from2, %column
        %va: f32 = load A[%from3]
        store a[%e] = %va
      }
      fence 0 compiler group orders shared device
      loop %e = %w to %128 step 64 {
        %row: i64 = floordiv %e, %16
        %column: i64 = floormod %e, %16
        %from: i64 = add %row, %k
        %from2: i64 = mul %from, %16
        %from3: i64 = add %from2, %column
        %vb: f32 = load B[%from3]
        store b[%e] = %vb
      }
      fence 1 compiler group orders shared device
      %fa: f32.8x8 = fragment_load a[%rows] stride %12
      %fb: f32.8x8 = fragment_load b[%0] stride %16
      %fc: f32.8x8 = fragment_load b[%8] stride %16
      %ln: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fb c %l
      %rn: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fc c %r
      fence 2 compiler group orders shared device
      yield %ln, %rn
    }
    %out: i64 = mul %s, %128
    %out2: i64 = add %out, %8
    fragment_store c[%out] stride %16 = %left
    fragment_store c[%out2] stride %16 = %right
    fence 3 compiler group orders shared device
    loop %chunk = %0 to %8 step 1 {
      %base: i64 = mul %chunk, %64
      %e: i64 = add %base, %w
      %inside: i1 = lt %e, %256
      if %inside {
        %v: f32 = load c[%e]
        store C[%e] = %v
      }
    }
    fence 4 compiler group orders shared device
  }
}
)";

/// The same product with two slots: a prologue, iterations that fetch the next slot and use this one, and the last use.
const char* const kWindowTwo = R"(kernel program gemm {
  buffer A: f32[384] read
  buffer B: f32[384] read
  buffer C: f32[256] write
  kernel gemm tasks(%t: 1) group 64 of 32 {
    alloc a: f32[256] shared
    alloc b: f32[256] shared
    %w: i64 = worker
    %s: i64 = subgroup
    %0: i64 = const 0
    %1: i64 = const 1
    %2: i64 = const 2
    %8: i64 = const 8
    %16: i64 = const 16
    %24: i64 = const 24
    %64: i64 = const 64
    %128: i64 = const 128
    %zero: f32 = const 0.0
    %first: f32.8x8 = fragment_fill %zero
    loop %e = %w to %128 step 64 {
      %row: i64 = floordiv %e, %8
      %column: i64 = floormod %e, %8
      %from: i64 = mul %row, %24
      %from2: i64 = add %from, %column
      %v: f32 = load A[%from2]
      store a[%e] = %v
    }
    fence 0 compiler group orders shared device
    loop %e = %w to %128 step 64 {
      %v: f32 = load B[%e]
      store b[%e] = %v
    }
    fence 1 compiler group orders shared device
    %left: f32.8x8, %right: f32.8x8 = loop %i = %0 to %2 step 1 carry (%l: f32.8x8 = %first, %r: f32.8x8 = %first) {
      %next: i64 = add %i, %1
      %nextslot: i64 = floormod %next, %2
      %nextat: i64 = mul %nextslot, %128
      %k: i64 = mul %next, %8
      loop %e = %w to %128 step 64 {
        %row: i64 = floordiv %e, %8
        %column: i64 = floormod %e, %8
        %from: i64 = mul %row, %24
        %from2: i64 = add %from, %k
        %from3: i64 = add %from2, %column
        %v: f32 = load A[%from3]
        %to: i64 = add %nextat, %e
        store a[%to] = %v
      }
      fence 2 compiler group orders shared device
      loop %e = %w to %128 step 64 {
        %from: i64 = mul %k, %16
        %from2: i64 = add %from, %e
        %v: f32 = load B[%from2]
        %to: i64 = add %nextat, %e
        store b[%to] = %v
      }
      fence 3 compiler group orders shared device
      %slot: i64 = floormod %i, %2
      %at: i64 = mul %slot, %128
      %rows: i64 = mul %s, %64
      %ata: i64 = add %at, %rows
      %atr: i64 = add %at, %8
      %fa: f32.8x8 = fragment_load a[%ata] stride %8
      %fb: f32.8x8 = fragment_load b[%at] stride %16
      %fc: f32.8x8 = fragment_load b[%atr] stride %16
      %ln: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fb c %l
      %rn: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fc c %r
      fence 4 compiler group orders shared device
      yield %ln, %rn
    }
    %rows: i64 = mul %s, %64
    %fa: f32.8x8 = fragment_load a[%rows] stride %8
    %fb: f32.8x8 = fragment_load b[%0] stride %16
    %fc: f32.8x8 = fragment_load b[%8] stride %16
    %ln: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fb c %left
    %rn: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fa b %fc c %right
    fence 5 compiler group orders shared device
    %out: i64 = mul %s, %128
    %out2: i64 = add %out, %8
    fragment_store C[%out] stride %16 = %ln
    fragment_store C[%out2] stride %16 = %rn
    fence 6 compiler group orders shared device
  }
}
)";

/// Two steps of attention for 16 queries and 16 keys of 8 elements a step: scores, weights row by row, weighted values.
const char* const kAttention = R"(kernel program attention {
  buffer Q: f32[128] read
  buffer K: f32[256] read
  buffer V: f32[256] read
  buffer O: f32[128] write
  kernel attention tasks(%t: 1) group 64 of 32 {
    alloc q: f32[128] shared
    alloc kt: f32[128] shared
    alloc v: f32[128] shared
    alloc s: f32[256] shared
    alloc top: f32[16] shared
    alloc o: f32[128] shared
    %w: i64 = worker
    %g: i64 = subgroup
    %0: i64 = const 0
    %2: i64 = const 2
    %8: i64 = const 8
    %16: i64 = const 16
    %64: i64 = const 64
    %128: i64 = const 128
    %256: i64 = const 256
    %zero: f32 = const 0.0
    %low: f32 = const -inf
    loop %e = %w to %128 step 64 {
      %x: f32 = load Q[%e]
      store q[%e] = %x
    }
    fence 0 compiler group orders shared device
    loop %e = %w to %128 step 64 {
      store o[%e] = %zero
    }
    fence 1 compiler group orders shared device
    loop %i = %0 to %2 step 1 {
      %from: i64 = mul %i, %128
      loop %e = %w to %128 step 64 {
        %at: i64 = add %from, %e
        %x: f32 = load K[%at]
        store kt[%e] = %x
      }
      fence 2 compiler group orders shared device
      loop %e = %w to %128 step 64 {
        %at: i64 = add %from, %e
        %x: f32 = load V[%at]
        store v[%e] = %x
      }
      fence 3 compiler group orders shared device
      %none: f32.8x8 = fragment_fill %zero
      %rows: i64 = mul %g, %64
      %fq: f32.8x8 = fragment_load q[%rows] stride %8
      %fk: f32.8x8 = fragment_load kt[%0] stride %8 transposed
      %fl: f32.8x8 = fragment_load kt[%64] stride %8 transposed
      %sl: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fq b %fk c %none
      %sr: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %fq b %fl c %none
      %to: i64 = mul %g, %128
      %to2: i64 = add %to, %8
      fragment_store s[%to] stride %16 = %sl
      fragment_store s[%to2] stride %16 = %sr
      fence 4 compiler group orders shared device
      %is: i1 = lt %w, %16
      if %is {
        %row: i64 = mul %w, %16
        %m: f32 = loop %j = %0 to %16 step 1 carry (%c: f32 = %low) {
          %at: i64 = add %row, %j
          %x: f32 = load s[%at]
          %n: f32 = max %c, %x
          yield %n
        }
        store top[%w] = %m
      }
      fence 5 compiler group orders shared device
      loop %e = %w to %256 step 64 {
        %r: i64 = floordiv %e, %16
        %x: f32 = load s[%e]
        %m: f32 = load top[%r]
        %d: f32 = sub %x, %m
        %p: f32 = exp %d
        store s[%e] = %p
      }
      fence 6 compiler group orders shared device
      %ro: i64 = mul %g, %64
      %rs: i64 = mul %g, %128
      %rs2: i64 = add %rs, %8
      %pl: f32.8x8 = fragment_load s[%rs] stride %16
      %pr: f32.8x8 = fragment_load s[%rs2] stride %16
      %vl: f32.8x8 = fragment_load v[%0] stride %8
      %vr: f32.8x8 = fragment_load v[%64] stride %8
      %acc: f32.8x8 = fragment_load o[%ro] stride %8
      %ol: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %pl b %vl c %acc
      %or: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %pr b %vr c %ol
      fragment_store o[%ro] stride %8 = %or
      fence 7 compiler group orders shared device
    }
    loop %e = %w to %128 step 64 {
      %x: f32 = load o[%e]
      store O[%e] = %x
    }
    fence 8 compiler group orders shared device
  }
}
)";

/// y[t] = sum of row t of x[3, 200]: each worker adds its elements, subgroups their workers, the first worker the rest.
const char* const kRowSum = R"(kernel program rowsum {
  buffer x: f32[600] read
  buffer y: f32[3] write
  kernel rowsum tasks(%t: 3) group $W of $S {
    alloc part: f32[$G] shared
    %w: i64 = worker
    %lane: i64 = lane
    %g: i64 = subgroup
    %0: i64 = const 0
    %1: i64 = const 1
    %200: i64 = const 200
    %groups: i64 = const $G
    %zero: f32 = const 0.0
    %row: i64 = mul %t, %200
    %own: f32 = loop %e = %w to %200 step $W carry (%c: f32 = %zero) {
      %at: i64 = add %row, %e
      %v: f32 = load x[%at]
      %n: f32 = add %c, %v
      yield %n
    }
    %all: f32 = subgroup_add %own
    %one: i1 = eq %lane, %0
    if %one {
      store part[%g] = %all
    }
    fence 0 compiler group orders shared device
    %sum: f32 = loop %j = %0 to %groups step 1 carry (%c: f32 = %zero) {
      %v: f32 = load part[%j]
      %n: f32 = add %c, %v
      yield %n
    }
    %first: i1 = eq %w, %0
    if %first {
      store y[%t] = %sum
    }
    fence 1 compiler group orders shared device
  }
}
)";

/// out[127 - i] = 2 x[i] + sum of z by way of two shared tiles; the elements are no multiple of the workers.
const char* const kPhases = R"(kernel program phases {
  buffer x: f32[381] read
  buffer z: f32[381] read
  buffer out: f32[381] write
  kernel phases tasks(%t: 3) group $W of $S {
    alloc a: f32[127] shared
    alloc b: f32[127] shared
    alloc d: f32[1] shared
    %w: i64 = worker
    %0: i64 = const 0
    %1: i64 = const 1
    %126: i64 = const 126
    %127: i64 = const 127
    %chunks: i64 = const $C
    %W: i64 = const $W
    %base: i64 = mul %t, %127
    loop %c = %0 to %chunks step 1 {
      %lin: i64 = mul %c, %W
      %e: i64 = add %lin, %w
      %in: i1 = lt %e, %127
      if %in {
        %at: i64 = add %base, %e
        %v: f32 = load x[%at]
        store a[%e] = %v
      }
    }
    fence 0 compiler group orders shared device
    loop %e = %w to %127 step $W {
      %at: i64 = add %base, %e
      %v: f32 = load z[%at]
      store b[%e] = %v
    }
    fence 1 compiler group orders shared device
    %first: i1 = eq %w, %0
    if %first {
      %v: f32 = load b[%126]
      store d[%0] = %v
    }
    fence 2 compiler group orders shared device
    loop %e = %w to %127 step $W {
      %back: i64 = sub %126, %e
      %v: f32 = load a[%back]
      %u: f32 = load b[%e]
      %s: f32 = add %v, %u
      store b[%e] = %s
    }
    fence 3 compiler group orders shared device
    %more: f32 = load d[%0]
    loop %e = %w to %127 step $W {
      %back: i64 = sub %126, %e
      %v: f32 = load b[%back]
      %s: f32 = add %v, %more
      %at: i64 = add %base, %e
      store out[%at] = %s
    }
    fence 4 compiler group orders shared device
  }
}
)";

/// Each subgroup reverses 32 elements of its own: fences of the user, of subgroups alone.
const char* const kOwnScratch = R"(kernel program reverse {
  buffer x: f32[256] read
  buffer y: f32[256] write
  kernel reverse tasks(%t: 2) group 128 of 32 {
    alloc s: f32[128] shared
    %w: i64 = worker
    %lane: i64 = lane
    %g: i64 = subgroup
    %32: i64 = const 32
    %31: i64 = const 31
    %128: i64 = const 128
    %base: i64 = mul %t, %128
    %at: i64 = add %base, %w
    %v: f32 = load x[%at]
    store s[%w] = %v
    fence 0 user subgroup orders shared
    %begin: i64 = mul %g, %32
    %back: i64 = sub %31, %lane
    %from: i64 = add %begin, %back
    %u: f32 = load s[%from]
    store y[%at] = %u
    fence 1 compiler group orders shared device
  }
}
)";

/// Groups that outlive their tasks: the tile of a task is that of the next one too.
const char* const kPersistent = R"(kernel program shift {
  buffer x: f32[320] read
  buffer y: f32[320] write
  kernel shift persistent 2 tasks(5) group 64 of 32 {
    alloc s: f32[64] shared
    tasks %t {
      %w: i64 = worker
      %1: i64 = const 1
      %64: i64 = const 64
      %base: i64 = mul %t, %64
      %at: i64 = add %base, %w
      %v: f32 = load x[%at]
      store s[%w] = %v
      fence 0 compiler group orders shared device
      %next: i64 = add %w, %1
      %from: i64 = floormod %next, %64
      %u: f32 = load s[%from]
      store y[%at] = %u
      fence 1 compiler group orders shared device
    }
  }
}
)";

}  // namespace

kernel::Program kernel_of(std::string text, const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
  for (const auto& [name, number] : numbers)
    for (std::size_t at = text.find("$" + name); at != std::string::npos; at = text.find("$" + name, at))
      text.replace(at, name.size() + 1, std::to_string(number));
  Result<kernel::Program> program = kernel::parse(text, "test");
  if (program) return std::move(*program);
  ADD_FAILURE() << render(program.error()) << text;
  return {};
}

std::vector<NamedKernel> corpus() {
  std::vector<NamedKernel> all{{"window 1", kernel_of(kWindowOne)},
                               {"window 2", kernel_of(kWindowTwo)},
                               {"attention", kernel_of(kAttention)},
                               {"own scratch", kernel_of(kOwnScratch)},
                               {"persistent", kernel_of(kPersistent)}};
  const std::pair<std::int64_t, std::int64_t> widths[] = {{32, 32}, {48, 16}, {96, 32}, {256, 32}};
  for (const auto& [workers, subgroup] : widths) {
    const std::vector<std::pair<std::string, std::int64_t>> numbers{
        {"W", workers}, {"S", subgroup}, {"G", workers / subgroup}, {"C", (127 + workers - 1) / workers}};
    all.push_back({"row sum, " + std::to_string(workers) + " workers", kernel_of(kRowSum, numbers)});
    all.push_back({"phases, " + std::to_string(workers) + " workers", kernel_of(kPhases, numbers)});
  }
  return all;
}

std::vector<std::uint32_t> identities(const kernel::Program& program) {
  return compiler_fence_sites(program, program.kernels[0]);
}
kernel::Program without(const kernel::Program& program, std::uint32_t identity) {
  return without_fences(program, 0, {identity});
}

namespace {

/// Small numbers everywhere: no NaN, whose payload could hide a difference.
kernel::TestMemory small_numbers(const kernel::Program& program) {
  kernel::TestMemory memory(program);
  for (kernel::BufferId id : program.buffers.ids()) {
    std::vector<float> values(static_cast<std::size_t>(program.buffers[id].count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37 + id.index) % 23) * 0.125f;
    memory.set(id, values);
  }
  return memory;
}

}  // namespace

Diags races(const kernel::Program& program) {
  const kernel::TestMemory memory = small_numbers(program);
  const auto counts = kernel::interpret(program, memory.bases());
  if (counts) return {};
  for (const Diag& fault : counts.error()) EXPECT_EQ(fault.code, DiagCode::AccessRace) << render(fault);
  return counts.error();
}

std::vector<std::vector<std::byte>> outcome(const kernel::Program& program) {
  const kernel::TestMemory memory = small_numbers(program);
  const auto counts = kernel::interpret(program, memory.bases());
  EXPECT_TRUE(counts) << render(counts.error());
  return memory.blocks();
}

}  // namespace tilewright::sync
