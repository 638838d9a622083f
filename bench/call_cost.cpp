// What stands between a caller and a kernel: the nanoseconds of a raw entry and of a bound call over a plain call of
// the same function, and the time of a compilation with and without a cache. Rounds are interleaved; medians are
// printed.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <tilewright/cache.h>
#include <tilewright/compile.h>
#include <tilewright/host_array.h>
#include <tilewright/run.h>

namespace {

using namespace tilewright;

constexpr int kRounds = 41, kCalls = 200'000, kHits = 2000;

template <class T>
T value_or_exit(Result<T> result) {
  if (result) return std::move(*result);
  std::fputs(render(result.error()).c_str(), stderr);
  std::exit(1);
}

template <class Body>
double nanoseconds(int repeats, Body body) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) body();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / repeats;
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

/// What the compiler may not look through.
template <class T>
void hide(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

void measure_calls() {
  const Program program = value_or_exit(Program::parse(
      "program twice(N) {\n  in X: f32[N]\n  out Y: f32[N]\n  parallel i in N {\n    Y[i] = X[i] * 2.0\n  }\n}\n"));
  const Kernel kernel = value_or_exit(compile(program, {{{"N", 1}}, {}}));
  const HostArray x = value_or_exit(HostArray::make(DataType::F32, {1}));
  const HostArray y = value_or_exit(HostArray::make(DataType::F32, {1}));
  const Arguments arguments = {{"X", x.view()}, {"Y", y.view()}};
  RawEntry entry = value_or_exit(raw_entry(kernel));
  Call call = value_or_exit(Call::bind(kernel, arguments));
  EntryFunction plain = entry.function;
  void* pointers[2] = {x.data(), y.data()};
  std::vector<double> plain_times, entry_times, call_times, ieee_times, run_times;
  for (int round = 0; round < kRounds; ++round) {
    plain_times.push_back(nanoseconds(kCalls, [&] {
      hide(plain);
      plain(pointers, 0, 1, nullptr);
    }));
    entry_times.push_back(nanoseconds(kCalls, [&] {
      hide(entry);
      entry(pointers, nullptr);
    }));
    call_times.push_back(nanoseconds(kCalls, [&] {
      hide(call);
      call();
    }));
    ieee_times.push_back(nanoseconds(kCalls, [&] { call.run(); }));
    run_times.push_back(nanoseconds(
        kCalls / 100, [&] { static_cast<void>(kernel.run(arguments, {.threads = 1, .executor = nullptr})); }));
  }
  const double base = median(plain_times);
  std::printf("plain call         %8.2f ns\n", base);
  std::printf("raw entry          %+8.2f ns over it\n", median(entry_times) - base);
  std::printf("bound call         %+8.2f ns over it\n", median(call_times) - base);
  std::printf("bound call, run()  %+8.2f ns over it\n", median(ieee_times) - base);
  std::printf("Kernel::run()      %+8.0f ns over it\n", median(run_times) - base);
}

void measure_caches() {
  std::string folder = (std::filesystem::temp_directory_path() / "tilewright-call-cost-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) std::exit(1);
  const Program gemm = value_or_exit(Program::load("gemm"));
  const auto bindings = [](std::int64_t m) { return Bindings{{{"M", m}, {"N", 512}, {"K", 512}}, {}}; };
  const auto cached = [&](const std::string& where) {
    CompileOptions options;
    options.cache = value_or_exit(KernelCache::open({.folder = where}));
    return options;
  };
  const CompileOptions memory = cached("");
  static_cast<void>(value_or_exit(compile(gemm, bindings(512), memory)));
  static_cast<void>(value_or_exit(compile(gemm, bindings(512), cached(folder))));
  std::vector<double> cold, disk, hit;
  for (int round = 0; round < kRounds; ++round) {
    cold.push_back(nanoseconds(1, [&] { static_cast<void>(value_or_exit(compile(gemm, bindings(512)))); }));
    disk.push_back(
        nanoseconds(1, [&] { static_cast<void>(value_or_exit(compile(gemm, bindings(512), cached(folder)))); }));
    hit.push_back(nanoseconds(kHits, [&] { static_cast<void>(value_or_exit(compile(gemm, bindings(512), memory))); }));
  }
  std::filesystem::remove_all(folder);
  std::printf("gemm 512^3, no cache   %8.2f ms\n", median(cold) / 1e6);
  std::printf("found in the folder    %8.2f ms\n", median(disk) / 1e6);
  std::printf("found in memory        %8.2f us\n", median(hit) / 1e3);
}

}  // namespace

int main() {
  measure_calls();
  measure_caches();
  return 0;
}
