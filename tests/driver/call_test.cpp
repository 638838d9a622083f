// tilewright/run.h: entries, bound calls, threads of the caller.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <gtest/gtest.h>

#include <tilewright/run.h>

#include "driver/call_arrays.h"
#include "driver/small_programs.h"

namespace tilewright {
namespace {

/// Fresh threads for every launch, each taking every n-th piece, the last first.
class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(int threads) : threads_(threads) {}
  int workers() const override { return threads_; }
  void parallel_for(std::int64_t count, Piece piece, void* context) override {
    ++launches;
    std::vector<std::thread> threads;
    for (int t = 0; t < threads_; ++t)
      threads.emplace_back([=, this] {
        for (std::int64_t i = count - 1 - t; i >= 0; i -= threads_) piece(context, i);
      });
    for (std::thread& thread : threads) thread.join();
  }
  std::atomic<int> launches = 0;

 private:
  int threads_;
};

std::vector<void*> pointers_of(const Kernel& kernel, const Arguments& arguments) {
  std::vector<void*> pointers;
  for (const EntryBinding& binding : entry_bindings(kernel)) {
    const ArrayView& view = arguments.at(binding.name);
    pointers.push_back(view.data +
                       (view.offset + binding.lowest) * static_cast<std::int64_t>(data_type_bytes(view.type)));
  }
  return pointers;
}

TEST(RawEntry, GivesWhatRunGives) {
  const Product product(37, 29, 17);
  const Kernel kernel = compiled(named_program("gemm"), product.bindings());
  const std::vector<float> expected = plain_result(kernel, product);
  const auto entry = raw_entry(kernel);
  TW_EXPECT_VALUE(entry);
  const std::vector<void*> pointers = pointers_of(kernel, product.arguments());
  const HostArray scratch = Product::make({entry->scratch_bytes / 4 + 1});
  product.clear();
  (*entry)(pointers.data(), scratch.data());
  EXPECT_EQ(product.result(), expected);
  // Ranges of tasks, cut anywhere and in any order.
  product.clear();
  for (std::int64_t cut = entry->tasks; cut > 0;) {
    const std::int64_t begin = std::max<std::int64_t>(0, cut - 3);
    entry->function(pointers.data(), begin, cut, scratch.data());
    cut = begin;
  }
  EXPECT_EQ(product.result(), expected);
}

TEST(RawEntry, BindingsSayWhatThePointersAre) {
  const Kernel kernel = compiled(program_of(kTwoLaunches), Product(2, 3, 4).bindings());
  const std::vector<EntryBinding> bindings = entry_bindings(kernel);
  std::map<std::string, EntryBinding> by_name;
  for (const EntryBinding& binding : bindings) by_name[binding.name] = binding;
  ASSERT_EQ(by_name.size(), 4u);
  EXPECT_TRUE(by_name["A"].read && !by_name["A"].written && !by_name["A"].temporary);
  EXPECT_EQ(by_name["A"].elements, 8);
  EXPECT_TRUE(by_name["C"].written);
  EXPECT_TRUE(by_name["T"].temporary);
  const Kernel scaled = compiled(program_of(kScale), {.numbers = {{"N", 5}}, .types = {}});
  for (const EntryBinding& binding : entry_bindings(scaled))
    EXPECT_EQ(binding.scalar, binding.name.size() == 1 && binding.name[0] >= 'a');
}

TEST(RawEntry, RefusesWhatOneFunctionCannotDo) {
  const Kernel two = compiled(program_of(kTwoLaunches), Product(2, 3, 4).bindings());
  expect_fault(raw_entry(two), DiagCode::Unsupported, {"2 launches"});
  const Kernel interpreted =
      compiled(program_of(kDouble), {.numbers = {{"M", 2}, {"N", 2}}, .types = {}}, {.target = Target::Interp});
  expect_fault(raw_entry(interpreted), DiagCode::Unsupported, {"interp"});
  expect_fault(Call::bind(interpreted, {}), DiagCode::Unsupported, {"interp"});
  EXPECT_TRUE(entry_bindings(interpreted).empty());
}

TEST(Call, GivesWhatRunGivesWithTemporariesAndLaunches) {
  const Product product(13, 11, 7);
  const Kernel kernel = compiled(program_of(kTwoLaunches), product.bindings());
  const std::vector<float> expected = plain_result(kernel, product);
  auto call = Call::bind(kernel, product.arguments());
  TW_EXPECT_VALUE(call);
  for (int repeat = 0; repeat < 3; ++repeat) {
    product.clear();
    (*call)();
    EXPECT_EQ(product.result(), expected);
  }
  product.clear();
  call->run();
  EXPECT_EQ(product.result(), expected);
}

TEST(Call, ChecksWhenItIsBound) {
  const Product product(4, 5, 6);
  const Kernel kernel = compiled(named_program("gemm"), product.bindings());
  Arguments arguments = product.arguments();
  arguments.erase("B");
  expect_fault(Call::bind(kernel, arguments), DiagCode::MissingArgument);
  arguments = product.arguments();
  arguments["C"] = arguments["A"];
  EXPECT_FALSE(Call::bind(kernel, arguments).has_value());
}

TEST(Call, NegativeStridesLeadToTheLowestElement) {
  const Product product(3, 4, 5);
  CompileOptions options;
  options.layouts["A"] = {{-5, -1}};
  const Kernel kernel = compiled(named_program("gemm"), product.bindings(), options);
  Arguments arguments = product.arguments();
  arguments["A"].strides = {-5, -1};
  arguments["A"].offset = 14;
  product.clear();
  ASSERT_TRUE(kernel.run(arguments).has_value());
  const std::vector<float> expected = product.result();
  for (const EntryBinding& binding : entry_bindings(kernel)) EXPECT_EQ(binding.lowest, binding.name == "A" ? -14 : 0);
  auto call = Call::bind(kernel, arguments);
  TW_EXPECT_VALUE(call);
  product.clear();
  (*call)();
  EXPECT_EQ(product.result(), expected);
}

TEST(Call, PointersCanBeExchanged) {
  const Product product(6, 5, 4);
  const Kernel kernel = compiled(named_program("gemm"), product.bindings());
  const std::vector<float> expected = plain_result(kernel, product);
  auto call = Call::bind(kernel, product.arguments());
  TW_EXPECT_VALUE(call);
  const HostArray other = Product::make({6, 5});
  const std::vector<EntryBinding> bindings = entry_bindings(kernel);
  for (std::size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].name == "C") call->set_pointer(i, other.data());
  product.clear();
  const std::vector<float> untouched = product.result();
  Call moved = std::move(*call);
  moved();
  EXPECT_EQ(std::vector<float>(other.values<float>().begin(), other.values<float>().end()), expected);
  EXPECT_EQ(std::memcmp(product.result().data(), untouched.data(), untouched.size() * 4), 0);
}

