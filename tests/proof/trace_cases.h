// Effect traces written as nested lists, random ones, and all their executions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/case_random.h"
#include "proof/effect_trace.h"

namespace tilewright::proof {

inline Location shared(std::uint32_t number) { return {StorageClass::Shared, number}; }
inline Location external(std::uint32_t number) { return {StorageClass::External, number}; }
inline Location local(std::uint32_t number) { return {StorageClass::Private, number}; }

/// Adds nodes to a trace; the last call makes the root.
struct TraceWriter {
  EffectTrace trace;

  TraceNodeId step(std::vector<Location> reads, std::vector<Location> writes) {
    return trace.nodes.push_back(TraceStep{StepRole::Plain, std::move(reads), std::move(writes), false, false, false});
  }
  TraceNodeId step(TraceStep value) { return trace.nodes.push_back(std::move(value)); }
  TraceNodeId opaque() { return trace.nodes.push_back(TraceStep{StepRole::Plain, {}, {}, true, false, false}); }
  TraceNodeId fence(std::uint32_t identity) {
    TraceFence value;
    value.identity = identity;
    return trace.nodes.push_back(value);
  }
  TraceNodeId fence(TraceFence value) { return trace.nodes.push_back(value); }
  TraceNodeId sequence(std::vector<TraceNodeId> items) {
    return trace.nodes.push_back(TraceSequence{std::move(items)});
  }
  TraceNodeId loop(std::vector<TraceNodeId> items, std::optional<std::int64_t> trip = 4) {
    const TraceNodeId body = sequence(std::move(items));
    return trace.nodes.push_back(TraceLoop{body, trip, 1, false});
  }
  TraceNodeId branch(std::vector<TraceNodeId> then_items, std::optional<std::vector<TraceNodeId>> else_items = {}) {
    const TraceNodeId then_arm = sequence(std::move(then_items));
    const TraceNodeId else_arm = else_items ? sequence(std::move(*else_items)) : TraceNodeId{};
    return trace.nodes.push_back(TraceBranch{then_arm, else_arm});
  }
  EffectTrace finish(std::vector<TraceNodeId> items) {
    trace.root = sequence(std::move(items));
    return trace;
  }
};

using Execution = std::vector<TraceNodeId>;  ///< steps and fences in order

/// Every execution with loops of at most `trips` iterations; nothing when there are more than `most`.
std::optional<std::vector<Execution>> executions(const EffectTrace& trace, int trips, std::size_t most);

/// Whether the order of two steps on different subgroups matters, fences apart.
bool order_matters(const TraceStep& a, const TraceStep& b);

/// A pair of steps, in this order on one of the executions, that conflicts, has the fence between, and no other full
/// compiler-owned fence that is not dropped.
struct UnseparatedPair {
  TraceNodeId first, second;
  auto operator<=>(const UnseparatedPair&) const = default;
};
std::vector<UnseparatedPair> unseparated_pairs(const EffectTrace& trace, std::uint32_t fence,
                                               const std::vector<Execution>& all);

EffectTrace random_trace(CaseRandom& random);

}  // namespace tilewright::proof
