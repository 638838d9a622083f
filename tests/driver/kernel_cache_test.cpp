// Compiling through a cache gives what compiling gives.
#include <sys/resource.h>

#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include <tilewright/cache.h>

#include "driver/call_arrays.h"
#include "driver/compile_key.h"
#include "driver/kernel_cache.h"
#include "driver/kernel_impl.h"
#include "driver/small_programs.h"
#include "support/temporary_folder.h"

namespace tilewright {
namespace {

/// A cache that remembers what it told.
struct Watched {
  explicit Watched(const std::string& folder = "", std::uint64_t limit = std::uint64_t{1} << 28) {
    KernelCacheOptions options;
    options.folder = folder;
    options.limit_bytes = limit;
    options.observe = [events = events, mutex = mutex](const CacheEvent& event) {
      const std::lock_guard lock(*mutex);
      events->push_back(event);
    };
    auto opened = KernelCache::open(std::move(options));
    if (!opened) ADD_FAILURE() << render(opened.error());
    cache = std::move(opened).value();
  }
  CacheEvent last() const { return events->empty() ? CacheEvent{} : events->back(); }

  std::shared_ptr<std::vector<CacheEvent>> events = std::make_shared<std::vector<CacheEvent>>();
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();
  std::shared_ptr<KernelCache> cache;
};

CompileOptions with(const Watched& watched) {
  CompileOptions options;
  options.cache = watched.cache;
  return options;
}

TEST(KernelCache, ASecondCompilationIsTheSameKernel) {
  const Watched watched;
  const Product product(8, 9, 10);
  const Program gemm = named_program("gemm");
  const Kernel first = compiled(gemm, product.bindings(), with(watched));
  const Kernel second = compiled(gemm, product.bindings(), with(watched));
  EXPECT_EQ(&first.impl(), &second.impl());
  // Another value of the same text is the same program.
  const Kernel third = compiled(program_of(gemm.text().c_str()), product.bindings(), with(watched));
  EXPECT_EQ(&first.impl(), &third.impl());
  const KernelCacheCounts counts = watched.cache->counts();
  EXPECT_EQ(counts.memory_hits, 2u);
  EXPECT_EQ(counts.compiled, 1u);
  EXPECT_EQ(counts.kernels, 1u);
  EXPECT_EQ(plain_result(first, product), plain_result(compiled(gemm, product.bindings()), product));
  watched.cache->clear_memory();
  EXPECT_NE(&first.impl(), &compiled(gemm, product.bindings(), with(watched)).impl());
}

TEST(KernelCache, FailuresAreTheSameAndAreNotKept) {
  const Watched watched;
  for (int repeat = 0; repeat < 2; ++repeat)
    expect_fault(compile(named_program("gemm"), {}, with(watched)), DiagCode::MissingSymbol);
  EXPECT_EQ(watched.cache->counts().kernels, 0u);
}

// cases.md H4: the key holds the shape, the layout and every option.
TEST(KernelCache, EveryInputOfACompilationIsInItsKey) {
  const Program gemm = named_program("gemm"), twice = program_of(kDouble);
  const Bindings small = Product(64, 64, 64).bindings();
  std::set<std::string> keys;
  int count = 0;
  const auto add = [&](const Program& program, const Bindings& bindings, const CompileOptions& options) {
    keys.insert(driver::compile_key(program, bindings, options));
    EXPECT_EQ(keys.size(), static_cast<std::size_t>(++count));
  };
  add(gemm, small, {});
  add(twice, small, {});
  add(gemm, Product(64, 128, 128).bindings(), {});
  Bindings other = small;
  other.numbers["BM"] = 32;
  add(gemm, other, {});
  other = small;
  other.types["T"] = DataType::F16;
  add(gemm, other, {});
  const auto option = [&](auto change) {
    CompileOptions options;
    change(options);
    add(gemm, small, options);
  };
  option([](CompileOptions& o) { o.target = Target::Interp; });
  option([](CompileOptions& o) { o.layouts["A"] = {{1, 64}}; });
  option([](CompileOptions& o) { o.layouts["B"] = {{1, 64}}; });
  option([](CompileOptions& o) { o.layouts["A"] = {{1, 65}}; });
  option([](CompileOptions& o) { o.noalias = true; });
  option([](CompileOptions& o) { o.symbol_prefix = "mine"; });
  option([](CompileOptions& o) { o.device = "apple-m1"; });
  option([](CompileOptions& o) { o.settings = {{"a", "1"}}; });
  option([](CompileOptions& o) { o.settings = {{"a", "2"}}; });
  option([](CompileOptions& o) { o.plan = "plan"; });
  option([](CompileOptions& o) { o.plan_label = "label"; });
  option([](CompileOptions& o) { o.route = Route::Direct; });
  option([](CompileOptions& o) { o.emulation.checks = false; });
  option([](CompileOptions& o) { o.emulation.schedules = 2; });
  option([](CompileOptions& o) { o.emulation.layouts = 2; });
  option([](CompileOptions& o) { o.emulation.timeout_seconds = 1; });
  option([](CompileOptions& o) { o.tensor_bindings = TensorBindings::Handle; });
  CompileOptions cached = with(Watched());
  EXPECT_EQ(driver::compile_key(gemm, small, cached), driver::compile_key(gemm, small, {}));
}

// cases.md H5: so does the key in a folder, which also has the versions.
TEST(KernelCache, EveryOptionOfTheEmitterIsInItsKey) {
  const Kernel kernel = compiled(named_program("gemm"), Product(8, 8, 8).bindings());
  const Kernel::Impl& impl = kernel.impl();
  emit_llvm::EmitOptions options = impl.emit_options;
  const driver::EmitInputs inputs{impl.bound, impl.bindings, impl.rules, impl.lowered, options};
  const store::EntryKey key = driver::emit_key(inputs);
  const auto differs = [&](auto change, const char* field) {
    const emit_llvm::EmitOptions saved = options;
    change(options);
    const auto differences = store::key_differences(driver::emit_key(inputs), key);
    ASSERT_EQ(differences.size(), 1u) << field;
    EXPECT_EQ(differences[0].name, field);
    options = saved;
  };
  differs([](auto& o) { o.cpu = ""; }, "processor");
  differs([](auto& o) { o.features = "-avx2"; }, "features");
  differs([](auto& o) { o.opt_level = 0; }, "opt_level");
  differs([](auto& o) { o.noalias = !o.noalias; }, "noalias");
  differs([](auto& o) { o.symbol_prefix = "x"; }, "symbol_prefix");
  for (const char* field :
       {"tilewright", "sources", "llvm", "platform", "program", "name", "binding M", "strides A", "kernel"}) {
    const std::string* value = key.find(field);
    ASSERT_NE(value, nullptr) << field;
    EXPECT_FALSE(value->empty()) << field;
  }
}

TEST(KernelCache, AFolderServesTheNextProcess) {
  const TemporaryFolder temporary;
  const Product product(31, 17, 23);
  const Program gemm = named_program("gemm");
  const std::vector<float> expected = plain_result(compiled(gemm, product.bindings()), product);
  const Watched first(temporary / "cache");
  EXPECT_EQ(plain_result(compiled(gemm, product.bindings(), with(first)), product), expected);
  EXPECT_EQ(first.last().kind, CacheEvent::Kind::FolderMiss);
  EXPECT_EQ(first.last().text, "the cache is empty");
  const Watched second(temporary / "cache");
  EXPECT_EQ(plain_result(compiled(gemm, product.bindings(), with(second)), product), expected);
  EXPECT_EQ(second.last().kind, CacheEvent::Kind::FolderHit);
  EXPECT_EQ(second.cache->counts().folder_hits, 1u);
  // Another shape: a miss that says so.
  const Product longer(31, 17, 24);
  EXPECT_EQ(plain_result(compiled(gemm, longer.bindings(), with(second)), longer),
            plain_result(compiled(gemm, longer.bindings()), longer));
  EXPECT_EQ(second.last().kind, CacheEvent::Kind::FolderMiss);
  EXPECT_NE(second.last().text.find("binding K is 24, there 23"), std::string::npos) << second.last().text;
  EXPECT_EQ(second.last().program, "gemm");
}

// cases.md H7: damage costs a compilation and a warning, and is repaired.
TEST(KernelCache, DamageIsAWarningAndIsRepaired) {
  const TemporaryFolder temporary;
  const Product product(9, 8, 7);
  const Program gemm = named_program("gemm");
  const std::vector<float> expected =
      plain_result(compiled(gemm, product.bindings(), with(Watched(temporary / "c"))), product);
  ASSERT_EQ(std::filesystem::directory_iterator(temporary / "c")->path().extension(), ".twk");
  const std::string file = std::filesystem::directory_iterator(temporary / "c")->path().string();
  for (std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{10}, std::filesystem::file_size(file) - 1}) {
    std::filesystem::resize_file(file, size);
    const Watched watched(temporary / "c");
    EXPECT_EQ(plain_result(compiled(gemm, product.bindings(), with(watched)), product), expected);
    ASSERT_FALSE(watched.events->empty());
    EXPECT_EQ(watched.events->front().kind, CacheEvent::Kind::Warning);
    EXPECT_EQ(watched.events->front().warnings.at(0).code, DiagCode::CacheDamaged);
    const Watched repaired(temporary / "c");
    EXPECT_EQ(plain_result(compiled(gemm, product.bindings(), with(repaired)), product), expected);
    EXPECT_EQ(repaired.last().kind, CacheEvent::Kind::FolderHit);
  }
}

TEST(KernelCache, AFolderThatGoesCostsWarningsOnly) {
  const TemporaryFolder temporary;
  const Watched watched(temporary / "c");
  std::filesystem::remove_all(temporary / "c");
  const Product product(4, 4, 4);
  const Kernel kernel = compiled(named_program("gemm"), product.bindings(), with(watched));
  EXPECT_EQ(watched.last().kind, CacheEvent::Kind::Warning);
  EXPECT_EQ(watched.last().warnings.at(0).code, DiagCode::FileWrite);
  EXPECT_EQ(watched.cache->counts().warnings, 1u);
  static_cast<void>(plain_result(kernel, product));
  expect_fault(KernelCache::open({.folder = "/dev/null"}), DiagCode::CacheFolder);
}

// Programs that mean the same are told apart where a user can see it.
TEST(KernelCache, NamesOfBuffersAreTheProgramsOwn) {
  const TemporaryFolder temporary;
  std::string renamed = kDouble;
  for (std::size_t at; (at = renamed.find('X')) != std::string::npos;) renamed.replace(at, 1, "Q");
  const Watched watched(temporary / "c");
  const Bindings sizes{.numbers = {{"M", 1}, {"N", 3}}, .types = {}};
  const Kernel one = compiled(program_of(kDouble), sizes, with(watched));
  const Kernel other = compiled(program_of(renamed.c_str()), sizes, with(watched));
  const HostArray x = Product::make({1, 3}), y = Product::make({1, 3});
  EXPECT_TRUE(one.run({{"X", x.view()}, {"Y", y.view()}}).has_value());
  EXPECT_TRUE(other.run({{"Q", x.view()}, {"Y", y.view()}}).has_value());
  EXPECT_EQ(watched.cache->counts().folder_hits, 0u);
}

// cases.md H8: 16 threads compile 4 kernels.
TEST(KernelCache, SixteenThreadsCompileFourKernelsOnce) {
  const TemporaryFolder temporary;
  const Watched watched(temporary / "c");
  const Program gemm = named_program("gemm");
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      const Product product(4 + t % 4, 5, 6);
      const Kernel kernel = compiled(gemm, product.bindings(), with(watched));
      product.clear();
      ASSERT_TRUE(kernel.run(product.arguments(), {.threads = 1}).has_value());
      float expected = 0;
      for (std::size_t k = 0; k < 6; ++k) expected += product.a.values<float>()[k] * product.b.values<float>()[k * 5];
      EXPECT_NEAR(product.result()[0], expected, 1e-5);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(watched.cache->counts().compiled, 4u);
  EXPECT_EQ(watched.cache->counts().folder_misses, 4u);
}

TEST(KernelCache, TheLeastRecentlyUsedKernelsGo) {
  auto cache = KernelCache::open({.most_kernels = 1}).value();
  CompileOptions options;
  options.cache = cache;
  const Program program = program_of(kDouble);
  const Bindings one{.numbers = {{"M", 1}, {"N", 1}}, .types = {}}, two{.numbers = {{"M", 2}, {"N", 1}}, .types = {}};
  static_cast<void>(compiled(program, one, options));
  static_cast<void>(compiled(program, two, options));
  static_cast<void>(compiled(program, one, options));
  EXPECT_EQ(cache->counts().compiled, 3u);
  EXPECT_EQ(cache->counts().kernels, 1u);
}

}  // namespace
}  // namespace tilewright
