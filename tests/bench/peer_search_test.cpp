// Libraries are found by name, each file once; what is not there has a reason.
#include "bench/peer_search.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace tilewright::bench {
namespace {

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(PeerSearch, EveryKindThatIsAbsentSaysSo) {
  const TemporaryFolder folder;
  const auto peers = find_peers({{folder.path()}, false}, peer_kinds());
  ASSERT_EQ(peers.size(), peer_kinds().size());
  for (const PeerFile& peer : peers) {
    EXPECT_EQ(peer.file, "");
    EXPECT_NE(peer.reason.find("scripts/setup-peers"), std::string::npos) << peer.reason;
  }
}

TEST(PeerSearch, FilesAreFoundBelowAFolderAndOnce) {
  const TemporaryFolder folder;
  write(folder / "lib/libdnnl.so.3.1", "one");
  std::filesystem::create_symlink(folder / "lib/libdnnl.so.3.1", folder / "lib/libdnnl.so");
  write(folder / "lib/libdnnl.so.3", "one");  // a copy under another name
  write(folder / "lib/python3/site-packages/scipy_openblas32/lib/libscipy_openblas.so", "two");
  write(folder / "lib/libopenblas_readme.txt", "none");
  const auto peers = find_peers({{folder.path()}, false}, {LibraryKind::OpenBlas, LibraryKind::OneDnn});
  ASSERT_EQ(peers.size(), 2U);
  EXPECT_TRUE(peers[0].file.ends_with("libscipy_openblas.so")) << peers[0].file;
  EXPECT_EQ(peers[1].kind, LibraryKind::OneDnn);
}

TEST(PeerSearch, AFileMayBeNamedItself) {
  const TemporaryFolder folder;
  write(folder / "libmkl_rt.so.2", "x");
  const auto peers = find_peers({{folder / "libmkl_rt.so.2"}, false}, {LibraryKind::Mkl});
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_TRUE(peers[0].file.ends_with("libmkl_rt.so.2"));
}

TEST(Adapters, RefuseWhatIsNoLibraryOfTheirs) {
  const TemporaryFolder folder;
  write(folder / "libnone.so", "not a library");
  for (const LibraryKind kind : peer_kinds()) {
    const auto opened = open_library(kind, {folder / "libnone.so", 1});
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error()[0].code, DiagCode::Unsupported);
    EXPECT_NE(opened.error()[0].message.find("cannot be loaded"), std::string::npos);
    // The C library itself loads, and has none of their functions.
    const auto other = open_library(kind, {"libm.so.6", 1});
    ASSERT_FALSE(other.has_value());
    EXPECT_NE(other.error()[0].message.find("has no function"), std::string::npos) << other.error()[0].message;
  }
}

}  // namespace
}  // namespace tilewright::bench
