#include "frontend/capture.h"

#include "frontend/session.h"

namespace tilewright::frontend {

Result<tile::Program> capture(dsl::Draft& draft) { return draft.session()->finish(); }

}  // namespace tilewright::frontend
