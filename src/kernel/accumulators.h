// Which fragments of a kernel reach the accumulator of an atom.
#pragma once

#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

class Accumulators {
 public:
  Accumulators(const Program& program, const Kernel& kernel);
  bool contain(ValueId value) const { return reach_[value.index]; }

 private:
  void mark(ValueId value);
  void walk(BlockId id);
  /// A carry that reaches an accumulator, or comes out as one: so do what it starts with and what is yielded.
  void flow(const LoopOp& loop, const std::vector<ValueId>& results);

  const Program& program_;
  std::vector<bool> reach_;
  bool changed_ = false;
};

}  // namespace tilewright::kernel
