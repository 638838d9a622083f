#include "naive_gemm.h"

#include "kernel/builder.h"

namespace tilewright::emit_llvm {

namespace {

using namespace kernel;

constexpr std::int64_t kRows = 64, kColumns = 64, kDepth = 32;

class Gemm {
 public:
  explicit Gemm(const GemmShape& shape) : shape_(shape), b_("naive_gemm") {}

  Program build() {
    const auto [m, n, k] = shape_;
    const BufferId A = b_.argument("A", ScalarType::F32, Access::Read, m * k);
    const BufferId B = b_.argument("B", ScalarType::F32, Access::Read, k * n);
    const BufferId C = b_.argument("C", ScalarType::F32, Access::Write, m * n);
    const std::vector<ValueId> at = b_.begin_kernel("gemm", {tiles(m, kRows), tiles(n, kColumns)});
    const AllocationId a = tile("a", kRows * kDepth);
    const AllocationId b = tile("b", kDepth * kColumns);
    const AllocationId acc = tile("acc", kRows * kColumns);
    const ValueId row = b_.mul(at[0], kRows), column = b_.mul(at[1], kColumns);
    const ValueId zero = b_.const_float(ScalarType::F32, 0);
    each(kRows, kColumns, [&](ValueId i, ValueId j) { b_.store(acc, flat(i, kColumns, j), zero); });
    b_.loop(b_.const_i64(0), b_.const_i64(tiles(k, kDepth)), 1, [&](ValueId step) {
      const ValueId depth = b_.mul(step, kDepth);
      stage(A, a, row, depth, m, k, kRows, kDepth);
      stage(B, b, depth, column, k, n, kDepth, kColumns);
      multiply(a, b, acc);
    });
    each(kRows, kColumns, [&](ValueId i, ValueId j) {
      const ValueId y = b_.add(row, i), x = b_.add(column, j);
      b_.if_then(inside(y, m, x, n), [&] { b_.store(C, flat(y, n, x), b_.load(acc, flat(i, kColumns, j))); });
    });
    b_.end_kernel();
    return b_.finish();
  }

 private:
  static std::int64_t tiles(std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; }
  AllocationId tile(const char* name, std::int64_t count) {
    return b_.allocation(name, AllocationSpace::Private, ScalarType::F32, count);
  }
  ValueId flat(ValueId row, std::int64_t width, ValueId column) { return b_.add(b_.mul(row, width), column); }
  ValueId inside(ValueId y, std::int64_t height, ValueId x, std::int64_t width) {
    return b_.logical_and(b_.compare(CompareKind::Lt, y, b_.const_i64(height)),
                          b_.compare(CompareKind::Lt, x, b_.const_i64(width)));
  }
  template <class Body>
  void each(std::int64_t rows, std::int64_t columns, Body&& body) {
    const ValueId zero = b_.const_i64(0);
    b_.loop(zero, b_.const_i64(rows), 1,
            [&](ValueId i) { b_.loop(zero, b_.const_i64(columns), 1, [&](ValueId j) { body(i, j); }); });
  }
  void stage(BufferId from, AllocationId to, ValueId row, ValueId column, std::int64_t height, std::int64_t width,
             std::int64_t rows, std::int64_t columns) {
    each(rows, columns, [&](ValueId i, ValueId j) {
      const ValueId y = b_.add(row, i), x = b_.add(column, j);
      b_.begin_if(inside(y, height, x, width));
      const ValueId loaded = b_.load(from, flat(y, width, x));
      b_.begin_else({loaded});
      const ValueId padded = b_.end_if({b_.const_float(ScalarType::F32, 0)})[0];
      b_.store(to, flat(i, columns, j), padded);
    });
  }
  void multiply(AllocationId a, AllocationId b, AllocationId acc) {
    each(kRows, kDepth, [&](ValueId i, ValueId k) {
      b_.loop(b_.const_i64(0), b_.const_i64(kColumns), 1, [&](ValueId j) {
        const ValueId at = flat(i, kColumns, j);
        const ValueId product =
            b_.fma(b_.load(a, flat(i, kDepth, k)), b_.load(b, flat(k, kColumns, j)), b_.load(acc, at));
        b_.store(acc, at, product);
      });
    });
  }

  GemmShape shape_;
  Builder b_;
};

}  // namespace

Program naive_gemm(const GemmShape& shape) { return Gemm(shape).build(); }

}  // namespace tilewright::emit_llvm
