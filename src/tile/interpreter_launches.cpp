// The top-level launches: which instances run, and how far along they are.
#include "tile/interpreter_machine.h"
#include "tile/interpreter_sampling.h"

namespace tilewright::tile {

namespace {

/// Calls the user's function often enough for a progress line, and no more.
class Progress {
 public:
  Progress(const std::function<void(double)>& report, double total) : report_(report), total_(total) {}
  void step() {
    done_ += 1;
    if (!report_ || done_ < next_) return;
    report_(done_ / total_);
    next_ = done_ + total_ / kReports;
  }
  void finish() {
    if (report_) report_(1.0);
  }

 private:
  static constexpr double kReports = 256;
  const std::function<void(double)>& report_;
  double total_;
  double done_ = 0;
  double next_ = 0;
};

template <class A>
double count_instances(Machine<A>& machine) {
  double total = 0;
  for (OpId op : machine.program.block(machine.program.root()).ops) {
    const auto* region = std::get_if<RegionOp>(&machine.program.op(op).payload);
    if (region == nullptr) continue;
    double instances = 1;
    for (std::int64_t extent : region_extents(machine, op, *region)) instances *= static_cast<double>(extent);
    total += std::max(instances, 0.0);
  }
  return total;
}

template <class A>
void run_launch(Machine<A>& machine, OpId id, const RegionOp& launch, const RowSampling& sampling, Progress& progress) {
  const std::vector<CoordId> coords = machine.program.list(launch.coords);
  const std::vector<std::int64_t> extents = region_extents(machine, id, launch);
  machine.active = coords;
  for_each_point(extents, false, [&](const std::vector<std::int64_t>& position) {
    for (std::size_t d = 0; d < coords.size(); ++d) machine.at.coords[coords[d].index] = position[d];
    if (sampling.may_matter(id, position)) {
      run_block(machine, launch.body);
      machine.release(machine.lifetimes.at_end[launch.body.index]);
    }
    progress.step();
  });
  machine.active.clear();
}

}  // namespace

template <class A>
void run_program(Machine<A>& machine, const InterpreterOptions& options) {
  const RowSampling sampling(machine.program, options);
  Progress progress(options.progress, count_instances(machine));
  for (OpId op : machine.program.block(machine.program.root()).ops) {
    const auto* region = std::get_if<RegionOp>(&machine.program.op(op).payload);
    if (region != nullptr && region->kind == RegionKind::Parallel)
      run_launch(machine, op, *region, sampling, progress);
    else
      run_op(machine, op);
  }
  progress.finish();
}

template void run_program(Machine<Exact>&, const InterpreterOptions&);
template void run_program(Machine<Typed>&, const InterpreterOptions&);

}  // namespace tilewright::tile
