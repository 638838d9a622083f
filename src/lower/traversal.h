// Traversal: which program of a launch a task of its kernel runs.
//
// In the order of the text a kernel's task domain is the launch's own: a task is a point of it. A launch that walks its
// programs in rectangles (proof/traversal.h has the formula) has one linear task axis: the ordinal of a task is split
// into the point of the leading domains (batches, which keep their order) and a place in the grid of the last two. The
// last band and the last rectangle of a band are as small as they have to be, so that there are as many tasks as
// programs, and no program is left out or run twice.
#pragma once

#include <cstdint>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/builder.h"
#include "plan/plan.h"
#include "proof/traversal.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Tasks of one launch: devices number them with 32 bits.
inline constexpr std::int64_t kMostTasks = 0xffff'ffff;

/// Extents of the launch's domains, none below 0. Premise: bound.
std::vector<std::int64_t> launch_extents(const tile::Program& bound, const tile::RegionOp& launch);

/// The product of counts of at least 0, at most kMostTasks. LaunchTooLarge with the counts; `what` names the tasks:
/// "programs".
Result<std::int64_t> checked_tasks(const std::vector<std::int64_t>& counts, const std::string& what);

/// Row-major coordinates of an ordinal of these extents: one division and one remainder an extent but the first.
std::vector<kernel::ValueId> unflattened(kernel::Builder& builder, kernel::ValueId ordinal,
                                         const std::vector<std::int64_t>& extents);

class ProgramWalk {
 public:
  /// Of a launch with these domains, by rectangles of rows x columns over the last two. Failures: LaunchTooLarge;
  /// BadOption (a rectangle that proof/traversal.h refuses, or one for fewer than two domains).
  static Result<ProgramWalk> make(std::vector<std::int64_t> extents, std::int64_t rectangle_rows,
                                  std::int64_t rectangle_columns);

  /// Of the kernel: the domains themselves, or one axis with all programs.
  const std::vector<std::int64_t>& task_extents() const { return task_extents_; }
  bool is_permuted() const { return is_permuted_; }
  std::int64_t programs() const { return programs_; }

  /// The coordinates of the launch, one a domain, from those of the task, one an axis of task_extents().
  std::vector<kernel::ValueId> coordinates(kernel::Builder& builder, const std::vector<kernel::ValueId>& task) const;
  /// The same for a number of a program in the order of the walk, 0 .. programs - 1.
  std::vector<kernel::ValueId> coordinates_of_ordinal(kernel::Builder& builder, kernel::ValueId ordinal) const;
  /// The same on the host, by the same formula.
  std::vector<std::int64_t> coordinates_of_ordinal(std::int64_t ordinal) const;

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> task_extents_;
  std::int64_t programs_ = 1;
  bool is_permuted_ = false;
  proof::Traversal grid_;  ///< with its columns clamped; of a permuted walk
};

/// The walk that the plan has for its launch. Premise: the plan is one of that program. Failures: as ProgramWalk::make.
Result<ProgramWalk> program_walk(const tile::Program& bound, const tile::RegionOp& launch,
                                 const plan::LaunchPlan& plan);

}  // namespace tilewright::lower
