#include "store/disk_store.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "case_count.h"
#include "store/artifact_bytes.h"
#include "store/store_samples.h"
#include "support/temporary_folder.h"

namespace tilewright::store {
namespace {

class DiskStoreTest : public testing::Test {
 protected:
  std::string folder() const { return temporary_ / "cache"; }
  DiskStore opened(std::uint64_t limit = kStoreLimitBytes) const {
    auto store = DiskStore::open({folder(), limit});
    if (!store) ADD_FAILURE() << render(store.error());
    return std::move(store).value();
  }
  std::string file_of(const EntryKey& key) const { return folder() + "/" + key.digest() + ".twk"; }
  void write(const std::string& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string read(const std::string& path) const {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  void set_age(const EntryKey& key, std::int64_t seconds) const {
    const timespec when{::time(nullptr) - seconds, 0};
    const timespec both[] = {when, when};
    ASSERT_EQ(::utimensat(AT_FDCWD, file_of(key).c_str(), both, 0), 0);
  }
  void expect_damaged(const Lookup& lookup) const {
    EXPECT_FALSE(lookup.artifact);
    ASSERT_EQ(lookup.warnings.size(), 1u);
    EXPECT_EQ(lookup.warnings[0].code, DiagCode::CacheDamaged);
  }

  TemporaryFolder temporary_;
};

TEST_F(DiskStoreTest, FindsWhatWasKept) {
  const DiskStore store = opened();
  EXPECT_FALSE(store.find(sample_key(1)).artifact);
  EXPECT_TRUE(store.keep(sample_key(1), sample_artifact(1)).empty());
  const Lookup found = opened().find(sample_key(1), true);
  ASSERT_TRUE(found.artifact);
  EXPECT_EQ(artifact_to_bytes(*found.artifact), artifact_to_bytes(sample_artifact(1)));
  EXPECT_TRUE(found.warnings.empty());
}

// cases.md H4 and H5: what changed has to be in the key, and the miss says what it was.
TEST_F(DiskStoreTest, AMissSaysWhichFieldDiffers) {
  const DiskStore store = opened();
  EXPECT_EQ(store.find(sample_key(64), true).miss, "the cache is empty");
  EXPECT_TRUE(store.keep(sample_key(64), sample_artifact()).empty());
  EXPECT_EQ(store.find(sample_key(128), true).miss, "of 1 entry the nearest differs: M is 128, there 64");
  EXPECT_EQ(store.find(sample_key(128)).miss, "");
}

// cases.md H5: another compiler, another option, another processor are other entries.
TEST_F(DiskStoreTest, EveryFieldOfAKeyTellsEntriesApart) {
  const DiskStore store = opened();
  const auto key = [](const char* llvm, const char* noalias, const char* features) {
    return EntryKey().add("llvm", llvm).add("noalias", noalias).add("features", features);
  };
  EXPECT_TRUE(store.keep(key("19.1.7", "false", "+avx2"), sample_artifact()).empty());
  EXPECT_NE(store.find(key("19.1.8", "false", "+avx2"), true).miss.find("llvm is 19.1.8, there 19.1.7"),
            std::string::npos);
  EXPECT_NE(store.find(key("19.1.7", "true", "+avx2"), true).miss.find("noalias is true, there false"),
            std::string::npos);
  EXPECT_NE(store.find(key("19.1.7", "false", "-avx2"), true).miss.find("features is -avx2, there +avx2"),
            std::string::npos);
  EXPECT_TRUE(store.find(key("19.1.7", "false", "+avx2")).artifact);
}

// cases.md H7: a file cut anywhere, or changed anywhere, is a warning and never a wrong artifact.
TEST_F(DiskStoreTest, EveryCutAndEveryChangedByteIsDamage) {
  const DiskStore store = opened();
  const EntryKey key = sample_key(1);
  EXPECT_TRUE(store.keep(key, sample_artifact(1, 16)).empty());
  const std::string whole = read(file_of(key));
  const auto step = static_cast<std::size_t>(kSanitized ? 17 : 1);
  for (std::size_t size = 0; size < whole.size(); size += step) {
    write(file_of(key), whole.substr(0, size));
    expect_damaged(store.find(key));
    std::string harmed = whole;
    harmed[size] = static_cast<char>(harmed[size] ^ 0x10);
    write(file_of(key), harmed);
    expect_damaged(store.find(key));
  }
  write(file_of(key), whole + "x");
  expect_damaged(store.find(key));
  EXPECT_TRUE(store.keep(key, sample_artifact(1)).empty());
  EXPECT_TRUE(store.find(key).artifact);
}

TEST_F(DiskStoreTest, AnEntryUnderAnotherNameIsDamage) {
  const DiskStore store = opened();
  EXPECT_TRUE(store.keep(sample_key(1), sample_artifact(1)).empty());
  write(file_of(sample_key(2)), read(file_of(sample_key(1))));
  const Lookup lookup = store.find(sample_key(2));
  expect_damaged(lookup);
  EXPECT_NE(lookup.warnings[0].message.find("M is 2, there 1"), std::string::npos) << lookup.warnings[0].message;
}

TEST_F(DiskStoreTest, AFolderInTheWayOfAnEntryIsDamageAndAWarning) {
  const DiskStore store = opened();
  ASSERT_EQ(::mkdir(file_of(sample_key(1)).c_str(), 0700), 0);
  expect_damaged(store.find(sample_key(1)));
  const Diags warnings = store.keep(sample_key(1), sample_artifact(1));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, DiagCode::FileWrite);
}

TEST_F(DiskStoreTest, AFolderThatGoesIsAMissAndAWarning) {
  const DiskStore store = opened();
  ASSERT_EQ(::rmdir(folder().c_str()), 0);
  EXPECT_FALSE(store.find(sample_key(1), true).artifact);
  const Diags warnings = store.keep(sample_key(1), sample_artifact(1));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, DiagCode::FileWrite);
  EXPECT_FALSE(store.entries(true).has_value());
}

/// Runs `body` in a process of its own; whether it came to true.
template <class Body>
bool in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(DiskStoreTest, AFullDiskIsAWarning) {
  const DiskStore store = opened();
  EXPECT_TRUE(in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Diags warnings = store.keep(sample_key(1), sample_artifact(1));
    return warnings.size() == 1 && warnings[0].code == DiagCode::FileWrite;
  }));
  EXPECT_FALSE(store.find(sample_key(1)).artifact);
  EXPECT_TRUE(store.entries(true)->empty());
}

