// Overloads by address space in the dialect that has none.
#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

/// The rewritten text without blanks.
std::string merged(const char* text) {
  std::string body = body_of(rewrite_text(std::string(text) + "\nkernel void k() {}", rewrite_request(Dialect::Cpp20)));
  std::erase(body, ' ');
  std::erase(body, '\n');
  return body.substr(0, body.rfind("kernelvoidk"));
}

TEST(Merge, FreeFunctions) {
  EXPECT_EQ(merged("float f(device float* p) { return *p; }\nfloat f(threadgroup float* p) { return *p; }"),
            "floatf(devicefloat*p){return*p;}");
  EXPECT_EQ(merged("float f(device float* p) { return *p; } float f(device int* p) { return *p; }"),
            "floatf(devicefloat*p){return*p;}floatf(deviceint*p){return*p;}");
}

TEST(Merge, BodiesMayNameAddressSpaces) {
  EXPECT_EQ(merged("template <class T> T f(const device T* p) { return *(const device T*)p; }\n"
                   "template <class T> T f(const threadgroup T* p) { return *(const threadgroup T*)p; }"),
            "template<classT>Tf(constdeviceT*p){return*(constdeviceT*)p;}");
}

TEST(Merge, MembersAndConstructors) {
  EXPECT_EQ(merged("struct C {\n C() thread : r(0), i{0} {}; C() threadgroup : r(0), i{0} {};\n"
                   " int get() const device { return r; } int get() const constant { return r; }\n"
                   " operator int() const thread; operator int() const device; int r, i; };"),
            "structC{C():r(0),i{0}{};;intget()constdevice{returnr;}operatorint()constthread;intr,i;};");
}

TEST(Merge, SpecializationsOfClasses) {
  EXPECT_EQ(merged("template <> struct S<device int*> { int x; }; template <> struct S<threadgroup int*> { int x; };"),
            "template<>structS<deviceint*>{intx;};");
}

TEST(Merge, ADeclarationDoesNotReplaceADefinition) {
  EXPECT_EQ(merged("void f(device int*); void f(threadgroup int* p) { }"),
            "voidf(deviceint*);voidf(threadgroupint*p){}");
}

TEST(Merge, ConstantMemoryIsConst) {
  EXPECT_EQ(merged("int f(device int* p) { return 1; } int f(constant int* p) { return 2; }"),
            "intf(deviceint*p){return1;}intf(constantint*p){return2;}");
  EXPECT_EQ(merged("int f(const device int* p) { return 1; } int f(constant int* p) { return 1; }"
                   "int f(const constant int* p) { return 1; }"),
            "intf(constdeviceint*p){return1;}");
}

TEST(Merge, ConstructorsInConstantMemory) {
  EXPECT_EQ(
      merged("struct C { C() thread : x(0) {} constexpr C(int a) constant : x(a) {} C() constant : x(0) {} int x; };"),
      "structC{C():x(0){}constexprC(inta):x(a){}intx;};");
}

TEST(Merge, DifferentBodiesAreRefused) {
  const auto result =
      rewrite_text("int f(device int* p) { return 1; }\nint f(threadgroup int* p) { return 2; }\nkernel void k() {}",
                   rewrite_request(Dialect::Cpp20));
  expect_fault(result, DiagCode::KernelCompile, 2, "--dialect=opencl");
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error()[0].notes.size(), 1u);
  EXPECT_EQ(result.error()[0].notes[0].place.line, 1u);
}

TEST(Merge, OpenClKeepsThemApart) {
  EXPECT_EQ(body_of(rewrite_text(
                "int f(device int* p) { return 1; } int f(threadgroup int* p) { return 2; } kernel void k() {}")),
            "int f(device int* p) { return 1; } int f(threadgroup int* p) { return 2; } kernel void k() {}");
}

}  // namespace
}  // namespace tilewright::msl_emulator
