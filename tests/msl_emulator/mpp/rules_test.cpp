// Each compile-time rule of matmul2d broken once: the message quotes the rule and points into the kernel's text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::mpp {
namespace {

constexpr const char* kHead = R"(#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;
using Shape = dextents<int, 2>;
)";

/// A kernel over three buffers of the types A, B and D, and an operation `op`.
std::string kernel_of(const std::string& descriptor, const std::string& scope, const std::string& body,
                      const std::string& types = "half,half,float") {
  std::vector<std::string> names;
  std::string name;
  for (const char c : types + ",") {
    if (c != ',') {
      name += c;
      continue;
    }
    names.push_back(name);
    name.clear();
  }
  return fmt::format(
      "{}kernel void k(device {}* a, device {}* b, device {}* d) {{\n"
      "  auto left = tensor(a, Shape(64, 64));\n  auto right = tensor(b, Shape(64, 64));\n"
      "  auto out = tensor(d, Shape(64, 64));\n  matmul2d<matmul2d_descriptor({}), {}> op;\n  {}\n}}\n",
      kHead, names[0], names[1], names[2], descriptor, scope, body);
}

Result<CompiledLibrary> compile_text(const std::string& text) {
  TW_TRY(const Toolchain toolchain, test_toolchain());
  CompileRequest request;
  request.path = "rule.metal";
  request.text = text;
  request.metal_version = 400;
  request.checks = false;
  return compile(request, toolchain);
}

struct BrokenRule {
  std::string name, text, message;
};

constexpr const char* kRun = "op.run(left, right, out);";
constexpr const char* kLeft = "auto l = op.get_left_input_cooperative_tensor<half, half, float>();";

std::vector<BrokenRule> broken_rules() {
  const std::string one = "execution_simdgroup";
  const std::string four = "execution_simdgroups<4>";
  return {
      {"MOfTwelve", kernel_of("12, 16", one, kRun), "in a SIMD-group scope m and n are multiples of 8"},
      {"NoSixteen", kernel_of("8, 24", four, kRun), "at least one of m and n is a multiple of 16"},
      {"StaticKOfEight", kernel_of("16, 16, 8", one, kRun), "a static k is a multiple of 16"},
      {"KOfZero", kernel_of("16, 16, 0", one, kRun), "k is positive or dynamic_extent (0 does not mean dynamic)"},
      {"NoRows", kernel_of("0, 16", one, kRun), "m and n are static and positive"},
      {"ThreadOfThree", kernel_of("3, 8, 16", "execution_thread", kRun),
       "with execution_thread m and n are 1, 2, 4 or a multiple of 8"},
      {"NoScope", kernel_of("16, 16", "int", kRun), "the scope is execution_thread, execution_simdgroup or"},
      {"NoSimdgroups", kernel_of("16, 16", "execution_simdgroups<0>", kRun),
       "execution_simdgroups<N> with N from 1 to"},
      {"FloatToHalf", kernel_of("16, 16", one, kRun, "float,half,half"), "these element types are not in the table"},
      {"BytesToFloat", kernel_of("16, 16", one, kRun, "int8_t,int8_t,float"),
       "these element types are not in the table"},
      {"HalvesToInt", kernel_of("16, 16", one, kRun, "half,half,int"), "these element types are not in the table"},
      {"HalvesToBfloat", kernel_of("16, 16", one, kRun, "half,half,bfloat"),
       "these element types are not in the table"},
      {"DestinationElement",
       kernel_of("16, 16", one,
                 "auto c = op.get_destination_cooperative_tensor<decltype(left), decltype(right), int>();"),
       "these element types are not in the table"},
      {"InputsOfFourGroups", kernel_of("16, 32, 16", four, kLeft),
       "cooperative inputs need the scope execution_simdgroup"},
      {"InputsOfDynamicK", kernel_of("16, 32", one, kLeft), "cooperative inputs need a static k"},
      {"InputsOfFortyEight", kernel_of("48, 32, 16", one, kLeft),
       "with cooperative inputs m, n and k are 16 or 32 each"},
      {"InputsOfSixteen", kernel_of("16, 16, 16", one, kLeft),
       "with cooperative inputs at least one of m, n and k is 32"},
      {"InputsOfOtherTypes",
       kernel_of("16, 32, 16", one, "auto l = op.get_left_input_cooperative_tensor<float, half, half>();"),
       "these element types are not in the table"},
      {"ForeignDestination",
       kernel_of("16, 32, 16", one,
                 "matmul2d<matmul2d_descriptor(32, 32, 16), execution_simdgroup> other;\n"
                 "  auto c = other.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();\n"
                 "  op.run(left, right, c);"),
       "the cooperative destination was not made by get_destination_cooperative_tensor of this operation"},
      {"SwappedInputs", kernel_of("16, 32, 32", one, std::string(kLeft) + "\n  op.run(right, l, out);"),
       "the cooperative right operand was not made by get_right_input_cooperative_tensor of this operation"},
      {"StoreConverts",
       kernel_of("16, 32", one,
                 "auto c = op.get_destination_cooperative_tensor<decltype(left), decltype(right), half>();\n"
                 "  c.store(out);"),
       "load and store do not convert: the element types must be the same"},
      {"ReductionOfFourGroups",
       kernel_of(
           "16, 32", four,
           "auto c = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();\n"
           "  auto r = op.get_row_reduction_destination_cooperative_tensor<decltype(left), decltype(right), float>();\n"
           "  reduce_rows(c, r);"),
       "reductions need an operation of the scope execution_simdgroup"},
      {"RowsIntoColumns",
       kernel_of("16, 32", one,
                 "auto c = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();\n"
                 "  auto r ="
                 " op.get_column_reduction_destination_cooperative_tensor<decltype(left), decltype(right), float>();\n"
                 "  reduce_rows(c, r);"),
       "reduce_rows writes to a row reduction destination"},
      {"RankThree",
       kernel_of("16, 32", one, "auto deep = tensor(a, dextents<int, 3>(8, 8, 8));\n  op.run(deep, right, out);"),
       "operands have rank 2"},
  };
}

