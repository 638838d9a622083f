// What tensor operations read where no operand is staged: each element that the program has, none of the padding
// between and behind them (which holds NaN), and threadgroup memory exactly as planned.
#include <algorithm>
#include <limits>
#include <map>

#include "product_text.h"
#include "tensor_case.h"

namespace tilewright::mpp {
namespace {

constexpr double kPadding = std::numeric_limits<double>::quiet_NaN();

/// Distinct bytes that all kernels together read and wrote, by buffer: the most of any kernel.
struct Traffic {
  std::uint64_t read = 0, written = 0;
};
std::map<std::string, Traffic> traffic_of(const TensorCase& made, const driver::MetalRun& run) {
  std::map<std::string, Traffic> traffic;
  for (const driver::KernelCounts& kernel : run.kernels)
    for (const msl_emulator::BufferCounts& buffer : kernel.emulated->buffers) {
      Traffic& of = traffic[made.metal().text.bindings[buffer.index].name];
      of.read = std::max(of.read, buffer.distinct_read_bytes);
      of.written = std::max(of.written, buffer.distinct_written_bytes);
    }
  return traffic;
}

std::uint64_t bytes_of(const ArrayView& view) {
  std::uint64_t bytes = data_type_bytes(view.type);
  for (const std::int64_t extent : view.extents) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

/// Every input is read whole and nothing else, every output written whole, threadgroup bytes are planned.
void expect_own_elements(const std::string& line, const std::string& text, std::size_t views) {
  SCOPED_TRACE(line);
  auto made = tensor_case(line, text);
  ASSERT_TRUE(made);
  const Arguments arguments = made->buffers.arguments();
  for (const driver::RunBuffer& buffer : made->buffers.buffers())
    if (!buffer.scalar) set_padding(*made, buffer.name, kPadding);
  const auto run = driver::run_metal(made->kernel, arguments);
  ASSERT_TRUE(run) << render(run.error());
  const std::map<std::string, Traffic> traffic = traffic_of(*made, *run);
  for (const driver::RunBuffer& buffer : made->buffers.buffers()) {
    if (buffer.scalar) continue;
    const bool is_input = buffer.role == BufferRole::In;
    EXPECT_EQ(traffic.at(buffer.name).read, is_input ? bytes_of(buffer.view) : 0) << buffer.name;
    EXPECT_EQ(traffic.at(buffer.name).written, is_input ? 0 : bytes_of(buffer.view)) << buffer.name;
  }
  std::size_t found = 0;
  for (std::size_t at = 0; at < run->kernels.size(); ++at) {
    EXPECT_EQ(run->kernels[at].emulated->threadgroup_bytes,
              static_cast<std::uint64_t>(made->launch(at).shared_memory_bytes))
        << at;
    found += made->launch(at).views.size();
  }
  EXPECT_EQ(found, views);
  expect_right(*made, line, false);
}

TEST(MppTraffic, ProductsOfPaddedBuffers) {
  Product larger{.m = 45, .n = 41, .k = 19, .rows = 80, .columns = 70};
  larger.start = "C";
  Product turned{.m = 70, .n = 33, .k = 61, .bm = 64, .bn = 32, .bk = 64, .type = "f16"};
  turned.a_by_column = turned.d_by_column = true;
  const std::vector<Product> products{{.m = 70, .n = 45, .k = 23}, larger, turned};
  expect_own_elements(
      "p view:A0=offset:3,strides:40x1 view:B0=offset:1,strides:64x1 view:D0=offset:5,strides:50x1 "
      "view:A1=strides:32x1 view:B1=offset:7,strides:48x1 view:C1=strides:100x1 view:A2=strides:80x1 "
      "view:B2=strides:1x96 view:D2=strides:128x1",
      program_of(products), 6);
}

TEST(MppTraffic, ProductsThatFillTheirTiles) {
  expect_own_elements("gemm M=64 N=32 K=32 BM=32 BN=32 BK=16 view:A=strides:48x1 view:B=offset:2,strides:40x1", "", 2);
}

/// The first product writes a temporary, which the second one reads where it lies.
TEST(MppTraffic, TwoProductsInARow) { expect_own_elements("mlp N=17 D=19 H=23 C=29 view:X=strides:32x1", "", 4); }

/// Q and K are read where they lie, V is staged beside the weights.
TEST(MppTraffic, Attention) {
  expect_own_elements(
      "attention B=1 Hq=2 Hkv=1 Lq=9 Lk=21 D=16 Dv=16 scale=0.25 BQ=16 BK=16 view:Q=strides:512x256x20x1 "
      "view:K=strides:1024x512x20x1 view:V=strides:1024x512x24x1",
      "", 2);
}

}  // namespace
}  // namespace tilewright::mpp