TEST(Call, ScalarsAreCopiedAndKeepTheKernelAlive) {
  const HostArray x = Product::make({5}), y = Product::make({5});
  Product::fill(x, 3);
  float s = 2.0F;
  const ArrayView scalar{DataType::F32, reinterpret_cast<std::byte*>(&s), 1, 0, {}, {}};
  auto call = [&] {
    const Kernel kernel = compiled(program_of(kScale), {.numbers = {{"N", 5}}, .types = {}});
    return Call::bind(kernel, {{"X", x.view()}, {"Y", y.view()}, {"s", scalar}});
  }();
  TW_EXPECT_VALUE(call);
  s = 100.0F;
  (*call)();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(y.values<float>()[i], x.values<float>()[i] * 2.0F + 3.0F);
}

TEST(Call, ManyThreadsShareAKernel) {
  const Product shared(33, 17, 9);
  const Kernel kernel = compiled(program_of(kTwoLaunches), shared.bindings());
  const std::vector<float> expected = plain_result(kernel, shared);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      const Product own(33, 17, 9);
      auto call = Call::bind(kernel, own.arguments());
      ASSERT_TRUE(call.has_value());
      for (int repeat = 0; repeat < 20; ++repeat) {
        own.clear();
        (*call)();
        ASSERT_EQ(own.result(), expected);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// cases.md H11: the same bits at every run and for any number of threads.
TEST(Call, AnyExecutorGivesTheSameBits) {
  const Product product(70, 90, 64);
  for (const Kernel& kernel :
       {compiled(named_program("gemm"), product.bindings()), compiled(program_of(kTwoLaunches), product.bindings())}) {
    const std::vector<float> expected = plain_result(kernel, product);
    auto call = Call::bind(kernel, product.arguments());
    TW_EXPECT_VALUE(call);
    for (int threads : {1, 2, 3, 7, 64}) {
      ThreadExecutor executor(threads);
      product.clear();
      ASSERT_TRUE(call->run(executor).has_value());
      ASSERT_EQ(product.result(), expected) << threads;
      product.clear();
      (*call)();
      ASSERT_EQ(product.result(), expected) << threads;
      product.clear();
      ASSERT_TRUE(kernel.run(product.arguments(), {.threads = 0, .executor = &executor}).has_value());
      ASSERT_EQ(product.result(), expected) << threads;
    }
    const auto tbb = make_default_executor();
    EXPECT_GE(tbb->workers(), 1);
    for (int repeat = 0; repeat < 50; ++repeat) {
      product.clear();
      ASSERT_TRUE(call->run(*tbb).has_value());
      ASSERT_EQ(product.result(), expected);
    }
  }
}

TEST(Call, TheCallersThreadsAreUsed) {
  const Product product(128, 128, 64);
  const Kernel kernel = compiled(program_of(kTwoLaunches), product.bindings());
  ThreadExecutor executor(3);
  ASSERT_TRUE(kernel.run(product.arguments(), {.threads = 0, .executor = &executor}).has_value());
  EXPECT_GE(executor.launches, 1);
}

TEST(Call, WhatAnExecutorThrowsPasses) {
  class Thrower final : public Executor {
    int workers() const override { return 4; }
    void parallel_for(std::int64_t, Piece, void*) override { throw std::runtime_error("no threads"); }
  } executor;
  const Product product(128, 128, 64);
  const Kernel kernel = compiled(program_of(kTwoLaunches), product.bindings());
  auto call = Call::bind(kernel, product.arguments());
  TW_EXPECT_VALUE(call);
  EXPECT_THROW(static_cast<void>(call->run(executor)), std::runtime_error);
  const std::vector<float> expected = plain_result(kernel, product);
  (*call)();
  EXPECT_EQ(product.result(), expected);
}

#if defined(__x86_64__)
TEST(Call, RunSetsTheIeeeEnvironmentAndRestoresIt) {
  const HostArray x = Product::make({4}), y = Product::make({4});
  for (float& each : x.values<float>()) each = std::numeric_limits<float>::denorm_min() * 3;
  const Kernel kernel = compiled(program_of(kDouble), {.numbers = {{"M", 1}, {"N", 4}}, .types = {}});
  ArrayView in = x.view(), out = y.view();
  in.extents = out.extents = {1, 4};
  in.strides = out.strides = {4, 1};
  auto call = Call::bind(kernel, {{"X", in}, {"Y", out}});
  TW_EXPECT_VALUE(call);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush subnormals
  call->run();
  ThreadExecutor executor(2);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & ~0x3fU, (before | 0x8040U) & ~0x3fU);
  EXPECT_EQ(y.values<float>()[0], std::numeric_limits<float>::denorm_min() * 6);
}
#endif

// cases.md A13: nothing beside a view is read. The last element of each matrix is the last before an unmapped page, and
// then there is a NaN behind it.
TEST(Call, ReadsNothingBehindAView) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const Product product(5, 7, 3);
  const Kernel kernel = compiled(named_program("gemm"), product.bindings());
  const std::vector<float> expected = plain_result(kernel, product);
  std::vector<void*> maps;
  Arguments at_end = product.arguments(), before_nan = product.arguments();
  for (auto& [name, view] : at_end) {
    auto* map =
        static_cast<std::byte*>(::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(map, MAP_FAILED);
    maps.push_back(map);
    ASSERT_EQ(::mprotect(map + page, page, PROT_NONE), 0);
    const auto bytes = static_cast<std::size_t>(view.elements) * 4;
    std::byte* data = map + page - bytes;
    std::memcpy(data, view.data, bytes);
    view.data = data;
    // The same lower down, with a NaN on both sides.
    std::byte* lower = map + 64;
    std::memset(map, 0xff, page - bytes);
    std::memcpy(lower, data, bytes);
    before_nan[name].data = lower;
  }
  for (const Arguments* arguments : {&at_end, &before_nan}) {
    auto call = Call::bind(kernel, *arguments);
    TW_EXPECT_VALUE(call);
    (*call)();
    EXPECT_EQ(std::memcmp(arguments->at("C").data, expected.data(), expected.size() * 4), 0);
  }
  for (void* map : maps) ::munmap(map, 2 * page);
}

}  // namespace
}  // namespace tilewright
