// Blocks and regions: carries, folds, lazy conditions, and the dispatch over operations.
#include <algorithm>

#include <fmt/format.h>

#include "tile/interpreter_machine.h"

namespace tilewright::tile {

namespace {

template <class A>
std::vector<TileRef<A>> read_all(const Machine<A>& machine, IdList<ValueId> list) {
  std::vector<TileRef<A>> tiles;
  for (ValueId value : machine.program.list(list)) tiles.push_back(machine.values[value.index]);
  return tiles;
}

template <class A>
void write_all(Machine<A>& machine, IdList<ValueId> list, std::vector<TileRef<A>> tiles) {
  const std::vector<ValueId> values = machine.program.list(list);
  for (std::size_t i = 0; i < values.size(); ++i) machine.values[values[i].index] = std::move(tiles[i]);
}

/// Runs a block and returns what it passes on; its own references end.
template <class A>
std::vector<TileRef<A>> run_and_take(Machine<A>& machine, BlockId block) {
  run_block(machine, block);
  std::vector<TileRef<A>> yields = read_all(machine, machine.program.block(block).yields);
  machine.release(machine.lifetimes.at_end[block.index]);
  return yields;
}

template <class A, class Body>
void iterate(Machine<A>& machine, OpId id, const RegionOp& op, Body&& body) {
  const std::vector<CoordId> coords = machine.program.list(op.coords);
  const std::vector<std::int64_t> extents = region_extents(machine, id, op);
  const bool reversed = op.kind == RegionKind::Reduce && op.order == FoldOrder::FoldRight;
  const std::size_t outside = machine.active.size();
  machine.active.insert(machine.active.end(), coords.begin(), coords.end());
  for_each_point(extents, reversed, [&](const std::vector<std::int64_t>& position) {
    for (std::size_t d = 0; d < coords.size(); ++d) machine.at.coords[coords[d].index] = position[d];
    body();
  });
  machine.active.resize(outside);
}

template <class A>
void run_reduce(Machine<A>& machine, OpId id, const RegionOp& op) {
  const std::vector<ValueId> results = machine.program.list(machine.program.op(id).results);
  std::vector<TileRef<A>> totals = read_all(machine, op.inits);
  std::vector<TileFold<A>> folds;
  iterate(machine, id, op, [&] {
    if (folds.empty())
      for (std::size_t i = 0; i < totals.size(); ++i)
        folds.emplace_back(op.fold(i), machine.type_of(results[i]), machine.size_of(results[i]), *totals[i]);
    std::vector<TileRef<A>> contributions = run_and_take(machine, op.body);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      folds[i].add(*contributions[i]);
      machine.pool.give_back(contributions[i]);
    }
  });
  for (std::size_t i = 0; i < folds.size(); ++i) {
    totals[i] = machine.pool.take();
    folds[i].finish(*totals[i]);
  }
  write_all(machine, machine.program.op(id).results, std::move(totals));
}

template <class A>
void run_region(Machine<A>& machine, OpId id, const RegionOp& op) {
  if (op.kind == RegionKind::Reduce) return run_reduce(machine, id, op);
  const Block& body = machine.program.block(op.body);
  std::vector<TileRef<A>> carries = read_all(machine, op.inits);
  iterate(machine, id, op, [&] {
    write_all(machine, body.args, std::move(carries));
    carries = run_and_take(machine, op.body);
  });
  write_all(machine, machine.program.op(id).results, std::move(carries));
}

/// Some executions take the other branch: it runs too, after the chosen one, and the results cover both. Elements that
/// either of them stores are unknown (execute_store), so that it does not matter what the other one sees of them.
template <class A>
std::vector<TileRef<A>> run_both_branches(Machine<A>& machine, const IfOp& op, IdList<ValueId> results, bool taken) {
  ++machine.undecided_depth;
  std::vector<TileRef<A>> chosen = run_and_take(machine, taken ? op.then_block : op.else_block);
  std::vector<TileRef<A>> other(chosen.size());
  const std::vector<CoordId> active = machine.active;
  const int depth = machine.undecided_depth;
  try {
    other = run_and_take(machine, taken ? op.else_block : op.then_block);
  } catch (const InterpreterFault&) {
    // The FP64 run never comes here, so this is no fault of the program; the branch's results stay unknown.
    machine.active = active;
    machine.undecided_depth = depth;
    other.assign(chosen.size(), nullptr);
  }
  --machine.undecided_depth;
  const std::vector<ValueId> values = machine.program.list(results);
  for (std::size_t i = 0; i < values.size(); ++i) chosen[i] = merge_branches(machine, values[i], chosen[i], other[i]);
  return chosen;
}

template <class A>
void run_if(Machine<A>& machine, OpId id, const IfOp& op) {
  const IdList<ValueId> results = machine.program.op(id).results;
  const typename A::WholeNumber condition = WholeReader<A>(machine.tile(op.condition))[0];
  const bool taken = A::number(condition) != 0;
  std::vector<TileRef<A>> tiles = A::undecided(condition)
                                      ? run_both_branches(machine, op, results, taken)
                                      : run_and_take(machine, taken ? op.then_block : op.else_block);
  write_all(machine, results, std::move(tiles));
}

template <class A>
void bring_memory_to_life(Machine<A>& machine, ObjectId object) {
  std::vector<std::uint8_t>& written = machine.objects[object.index].written;
  std::fill(written.begin(), written.end(), std::uint8_t{0});
}

}  // namespace

template <class A>
void run_op(Machine<A>& machine, OpId id) {
  const Op& op = machine.program.op(id);
  auto set = [&](TileRef<A> tile) { machine.values[machine.result_of(id).index] = std::move(tile); };
  std::visit(Overloaded{
                 [&](const StoreOp& store) { execute_store(machine, id, store); },
                 [&](const MemoryOp& memory) { bring_memory_to_life(machine, memory.object); },
                 [&](const BarrierOp&) {},
                 [&](const OpaqueOp&) { check_failed("opaque calls are refused first", __FILE__, __LINE__); },
                 [&](const StageCutOp&) {},
                 [&](const RegionOp& region) { run_region(machine, id, region); },
                 [&](const IfOp& condition) { run_if(machine, id, condition); },
                 [&](const auto& value) { set(evaluate(machine, id, value)); },
             },
             op.payload);
}

template <class A>
std::vector<std::int64_t> region_extents(Machine<A>& machine, OpId id, const RegionOp& op) {
  std::vector<std::int64_t> extents;
  for (CoordId coord : machine.program.list(op.coords)) {
    const auto extent = machine.extent_codes[coord.index].run(machine.at);
    if (!extent)
      machine.fault(id, DiagCode::SizeOverflow,
                    fmt::format("the extent of {} has no value: it overflows or divides by zero",
                                machine.program.coords()[coord].name));
    extents.push_back(*extent);
  }
  return extents;
}

template <class A>
void run_block(Machine<A>& machine, BlockId block) {
  for (OpId op : machine.program.block(block).ops) {
    run_op(machine, op);
    machine.release(machine.lifetimes.after_op[op.index]);
  }
}

template std::vector<std::int64_t> region_extents(Machine<Exact>&, OpId, const RegionOp&);
template std::vector<std::int64_t> region_extents(Machine<Typed>&, OpId, const RegionOp&);
template void run_op(Machine<Exact>&, OpId);
template void run_op(Machine<Typed>&, OpId);
template void run_block(Machine<Exact>&, BlockId);
template void run_block(Machine<Typed>&, BlockId);

}  // namespace tilewright::tile
