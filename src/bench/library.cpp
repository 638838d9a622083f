#include "bench/library.h"

#include <utility>

namespace tilewright::bench {

namespace {

using Opener = Result<std::unique_ptr<Library>> (*)(const LibraryPlace&);

struct KindEntry {
  LibraryKind kind;
  std::string_view name;
  Opener open;
};

constexpr KindEntry kKinds[] = {
    {LibraryKind::Tilewright, "tilewright", open_tilewright},
    {LibraryKind::OpenBlas, "openblas", open_openblas},
    {LibraryKind::Blis, "blis", open_blis},
    {LibraryKind::OneDnn, "onednn", open_onednn},
    {LibraryKind::Libxsmm, "libxsmm", open_libxsmm},
    {LibraryKind::Mkl, "mkl", open_mkl},
    {LibraryKind::Passes, "passes", open_passes},
    {LibraryKind::Copy, "copy", open_copy},
    {LibraryKind::Peak, "peak", open_peak},
    {LibraryKind::Broken, "broken", open_broken},
};

}  // namespace

std::string_view library_kind_name(LibraryKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::optional<LibraryKind> library_kind_from_name(std::string_view name) {
  for (const KindEntry& entry : kKinds)
    if (entry.name == name) return entry.kind;
  return std::nullopt;
}

Result<std::unique_ptr<Library>> open_library(LibraryKind kind, const LibraryPlace& place) {
  return kKinds[static_cast<std::size_t>(kind)].open(place);
}

std::unexpected<Diags> not_offered(std::string reason) {
  return failure(DiagCode::Unsupported, std::move(reason), "compare with another library");
}

}  // namespace tilewright::bench
