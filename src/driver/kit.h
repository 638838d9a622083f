// A kit: one folder with kernels, inputs, expected outputs and a host program, for a machine that has the GPU.
//
// docs/kit.md describes the format. kit.json, its manifest, is this value as text.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/types.h>

#include "artifact/artifact.h"

namespace tilewright::driver {

inline constexpr int kKitSchema = 1;
inline constexpr const char* kKitManifest = "kit.json";
/// What the files of a kit may measure together, and its buffers too.
inline constexpr std::int64_t kKitMostBytes = std::int64_t{1} << 30;
/// Of memory that must not change, on either side of a buffer.
inline constexpr std::int64_t kKitGuardBytes = 4096;

enum class KitRole : std::uint8_t { Input, Output, InOut, Temporary, Scalar };

/// One buffer of the kernels, at its position in the list the number of its binding.
struct KitBuffer {
  std::string name;
  KitRole role{};
  artifact::BindingAccess access{};  ///< of all launches together
  DataType type = DataType::F32;
  /// How the elements lie in the memory of the buffer; counts elements. Dense for scalars and temporaries.
  std::vector<std::int64_t> extents, strides;
  std::int64_t offset = 0;
  std::int64_t elements = 0;        ///< of the memory
  std::int64_t bound_at = 0;        ///< the element that the kernels' pointer points to
  std::int64_t bound_elements = 0;  ///< that may be addressed from there
  std::uint32_t bits = 0;           ///< of a scalar
  bool operator==(const KitBuffer&) const = default;
};

struct KitLaunch {
  std::string entry;
  std::array<std::int64_t, 3> groups{};  ///< one of them 0: nothing is launched
  std::int64_t threads = 0;              ///< of a group, along x
  std::int64_t simd_width = 0;           ///< that the code counts on
  std::int64_t threadgroup_bytes = 0;
  std::vector<std::uint32_t> buffers;  ///< those that the entry takes, ascending
  bool operator==(const KitLaunch&) const = default;
};

/// What a file is for. The numbers depend on Kernel and Data alone; Host may be repaired by whoever has the compiler.
enum class KitPart : std::uint8_t { Kernel, Data, Host };

struct KitFile {
  KitPart part{};
  std::int64_t bytes = 0;
  std::string sha256;
  bool operator==(const KitFile&) const = default;
};

/// A .npy file and where its numbers begin in it.
struct KitArray {
  std::string file;
  std::int64_t data_offset = 0;
  bool operator==(const KitArray&) const = default;
};

/// Images of one output, dense row-major, as tile::ExactOutput has them: f64, f64, u8.
struct KitExpected {
  KitArray value, bound, stored;
  bool operator==(const KitExpected&) const = default;
};

/// Contents of the inputs, and what they must lead to; by name of the buffer.
struct KitCase {
  std::string contents;
  std::map<std::string, KitArray> inputs;
  std::map<std::string, KitExpected> expected;
  bool operator==(const KitCase&) const = default;
};

struct Kit {
  std::string made_by;  ///< version of Tilewright
  std::string command;  ///< that makes the kit again
  std::string program, target;
  std::string device;                                         ///< that was planned for
  std::vector<std::pair<std::string, std::string>> bindings;  ///< for people
  std::string text_file;                                      ///< the kernels
  int language_version = 0;                                   ///< 310 is MSL 3.1
  std::vector<KitBuffer> buffers;
  std::vector<KitLaunch> launches;
  std::vector<KitCase> cases;
  std::map<std::string, KitFile> files;  ///< all but the manifest, by name
  bool operator==(const Kit&) const = default;
};

/// Bytes of the memory of all buffers, guards apart. Wide, because nothing bounds the counts before it is asked.
__uint128_t kit_memory_bytes(const Kit& kit);

}  // namespace tilewright::driver
