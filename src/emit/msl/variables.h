// Variables of the text: values that share one.
//
// The carries of a loop become variables that the body updates, those of an if variables that its branches set. Where
// the lives of values do not meet, the start of a carry, what is yielded and the carry itself are one variable, and so
// are the accumulator and the result of an atom: the usual accumulation then updates in place. So does work on the
// elements of a cooperative tensor.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emit/msl/placement.h"

namespace tilewright::emit_msl {

class Variables {
 public:
  Variables(const kernel::Program& program, const kernel::Kernel& kernel, const Placement& placement,
            const kernel::IndexRanges& ranges);

  /// The variable of a held value: equal numbers are one variable.
  std::uint32_t of(kernel::ValueId value) const { return variables_[value.index]; }
  /// Whether anything is assigned to the variable after its declaration.
  bool changes(std::uint32_t variable) const { return members_[variable].size() > 1; }
  /// Whether 32 bits do not hold an I64 of it.
  bool is_wide(std::uint32_t variable) const { return wide_[variable]; }

 private:
  /// From the moment that something is written until it is last read.
  struct Life {
    std::uint32_t begin, end;
  };
  /// When an operation is executed, and when the blocks inside of it are over.
  struct Span {
    std::uint32_t begin = 0, end = 0;
  };

  void number(kernel::BlockId block);
  void find_lives(kernel::BlockId block);
  void live(kernel::ValueId value, std::uint32_t from, std::uint32_t to) { lives_[value.index].push_back({from, to}); }
  void live_until(kernel::ValueId value, std::uint32_t from, Site site);
  std::uint32_t time_of(Site site) const;
  void held(kernel::ValueId value, std::uint32_t from);

  void join_carries(kernel::BlockId block);
  void join_all(kernel::BlockId block);
  void join_loop(const kernel::LoopOp& loop);
  void join_elements(kernel::ValueId result, kernel::ValueId operand);
  void join_if(const kernel::IfOp& branch, const kernel::Op& op);
  bool meet(std::uint32_t a, std::uint32_t b) const;
  /// Both in one variable, whether they meet or not.
  void unite(kernel::ValueId a, kernel::ValueId b);
  void try_to_unite(kernel::ValueId a, kernel::ValueId b);

  const kernel::Program& program_;
  const Placement& placement_;
  std::uint32_t clock_ = 0;
  std::vector<Span> ops_, blocks_;
  std::vector<std::vector<Life>> lives_;  ///< by value; those of a variable stand with its first member
  std::vector<std::uint32_t> variables_;
  std::vector<std::vector<kernel::ValueId>> members_;
  std::vector<bool> wide_;
};

}  // namespace tilewright::emit_msl
