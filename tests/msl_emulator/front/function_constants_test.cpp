#include "runtime/msl_emulator/front/function_constants.h"

#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

constexpr const char* kDeclarations =
    "constant bool b [[function_constant(0)]];\n"
    "constant int16_t s [[function_constant(100 + 1)]];\n"
    "static constant float f [[function_constant(2)]];\n"
    "constant unsigned int u [[function_constant(3)]];\n"
    "constant uint2 v [[function_constant(4)]];\n"
    "constant bool has = is_function_constant_defined(s);\n"
    "kernel void k() {}\n";

Result<RewrittenText> with(const std::map<std::string, std::string>& values) {
  RewriteRequest request = rewrite_request(Dialect::Cpp20);
  request.constants = values;
  return rewrite_text(kDeclarations, request);
}

TEST(FunctionConstants, WithoutValuesTheyAreZero) {
  EXPECT_EQ(body_of(with({})),
            "constant constexpr bool b = bool();\n"
            "constant constexpr int16_t s = int16_t();\n"
            "constant constexpr float f = float();\n"
            "constant constexpr unsigned int u = (unsigned int)(0);\n"
            "constant constexpr uint2 v = uint2();\n"
            "constant bool has = false;\n"
            "kernel void k() {}\n");
}

TEST(FunctionConstants, ValuesByIdAndByName) {
  EXPECT_EQ(body_of(with({{"0", "1"}, {"101", "-0x10"}, {"f", "1e2"}, {"3", "4294967295u"}, {"v", "uint2(1, 2)"}})),
            "constant constexpr bool b = bool(true);\n"
            "constant constexpr int16_t s = int16_t(-16l);\n"
            "constant constexpr float f = float(1e2f);\n"
            "constant constexpr unsigned int u = (unsigned int)(4294967295l);\n"
            "constant constexpr uint2 v = uint2(uint2(1, 2));\n"
            "constant bool has = true;\n"
            "kernel void k() {}\n");
  EXPECT_NE(body_of(with({{"f", "3"}})).find("float(3.0f)"), std::string::npos);
  EXPECT_NE(body_of(with({{"f", "inf"}})).find("__builtin_inff()"), std::string::npos);
}

TEST(FunctionConstants, ValuesMustFitTheirType) {
  expect_fault(with({{"b", "2"}}), DiagCode::KernelBinding, 1,
               "expected a value of type bool for the function constant b");
  expect_fault(with({{"s", "32768"}}), DiagCode::KernelBinding, 2, "of type int16_t");
  expect_fault(with({{"s", "-32769"}}), DiagCode::KernelBinding, 2, "found '-32769'");
  expect_fault(with({{"s", "1.5"}}), DiagCode::KernelBinding, 2, "of type int16_t");
  expect_fault(with({{"u", "-1"}}), DiagCode::KernelBinding, 4, "of type unsigned int");
  expect_fault(with({{"f", "0.0f; int x"}}), DiagCode::KernelBinding, 3, "of type float");
  expect_fault(with({{"v", "1); asm(\"nop\""}}), DiagCode::KernelBinding, 5, "of type uint2");
}

TEST(FunctionConstants, UnknownOnesListWhatThereIs) {
  expect_fault(with({{"7", "1"}}), DiagCode::KernelBinding, 0, "b (id 0, bool), s (id 101, int16_t)");
  RewriteRequest request = rewrite_request();
  request.constants = {{"x", "1"}};
  expect_fault(rewrite_text("kernel void k() {}", request), DiagCode::KernelBinding, 0, "has no function constants");
}

TEST(FunctionConstants, FaultsOfDeclarations) {
  expect_fault(rewrite_text("constant int a [[function_constant(x)]];\nkernel void k() {}"), DiagCode::KernelCompile, 1,
               "expected an id from 0 to 65535");
  expect_fault(rewrite_text("constant int a = is_function_constant_defined(z);\nkernel void k() {}"),
               DiagCode::KernelCompile, 1, "'z' is no function constant");
}

}  // namespace
}  // namespace tilewright::msl_emulator
