// Artifacts as bytes, so that they can be kept in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "artifact/artifact.h"

namespace tilewright::store {

/// Every field enters. Equal artifacts give equal bytes.
std::string artifact_to_bytes(const artifact::Artifact& artifact);

/// Nothing for bytes that artifact_to_bytes() does not give. It reads any bytes safely, but cannot know whether the
/// code in them is what was written: that is what checksums are for.
std::optional<artifact::Artifact> artifact_from_bytes(std::string_view bytes);

}  // namespace tilewright::store
