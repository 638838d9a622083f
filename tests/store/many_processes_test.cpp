// Many writers, killed at any moment: readers meet whole entries or none.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "case_count.h"
#include "store/artifact_bytes.h"
#include "store/disk_store.h"
#include "store/store_samples.h"
#include "support/temporary_folder.h"

namespace tilewright::store {
namespace {

constexpr int kKeys = 6;
constexpr std::size_t kCodeBytes = 30'000;
// Room for half of the keys, so that writers also make room all the time.
constexpr std::uint64_t kLimit = kKeys / 2 * (kCodeBytes + 2000);

pid_t start_writer(const std::string& folder, unsigned seed) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const auto store = DiskStore::open({folder, kLimit});
  if (!store) ::_exit(1);
  std::mt19937 random(seed);
  while (true) {
    const int number = static_cast<int>(random() % kKeys);
    static_cast<void>(store->keep(sample_key(number), sample_artifact(number, kCodeBytes)));
  }
}

TEST(ManyProcesses, KilledWritersLeaveNothingWrong) {
  const TemporaryFolder temporary;
  const std::string folder = temporary / "cache";
  const auto store = DiskStore::open({folder, kLimit});
  ASSERT_TRUE(store);
  std::vector<std::string> expected;
  for (int i = 0; i < kKeys; ++i) expected.push_back(artifact_to_bytes(sample_artifact(i, kCodeBytes)));
  std::mt19937 random(5);
  std::vector<pid_t> writers;
  for (unsigned i = 0; i < 4; ++i) writers.push_back(start_writer(folder, i));
  int found = 0;
  const int kills = case_count(60, 4);
  for (int kill = 0; kill < kills; ++kill) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 30'000);
    do {
      const int number = static_cast<int>(random() % kKeys);
      const Lookup lookup = store->find(sample_key(number));
      ASSERT_TRUE(lookup.warnings.empty()) << render(lookup.warnings);
      if (!lookup.artifact) continue;
      ++found;
      ASSERT_EQ(artifact_to_bytes(*lookup.artifact), expected[static_cast<std::size_t>(number)]);
    } while (std::chrono::steady_clock::now() < until);
    pid_t& victim = writers[random() % writers.size()];
    ::kill(victim, SIGKILL);
    int status = 0;
    ::waitpid(victim, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    victim = start_writer(folder, static_cast<unsigned>(random()));
  }
  for (pid_t writer : writers) {
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
  }
  const auto entries = store->entries(true);
  ASSERT_TRUE(entries);
  for (const EntrySummary& entry : *entries) EXPECT_TRUE(entry.key) << entry.damage;
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace tilewright::store
