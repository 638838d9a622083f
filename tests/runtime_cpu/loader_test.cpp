#include <thread>

#include "compiled.h"
#include "runtime/cpu/run.h"

namespace tilewright::runtime_cpu {
namespace {

using namespace kernel;

TEST(Loader, TextIsNotCode) {
  artifact::Artifact artifact = emitted(scale_program(4));
  artifact.kind = artifact::CodeKind::Text;
  const auto code = load(artifact);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error()[0].code, DiagCode::InternalError);
}

TEST(Loader, DamagedObjectsAreRefused) {
  const artifact::Artifact whole = emitted(scale_program(4));
  for (std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{64}, whole.code.size() / 2}) {
    artifact::Artifact cut = whole;
    cut.code.resize(size);
    const auto code = load(cut);
    ASSERT_FALSE(code) << size;
    EXPECT_EQ(code.error()[0].code, DiagCode::InternalError);
  }
}

TEST(Loader, MissingEntriesAreRefused) {
  artifact::Artifact artifact = emitted(scale_program(4));
  artifact.launches[0].entry = "elsewhere";
  EXPECT_FALSE(load(artifact));
}

/// Only the table of the loader is visible to the code, not the whole process.
TEST(Loader, OtherSymbolsOfTheProcessAreOutOfReach) {
  Builder b("sin");
  const BufferId x = b.argument("x", ScalarType::F32, Access::ReadWrite, 1);
  b.begin_kernel("sin", {});
  b.store(x, b.const_i64(0), b.unary(UnaryKind::Sin, b.load(x, b.const_i64(0))));
  b.end_kernel();
  artifact::Artifact artifact = emitted(b.finish());
  ASSERT_TRUE(load(artifact));
  const std::size_t name = artifact.code.find("sinf");
  ASSERT_NE(name, std::string::npos);
  artifact.code.replace(name, 4, "atof");
  const auto code = load(artifact);
  ASSERT_FALSE(code);
  EXPECT_NE(render(code.error()).find("atof"), std::string::npos);
}

TEST(Loader, ManyThreadsLoadAtOnce) {
  const artifact::Artifact artifact = emitted(scale_program(100));
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int& count : right) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const auto code = load(artifact);
        if (!code) return;
        float factor = 3;
        std::vector<float> x(100, 2.0f), y(100);
        void* bindings[] = {&factor, x.data(), y.data()};
        if (run(*code, bindings, {.threads = 2}) && y == std::vector<float>(100, 6.0f)) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 10));
}

TEST(Loader, CodeMoves) {
  LoadedArtifact first = loaded(scale_program(1));
  LoadedArtifact second = loaded(scale_program(2));
  first = std::move(second);
  ASSERT_EQ(first.bindings()[1].count, 2);
  float factor = 2;
  std::vector<float> x{1, 2}, y(2);
  void* bindings[] = {&factor, x.data(), y.data()};
  ASSERT_TRUE(run(first, bindings, {.threads = 1}));
  EXPECT_EQ(y, (std::vector<float>{2, 4}));
}

}  // namespace
}  // namespace tilewright::runtime_cpu
