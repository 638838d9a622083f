// Texts that try to harm the host, or to hide from the checks. Each ends in an error or a report of the right kind,
// in bounded time, and nothing outside the runner changes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus_judge.h"
#include "corpus_machine.h"

namespace tilewright::msl_emulator::corpus {
namespace {

constexpr auto kOpenCl = Dialect::OpenCl;
constexpr auto kCpp20 = Dialect::Cpp20;

constexpr std::string_view kSecret = "secret_of_the_host_7f3a";

/// A folder with a file that no kernel may read and, beside it, the kernel's own folder.
class HostileText : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tilewright-hostile-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directory(folder_ / "own");
    std::ofstream(folder_ / "secret.h") << kSecret << " " << kSecret << "\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string touched() const { return (folder_ / "touched").string(); }

  /// `text`: the file; @TOUCHED@ and @SECRET@ stand for the two paths.
  Result<CompiledLibrary> compiled(Dialect dialect, std::string text) {
    const auto replace_all = [&](const std::string& word, const std::string& value) {
      for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), value);
    };
    replace_all("@TOUCHED@", touched());
    replace_all("@SECRET@", (folder_ / "secret.h").string());
    Result<Toolchain> toolchain = test_toolchain();
    EXPECT_TRUE(toolchain) << render(toolchain.error());
    if (!toolchain) return std::unexpected(toolchain.error());
    toolchain_ = *toolchain;
    CompileRequest request;
    request.path = (folder_ / "own" / "hostile.metal").string();
    request.text = std::move(text);
    request.dialect = dialect;
    return compile(request, toolchain_);
  }

  /// kernel void k(device ulong* a [[buffer(0)]], ..): one thread, buffer 0 holds `words`.
  Result<LaunchResult> launched(const CompiledLibrary& library, std::array<std::uint64_t, 8> words) {
    std::array<std::byte, sizeof words> bytes{};
    std::memcpy(bytes.data(), words.data(), sizeof words);
    LaunchRequest request;
    request.kernel = "k";
    request.timeout_seconds = 1.5;
    request.workers = 1;
    BufferBinding binding;
    binding.label = "a";
    binding.bytes = bytes;
    request.buffers.push_back(binding);
    return launch(library, request, toolchain_);
  }

  std::filesystem::path folder_;
  Toolchain toolchain_;
};

struct RefusedText {
  const char* what;
  Dialect dialect;
  DiagCode code;
  const char* text;
};

constexpr const char* kHead = "#include <metal_stdlib>\nusing namespace metal;\n";

