// `emulate --kit` as a function: a kit on the emulator, from its folder alone. Nothing is planned, lowered or emitted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/kit.h"
#include "driver/run.h"
#include "support/result.h"

namespace tilewright::driver {

struct KitEmulateRequest {
  std::string folder;
  std::string device;  ///< profile; empty: generic limits, no hazards
  std::uint32_t schedules = 1;
  std::uint64_t seed = 0;
  std::uint32_t workers = 0;  ///< 0: all cores
  bool checks = true;
  double timeout_seconds = 300;  ///< of each launch
};

struct KitEmulation {
  std::string folder;
  Kit kit;
  std::vector<FillCheck> cases;
  double milliseconds = 0;  ///< of all launches, without compiling

  bool ok() const;
};

/// Every case under both poisons, compared as `run --check` compares. Errors: those of read_manifest and
/// check_kit_files; KitFolder for a folder without a manifest; KitDamaged for a .npy file that is not what the manifest
/// says; EmulatorReport with every report, EmulatorTimeout, and those of the emulator. A wrong result is none.
Result<KitEmulation> emulate_kit(const KitEmulateRequest& request);

}  // namespace tilewright::driver
