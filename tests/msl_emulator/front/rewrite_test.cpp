// Text in, text out.
#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

struct Golden {
  const char* what;
  const char* text;
  const char* becomes;
};

TEST(Rewrite, TextInTextOut) {
  const Golden goldens[] = {
      {"attributes become blanks",
       "kernel void f(device int* x [[buffer(0)]]) {\n  [[unroll]] for (;;) {}\n  x[0] = 1; }",
       "kernel void f(device int* x              ) {\n             for (;;) {}\n  x[0] = 1; }"},
      {"attributes over several lines keep them", "[[kernel,\n  max_total_threads_per_threadgroup(64)]]\nvoid f() {}",
       "         \n                                         \nvoid f() {}"},
      {"a subscript of a subscript is none", "kernel void f(device int* x) { x[x[0]] = x[ x[1] ]; }",
       "kernel void f(device int* x) { x[x[0]] = x[ x[1] ]; }"},
      {"designated ranges are none", "kernel void f() { float s[4] = { [0 ... 3] = 0.0f }; }",
       "kernel void f() { float s[4] = { [0 ... 3] = 0.0f }; }"},
      {"a threadgroup array", "kernel void f() { threadgroup float s[32]; s[0] = 1; }",
       "kernel void f() { struct emu_tag_0; auto& s = emu_threadgroup_variable_of<float [(32)], emu_tag_0>(\"s\"); "
       "s[0] = 1; }"},
      {"several declarators, extents that hold a comparison",
       "kernel void f() { threadgroup unsigned int a, b[N > 2 ? 4 : 8][3]; }",
       "kernel void f() { struct emu_tag_0; auto& a = emu_threadgroup_variable_of<unsigned int, emu_tag_0>(\"a\");"
       "struct emu_tag_1; auto& b = emu_threadgroup_variable_of<unsigned int [(N>2?4:8)][(3)], emu_tag_1>(\"b\"); }"},
      {"types with arguments, alignment, other word orders",
       "kernel void f() { alignas(16) threadgroup ns::T<A, 2> x[4]; float threadgroup y; { threadgroup atomic_int c "
       "[[maybe_unused]]; } }",
       "kernel void f() { struct emu_tag_0; auto& x = emu_threadgroup_variable_of<ns :: T < A , 2 > [(4)], "
       "emu_tag_0>(\"x\"); "
       "struct emu_tag_1; auto& y = emu_threadgroup_variable_of<float, emu_tag_1>(\"y\"); "
       "{ struct emu_tag_2; auto& c = emu_threadgroup_variable_of<atomic_int, emu_tag_2>(\"c\"); } }"},
      {"a declaration over two lines", "kernel void f() { threadgroup float\n  s[4]; g(); }",
       "kernel void f() { struct emu_tag_0; auto& s = emu_threadgroup_variable_of<float [(4)], emu_tag_0>(\"s\");\n "
       "g(); }"},
      {"pointers, casts and arguments stay",
       "kernel void f(threadgroup int* m) { threadgroup int* p = (threadgroup int*)m; const threadgroup int& r = "
       "p[0];\n"
       "threadgroup float (*q)[4] = 0; using P = threadgroup int*; g<threadgroup int*>(p); h((threadgroup half*)p); }",
       "kernel void f(threadgroup int* m) { threadgroup int* p = (threadgroup int*)m; const threadgroup int& r = "
       "p[0];\n"
       "threadgroup float (*q)[4] = 0; using P = threadgroup int*; g<threadgroup int*>(p); h((threadgroup half*)p); }"},
      {"kernels that nobody asked for go, what they share stays",
       "int g() { return 1; }\nkernel void f() { g(); }\ntemplate <class T>\nkernel void t(device T* x) { }\n",
       "int g() { return 1; }\nkernel void f() { g(); }\n                  \n                              \n"},
      {"graphics stages go", "vertex float4 v(uint i [[vertex_id]]) { return 0; } kernel void f() {}",
       "                                                    kernel void f() {}"},
      {"pragmas that mean nothing",
       "#pragma METAL fp contract(off)\nkernel void f() {\n#pragma unroll (MIN(2, 4))\n for (;;) {} }",
       "                              \nkernel void f() {\n                          \n for (;;) {} }"},
      {"literals of half and bfloat", "kernel void f() { half a = 1.5h + 2h; auto b = 1.0bf; int c = 0x1h; }",
       "kernel void f() { half a = half(1.5f) + half(2); auto b = bfloat(1.0f); int c = 0x1h; }"},
      {"a list of initial values has no effect", "kernel void f() { threadgroup int a[2] = {0}; threadgroup int b{}; }",
       "kernel void f() { struct emu_tag_0; auto& a = emu_threadgroup_variable_of<int [(2)], emu_tag_0>(\"a\"); "
       "struct emu_tag_1; auto& b = emu_threadgroup_variable_of<int, emu_tag_1>(\"b\"); }"},
      {"casts that may be between half and bfloat",
       "kernel void f(device bfloat* p) { p[0] = static_cast<T>(h); q = static_cast<device T*>(p); }",
       "kernel void f(device bfloat* p) { p[0] = emu_static_cast<T>(h); q = static_cast<device T*>(p); }"},
      {"casts where there is no bfloat", "kernel void f(device half* p) { p[0] = static_cast<T>(h); }",
       "kernel void f(device half* p) { p[0] = static_cast<T>(h); }"},
      {"members that are said again outside of their class",
       "struct C { static constexpr int a[2] = {1, 2}; };\nconstexpr int C::a[2]; int C::b;\nkernel void f() {}",
       "struct C { static constexpr int a[2] = {1, 2}; };\n                       int C::b;\nkernel void f() {}"},
      {"constant memory is const", "constant int t[2] = {1, 2}; kernel void f(constant int* p) { }",
       "emu_cnst int t[2] = {1, 2}; kernel void f(emu_cnst int* p) { }"},
  };
  for (const Golden& golden : goldens) EXPECT_EQ(body_of(rewrite_text(golden.text)), golden.becomes) << golden.what;
}