TEST_F(HostileText, IsRefusedByTheCompiler) {
  constexpr auto kCompile = DiagCode::KernelCompile;
  constexpr auto kNotModelled = DiagCode::KernelNotModelled;
  const std::vector<RefusedText> texts = {
      {"no MSL at all", kOpenCl, kCompile,
       "kernel void k(device ulong* a [[buffer(0)]]) { ?? this is no statement ~~ }\n"},
      {"unclosed string", kOpenCl, kCompile, "kernel void k(device ulong* a [[buffer(0)]]) { a[0] = \"; }\n"},
      {"unclosed comment", kOpenCl, kCompile, "/* kernel void k(device ulong* a [[buffer(0)]]) { a[0] = 1; }\n"},
      {"unclosed attribute", kOpenCl, kCompile, "kernel void k(device ulong* a [[buffer(0)) { a[0] = 1; }\n"},
      {"include of a file of the host", kOpenCl, kCompile, "#include \"/etc/passwd\"\n"},
      {"include of a file of the host, angled", kCpp20, kCompile, "#include </etc/passwd>\n"},
      {"include above the folder", kOpenCl, kCompile, "#include \"../secret.h\"\n"},
      {"include by a macro", kOpenCl, kCompile, "#define F \"@SECRET@\"\n#include F\n"},
      {"import", kOpenCl, kCompile, "#import \"@SECRET@\"\n"},
      {"include_next", kOpenCl, kCompile, "#include_next \"@SECRET@\"\n"},
      {"embed", kCpp20, kCompile,
       "constant uchar bytes[] = {\n#embed \"@SECRET@\"\n};\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = "
       "bytes[0]; }\n"},
      {"header of the system", kCpp20, kCompile, "#include <stdio.h>\n"},
      {"C++ header of the system", kCpp20, kCompile, "#include <fstream>\n"},
      {"itself", kOpenCl, kCompile, "#include __FILE__\n#include \"hostile.metal\"\n"},
      {"place of another file", kOpenCl, kCompile,
       "#line 1 \"@SECRET@\"\nkernel void k(device ulong* a [[buffer(0)]]) { ?? here ~~ }\n"},
      {"place of another file, as a marker", kOpenCl, kCompile,
       "# 1 \"@SECRET@\" 1\nkernel void k(device ulong* a [[buffer(0)]]) { ?? here ~~ }\n"},
      {"endless templates", kCpp20, kCompile,
       "template <int N> struct S { static constexpr int v = S<N + 1>::v; };\nkernel void k(device ulong* a "
       "[[buffer(0)]]) { a[0] = S<0>::v; }\n"},
      {"endless constant", kCpp20, kCompile,
       "constexpr int f(int n) { while (true) ++n; return n; }\nconstant constexpr int v = f(0);\nkernel void k(device "
       "ulong* a [[buffer(0)]]) { a[0] = v; }\n"},
      {"system()", kCpp20, kNotModelled,
       "extern \"C\" int system(const char*);\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = system(\"touch "
       "@TOUCHED@\"); }\n"},
      {"open()", kCpp20, kNotModelled,
       "extern \"C\" int open(const char*, int, ...);\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = "
       "open(\"@TOUCHED@\", 0101, 0600); }\n"},
      {"fork()", kCpp20, kNotModelled,
       "extern \"C\" int fork();\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = fork(); }\n"},
      {"syscall()", kOpenCl, kNotModelled,
       "extern \"C\" long syscall(long, ...);\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = syscall(57); }\n"},
      {"mprotect() in a device function", kCpp20, kNotModelled,
       "extern \"C\" int mprotect(void*, unsigned long, int);\nint f(ulong n) { return mprotect((void*)n, 4096, 7); "
       "}\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = f(a[1]); }\n"},
      {"a function by the name of another", kCpp20, kNotModelled,
       "extern \"C\" int innocent(const char*) __asm__(\"system\");\nkernel void k(device ulong* a [[buffer(0)]]) { "
       "a[0] "
       "= innocent(\"touch @TOUCHED@\"); }\n"},
      {"a weak symbol", kCpp20, kNotModelled,
       "extern \"C\" __attribute__((weak)) int system(const char*);\nkernel void k(device ulong* a [[buffer(0)]]) { if "
       "(system) a[0] = system(\"touch @TOUCHED@\"); }\n"},
      {"asm", kOpenCl, kNotModelled, "kernel void k(device ulong* a [[buffer(0)]]) { asm(\"syscall\"); }\n"},
      {"__asm__ volatile", kCpp20, kNotModelled,
       "kernel void k(device ulong* a [[buffer(0)]]) { __asm__ volatile(\"syscall\" ::\"a\"(57)); }\n"},
      {"asm of the file", kCpp20, kNotModelled,
       "__asm(\".incbin \\\"@SECRET@\\\"\");\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = 1; }\n"},
      {"asm by pasting", kOpenCl, kNotModelled,
       "#define P(x, y) x##y\nkernel void k(device ulong* a [[buffer(0)]]) { P(__as, m__)(\"int3\"); }\n"},
      {"constructor", kCpp20, kNotModelled,
       "__attribute__((constructor)) void early() { *(volatile int*)8 = 1; }\nkernel void k(device ulong* a "
       "[[buffer(0)]]) { a[0] = 1; }\n"},
      {"constructor, in brackets", kCpp20, kNotModelled,
       "[[gnu::constructor]] void early() { *(volatile int*)8 = 1; }\nkernel void k(device ulong* a [[buffer(0)]]) { "
       "a[0] = 1; }\n"},
      {"destructor", kCpp20, kNotModelled,
       "__attribute__((__destructor__)) void late() { *(volatile int*)8 = 1; }\nkernel void k(device ulong* a "
       "[[buffer(0)]]) { a[0] = 1; }\n"},
      {"initialiser that runs", kCpp20, kNotModelled,
       "int f() { int n = 3; for (int i = 0; i < 10; ++i) n += *(volatile int*)&n; return n; }\nstatic int started = "
       "f();\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = started; }\n"},
      {"ifunc", kCpp20, kNotModelled,
       "extern \"C\" { int one() { return 1; } void* pick() { *(volatile int*)8 = 1; return (void*)one; } int f() "
       "__attribute__((ifunc(\"pick\"))); }\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = f(); }\n"},
      {"section of its own", kCpp20, kNotModelled,
       "__attribute__((section(\".init_array\"), used)) void (*hook)() = nullptr;\nkernel void k(device ulong* a "
       "[[buffer(0)]]) { a[0] = 1; }\n"},
      {"thread-local variable", kCpp20, kNotModelled,
       "thread_local int mine = 1;\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = ++mine; }\n"},
      {"accesses without checks", kCpp20, kNotModelled,
       "__attribute__((no_sanitize(\"thread\"))) void f(ulong n) { *(int*)n = 1; }\nkernel void k(device ulong* a "
       "[[buffer(0)]]) { f(a[0]); }\n"},
      {"accesses without checks, in brackets", kOpenCl, kNotModelled,
       "[[clang::disable_sanitizer_instrumentation]] void f(device int* n) { *n = 1; }\nkernel void k(device ulong* a "
       "[[buffer(0)]]) { f((device int*)a[0]); }\n"},
      {"accesses without checks, by pragma", kCpp20, kNotModelled,
       "#pragma clang attribute push(__attribute__((no_sanitize(\"thread\"))), apply_to = function)\nkernel void "
       "k(device "
       "ulong* a [[buffer(0)]]) { *(int*)a[0] = 1; }\n#pragma clang attribute pop\n"},
      {"a hook of its own", kCpp20, kNotModelled,
       "extern \"C\" __attribute__((visibility(\"hidden\"))) void __tsan_write4(void*) {}\nkernel void k(device ulong* "
       "a "
       "[[buffer(0)]]) { *(int*)a[0] = 1; }\n"},
      {"an entry of its own", kCpp20, kCompile,
       "extern \"C\" void emu_entry_0(void** a) { *(int*)8 = 1; }\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] "
       "= "
       "1; }\n"}};
  for (const RefusedText& one : texts) {
    const auto start = std::chrono::steady_clock::now();
    const Result<CompiledLibrary> library = compiled(one.dialect, kHead + std::string(one.text));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 30) << one.what;
    if (library) {
      ADD_FAILURE() << one.what << ": it compiles";
      continue;
    }
    const std::string told = render(library.error());
    const bool right = std::any_of(library.error().begin(), library.error().end(),
                                   [&](const Diag& diag) { return diag.code == one.code; });
    EXPECT_TRUE(right) << one.what << " should be " << diag_code_name(one.code) << ":\n" << told;
    EXPECT_EQ(told.find(kSecret), std::string::npos) << one.what << " quotes a file of the host:\n" << told;
    EXPECT_EQ(told.find("root:"), std::string::npos) << one.what << " quotes a file of the host:\n" << told;
    EXPECT_FALSE(std::filesystem::exists(touched())) << one.what;
  }
}

