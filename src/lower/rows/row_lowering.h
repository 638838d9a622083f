// RowLowering: one launch as a kernel in which subgroups share the rows of a program, or a group has several programs.
//
// The facts (realize/row_reduction_facts.h) say what is dealt out together, the plan how (RowMapping): S subgroups a
// program or Q programs a group, V consecutive elements of a worker, U chunks at a time, what is kept. Every worker
// walks through the program: row values it computes for itself, stepped loops it runs as they are, and of each visit (a
// walk over the elements of a row) it does its own elements, e = (W * chunk + worker) * V + lane. Only the chunk at the
// end of a sweep is guarded. A fold ends in a collective of each subgroup and, where several subgroups share the
// program, in a second one over what they left in shared memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/elements.h"
#include "lower/index_emitter.h"
#include "lower/rows/row_forms.h"
#include "lower/slot_pool.h"
#include "lower/traversal.h"
#include "plan/plan.h"
#include "proof/subject.h"
#include "realize/row_reduction.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Rows whose elements a worker computes side by side. More are done one after the other.
inline constexpr std::int64_t kMostRowsTogether = 8;

class RowLowering {
 public:
  RowLowering(const proof::Subject& subject, const realize::RowReductionWorkload& workload,
              const plan::LaunchPlan& plan, kernel::Builder& builder, std::map<tile::ObjectId, ObjectPlace>& objects);

  /// Failures: LaunchTooLarge.
  Result<void> run(const std::string& name);

 private:
  /// What workers keep of a value: lane v of chunk k has its rows at (k * V + v) * rows.
  struct Stripe {
    SlotId slot;
    std::map<tile::AxisId, std::int64_t> row_strides;
    std::int64_t rows = 1;
  };
  enum class WorkKind : std::uint8_t {
    Fold,
    Store,
    Retain,  ///< computes elements and keeps them
    Cache,   ///< loads elements of an input and keeps them
  };
  /// What a visit does at each of its elements.
  struct Work {
    WorkKind kind{};
    tile::OpId op;
    tile::ValueId value;  ///< folded, stored or kept
    tile::AxisId element_axis;
    std::vector<tile::AxisId> row_axes;
    std::int64_t rows = 1;
    std::int64_t live = 0;  ///< elements that matter
    // Of a Fold.
    tile::FoldKind fold{};
    std::uint32_t carry = 0;
    double identity = 0;
    std::int64_t first_slot = 0;  ///< of its partial results
    bool repeats = false;         ///< in a stepped loop of several iterations
    /// Of a Cache: all values that are held.
    std::vector<tile::ValueId> held;
  };
  /// Works over the elements of one span, in the order of the text.
  static constexpr std::uint32_t kNoVisit = UINT32_MAX;
  struct Visit {
    std::uint32_t number = kNoVisit;  ///< RowSweep::visit
    std::vector<Work> works;
    std::vector<tile::CoordId> coords;  ///< of a joint loop
    std::vector<std::int64_t> extents;
    std::int64_t extent = 1;
  };
  /// Results of a fold, one a row.
  struct Total {
    tile::FoldKind fold{};
    std::vector<tile::AxisId> axes;
    kernel::ValueId scalar;  ///< of one row
    SlotId slot;             ///< of several
  };

  /// Of each fold, by operation and carry.
  using Totals = std::map<std::pair<tile::OpId, std::uint32_t>, Total>;

  // ---- Programs, blocks and row values: row_lowering.cpp ----
  std::vector<kernel::ValueId> begin_packed(const std::string& name, const ProgramWalk& walk);
  void set_coordinates(const std::vector<kernel::ValueId>& at);
  void store_element(tile::OpId id, const tile::StoreOp& op, const Point& at);
  void find_workers();
  void lower_block(tile::BlockId block);
  void lower_op(tile::OpId op);
  void lower_row_value(tile::ValueId value);
  /// The element of a row value at each of its points, which may be computed from the value's old elements.
  void define_rows(tile::ValueId value, const std::function<kernel::ValueId(const Point&)>& element);
  SlotId row_slot(kernel::ScalarType type, const std::vector<tile::AxisId>& axes, const std::string& name);
  const tile::RegionOp& region(tile::OpId op) const { return std::get<tile::RegionOp>(program_.op(op).payload); }
  tile::ValueId result_of(tile::OpId op) const { return program_.list(program_.op(op).results).front(); }

  // ---- Loops: row_loops.cpp ----
  struct Carry {
    tile::ValueId init, arg, yield, result;  ///< arg: none in a reduce region
    kernel::ScalarType type{};               ///< that the loop carries
    tile::FoldKind fold{};                   ///< of a reduce region
    SlotId slot;                             ///< of several rows; else a number of the loop
    kernel::ValueId number;
    bool is_number() const { return !slot.valid(); }
  };
  void lower_stepped(tile::OpId op);
  std::vector<Carry> enter_carries(tile::OpId op);
  void end_iteration(std::vector<Carry>& carries);
  void leave_carries(const std::vector<Carry>& carries);
  void lower_joint(tile::OpId op);
  void bind_unchanged(tile::OpId op);
  void finish_joint(tile::OpId op, const Totals& totals);
  const Total* total_of_carry(tile::OpId op, std::uint32_t carry, const Totals& totals) const;

