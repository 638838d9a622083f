// Faults of devices and their toolchains that a compiler has to steer around and an emulator can imitate.
//
// A profile says which of them its device has, with an explanation and the public report of each; the names are the
// switches.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "target/device_kind.h"

namespace tilewright::target {

enum class Hazard : std::uint8_t {
  StaticKTruncated,           ///< a static K that is no multiple of kStaticKStep loses its remainder
  StaticKOverread,            ///< a tile of static K is read beyond the last column of its object
  ZeroExtentRead,             ///< an operand of extent 0 reads one row
  WorkerWidthTwoZero,         ///< an operation of one worker with an output extent of 2 gives zeros
  UnrolledMatmulCrash,        ///< a fully unrolled chain of tensor operations ends the toolchain's compiler
  PermutedStridesWrong,       ///< a transpose that is written as permuted strides gives wrong values
  LanguageUnsetHidesTensors,  ///< without an explicit language version tensors are silently missing
  FragmentLoadInfinity,       ///< a fragment load of infinities gives NaN
  MemNoneNoFence,             ///< a barrier without memory flags orders no memory
  GroupLimit32Miscompiled,    ///< kernels that declare at most 32 workers a group are miscompiled
  PipelineLimitBelowDevice,   ///< a kernel with many registers accepts fewer workers than the device
  SharedArgumentMisordered,   ///< barriers are misplaced when shared memory is an argument
  Bf16ElementsLost,           ///< a bf16 fragment written by elements alone is stored as zeros
  AsyncCopyHang,              ///< an asynchronous copy whose data nobody reads hangs the device
  BulkStoreOverwrites,        ///< a bulk store that ends inside 16 bytes writes all of them
};

struct HazardInfo {
  std::string_view name;
  DeviceKind kind{};
};

inline constexpr std::array<HazardInfo, 15> kHazards = {{
    {"static_k_truncated", DeviceKind::Metal},
    {"static_k_overread", DeviceKind::Metal},
    {"zero_extent_read", DeviceKind::Metal},
    {"worker_width_two_zero", DeviceKind::Metal},
    {"unrolled_matmul_crash", DeviceKind::Metal},
    {"permuted_strides_wrong", DeviceKind::Metal},
    {"language_unset_hides_tensors", DeviceKind::Metal},
    {"fragment_load_infinity", DeviceKind::Metal},
    {"mem_none_no_fence", DeviceKind::Metal},
    {"group_limit_32_miscompiled", DeviceKind::Metal},
    {"pipeline_limit_below_device", DeviceKind::Metal},
    {"shared_argument_misordered", DeviceKind::Metal},
    {"bf16_elements_lost", DeviceKind::Metal},
    {"async_copy_hang", DeviceKind::Metal},
    {"bulk_store_overwrites", DeviceKind::Cuda},
}};

constexpr std::string_view hazard_name(Hazard hazard) { return kHazards[static_cast<std::size_t>(hazard)].name; }

/// liuliu/example_matmul_metal4, WORKLOG.md: what a static K must be a multiple of to be safe from StaticKTruncated.
inline constexpr std::int64_t kStaticKStep = 32;

}  // namespace tilewright::target
