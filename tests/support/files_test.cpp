#include "support/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.h"

namespace tilewright {
namespace {

using Names = std::vector<std::string>;

/// The one diagnostic of a failure, which must have this code and say all of `words` in its message.
template <class T>
void expect_failure(const Result<T>& result, DiagCode code, const std::vector<std::string>& words) {
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u);
  const Diag& diag = result.error()[0];
  EXPECT_EQ(diag_code_name(diag.code), diag_code_name(code));
  for (const std::string& word : words) EXPECT_NE(diag.message.find(word), std::string::npos) << diag.message;
}

unsigned mode_of(const std::string& path) {
  struct stat info{};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(Files, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string all("a\0b\r\n\xff", 6);
  for (const std::string& content : {std::string(), all, std::string(300'000, 'x')}) {
    ASSERT_TRUE(write_file_atomically(folder / "f", content));
    EXPECT_EQ(read_file(folder / "f"), content);
    EXPECT_EQ(read_file_bytes(folder / "f", 1 << 20)->size(), content.size());
  }
  EXPECT_EQ(folder.names(), Names{"f"});
}

TEST(Files, PiecesAreJoined) {
  const TemporaryFolder folder;
  const std::string_view pieces[] = {"ab", "", "c"};
  ASSERT_TRUE(write_file_atomically(folder / "f", pieces));
  EXPECT_EQ(read_file(folder / "f"), "abc");
}

TEST(Files, MissingFileIsNamed) {
  const TemporaryFolder folder;
  expect_failure(read_file(folder / "none"), DiagCode::FileRead, {folder / "none", "No such file"});
}

TEST(Files, FolderIsNotRead) {
  const TemporaryFolder folder;
  expect_failure(read_file(folder.path()), DiagCode::FileRead, {folder.path(), "Is a directory"});
}

TEST(Files, LimitIsExact) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "12345"));
  EXPECT_EQ(read_file(folder / "f", 5), "12345");
  expect_failure(read_file(folder / "f", 4), DiagCode::FileRead, {folder / "f", "larger than 4 bytes"});
}

TEST(Files, LimitHoldsForWhatHasNoSize) {
  expect_failure(read_file("/dev/zero", 1000), DiagCode::FileRead, {"/dev/zero", "larger than 1000 bytes"});
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(Files, PipeIsReadToItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content(200'000, 'p');
  std::thread writer([&] {
    const int descriptor = ::open(path.c_str(), O_WRONLY);
    for (std::size_t put = 0; put < content.size();) {
      const ssize_t step = ::write(descriptor, content.data() + put, content.size() - put);
      if (step <= 0) break;
      put += static_cast<std::size_t>(step);
    }
    ::close(descriptor);
  });
  const auto read = read_file(path);
  writer.join();
  EXPECT_EQ(read, content);
}

TEST(Files, SizeBeyondMemoryIsRefused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", ""));
  // A hole of 8 TiB is more than any memory; a file system that cannot make it skips the test.
  if (::truncate((folder / "f").c_str(), off_t{1} << 43) != 0) GTEST_SKIP() << "no file of this size here";
  expect_failure(read_file_bytes(folder / "f", kNoFileLimit), DiagCode::OutOfMemory,
                 {folder / "f", "memory for its 8796093022208 bytes"});
}

TEST(Files, NullCharacterInAPathIsRefused) {
  const std::string path("/dev/null\0x", 11);
  expect_failure(read_file(path), DiagCode::FileRead, {"/dev/null\\0"});
  expect_failure(write_file_atomically(path, "x"), DiagCode::FileWrite, {"null character"});
}

TEST(Files, PermissionsOfTheOldFileStay) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "old"));
  ASSERT_EQ(::chmod((folder / "f").c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(folder / "f", "new"));
  EXPECT_EQ(mode_of(folder / "f"), 0640u);
}

TEST(Files, LinkStaysAndItsTargetIsReplaced) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "inner");
  ASSERT_TRUE(write_file_atomically(folder / "inner/f", "old"));
  std::filesystem::create_symlink("inner/f", folder / "link");
  ASSERT_TRUE(write_file_atomically(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "inner/f"), "new");
}