TEST(Rewrite, MarkersInsideOfWhatGoesStay) {
  const auto result =
      rewrite_text("kernel void f() {}\ntemplate <class T> kernel void t() {\n# 40 \"k.metal\"\n x; }\nint y;");
  EXPECT_EQ(body_of(result),
            "kernel void f() {}\n                                    \n# 40 \"k.metal\"\n     \nint y;");
}

TEST(Rewrite, WordsOfTheDialectStandInFront) {
  const auto opencl = rewrite_text("kernel void f() {}");
  ASSERT_TRUE(opencl);
  EXPECT_TRUE(opencl->text.starts_with("#define device __global\n#define threadgroup __local\n"));
  const auto cpp = rewrite_text("kernel void f(constant int* p) {}", rewrite_request(Dialect::Cpp20));
  ASSERT_TRUE(cpp);
  EXPECT_TRUE(cpp->text.starts_with("#define device\n#define threadgroup\n#define constant const\n"));
  EXPECT_EQ(body_of(cpp), "kernel void f(constant int* p) {}");
}

TEST(Rewrite, SwizzlesThatAreUsedBecomeMembers) {
  const auto result = rewrite(
      "# 1 \"/shim/vec.h\" 1\nA { emu_swizzle_members_2 } B { emu_swizzle_members_4 }\n"
      "# 1 \"k.metal\"\nkernel void f() { a.xy = b->bgr; c.xyzwx; d.rx; e.wz = xz; }",
      rewrite_request());
  ASSERT_TRUE(result);
  EXPECT_NE(result->text.find("A { emu_swizzle<T, 2, 0, 1> xy; } B { emu_swizzle<T, 4, 2, 1, 0> bgr;"
                              "emu_swizzle<T, 4, 3, 2> wz;emu_swizzle<T, 4, 0, 1> xy; }"),
            std::string::npos)
      << result->text;
}