struct HarmfulKernel {
  const char* what;
  Dialect dialect;
  std::vector<ReportKind> kinds;  ///< any of them
  std::uint64_t word;             ///< a[0]
  const char* text;
};

/// An address of this process: the runner's memory lies in the same range.
std::uint64_t address_of_something() {
  static const int kSomething = 0;
  return reinterpret_cast<std::uintptr_t>(&kSomething);
}

TEST_F(HostileText, IsReportedByTheRunner) {
  using enum ReportKind;
  const std::vector<HarmfulKernel> kernels = {
      {"endless loop",
       kOpenCl,
       {Timeout},
       1,
       "kernel void k(device ulong* a [[buffer(0)]]) { while (a[0]) a[1] += 1; }"},
      {"write at 0",
       kCpp20,
       {WildAccess},
       0,
       "kernel void k(device ulong* a [[buffer(0)]]) { *(volatile int*)a[0] = 1; }"},
      {"write where programs lie",
       kCpp20,
       {WildAccess},
       address_of_something() & ~7ull,
       "kernel void k(device ulong* a [[buffer(0)]]) { for (int i = -512; i < 512; ++i) ((ulong*)a[0])[i] = 1; }"},
      {"write over the function table of the runner",
       kCpp20,
       {WildAccess},
       0,
       "extern \"C\" void* memcpy(void*, const void*, unsigned long);\nkernel void k(device ulong* a [[buffer(0)]]) { "
       "*(ulong*)&memcpy = 1; }"},
      {"write over what the runner keeps of the lane",
       kCpp20,
       {WildAccess, ReadonlyWrite},
       0,
       "kernel void k(device ulong* a [[buffer(0)]]) { *(unsigned*)emu_this_lane() = 7; }"},
      {"copy over what the runner keeps of the lane",
       kCpp20,
       {WildAccess, ReadonlyWrite},
       0,
       "kernel void k(device ulong* a [[buffer(0)]]) { __builtin_memcpy((void*)emu_this_lane(), a, a[1] + 48); }"},
      {"atomic write at a number",
       kOpenCl,
       {WildAccess},
       4096,
       "kernel void k(device ulong* a [[buffer(0)]]) { atomic_fetch_add_explicit((device atomic_uint*)a[0], 1u, "
       "memory_order_relaxed); }"},
      {"call of a number",
       kCpp20,
       {WildAccess},
       0x41414140,
       "kernel void k(device ulong* a [[buffer(0)]]) { ((void (*)())a[0])(); }"},
      {"call of data",
       kCpp20,
       {WildAccess},
       0xc3,
       "kernel void k(device ulong* a [[buffer(0)]]) { ((void (*)())a)(); }"},
      {"endless recursion",
       kOpenCl,
       {WildAccess},
       1,
       "ulong f(ulong n, device ulong* a) { ulong b[32]; for (int i = 0; i < 32; ++i) b[i] = a[i % 8] + n; return f(n "
       "+ "
       "1, a) + b[n % 32]; }\nkernel void k(device ulong* a [[buffer(0)]]) { a[0] = f(a[0], a); }"},
      {"huge local array",
       kOpenCl,
       {WildAccess},
       1,
       "kernel void k(device ulong* a [[buffer(0)]]) { float b[1 << 26]; for (int i = 0; i < (1 << 26); i += 997) b[(i "
       "* "
       "a[0]) % (1 << 26)] = i; a[0] = b[a[0]]; }"},
      {"huge threadgroup array",
       kOpenCl,
       {Limit},
       1,
       "kernel void k(device ulong* a [[buffer(0)]]) { threadgroup float b[1 << 29]; b[a[0]] = 1; a[0] = b[a[0]]; }"},
      {"division by zero",
       kOpenCl,
       {WildAccess},
       0,
       "kernel void k(device ulong* a [[buffer(0)]]) { a[1] = 7 / a[0]; }"},
      {"trap",
       kCpp20,
       {WildAccess},
       0,
       "kernel void k(device ulong* a [[buffer(0)]]) { if (a[0] == 0) __builtin_trap(); }"},
      {"tensor-sized copy",
       kCpp20,
       {OutOfBounds, WildAccess},
       1ull << 40,
       "kernel void k(device ulong* a [[buffer(0)]]) { __builtin_memset(a, 255, a[0]); }"}};
  for (const HarmfulKernel& one : kernels) {
    const Result<CompiledLibrary> library = compiled(one.dialect, kHead + std::string(one.text) + "\n");
    if (!library) {
      ADD_FAILURE() << one.what << ":\n" << render(library.error());
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    const Result<LaunchResult> result = launched(*library, {one.word});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 30) << one.what;
    if (!result) {
      ADD_FAILURE() << one.what << ":\n" << render(result.error());
      continue;
    }
    const auto& reports = result->reports;
    const bool right = std::any_of(reports.begin(), reports.end(), [&](const Report& report) {
      return std::find(one.kinds.begin(), one.kinds.end(), report.kind) != one.kinds.end();
    });
    std::string told;
    for (const Report& report : reports) told += report_text(report) + "\n";
    EXPECT_TRUE(right) << one.what << ", reports:\n" << told;
  }
}

/// What lies beside the buffers in memory of the caller stays as it is, whatever a kernel writes.
TEST_F(HostileText, LeavesTheCallersMemoryAlone) {
  const Result<CompiledLibrary> library = compiled(
      kCpp20, std::string(kHead) +
                  "kernel void k(device ulong* a [[buffer(0)]]) { for (int i = -64; i < 64; ++i) a[i] = 0xbadull; }\n");
  ASSERT_TRUE(library) << render(library.error());
  std::vector<std::uint64_t> around(8 + 3 * 64, 5);
  LaunchRequest request;
  request.kernel = "k";
  BufferBinding binding;
  binding.label = "a";
  binding.bytes = std::as_writable_bytes(std::span(around).subspan(96, 8));
  request.buffers.push_back(binding);
  const Result<LaunchResult> result = launch(*library, request, toolchain_);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_FALSE(result->reports.empty());
  for (std::size_t i = 0; i < around.size(); ++i) {
    EXPECT_EQ(around[i], i >= 96 && i < 104 ? 0xbadu : 5u) << i;
  }
}

}  // namespace
}  // namespace tilewright::msl_emulator::corpus
