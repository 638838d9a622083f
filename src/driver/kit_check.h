// What the parts of a kit have to do with each other, and the files of a kit with its manifest.
#pragma once

#include <string>

#include "driver/kit.h"
#include "support/result.h"

namespace tilewright::driver {

/// What the fields of a manifest contradict each other in: FieldRange with the place, KitTooLarge. `file` names the
/// manifest. Empty: views and bindings lie in their buffers, and so on, as read_manifest says.
Diags kit_faults(const Kit& kit, const std::string& file);

/// Names that stay below the folder of the kit, on every file system: letters, digits, '.', '_', '-', parted by '/'.
bool is_kit_file_name(const std::string& name);

/// Every listed file is there with its size and digest. KitDamaged for each that is not: file, expected, found.
/// Gives the text of the kernels.
Result<std::string> check_kit_files(const Kit& kit, const std::string& folder);

}  // namespace tilewright::driver
