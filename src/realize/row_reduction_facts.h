// Facts of row reductions: which launches several workers may share row by row, and what each worker then does.
//
// A launch is a row reduction when each of its programs folds rows of elements into one number a row, and does nothing
// else that crosses elements. Recognition goes by structure, never by a name or by the order of declarations.
//
// Words. The ELEMENT AXIS of a fold is the axis that it folds away; the axes of its result are ROW AXES. A value over
// row axes only is a row value: every worker of a program holds all of it. A value over an element axis is spread over
// the workers. A loop is JOINT when it carries nothing but merged folds: the elements of all its iterations together,
// e = iteration * extent + position, are dealt out to the workers as one row. Any other loop is STEPPED: all workers
// run it together, and the elements of each iteration are dealt out anew. An online softmax is stepped (its maximum
// and total rescale each other from one iteration to the next); a sum of squares is joint.
//
// What is legal, and why:
//  - A fold of permission unordered_tree over the element axis may be redistributed: a worker folds its own elements in
//    order from the exact identity of the fold, and subgroup collectives combine the workers.
//  - A carry is merged with the fold only when its update is exactly `carry = carry op fold(tile)`: the same kind of
//    fold, permission unordered_tree on every part, and no other use of carry, fold or sum inside the loop. The rule
//    that the permission of the folds then covers the chain is that of docs/tile-ir.md. Everything else that a loop
//    carries keeps the order of the loop; that includes `total * f(best) + sum(..)`: it is not redistributed over
//    iterations, because exp(a) * exp(b) is not exp(a + b) in f32.
//  - Loads happen when a worker needs them, once a sweep. So their objects must not change in the launch; or they are
//    stored to at the same element of the same row by the same worker, and not between load and use.
//  - No two stores may meet: each store is proved injective (map.injective) over its rows, elements and iterations, and
//    no two stores of a launch may touch one object.
//
// Everything that is not shown is refused, with the operation and the numbers. The program is bound.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proof/map_injective.h"
#include "proof/subject.h"
#include "realize/refusal.h"
#include "tile/program.h"

namespace tilewright::realize {

/// Why a launch is no row reduction.
struct RowCodes {
  static constexpr std::string_view kNoPrograms = "no_programs";  ///< the launch has no program
  static constexpr std::string_view kFixedScope = "fixed_scope";  ///< the author fixed who executes a region
  static constexpr std::string_view kNestedParallel =
      "nested_parallel";  ///< a parallel region stands inside the launch
  static constexpr std::string_view kMatrixProduct =
      "matrix_product";  ///< an mma: its rows and columns are a family of their own
  static constexpr std::string_view kOpaqueCall = "opaque_call";          ///< nobody knows what it does
  static constexpr std::string_view kAuthorBarrier = "author_barrier";    ///< a barrier that the author asked for
  static constexpr std::string_view kExplicitMemory = "explicit_memory";  ///< memory with an address
  static constexpr std::string_view kFixedPlacement = "fixed_placement";  ///< the author fixed where a tile lives
  static constexpr std::string_view kBranch =
      "branch";  ///< an if: its loads are lazy and a collective in it may diverge
  static constexpr std::string_view kLoopNotStatic = "loop_not_static";  ///< the number of iterations is not a constant
  static constexpr std::string_view kNoFold = "no_fold";                 ///< nothing is folded
  static constexpr std::string_view kFoldNotF32 = "fold_not_f32";        ///< a fold in another type than f32
  static constexpr std::string_view kFoldOrdered = "fold_ordered";  ///< a fold whose permission is not unordered_tree
  static constexpr std::string_view kRowIsFolded =
      "row_is_folded";  ///< an axis is the row of one fold and the elements of another
  static constexpr std::string_view kSeveralElements = "several_elements";  ///< a value has two element axes
  static constexpr std::string_view kCarryHasElements =
      "carry_has_elements";                                       ///< a loop carries a value over an element axis
  static constexpr std::string_view kNoElements = "no_elements";  ///< a fold has no elements, or never runs
  static constexpr std::string_view kSourceMayAlias =
      "source_may_alias";  ///< a load may see what another buffer's store writes
  static constexpr std::string_view kSourceWritten =
      "source_written";  ///< a load may see what a store of another worker, or too early a store, writes
  static constexpr std::string_view kStoredTwice = "stored_twice";  ///< two stores may touch one object
  static constexpr std::string_view kStoreNotOnce =
      "store_not_once";  ///< a store is not proved to write each element at most once
  static constexpr std::string_view kTooLarge = "too_large";  ///< a count does not fit the numbers here
};

enum class RowSweepKind : std::uint8_t {
  Fold,    ///< folds elements into a row value; ends in a collective
  Store,   ///< stores elements, or row values
  Retain,  ///< computes elements that several later sweeps need, and keeps them with their worker
};

/// The elements that are dealt out together: iterations of a joint loop times the extent of an element axis. Two sweeps
/// over equal spans deal each element to the same worker.
struct RowSpan {
  std::int64_t iterations = 1;
  std::int64_t extent = 1;  ///< 1 where only iterations are folded
  std::int64_t elements() const { return iterations * extent; }
  bool operator==(const RowSpan&) const = default;
};

/// One run of all workers of a program over a span of elements.
struct RowSweep {
  RowSweepKind kind{};
  tile::OpId op;              ///< reduce operation or region, store, or the operation whose result is kept
  tile::AxisId element_axis;  ///< or none: the iterations alone are the elements, or the rows
  RowSpan span;
  /// Elements from here on change nothing: they add the identity of the fold, or are stored outside of their object.
  std::int64_t live_elements = 0;
  std::int64_t rows = 1;        ///< rows of the sweep in one program, each of them over the whole span
  std::int64_t executions = 1;  ///< of the sweep in one program: iterations of the stepped loops around it
  /// The sweep has no elements: its rows are dealt out in their place (span is {1, rows}, rows is 1).
  bool over_rows = false;
  std::uint32_t visit = 0;  ///< sweeps of a joint loop over one span visit each element together: it loads once
  std::int64_t bytes = 4;   ///< of one element that is stored or kept

