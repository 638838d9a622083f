#include "runtime/msl_emulator/compile_cache.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "msl_emulator/front/front_test.h"
#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::msl_emulator {
namespace {

CompiledLibrary sample_library() {
  CompiledLibrary library;
  library.entries = {
      {"k",
       {{"a", ParameterRole::Buffer, 3, true, false, true}, {"i", ParameterRole::Builtin, 1, false, false, false}}}};
  library.dialect = Dialect::Cpp20;
  library.checks = false;
  library.note = "why";
  return library;
}

struct KeptSample {
  TemporaryFolder folder;
  CompileCache cache{folder.path()};
  Hash128 request{1, 2}, object{3, 4};

  explicit KeptSample(const std::vector<std::string>& files = {}, const std::vector<std::string>& folders = {}) {
    EXPECT_TRUE(write_file_atomically(folder / "made", "object"));
    CompiledLibrary library = sample_library();
    library.object_path = cache.keep_object(object, folder / "made").value_or("");
    cache.keep(request, object, library, files, folders);
  }
};

TEST(CompileCache, WhatWasKeptIsFound) {
  const KeptSample sample;
  const auto found = sample.cache.find(sample.request);
  ASSERT_TRUE(found);
  const CompiledLibrary expected = sample_library();
  EXPECT_EQ(found->entries[0].name, "k");
  EXPECT_EQ(found->entries[0].parameters, expected.entries[0].parameters);
  EXPECT_EQ(found->dialect, Dialect::Cpp20);
  EXPECT_EQ(found->note, "why");
  EXPECT_FALSE(found->checks);
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(read_file(found->object_path), "object");
  EXPECT_FALSE(sample.cache.find({1, 3}));
  EXPECT_FALSE(CompileCache("").find(sample.request));
}

TEST(CompileCache, WhatIsDamagedIsAbsent) {
  for (const char* suffix : {".json", ".so", ".so.hash"})
    for (const char* content : {"", "{}", "{\"object\":\"x\"}", "[1"}) {
      const KeptSample sample;
      const std::string name = hash_text(std::string_view(suffix) == ".json" ? sample.request : sample.object) + suffix;
      ASSERT_TRUE(std::filesystem::exists(sample.folder / name)) << name;
      std::ofstream(sample.folder / name) << content;
      EXPECT_FALSE(sample.cache.find(sample.request)) << suffix << content;
    }
}

TEST(CompileCache, AChangedIncludeIsSeen) {
  const TemporaryFolder sources;
  ASSERT_TRUE(write_file_atomically(sources / "a.h", "1"));
  const KeptSample sample({sources / "a.h"});
  EXPECT_TRUE(sample.cache.find(sample.request));
  ASSERT_TRUE(write_file_atomically(sources / "a.h", "2"));
  EXPECT_FALSE(sample.cache.find(sample.request));
  std::filesystem::remove(sources / "a.h");
  EXPECT_FALSE(sample.cache.find(sample.request));
}

TEST(CompileCache, AnIncludeThatAppearsInAnotherFolderIsSeen) {
  const TemporaryFolder first, second, third;
  for (const TemporaryFolder* folder : {&second, &third}) ASSERT_TRUE(write_file_atomically(*folder / "a.h", "1"));
  const KeptSample sample({second / "a.h"}, {first.path(), second.path(), third.path()});
  EXPECT_TRUE(sample.cache.find(sample.request));
  ASSERT_TRUE(write_file_atomically(first / "a.h", "1"));
  EXPECT_FALSE(sample.cache.find(sample.request));
}

TEST(CompileCache, TheLongestUnusedGoesFirst) {
  const TemporaryFolder folder;
  using std::chrono::hours;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (int i = 0; i < 4; ++i) {
    const std::string path = folder / std::to_string(i);
    ASSERT_TRUE(write_file_atomically(path, std::string(100, 'x')));
    std::filesystem::last_write_time(path, now - hours(i == 2 ? 10 : i));
  }
  CompileCache(folder.path(), 400).shrink();
  EXPECT_EQ(folder.names().size(), 4u);
  CompileCache(folder.path(), 250).shrink();
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"0", "1"}));
}

TEST(CompileCache, EverythingThatMattersIsInTheKey) {
  const Hash128 tools{5, 6};
  const CompileRequest plain{.path = "k.metal"};
  std::vector<Hash128> keys{request_key("a", plain, tools), request_key("b", plain, tools),
                            request_key("a", plain, {5, 7})};
  const auto with = [&](auto change) {
    CompileRequest request = plain;
    change(request);
    keys.push_back(request_key("a", request, tools));
  };
  with([](CompileRequest& r) { r.path = "l.metal"; });
  with([](CompileRequest& r) { r.include_paths = {"x"}; });
  with([](CompileRequest& r) { r.defines = {"x"}; });
  with([](CompileRequest& r) { r.kernels = {"x"}; });
  with([](CompileRequest& r) { r.constants = {{"x", "1"}}; });
  with([](CompileRequest& r) { r.constants = {{"x", "2"}}; });
  with([](CompileRequest& r) { r.dialect = Dialect::OpenCl; });
  with([](CompileRequest& r) { r.dialect = Dialect::Cpp20; });
  with([](CompileRequest& r) { r.metal_version = 400; });
  with([](CompileRequest& r) { r.checks = false; });
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " " << j;
}

TEST(CompileCache, TheFingerprintSeesTheShim) {
  const TemporaryFolder shim;
  ASSERT_TRUE(write_file_atomically(shim / "metal_stdlib", "a"));
  Toolchain tools{.shim_folder = shim.path()};
  const Hash128 before = toolchain_fingerprint(tools);
  EXPECT_EQ(toolchain_fingerprint(tools), before);
  ASSERT_TRUE(write_file_atomically(shim / "metal_stdlib", "ab"));
  EXPECT_NE(toolchain_fingerprint(tools), before);
}

}  // namespace
}  // namespace tilewright::msl_emulator
