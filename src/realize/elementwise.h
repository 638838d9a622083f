// Elementwise launches: a grid of programs x elements, one element a worker (background 3.1, fuse_gpu_elementwise; 8,
// "Pointwise grid").
//
// Every store of the launch runs over the same number of elements, each worker evaluates what its element needs, and no
// worker sees what another stores.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "proof/map_exact_cover.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "realize/refusal.h"
#include "sets/context.h"

namespace tilewright::realize {

struct ElementwiseCodes {
  static constexpr std::string_view kNotPointwise = "not_pointwise";  ///< a loop, branch, fold, mma, gather, memory, ..
  static constexpr std::string_view kNoStore = "no_store";
  static constexpr std::string_view kDomainsDiffer = "domains_differ";  ///< stores over different sequences of axes
  static constexpr std::string_view kTooManyTemporaries = "too_many_temporaries";
  static constexpr std::string_view kAliasing = "aliasing";  ///< a store may touch what is read or stored elsewhere
  static constexpr std::string_view kNotCovered = "not_covered";  ///< a store is not proved to write each element once
  static constexpr std::string_view kPlaced = "placed";
  static constexpr std::string_view kFixedScope = "fixed_scope";  ///< a region must run as a group, subgroup or vector
};

/// Values that several elements' expressions share: kept in scalars of the worker.
inline constexpr std::int64_t kMostScalarTemporaries = 64;

struct ElementwiseFacts {
  std::int64_t elements_per_program = 0;
  std::int64_t scalar_temporaries = 0;
  std::vector<proof::Proved<proof::MapExactCover>> covers;  ///< one a store, in the order of the text
  std::vector<tile::OpId> stores;
};

std::expected<ElementwiseFacts, Refusal> elementwise_facts(const proof::Subject& subject, std::uint32_t launch,
                                                           const sets::Context& context);

}  // namespace tilewright::realize
