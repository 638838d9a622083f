#include "runtime/msl_emulator/front/parameters.h"

#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

Result<std::vector<Parameter>> parameters_of(const std::string& list, const std::string& before = {},
                                             const std::map<std::string, std::string>& constants = {}) {
  RewriteRequest request = rewrite_request();
  request.constants = constants;
  const auto result = rewrite_text(before + "\nkernel void f(" + list + ") {}", request);
  if (!result) return std::unexpected(result.error());
  return result->entries[0].parameters;
}

/// "x:buffer 2 ro" for each.
std::string summary(const Result<std::vector<Parameter>>& parameters) {
  if (!parameters) return render(parameters.error());
  std::string out;
  for (const Parameter& p : *parameters) {
    constexpr const char* roles[] = {"builtin", "buffer", "threadgroup", "tensor"};
    out += (out.empty() ? "" : ", ") + p.name + ":" + roles[static_cast<int>(p.role)] + " " + std::to_string(p.index);
    if (p.read_only) out += " ro";
    if (p.optional) out += " optional";
    if (p.is_constant) out += " constant";
  }
  return out;
}

TEST(Parameters, ByAttribute) {
  EXPECT_EQ(
      summary(parameters_of(
          "device const float* a [[buffer(0)]], device float *b[[buffer(3)]], constant P& p [[buffer(1)]], "
          "threadgroup T* s [[threadgroup(2)]], uint3 g [[threadgroup_position_in_grid]], "
          "[[maybe_unused]] ushort l [[thread_index_in_simdgroup]], uint w [[thread_execution_width]]")),
      "a:buffer 0 ro, b:buffer 3, p:buffer 1 ro constant, s:threadgroup 2, g:builtin 1, l:builtin 8, w:builtin 11");
  EXPECT_EQ(summary(parameters_of("void")), "");
  EXPECT_EQ(summary(parameters_of("")), "");
}

TEST(Parameters, NumberedInOrderWithoutAttribute) {
  EXPECT_EQ(
      summary(parameters_of("device float* a, device float* b [[buffer(1)]], constant int& n, threadgroup int* s, "
                            "device T* c, threadgroup int* t")),
      "a:buffer 0, b:buffer 1, n:buffer 2 ro constant, s:threadgroup 0, c:buffer 3, t:threadgroup 1");
}

TEST(Parameters, TypesWithCommasArraysAndReferences) {
  EXPECT_EQ(summary(parameters_of("const constant M<A, B<2>>* m [[buffer(4)]], constant const int s[3] [[buffer(5)]], "
                                  "device atomic<uint>& c, device float (&x)[4]")),
            "m:buffer 4 ro constant, s:buffer 5 ro constant, c:buffer 0, x:buffer 1");
}

TEST(Parameters, IndicesAreExpressions) {
  EXPECT_EQ(
      summary(parameters_of("device int* a [[buffer(BASE + 0)]], device int* b [[buffer((BASE * 2 - 1) / 2 % 10)]], "
                            "device int* c [[buffer(0x10u)]], device int* d [[buffer(-(-7))]]",
                            "constexpr int TWO = 2; constant int BASE = TWO + 1;")),
      "a:buffer 3, b:buffer 2, c:buffer 16, d:buffer 7");
  for (const char* index : {"sizeof(int)", "31", "-1", "1/0", "a", "", "99999999999", "1 2", "X"})
    expect_fault(parameters_of(std::string("device int* a [[buffer(") + index + ")]]", "constexpr int X = X + 1;"),
                 DiagCode::KernelCompile, 2, "expected an index from 0 to 30");
}

TEST(Parameters, OptionalOnesFollowTheirConstant) {
  const char* before = "constant bool use [[function_constant(0)]]; constant bool both = use;";
  const char* list =
      "device int* a [[buffer(0), function_constant(use)]], device int* b [[buffer(0), function_constant(both)]]";
  EXPECT_EQ(summary(parameters_of(list, before)), "a:buffer 0 optional, b:buffer 0 optional");
  EXPECT_EQ(summary(parameters_of(list, before, {{"use", "true"}})), "a:buffer 0, b:buffer 0 optional");
  EXPECT_EQ(summary(parameters_of(list, before, {{"0", "0"}})), "a:buffer 0 optional, b:buffer 0 optional");
}

TEST(Parameters, TensorsShareTheTableOfBuffers) {
  EXPECT_EQ(summary(parameters_of("tensor<device half, dextents<int, 2>> a [[buffer(1)]], device int* b, "
                                  "tensor<device float, dextents<int, 2>> c")),
            "a:tensor 1, b:buffer 0, c:tensor 2");
}

TEST(Parameters, WhatIsNotModelledHasAPlace) {
  for (const char* parameter :
       {"texture2d<float> t [[texture(0)]]", "sampler s [[sampler(0)]]", "texture2d<float> t", "In in [[stage_in]]",
        "instance_acceleration_structure a [[buffer(0)]]", "visible_function_table<int()> t [[buffer(1)]]"})
    expect_fault(parameters_of(parameter), DiagCode::KernelNotModelled, 2, "not modelled");
}

TEST(Parameters, ArgumentBuffersAreNotModelled) {
  const char* before =
      "namespace n { struct Plain { int a; }; struct Args { device int* p [[id(0)]]; int n [[id(1)]]; }; }";
  expect_fault(parameters_of("constant n::Args& a [[buffer(0)]]", before), DiagCode::KernelNotModelled, 2,
               "the argument buffer Args");
  EXPECT_EQ(summary(parameters_of("constant n::Plain& a [[buffer(0)]]", before)), "a:buffer 0 ro constant");
}

TEST(Parameters, FaultsNameTheParameter) {
  expect_fault(parameters_of("device int* a [[buffer(1)]],\n device int* b [[buffer(1)]]"), DiagCode::KernelCompile, 3,
               "'b' has index 1, which 'a' has already");
  expect_fault(parameters_of("uint i"), DiagCode::KernelCompile, 2, "expected an address space or a built-in input");
  expect_fault(parameters_of("uint i [[thread_position_in_gird]]"), DiagCode::KernelCompile, 2,
               "[[thread_position_in_gird]]");
  expect_fault(parameters_of("int n [[buffer(0)]]"), DiagCode::KernelCompile, 2,
               "must be a pointer, a reference or a tensor");
}

}  // namespace
}  // namespace tilewright::msl_emulator
