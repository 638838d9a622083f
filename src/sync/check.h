// The fence checker: finds every two accesses of a group that nothing orders, from the kernel alone.
//
// It runs after the last pass and shares nothing with the passes, the proofs or the interpreter. Accesses by different
// workers to one element of a shared allocation or a buffer, one of which writes, need a fence on every path between
// them, back edges of loops and both ways of branches included: one that orders that memory, of the group, or of the
// subgroup when both workers belong to it. A fragment belongs to its subgroup, which counts as a worker of its own. Two
// accesses need none when their indices say that different workers never meet there: sums of what all workers hold
// alike and a number of each worker, loops that each worker runs by itself counted out (sync/check/forms.h).
// One-sided: what the checker cannot tell apart it objects to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/program.h"

namespace tilewright::sync {

struct UnorderedPair {
  kernel::OpId first, second;  ///< of the program; equal for two workers that make one access
  std::string first_text, second_text;
  std::string object;  ///< "allocation a"; "buffer x, which may overlap buffer y"
  std::string reason;  ///< who meets where, and which fences stand between them
};

/// What a launch or a proof vouches for, and the kernel does not say.
struct CheckPremises {
  bool distinct_buffers = false;  ///< no two buffers share an element
  /// The parts of fragments that the subgroups store by one operation are disjoint: each is what an object has of its
  /// own rectangle (map.exact_cover, store.bounded_prefix). So are they from those that others load of the very places.
  bool disjoint_parts = false;
  /// Every subgroup runs a program of its own: what different ones do to buffers is independent by the author's word.
  bool subgroups_are_programs = false;
};

/// Every unordered pair within the groups of kernel number `kernel`, in the order of the text; none for kernels of one
/// worker. Kernels with rings, roles or asynchronous copies are not
/// followed: the first such operation is the one pair. Premise: kernel/verifier.h accepts the program, and indices do
/// not wrap.
std::vector<UnorderedPair> unordered_accesses(const kernel::Program& program, std::size_t kernel,
                                              const CheckPremises& premises);

/// "'store a[%3]' and 'load a[%4]' (operations 7 and 12): allocation a: workers 0 and 33 .."
std::string unordered_text(const UnorderedPair& pair);

}  // namespace tilewright::sync