  // ---- Sweeps: row_works.cpp ----
  void number_partials();
  void place_cached_inputs();
  const realize::RowSweep* sweep_at(tile::OpId op) const;
  void lower_sweep(const realize::RowSweep& sweep);
  /// The sweeps of a joint loop, visit by visit.
  std::vector<Visit> visits_of(tile::OpId joint);
  Visit visit_of(const realize::RowSweep& sweep);
  Work work_of(const realize::RowSweep& sweep);
  Work cache_work(std::uint32_t input, tile::ValueId value);
  void cache_at(tile::OpId load);
  /// The inputs that the visit reads from stripes are held from its begin to its end.
  void hold_cached_inputs(const Visit& visit, bool held);
  void make_stripe(const std::vector<tile::ValueId>& values, const Work& work);
  void store_rows(const realize::RowSweep& sweep);

  // ---- The elements of a visit: row_visit.cpp ----
  /// One row of a work.
  struct WorkRow {
    const Work* work = nullptr;
    Point at;
  };
  struct Chunks;
  Totals run_visit(const Visit& visit);
  void run_rows_together(const Visit& visit, Totals& totals);
  void run_row_by_row(const Visit& visit, const Work& work, Totals& totals);
  /// What each row's fold comes to in this worker; nothing for other works.
  std::vector<kernel::ValueId> walk_elements(const Visit& visit, const std::vector<WorkRow>& rows);
  void walk_segment(Chunks& chunks, std::int64_t begin, std::int64_t end, std::vector<kernel::ValueId>& sums);
  using Contributions = std::vector<std::pair<std::size_t, kernel::ValueId>>;
  void emit_chunks(const Chunks& chunks, const std::vector<kernel::ValueId>& numbers,
                   std::vector<kernel::ValueId>& sums);
  void emit_element(const Chunks& chunks, kernel::ValueId element, std::vector<kernel::ValueId>& sums,
                    Contributions& pending);
  Contributions emit_works(const Chunks& chunks, std::size_t begin, std::size_t end, kernel::ValueId element,
                           std::int64_t bound);
  kernel::ValueId emit_work(const WorkRow& row, const Point& at);
  void add_up(const Chunks& chunks, const Contributions& contributions, std::vector<kernel::ValueId>& sums);
  std::set<tile::ValueId> stripes_of(const Visit& visit) const;
  void find_stripes(tile::ValueId value, std::set<tile::ValueId>& found, std::set<tile::ValueId>& seen) const;

  // ---- Collectives: row_collective.cpp ----
  Total make_total(const Work& work);
  void set_total(Total& total, const Point& at, kernel::ValueId number);
  kernel::ValueId total_at(const Total& total, const Point& at);
  void define_total(tile::ValueId value, const Total& total);
  /// What a subgroup has of one row.
  struct Partial {
    const Work* work = nullptr;
    Point at;
    kernel::ValueId number;
  };
  kernel::ValueId subgroup_total(const Work& work, kernel::ValueId number);
  void leave_partials(const std::vector<Partial>& partials);
  kernel::ValueId read_partials(const Work& work, const Point& at);
  kernel::ValueId slot_of(const Work& work, const Point& at);
  bool shares_programs() const { return mapping_.subgroups_per_program > 1; }
  void fence() { b_.fence(kernel::Participants::Group, {true, true}); }

  const proof::Subject& subject_;
  const tile::Program& program_;
  const realize::RowReductionWorkload& workload_;
  const plan::LaunchPlan& plan_;
  const realize::RowMapping mapping_;
  kernel::Builder& b_;
  SlotPool slots_;
  IndexEmitter index_;
  AccessEmitter accesses_;
  RowForms forms_;
  Elements elements_;

  kernel::ValueId worker_;       ///< 0 .. W - 1, of the program
  kernel::ValueId lane_;         ///< of its subgroup
  kernel::ValueId subgroup_;     ///< of the group
  kernel::ValueId own_program_;  ///< the subgroup has a program of its own; none: surely
  std::vector<tile::CoordId> coords_;
  std::vector<kernel::ValueId> coordinates_;      ///< of the program that the subgroup runs
  std::vector<kernel::ValueId> own_coordinates_;  ///< of its own, also where there is none
  SlotId partials_;                               ///< of several subgroups: slot * S + subgroup
  std::map<std::pair<tile::OpId, std::uint32_t>, std::int64_t> first_slots_;  ///< of the folds
  std::map<tile::ValueId, Stripe> stripes_;
  std::map<tile::OpId, std::vector<std::uint32_t>>
      cached_at_;  ///< reused inputs that are loaded where this load stands
  std::map<std::uint32_t, std::vector<std::uint32_t>> cached_in_;  ///< those that this visit loads
};

/// Premise: realize::row_reduction_facts accepts the launch, and the plan has one of its legal mappings. Failures:
/// LaunchTooLarge.
Result<void> lower_row_reduction(const proof::Subject& subject, const plan::LaunchPlan& plan, const std::string& name,
                                 kernel::Builder& builder, std::map<tile::ObjectId, ObjectPlace>& objects);

}  // namespace tilewright::lower
