// Processes of contestants as the bench sees them.
#include "bench/worker.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace tilewright::bench {
namespace {

TEST(Worker, AProgramThatIsNotThereIsAnError) {
  const auto output = OutputFile::make();
  ASSERT_TRUE(output.has_value());
  const auto worker = Worker::start("/nonexistent/tilewright", LibraryKind::Tilewright, {"", 1}, *output);
  ASSERT_FALSE(worker.has_value());
  EXPECT_EQ(worker.error()[0].code, DiagCode::ToolMissing);
}

TEST(Worker, AProgramThatEndsIsGoneWithItsStatus) {
  const auto output = OutputFile::make();
  auto worker = Worker::start("/bin/false", LibraryKind::Tilewright, {"", 1}, *output);
  ASSERT_TRUE(worker.has_value());
  const Answer answer = worker->greeting(10);
  EXPECT_TRUE(answer.gone);
  EXPECT_EQ(answer.reason, "it ended with status 1");
  EXPECT_FALSE(worker->is_alive());
  EXPECT_TRUE(worker->ask({"release"}, 1).gone);
}

TEST(Worker, OneThatSaysNothingIsEnded) {
  const TemporaryFolder folder;
  std::ofstream(folder / "silent") << "#!/bin/sh\nexec sleep 10\n";
  std::filesystem::permissions(folder / "silent", std::filesystem::perms::owner_all);
  const auto output = OutputFile::make();
  auto worker = Worker::start(folder / "silent", LibraryKind::Tilewright, {"", 1}, *output);
  ASSERT_TRUE(worker.has_value());
  const Answer answer = worker->greeting(0.05);
  EXPECT_TRUE(answer.gone);
  EXPECT_EQ(answer.reason, "it did not answer in time");
}

TEST(OutputFile, IsShortUntilItIsWritten) {
  const auto output = OutputFile::make();
  ASSERT_TRUE(output.has_value());
  std::vector<float> values(4);
  EXPECT_FALSE(output->read(values));
}

}  // namespace
}  // namespace tilewright::bench