TEST(Rewrite, ThreadgroupVariablesNeedAKernel) {
  expect_fault(rewrite_text("kernel void f() {}\nvoid g() { threadgroup float s[4]; }"), DiagCode::KernelCompile, 2,
               "can only be declared in a kernel");
  expect_fault(rewrite_text("threadgroup float s[4];\nkernel void f() {}"), DiagCode::KernelCompile, 1, "in a kernel");
  expect_fault(rewrite_text("struct S {\n threadgroup float s[4]; };\nkernel void f() {}"), DiagCode::KernelCompile, 2,
               "in a kernel");
  expect_fault(rewrite_text("kernel void f() {\n threadgroup float s = 1; }"), DiagCode::KernelCompile, 2,
               "cannot be initialised");
  expect_fault(rewrite_text("kernel void f() {\n threadgroup float s[2] t; }"), DiagCode::KernelCompile, 2,
               "cannot read");
}

TEST(Rewrite, WhatReachesBeyondTheLanguageIsRefused) {
  const auto refused = [](const char* text, std::uint32_t line, const char* words) {
    expect_fault(rewrite_text(std::string("kernel void f() {}\n") + text), DiagCode::KernelNotModelled, line, words);
  };
  refused("void g() { asm(\"nop\"); }", 2, "inline assembly is not modelled");
  refused("void g() {\n __asm__ volatile (\"nop\"); }", 3, "inline assembly is not modelled");
  refused("__asm(\".globl x\");", 2, "inline assembly is not modelled");
  refused("void g(int x) { if (x) asm(\"nop\"); else asm(\"nop\"); }", 2, "inline assembly is not modelled");
  refused("int system(const char*) asm(\"system\");", 2, "an assembler name for a declaration");
  refused("__attribute__((constructor)) void g() {}", 2, "the attribute 'constructor'");
  refused("__attribute__((noinline, __destructor__)) void g() {}", 2, "the attribute '__destructor__'");
  refused("void g() __attribute__((alias(\"f\")));", 2, "the attribute 'alias'");
  refused("[[gnu::ifunc(\"f\")]] void g();", 2, "the attribute 'gnu::ifunc'");
  refused("__attribute__((section(\"x\"))) int y;", 2, "the attribute 'section'");
  refused("#pragma clang attribute push(__attribute__((constructor)), apply_to = function)", 2,
          "#pragma clang attribute");
}

TEST(Rewrite, AssemblyBehindAForgedMarkerIsSeen) {
  expect_fault(rewrite("# 1 \"/shim/x\" 1 3\nvoid g() { asm(\"nop\"); }\n# 1 \"k.metal\"\nkernel void f() {}",
                       rewrite_request()),
               DiagCode::KernelNotModelled, 1, "inline assembly");
}

TEST(Rewrite, BracketsMustMatch) {
  expect_fault(rewrite_text("kernel void f() {\n g(1;\n}"), DiagCode::KernelCompile, 3, "expected ')'");
  expect_fault(rewrite_text("kernel void f() {"), DiagCode::KernelCompile, 1, "is never closed");
  expect_fault(rewrite_text("kernel void f() {}\n}"), DiagCode::KernelCompile, 2, "closes nothing");
  expect_fault(rewrite_text("kernel void f([[buffer(0) int x) {}"), DiagCode::KernelCompile, 1, "no ]]");
}

TEST(Rewrite, TemplateArgumentsThatAreFunctionsAreNoticed) {
  const auto with = rewrite_text("template <void (*g)(int)>\nvoid h() { g(1); }\nkernel void f() {}");
  ASSERT_TRUE(with);
  EXPECT_EQ(with->beyond_opencl, "line 1 takes a function as template argument");
  const auto without =
      rewrite_text("template <void (*g)(int)> kernel void h() { g(1); }\nkernel void f(device int (*x)[2]) {}");
  ASSERT_TRUE(without);
  EXPECT_EQ(without->beyond_opencl, "");
}

}  // namespace
}  // namespace tilewright::msl_emulator
