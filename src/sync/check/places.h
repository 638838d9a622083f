// Where an access goes, for every worker or subgroup that makes it: part of the fence checker.
//
// Loops in which each worker has iterations of its own are counted out. Those that workers run together are symbols, or
// counted out too, as the caller wishes: symbols tell iterations apart, numbers decide more conditions and quotients.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "kernel/program.h"
#include "kernel/uniformity.h"
#include "sync/check/forms.h"
#include "sync/check/paths.h"

namespace tilewright::sync {

/// Workers 0 .. workers - 1; behind them the subgroups, which act as one.
using Owner = std::uint32_t;

struct Place {
  std::int64_t number = 0;  ///< of the element, terms apart; of the place where elements are padded
  Owner owner = 0;
  auto operator<=>(const Place&) const = default;
};

struct Places {
  bool known = false;         ///< else any element
  std::vector<Term> terms;    ///< the same for all places
  std::vector<Place> places;  ///< sorted, each once
  std::vector<Owner> owners;  ///< who may make the access; sorted
};

/// Places that are kept of one access, and iterations of all workers that are counted out for it; beyond, it is not
/// known.
inline constexpr std::size_t kMostPlaces = std::size_t{1} << 21;

enum class CommonLoops : std::uint8_t { Symbols, CountedOut };

class PlaceFinder {
 public:
  /// Premise: kernel/verifier.h accepts the program; all of them outlive the finder.
  PlaceFinder(const kernel::Program& program, const kernel::Kernel& kernel, const kernel::UniformityFacts& facts);

  Places places_of(const MemoryAccess& access, CommonLoops loops);
  /// Loops that have an iteration whenever they are reached, by every worker; one-sided.
  std::set<kernel::OpId> loops_that_run();
  const FormArithmetic& arithmetic() const { return arithmetic_; }
  /// The subgroup that an owner belongs to, or is.
  std::uint32_t subgroup_of(Owner owner) const;

 private:
  friend class AccessWalk;

  /// Where a value comes from.
  struct Source {
    kernel::OpId op;                    ///< that computes it; none for arguments of blocks
    std::size_t argument = 0;           ///< of a block
    std::vector<kernel::OpId> regions;  ///< loops and task loops around, outermost first
  };
  void index_values(kernel::BlockId block, std::vector<kernel::OpId>& regions);

  const kernel::Program& program_;
  const kernel::Kernel& kernel_;
  const kernel::UniformityFacts& facts_;
  FormArithmetic arithmetic_;
  std::vector<Source> sources_;                       ///< by value
  std::map<kernel::ValueId, SymbolId> alike_;         ///< values that all workers hold alike
  std::map<kernel::OpId, SymbolId> indices_, trips_;  ///< of loops: their index; what each worker counts by itself
  std::map<kernel::BufferId, SymbolId> scalars_;
};

}  // namespace tilewright::sync
