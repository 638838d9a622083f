// Where the memory of a run lies, and which launches are worth sharing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tilewright/errors.h>

#include "artifact/artifact.h"
#include "runtime/cpu/loader.h"

namespace tilewright::runtime_cpu {

/// The next multiple of 64, what blocks of scratch memory are aligned to; nothing beyond 64 bits.
std::optional<std::int64_t> round_up_to_alignment(std::int64_t bytes);

struct TemporaryPlaces {
  std::vector<std::int64_t> offsets;  ///< one a binding; those of other bindings mean nothing
  std::int64_t bytes = 0;             ///< of the block, a multiple of 64; 0: there are no temporaries
};
/// Temporaries one after the other, each at a multiple of 64. OutOfMemory: beyond 64 bits.
Result<TemporaryPlaces> place_temporaries(const std::vector<artifact::Binding>& bindings);

/// The most that any launch with tasks needs for one worker.
std::int64_t most_scratch_bytes(const LoadedArtifact& code);

/// Whether a launch is too small for more than the calling thread.
bool runs_inline(const artifact::Launch& launch, int threads);

/// Tasks of a launch that are worth a range of their own.
std::int64_t tasks_per_range(const artifact::Launch& launch);

}  // namespace tilewright::runtime_cpu