TEST(Files, LinkToNothingIsRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nothing", folder / "link");
  expect_failure(write_file_atomically(folder / "link", "x"), DiagCode::FileWrite, {folder / "link", "symbolic link"});
  EXPECT_EQ(folder.names(), Names{"link"});
}

TEST(Files, FolderIsNotOverwritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "d");
  expect_failure(write_file_atomically(folder / "d", "x"), DiagCode::FileWrite, {folder / "d", "folder"});
  EXPECT_EQ(folder.names(), Names{"d"});
}

TEST(Files, MissingParentIsNamed) {
  const TemporaryFolder folder;
  const auto result = write_file_atomically(folder / "none/f", "x");
  expect_failure(result, DiagCode::FileWrite, {folder / "none/f", "No such file"});
  EXPECT_NE(result.error()[0].hint.find("'" + (folder / "none") + "'"), std::string::npos);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Files, FileAsParentIsRefused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "old"));
  expect_failure(write_file_atomically(folder / "f/g", "x"), DiagCode::FileWrite, {folder / "f/g", "Not a directory"});
  EXPECT_EQ(read_file(folder / "f"), "old");
}

TEST(Files, NameTooLongIsRefused) {
  const TemporaryFolder folder;
  expect_failure(write_file_atomically(folder / std::string(300, 'n'), "x"), DiagCode::FileWrite,
                 {"File name too long"});
  EXPECT_TRUE(folder.names().empty());
}

TEST(Files, LongestNameIsWritten) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  ASSERT_TRUE(write_file_atomically(folder / name, "x"));
  EXPECT_EQ(folder.names(), Names{name});
}

TEST(Files, EmptyPathIsRefused) {
  expect_failure(write_file_atomically("", "x"), DiagCode::FileWrite, {"path is empty"});
}

/// Makes writes fail beyond a file size, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST(Files, FailureInTheMiddleLeavesTheOldFileWhole) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "old"));
  Result<void> result;
  {
    const FileSizeLimit limit(1000);
    result = write_file_atomically(folder / "f", std::string(5000, 'x'));
  }
  expect_failure(result, DiagCode::FileWrite, {folder / "f", "File too large"});
  EXPECT_EQ(read_file(folder / "f"), "old");
  EXPECT_EQ(folder.names(), Names{"f"});
}

TEST(Files, FailureInTheMiddleLeavesNoNewFile) {
  const TemporaryFolder folder;
  Result<void> result;
  {
    const FileSizeLimit limit(1000);
    result = write_file_atomically(folder / "f", std::string(5000, 'x'));
  }
  expect_failure(result, DiagCode::FileWrite, {"File too large"});
  EXPECT_TRUE(folder.names().empty());
}

TEST(Files, StaleTemporariesAreNotTouched) {
  const TemporaryFolder folder;
  const std::string stale = ".tilewright-" + std::to_string(::getpid()) + "-0.tmp";
  ASSERT_TRUE(write_file_atomically(folder / stale, "stale"));
  ASSERT_TRUE(write_file_atomically(folder / "f", "new"));
  EXPECT_EQ(read_file(folder / stale), "stale");
  EXPECT_EQ(folder.names(), (Names{stale, "f"}));
}

TEST(Files, WritersAtOnceLeaveOneWholeFile) {
  const TemporaryFolder folder;
  std::vector<std::thread> writers;
  for (char c : {'a', 'b', 'c', 'd'})
    writers.emplace_back([&folder, c] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_file_atomically(folder / "f", std::string(10'000, c)));
    });
  for (std::thread& writer : writers) writer.join();
  const auto content = read_file(folder / "f");
  ASSERT_TRUE(content && content->size() == 10'000);
  EXPECT_EQ(*content, std::string(10'000, content->front()));
  EXPECT_EQ(folder.names(), Names{"f"});
}

TEST(Files, SpecialTargets) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_file_atomically("/dev/null", "x"));
  struct stat info{};
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  testing::internal::CaptureStdout();
  std::printf("before ");
  EXPECT_TRUE(write_file_atomically("/dev/stdout", "content"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before content");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_failure(write_file_atomically(folder / "pipe", "x"), DiagCode::FileWrite, {folder / "pipe", "device, pipe"});
  expect_failure(write_file_atomically("/dev/full", "x"), DiagCode::FileWrite, {"/dev/full", "device"});
}

}  // namespace
}  // namespace tilewright
