// Finds the shared libraries of peers on this machine.
#pragma once

#include <string>
#include <vector>

#include "bench/library.h"

namespace tilewright::bench {

struct PeerSearch {
  std::vector<std::string> paths;  ///< folders of the user, searched to a depth of 6, before all others
  bool system = true;              ///< also the system's folders, LD_LIBRARY_PATH and the packages of python3
};

struct PeerFile {
  LibraryKind kind{};
  std::string file;  ///< empty: none was found
  std::string reason;
};

/// The kinds that are looked for.
std::vector<LibraryKind> peer_kinds();

/// Every library of a peer, each file once; a kind of which there is none has one entry with the reason. In the order
/// of the kinds, within a kind in the order of the search.
std::vector<PeerFile> find_peers(const PeerSearch& search, const std::vector<LibraryKind>& kinds);

}  // namespace tilewright::bench
