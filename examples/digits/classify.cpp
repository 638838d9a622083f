// Classifies the held-out handwritten digits with a trained two-layer network, through the public API:
// load a program and arrays, compile, check against FP64, run, count.
//
//   digits [FOLDER]     FOLDER holds the .npy files of examples/digits (default: that folder of the source tree)
//
// Exit status: 0 when at least 96 % are right and the check agrees, 1 when not, 2 when something cannot be read or run.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/check.h>
#include <tilewright/compile.h>
#include <tilewright/host_array.h>

namespace {

using tilewright::DataType;
using tilewright::HostArray;

constexpr double kLeastAccuracy = 0.96;
constexpr int kRuns = 21;

/// The value, or the end of the program with the diagnostics.
template <class T>
T expect(tilewright::Result<T> result) {
  if (result) return std::move(*result);
  std::fputs(tilewright::render(result.error()).c_str(), stderr);
  std::exit(2);
}

void expect(const tilewright::Result<void>& result) {
  if (result) return;
  std::fputs(tilewright::render(result.error()).c_str(), stderr);
  std::exit(2);
}

double median_milliseconds(const tilewright::Kernel& kernel, const tilewright::Arguments& arguments) {
  std::vector<double> samples;
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    expect(kernel.run(arguments));
    samples.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

std::int64_t count_right(const HostArray& logits, const HostArray& labels) {
  const std::int64_t classes = logits.extents()[1];
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < labels.elements(); ++i) {
    const auto row =
        logits.values<float>().subspan(static_cast<std::size_t>(i * classes), static_cast<std::size_t>(classes));
    const auto digit = std::max_element(row.begin(), row.end()) - row.begin();
    right += digit == labels.values<std::int32_t>()[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : TILEWRIGHT_DIGITS;
  const auto read = [&](const char* name, DataType type = DataType::F32) {
    return expect(HostArray::read_npy(folder + "/" + name + ".npy", type));
  };
  const HostArray images = read("images_test"), labels = read("labels_test", DataType::I32);
  const HostArray w1 = read("w1"), b1 = read("b1"), w2 = read("w2"), b2 = read("b2");
  const std::int64_t count = images.extents()[0], classes = b2.extents()[0];
  const HostArray logits = expect(HostArray::make(DataType::F32, {count, classes}));

  const auto program = expect(tilewright::Program::load("mlp"));
  const tilewright::Bindings sizes{{{"N", count}, {"D", images.extents()[1]}, {"H", b1.extents()[0]}, {"C", classes}},
                                   {}};
  const auto kernel = expect(tilewright::compile(program, sizes));
  const tilewright::Arguments arguments{{"X", images.view()}, {"W1", w1.view()}, {"B1", b1.view()},
                                        {"W2", w2.view()},    {"B2", b2.view()}, {"Y", logits.view()}};

  const auto report = expect(tilewright::check(kernel, arguments));
  const double milliseconds = median_milliseconds(kernel, arguments);
  const std::int64_t right = count_right(logits, labels);
  const double accuracy = static_cast<double>(right) / static_cast<double>(count);

  std::printf("digits    %lld images of 8x8, network %lld-%lld-%lld\n", static_cast<long long>(count),
              static_cast<long long>(images.extents()[1]), static_cast<long long>(b1.extents()[0]),
              static_cast<long long>(classes));
  std::printf("check     %s: %lld logits against FP64, largest error %.2g\n", report.ok() ? "ok" : "WRONG",
              static_cast<long long>(report.checked_elements), report.max_abs_error);
  std::printf("time      %.3f ms for all images (median of %d runs)\n", milliseconds, kRuns);
  std::printf("accuracy  %.2f %% (%lld of %lld right; at least %.0f %% wanted)\n", 100 * accuracy,
              static_cast<long long>(right), static_cast<long long>(count), 100 * kLeastAccuracy);
  return report.ok() && accuracy >= kLeastAccuracy ? 0 : 1;
}