class MatmulRules : public testing::TestWithParam<BrokenRule> {};

TEST_P(MatmulRules, AreCompileErrorsThatQuoteTheRule) {
  const BrokenRule& rule = GetParam();
  const Result<CompiledLibrary> library = compile_text(rule.text);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().front().code, DiagCode::KernelCompile);
  EXPECT_NE(describe(library.error()).find(rule.message), std::string::npos) << describe(library.error());
}
INSTANTIATE_TEST_SUITE_P(Broken, MatmulRules, testing::ValuesIn(broken_rules()),
                         [](const testing::TestParamInfo<BrokenRule>& info) { return info.param.name; });

TEST(MatmulRules, TakeWhatIsJustLegal) {
  const std::string more =
      "matmul2d<matmul2d_descriptor(8, 16, 16), execution_simdgroup> smallest;\n  smallest.run(left, right, out);\n"
      "  matmul2d<matmul2d_descriptor(1, 2, dynamic_extent), execution_thread> single;\n  single.run(left, right, "
      "out);\n"
      "  matmul2d<matmul2d_descriptor(32, 16, 16), execution_simdgroup> inputs;\n"
      "  auto l = inputs.get_left_input_cooperative_tensor<half, half, float>();\n  l.load(left);\n"
      "  matmul2d<matmul2d_descriptor(16, 32, dynamic_length_v<int>), execution_simdgroups<32>> wide;\n"
      "  wide.run(left, right, out);";
  const Result<CompiledLibrary> library = compile_text(kernel_of("24, 16", "execution_simdgroup", more));
  ASSERT_TRUE(library) << describe(library.error());
}

TEST(MatmulDialect, IsRefusedInOpenCl) {
  const Result<Toolchain> toolchain = test_toolchain();
  ASSERT_TRUE(toolchain) << describe(toolchain.error());
  CompileRequest request;
  request.path = "rule.metal";
  request.text = kernel_of("16, 16", "execution_simdgroup", kRun);
  request.metal_version = 400;
  request.dialect = Dialect::OpenCl;
  const Result<CompiledLibrary> library = compile(request, *toolchain);
  ASSERT_FALSE(library);
  EXPECT_NE(describe(library.error()).find("needs the dialect c++20"), std::string::npos) << describe(library.error());
}

}  // namespace
}  // namespace tilewright::msl_emulator::mpp
