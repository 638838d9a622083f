// How many atoms of a kernel program may round their operands.
#pragma once

#include <algorithm>
#include <string>

#include "kernel/program.h"

namespace tilewright::lower::testing {

struct AtomTally {
  int relaxed = 0, strict = 0;
  bool operator==(const AtomTally&) const = default;
};

inline AtomTally tally_atoms(const kernel::Program& program) {
  AtomTally tally;
  for (const kernel::OpId op : program.ops.ids())
    if (const auto* atom = std::get_if<kernel::AtomOp>(&program.ops[op].payload))
      ++(atom->relaxed ? tally.relaxed : tally.strict);
  return tally;
}

/// The text with the permission in its product number `which`, from 0 on.
inline std::string with_relaxed_product(std::string text, int which = 0) {
  std::size_t at = text.find(" mma(");
  for (; which > 0; --which) at = text.find(" mma(", at + 1);
  return text.insert(text.find(')', at), ", relaxed");
}

}  // namespace tilewright::lower::testing
