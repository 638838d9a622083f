// The verifier: what every Program must satisfy beyond being well typed by construction.
//
// It reports all independent faults, each with its place in the text. Structure first (ids, types, dominance: faults of
// this program, MalformedProgram); only a sound structure is then checked for the rules that authors can break:
//   - the root holds parallel launches only (TopLevelForm); scope constraints nest (ScopeNesting);
//   - sizes depend only on what they may (AxisExtent);
//   - stage cuts, windows and intervals stand where they have a meaning (StageCutPlacement, PipelinePolicy);
//   - inputs are not stored, pure outputs not loaded, every output stored somewhere (WriteToInput, ReadOfOutput,
//     OutputNeverWritten);
//   - explicit memory and temporaries are stored before they may be read (MemoryUninitialized, TempUninitialized) and
//     memory is used inside the block that owns it (MemoryEscape).
// It does not prove that parallel instances are independent: that is the author's promise.
#pragma once

#include "support/result.h"
#include "tile/program.h"

namespace tilewright::tile {

Result<void> verify(const Program& program);

/// The first half alone.
Result<void> verify_structure(const Program& program);

}  // namespace tilewright::tile
