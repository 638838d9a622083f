// A contestant: a library (or this compiler) that computes problems, behind one interface.
//
// Every contestant gets the same dense row-major operands and computes the whole output; what it prepares from sizes
// alone happens in bind(), what depends on the operands' values in the call. A library may have several variants, which
// are timed as contestants of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/operands.h"
#include "bench/problem.h"
#include "support/result.h"

namespace tilewright::bench {

enum class LibraryKind : std::uint8_t {
  Tilewright,
  OpenBlas,
  Blis,
  OneDnn,
  Libxsmm,
  Mkl,
  Passes,  ///< hand-vectorised row programs of this folder
  Copy,    ///< memcpy of as many bytes as the operands have
  Peak,    ///< fused multiply-adds in registers
  Broken,  ///< computes one element wrongly, writes beside the output, or dies: for tests of the bench
};

std::string_view library_kind_name(LibraryKind kind);
std::optional<LibraryKind> library_kind_from_name(std::string_view name);

struct LibraryIdentity {
  std::string version;  ///< as the library says it; empty: it does not
  std::string core;     ///< which kernels it chose
  std::vector<std::string> variants;
};

/// How a contestant that can be told more is compiled: of Tilewright.
struct CandidateSettings {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string plan;  ///< text; empty: planned
};

struct BoundCall {
  std::function<void()> call;
  double multiply_adds = 0;  ///< of one call, where they are not the problem's: of Peak
};

class Library {
 public:
  virtual ~Library() = default;
  virtual LibraryIdentity identity() const = 0;
  /// Something to call as often as wanted; the operands outlive it. Unsupported: the library has nothing for this.
  virtual Result<BoundCall> bind(std::size_t variant, const Problem& problem, const Operands& operands,
                                 const CandidateSettings& settings) = 0;
};

/// Where a library was found, and how many threads it may use.
struct LibraryPlace {
  std::string file;  ///< empty for what is built in
  int threads = 1;
};

/// Loads it and makes it ready. Unsupported: why it is none.
Result<std::unique_ptr<Library>> open_library(LibraryKind kind, const LibraryPlace& place);

// One an adapter.
Result<std::unique_ptr<Library>> open_tilewright(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_openblas(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_blis(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_onednn(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_libxsmm(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_mkl(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_passes(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_copy(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_peak(const LibraryPlace& place);
Result<std::unique_ptr<Library>> open_broken(const LibraryPlace& place);

/// Unsupported with the reason.
[[nodiscard]] std::unexpected<Diags> not_offered(std::string reason);

}  // namespace tilewright::bench