  tile::FoldKind fold{};    ///< of a Fold, from here on
  tile::Literal identity;   ///< where every worker begins: +0, -0 (regions, whose reference has no +0), -Inf, +Inf
  bool merged = false;      ///< takes in the iterations of its loop
  std::uint32_t carry = 0;  ///< of a region that folds: which one

  std::int64_t consumers = 0;  ///< of a Retain: sweeps that read what it keeps
};

/// A load that a visit makes at each of its live elements.
struct RowRead {
  tile::OpId load;
  std::uint32_t visit = 0;
  RowSpan span;
  std::int64_t live_elements = 0;
  std::int64_t rows = 1;
  std::int64_t executions = 1;
  std::int64_t bytes = 4;                     ///< of one element
  std::optional<std::uint32_t> reused_input;  ///< index into reused_inputs
};

/// An immutable input that several visits read at the same elements, so that a worker could keep its share.
struct ReusedInput {
  RowSpan span;
  std::int64_t live_elements = 0;
  std::int64_t rows = 1;
  std::int64_t executions = 1;
  std::int64_t bytes = 4;
  std::int64_t visits = 0;        ///< at least 2
  std::vector<tile::OpId> loads;  ///< in the order of the text
};

/// Facts of one launch. All counts are of one program.
struct RowReductionWorkload {
  std::uint32_t launch = 0;
  std::int64_t programs = 1;  ///< P
  std::set<tile::AxisId> row_axes;
  std::set<tile::OpId> joint_loops;  ///< all other regions inside the launch are stepped
  std::vector<RowSweep> sweeps;      ///< in the order of the text: dependences point backwards
  std::vector<RowRead> reads;        ///< by visit, then in the order of the text
  std::vector<ReusedInput> reused_inputs;
  std::int64_t collectives = 0;     ///< R: rows times executions, summed over the folds
  std::int64_t partial_slots = 0;   ///< rows, summed over the folds: partial results that live at one time
  std::int64_t elements = 0;        ///< live elements folded
  bool has_repeated_folds = false;  ///< a fold stands in a stepped loop of several iterations
  bool reads_written_buffer = false;
  /// No read depends on a value (gather) or on another element than the worker's own.
  bool payload_known = true;
  std::vector<proof::Premise> premises;
  std::vector<proof::Proved<proof::MapInjective>> store_proofs;  ///< one a store, in the order of the text
};

struct RowReductionRules {
  /// Sums of joint loops take in the iterations. Off: such loops are stepped, and every execution is one of the single
  /// operations of the program. (max and min give the same in every order, and are always merged.)
  bool merge_sums = true;
};

/// The refusal names the operation that stands in the way.
using RowReductionFacts = std::variant<RowReductionWorkload, Refusal>;

/// Of launch number `launch` (Walk::launches). Premise: the program of the subject is bound.
RowReductionFacts row_reduction_facts(const proof::Subject& subject, std::uint32_t launch,
                                      const RowReductionRules& rules = {});

/// One line a sweep, with operations by number: equal for programs that differ in names only.
std::string row_workload_text(const RowReductionWorkload& workload);

}  // namespace tilewright::realize