TEST_F(DiskStoreTest, AReadOnlyFolderIsReadAndWarnsOfWrites) {
  EXPECT_TRUE(opened().keep(sample_key(1), sample_artifact(1)).empty());
  ASSERT_EQ(::chmod(folder().c_str(), 0500), 0);
  // Root may write everywhere; then there is nothing to see.
  const bool root = ::geteuid() == 0;
  const DiskStore store = opened();
  EXPECT_TRUE(store.find(sample_key(1)).artifact);
  EXPECT_EQ(store.keep(sample_key(2), sample_artifact(2)).empty(), root);
  ASSERT_EQ(::chmod(folder().c_str(), 0700), 0);
}

TEST_F(DiskStoreTest, FoldersThatAreRefused) {
  const auto refused = [](const std::string& path) {
    const auto store = DiskStore::open({path});
    return !store && store.error().front().code == DiagCode::CacheFolder;
  };
  write(temporary_ / "file", "");
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused(temporary_ / "file"));
  EXPECT_TRUE(refused(temporary_ / "file/below"));
  ASSERT_EQ(::mkdir((temporary_ / "open").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((temporary_ / "open").c_str(), 0777), 0);
  EXPECT_TRUE(refused(temporary_ / "open"));
}

TEST_F(DiskStoreTest, FoldersAreMadeForTheirOwnerAlone) {
  ASSERT_TRUE(DiskStore::open({temporary_ / "a/b/c/"}));
  struct stat info{};
  ASSERT_EQ(::stat((temporary_ / "a/b/c").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(DiskStoreTest, TheLeastRecentlyUsedMakeRoom) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(opened().keep(sample_key(i), sample_artifact(i, 1000)).empty());
    set_age(sample_key(i), 100 - i);
  }
  const std::uint64_t each = opened().entries(false)->front().bytes;
  EXPECT_TRUE(opened().find(sample_key(0)).artifact);  // used: now the latest
  const DiskStore small = opened(3 * each + each / 2);
  EXPECT_TRUE(small.keep(sample_key(9), sample_artifact(9, 1000)).empty());
  EXPECT_TRUE(small.find(sample_key(9)).artifact);
  EXPECT_TRUE(small.find(sample_key(0)).artifact);
  EXPECT_TRUE(small.find(sample_key(3)).artifact);
  EXPECT_FALSE(small.find(sample_key(1)).artifact);
  EXPECT_FALSE(small.find(sample_key(2)).artifact);
}

TEST_F(DiskStoreTest, WhatIsLargerThanTheLimitIsNotKept) {
  const DiskStore store = opened(500);
  EXPECT_TRUE(store.keep(sample_key(1), sample_artifact(1, 1000)).empty());
  EXPECT_TRUE(store.entries(true)->empty());
}

TEST_F(DiskStoreTest, WhatKilledWritersLeftGoesAfterAnHour) {
  const DiskStore store = opened();
  for (const char* name : {"/.tilewright-1-0.tmp", "/.tilewright-2-0.tmp", "/mine"}) write(folder() + name, "x");
  const timespec old[] = {{::time(nullptr) - 7200, 0}, {::time(nullptr) - 7200, 0}};
  for (const char* name : {"/.tilewright-1-0.tmp", "/mine"})
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder() + name).c_str(), old, 0), 0);
  EXPECT_TRUE(store.keep(sample_key(1), sample_artifact(1)).empty());
  EXPECT_NE(::access((folder() + "/.tilewright-1-0.tmp").c_str(), F_OK), 0);
  EXPECT_EQ(::access((folder() + "/.tilewright-2-0.tmp").c_str(), F_OK), 0);
  EXPECT_EQ(::access((folder() + "/mine").c_str(), F_OK), 0);
}

TEST_F(DiskStoreTest, ListsAndClears) {
  const DiskStore store = opened();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(store.keep(sample_key(i), sample_artifact(i)).empty());
  for (int i = 0; i < 3; ++i) set_age(sample_key(i), 10 * i);
  std::string harmed = read(file_of(sample_key(2)));
  harmed.back() ^= 1;
  write(file_of(sample_key(2)), harmed);
  set_age(sample_key(2), 20);
  write(folder() + "/mine", "x");
  const auto entries = store.entries(true);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].key, sample_key(0));
  EXPECT_EQ((*entries)[1].key, sample_key(1));
  EXPECT_FALSE((*entries)[2].key);
  EXPECT_EQ((*entries)[2].damage, "its bytes do not have their checksum");
  EXPECT_EQ((*store.entries(false))[2].key, sample_key(2));
  const auto cleared = store.clear();
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->entries, 3u);
  EXPECT_GT(cleared->bytes, 0u);
  EXPECT_TRUE(store.entries(true)->empty());
  EXPECT_EQ(read(folder() + "/mine"), "x");
}

}  // namespace
}  // namespace tilewright::store
