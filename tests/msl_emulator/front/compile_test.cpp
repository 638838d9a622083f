// From text to a shared object with the real programs.
#include <chrono>
#include <filesystem>

#include "msl_emulator/front/front_test.h"
#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::msl_emulator {
namespace {

constexpr const char* kAdd =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "kernel void add(device const float* a [[buffer(0)]], device float* b [[buffer(1)]],\n"
    "                constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
    "  threadgroup float s[4];\n"
    "  s[i % 4] = a[i];\n"
    "  if (i < n) b[i] = a[i] + s[i % 4];\n"
    "}\n";

CompileRequest request_of(std::string text) {
  CompileRequest request;
  request.path = "k.metal";
  request.text = std::move(text);
  return request;
}

Result<CompiledLibrary> compile_text(std::string text) {
  return compile(request_of(std::move(text)), test_toolchain());
}

TEST(Compile, BothDialectsWithAndWithoutChecks) {
  const Toolchain tools = test_toolchain();
  for (const Dialect dialect : {Dialect::OpenCl, Dialect::Cpp20})
    for (const bool checks : {false, true}) {
      CompileRequest request = request_of(kAdd);
      request.dialect = dialect;
      request.checks = checks;
      const auto library = compile(request, tools);
      ASSERT_TRUE(library) << render(library.error());
      EXPECT_TRUE(std::filesystem::exists(library->object_path));
      EXPECT_EQ(library->dialect, dialect);
      EXPECT_EQ(library->checks, checks);
      ASSERT_EQ(library->entries.size(), 1u);
      EXPECT_EQ(library->entries[0].parameters.size(), 4u);
      const auto object = read_file(library->object_path);
      ASSERT_TRUE(object);
      EXPECT_EQ(object->find("__tsan_read4") != std::string::npos, checks);
    }
}

TEST(Compile, WithoutACacheTheObjectLivesWithTheLibrary) {
  std::string path;
  {
    const auto library = compile_text(kAdd);
    ASSERT_TRUE(library);
    path = library->object_path;
    const CompiledLibrary copy = *library;
    EXPECT_TRUE(std::filesystem::exists(copy.object_path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Compile, TheSecondTimeComesFromTheCache) {
  const TemporaryFolder folder, sources;
  const Toolchain tools = test_toolchain(folder / "cache");
  ASSERT_TRUE(write_file_atomically(sources / "inner.h", "#define ONE 1\n"));
  ASSERT_TRUE(write_file_atomically(sources / "k.metal",
                                    "#include \"inner.h\"\nkernel void f(device int* x) { x[0] = ONE; }\n"));
  CompileRequest request;
  request.path = sources / "k.metal";
  const auto first = compile(request, tools);
  ASSERT_TRUE(first) << render(first.error());
  EXPECT_FALSE(first->from_cache);
  const auto second = compile(request, tools);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->object_path, first->object_path);
  EXPECT_LT(second->compile_ms, 20 * 10) << "20 ms, with room for a busy machine";
  ASSERT_TRUE(write_file_atomically(sources / "inner.h", "#define ONE 2\n"));
  const auto third = compile(request, tools);
  ASSERT_TRUE(third);
  EXPECT_FALSE(third->from_cache);
  EXPECT_NE(third->object_path, first->object_path);
  for (const auto& file : std::filesystem::directory_iterator(folder / "cache")) EXPECT_TRUE(file.is_regular_file());
}

TEST(Compile, ErrorsPointIntoTheSourceAsWritten) {
  const auto library = compile_text(
      "#include <metal_stdlib>\n#define X(a) a\n\nkernel void f(device int* x) {\n  x[0]   =   X( nope );\n}\n");
  expect_fault(library, DiagCode::KernelCompile, 5, "use of undeclared identifier 'nope'");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error()[0].place.file, "k.metal");
  EXPECT_EQ(library.error()[0].place.column, 17u);
  EXPECT_EQ(library.error()[0].place.source_line, "  x[0]   =   X( nope );");
}

TEST(Compile, FaultsOfTheRewriterQuoteTheirLine) {
  const auto library = compile_text("kernel void f(device int* x) {}\nvoid g() {  threadgroup int y; }\n");
  expect_fault(library, DiagCode::KernelCompile, 2, "in a kernel");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error()[0].place.source_line, "void g() {  threadgroup int y; }");
}

TEST(Compile, AddressSpacesAreCheckedInOpenCl) {
  const char* text = "kernel void f(device int* x, threadgroup int* y) {\n  device int* p = y;\n  p[0] = 1; }\n";
  expect_fault(compile_text(text), DiagCode::KernelCompile, 2, "--dialect=c++20");
  CompileRequest request = request_of(text);
  request.dialect = Dialect::Cpp20;
  EXPECT_TRUE(compile(request, test_toolchain()));
}

TEST(Compile, TheOtherDialectIsChosenWhereOpenClHasNoWords) {
  const char* text =
      "void g(int a, thread int& b) { b = a; }\n"
      "template <void (*F)(int, thread int&)> void h(thread int& b) { F(1, b); }\n"
      "kernel void f(device int* x) { int a; h<g>(a); x[0] = a; }\n";
  const auto library = compile_text(text);
  ASSERT_TRUE(library) << render(library.error());
  EXPECT_EQ(library->dialect, Dialect::Cpp20);
  EXPECT_NE(library->note.find("line 2 takes a function as template argument"), std::string::npos) << library->note;
  const auto copied = compile_text(
      "struct P { int a; float b[3]; };\nkernel void f(device int* x, constant P& p) {\n  P q = p; x[0] = q.a; }\n");
  ASSERT_TRUE(copied) << render(copied.error());
  EXPECT_EQ(copied->dialect, Dialect::Cpp20);
  EXPECT_NE(copied->note.find("OpenCL refuses line 3"), std::string::npos) << copied->note;
  CompileRequest request = request_of(text);
  request.dialect = Dialect::OpenCl;
  EXPECT_FALSE(compile(request, test_toolchain()));
}

TEST(Compile, KernelsMayHaveNamesOfTheLibrary) {
  const auto library = compile_text(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void transpose(device float* x) { x[0] = 1; }\n"
      "kernel void min(device float* x) { x[0] = metal::min(x[1], 2.0f); }\n");
  EXPECT_TRUE(library) << render(library.error());
}

TEST(Compile, InstancesWithDeducedArguments) {
  CompileRequest request = request_of(
      "template <class T> kernel void f(device T* x, uint i [[thread_position_in_grid]]) { x[i] = 1; }\n"
      "template [[host_name(\"f_int\")]] kernel void f(device int* x, uint i);\n");
  request.kernels = {"f_int"};
  for (const Dialect dialect : {Dialect::OpenCl, Dialect::Cpp20}) {
    request.dialect = dialect;
    const auto library = compile(request, test_toolchain());
    EXPECT_TRUE(library) << render(library.error());
  }
}

TEST(Compile, ConstantsKernelsAndDefinitionsReachTheText) {
  CompileRequest request = request_of(
      "constant int N [[function_constant(0)]];\n"
      "template <class T> kernel void t(device T* x) { x[0] = N + EXTRA; }\n"
      "kernel void broken(device int* x) { nonsense; }\n"
      "template [[host_name(\"t_int\")]] kernel decltype(t<int>) t<int>;\n"
      "static_assert(N == 5 && __METAL_VERSION__ == 310, \"\");\n");
  request.constants = {{"N", "5"}};
  request.kernels = {"t_int", "t<short>"};
  request.defines = {"EXTRA=2"};
  request.metal_version = 310;
  const auto library = compile(request, test_toolchain());
  ASSERT_TRUE(library) << render(library.error());
  ASSERT_EQ(library->entries.size(), 2u);
  EXPECT_EQ(library->entries[1].name, "t<short>");
  request.defines = {"-include /etc/passwd"};
  expect_fault(compile(request, test_toolchain()), DiagCode::KernelCompile, 0, "expected NAME or NAME=VALUE");
}

TEST(Compile, VariablesThatNeedCodeAreRefused) {
  CompileRequest request = request_of(
      "int g(int);\nint x = g(1);\nint g(int a) { volatile int b = a; return b; }\n"
      "kernel void f(device int* y) { y[0] = x; }\n");
  request.dialect = Dialect::Cpp20;
  expect_fault(compile(request, test_toolchain()), DiagCode::KernelNotModelled, 0, "constant initialisers");
}

TEST(Compile, ADialectHasAName) {
  EXPECT_EQ(dialect_name(Dialect::OpenCl), "opencl");
  EXPECT_EQ(dialect_name(Dialect::Cpp20), "c++20");
}

}  // namespace
}  // namespace tilewright::msl_emulator
