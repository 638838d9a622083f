#include "emit/msl/handles.h"

#include <vector>

#include "emit/msl/expressions.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

/// The type of a tensor's extents has 32 bits: nothing says that a place of it may need more.
bool is_candidate(const Buffer& buffer) {
  if (!buffer.matrix || buffer.kind != BufferKind::Argument || buffer.access != Access::Read) return false;
  const auto [inner, outer, stride] = *buffer.matrix;
  return inner <= INT32_MAX && outer - 1 <= (INT32_MAX - inner) / stride;
}

/// Takes the candidates out that something in a kernel reads otherwise.
class HandleUses {
 public:
  HandleUses(const KernelFacts& facts, std::vector<bool>& candidates) : facts_(facts), candidates_(candidates) {}

  void visit(BlockId block) {
    for (OpId op : facts_.program.blocks[block].ops) {
      if (!facts_.placement.is_live(op)) continue;
      const OpPayload& payload = facts_.program.ops[op].payload;
      const auto* atom = std::get_if<AtomOp>(&payload);
      if (atom != nullptr && atom->atom == kTensorAtom) {
        visit(*atom);
      } else {
        for_each_memory(payload, [&](MemoryRef memory) { refuse(memory); });
      }
      for (BlockId nested : nested_blocks(payload)) visit(nested);
    }
  }

 private:
  void refuse(MemoryRef memory) {
    if (memory.buffer.valid()) candidates_[memory.buffer.index] = false;
  }

  void visit(const AtomOp& atom) {
    // Refused later on.
    if (atom.a.fragment.valid() || atom.b.fragment.valid())
      return for_each_memory(OpPayload(atom), [&](MemoryRef memory) { refuse(memory); });
    const MatrixOrigin &a = atom.a.view.origin, &b = atom.b.view.origin;
    const bool one_step = !a.is_known() || !b.is_known() || a.step == b.step;
    for (bool left : {true, false}) {
      const AtomView& view = left ? atom.a.view : atom.b.view;
      const MatrixOrigin& origin = view.origin;
      const bool other_may_be_empty = facts_.ranges.of(side_of(atom, !left).outer).low <= 0;
      const bool is_read_whole = origin.is_known() && one_step && !other_may_be_empty &&
                                 side_of(atom, left).depth == atom.k && facts_.ranges.provably_fits_i32(origin.inner) &&
                                 facts_.ranges.provably_fits_i32(origin.outer);
      if (!is_read_whole) refuse(view.memory);
    }
  }

  const KernelFacts& facts_;
  std::vector<bool>& candidates_;
};

}  // namespace

Program with_tensor_handles(const Program& program, bool wanted) {
  std::vector<bool> handles;
  for (const Buffer& buffer : program.buffers) handles.push_back(wanted && is_candidate(buffer));
  if (wanted)
    for (const Kernel& kernel : program.kernels) HandleUses(KernelFacts(program, kernel), handles).visit(kernel.body);
  Program made = program;
  for (BufferId id : made.buffers.ids())
    if (!handles[id.index]) made.buffers[id].matrix.reset();
  for (OpId id : made.ops.ids()) {
    auto* atom = std::get_if<AtomOp>(&made.ops[id].payload);
    if (atom == nullptr) continue;
    for (AtomView* view : {&atom->a.view, &atom->b.view}) {
      if (!view->origin.is_known()) continue;
      if (handles[view->memory.buffer.index])
        view->index = view->row_stride = ValueId();
      else
        view->origin = {};
    }
  }
  return made;
}

}  // namespace tilewright::emit_msl
