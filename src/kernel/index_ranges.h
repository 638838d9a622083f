// Which numbers the integers of a kernel can be: what decides whether 32 bits hold them and whether arithmetic on them
// can wrap.
//
// One-sided: a value is surely inside of its range and need not take all of it. Sources: constants, extents of the task
// domain, bounds of loops, the numbers of workers; what is loaded, and what wraps, can be anything that its type holds.
// Conditions around a value are not looked at. Vectors and fragments have one range for all elements.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

/// low..high, both included.
struct IndexRange {
  std::int64_t low = INT64_MIN, high = INT64_MAX;

  bool is_point() const { return low == high; }
  bool within(const IndexRange& other) const { return low >= other.low && high <= other.high; }
  bool operator==(const IndexRange&) const = default;
};
inline constexpr IndexRange kRangeOfI32{INT32_MIN, INT32_MAX};

/// Everything that an I1, I32 or I64 can be; for floats the largest range.
IndexRange range_of_type(ScalarType scalar);

class IndexRanges {
 public:
  const IndexRange& of(ValueId value) const { return ranges_[value.index]; }
  bool provably_fits_i32(ValueId value) const { return of(value).within(kRangeOfI32); }
  /// The operation that gives the value may leave its type, and then wraps.
  bool may_wrap(ValueId value) const { return wraps_[value.index]; }

 private:
  friend IndexRanges index_ranges(const Program& program, const Kernel& kernel);
  std::vector<IndexRange> ranges_;
  std::vector<bool> wraps_;
};

/// Premise: verify(program) succeeds.
IndexRanges index_ranges(const Program& program, const Kernel& kernel);

}  // namespace tilewright::kernel
