#include "runtime/msl_emulator/object_check.h"

#include <fstream>
#include <regex>
#include <set>

#include "msl_emulator/front/front_test.h"
#include "runtime/msl_emulator/process.h"
#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::msl_emulator {
namespace {

/// check_object on C++ compiled by the emulator's compiler.
Result<void> check_source(const std::string& source, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  std::ofstream(folder / "k.cpp") << source;
  std::vector<std::string> command{
      test_toolchain().clang, "-x", "c++",          "-w", "-O1", "-fPIC", "-shared", "-nostdlib",
      folder / "k.cpp",       "-o", folder / "k.so"};
  command.insert(command.end(), more.begin(), more.end());
  const auto run = run_process(command, {});
  EXPECT_TRUE(run && run->ok()) << run->errors;
  return check_object(folder / "k.so");
}

TEST(ObjectCheck, WhatTheRunnerProvidesMayBeUndefined) {
  EXPECT_TRUE(
      check_source("extern \"C\" { float sinf(float); double pow(double, double); void emu_fence(const char*, int); "
                   "void __tsan_read4(void*);"
                   "void* memcpy(void*, const void*, unsigned long); }"
                   "extern \"C\" double f(float x) { emu_fence(0, 1); __tsan_read4(0); memcpy(0, &x, 4); return "
                   "sinf(x) + pow(x, x); }"));
}

TEST(ObjectCheck, WhatTheSystemProvidesMayNot) {
  expect_fault(check_source("extern \"C\" int open(const char*, int); extern \"C\" int system(const char*);"
                            "extern \"C\" int f() { return open(\"x\", 0) + system(\"y\"); }"),
               DiagCode::KernelNotModelled, 0, "'open', 'system'");
  expect_fault(check_source("extern int other; extern \"C\" int f() { return other; }"), DiagCode::KernelNotModelled, 0,
               "'other'");
  for (const char* name : {"emu_", "emu_entry_0", "sinq", "dlopen", "fork", "f", ""})
    EXPECT_FALSE(may_be_undefined(name)) << name;
}

TEST(ObjectCheck, NothingRunsBeforeTheKernel) {
  expect_fault(
      check_source(
          "extern \"C\" double emu_option(int); double x = emu_option(1); extern \"C\" double f() { return x; }"),
      DiagCode::KernelNotModelled, 0, "constant initialisers");
  expect_fault(
      check_source("extern \"C\" void emu_option(int); __attribute__((constructor)) void g() { emu_option(1); }"),
      DiagCode::KernelNotModelled, 0, "before the kernel");
  expect_fault(
      check_source("extern \"C\" void emu_option(int); __attribute__((destructor)) void g() { emu_option(1); }"),
      DiagCode::KernelNotModelled, 0, "before the kernel");
}

TEST(ObjectCheck, NothingIsChosenWhenItIsLoaded) {
  expect_fault(
      check_source("extern \"C\" void* r() { return 0; } extern \"C\" void f() __attribute__((ifunc(\"r\")));"),
      DiagCode::KernelNotModelled, 0, "chosen when the kernel is loaded");
  expect_fault(check_source("extern \"C\" void* r() { return 0; } extern \"C\" void f() __attribute__((ifunc(\"r\"), "
                            "visibility(\"hidden\"))); void g() { f(); }"),
               DiagCode::KernelNotModelled, 0, "chosen when the kernel is loaded");
}

TEST(ObjectCheck, NoThreadLocalStorageAndNoLibraries) {
  expect_fault(check_source("thread_local int x; extern \"C\" int* f() { return &x; }", {"-ftls-model=initial-exec"}),
               DiagCode::KernelNotModelled, 0, "thread-local");
  expect_fault(check_source("extern \"C\" float cosf(float); extern \"C\" float f(float x) { return cosf(x); }",
                            {"-Wl,--no-as-needed", "-lm"}),
               DiagCode::KernelNotModelled, 0, "another library");
}

TEST(ObjectCheck, DamagedFilesAreNoObjects) {
  const TemporaryFolder folder;
  for (const std::string& bytes : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string(200, '\x7f'),
                                   std::string("\x7f"
                                               "ELF\2\1\1",
                                               7) +
                                       std::string(9, '\0') + "\3" + std::string(300, '\xff')}) {
    ASSERT_TRUE(write_file_atomically(folder / "k.so", bytes));
    EXPECT_FALSE(check_object(folder / "k.so"));
  }
  EXPECT_FALSE(check_object(folder / "none"));
}

TEST(ObjectCheck, EveryFunctionOfTheInterfaceIsAllowed) {
  const auto header = read_file(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl/emu/abi.h");
  ASSERT_TRUE(header);
  std::set<std::string> names;
  const std::regex declaration("[\\n ]\\*?(?:void\\*? |unsigned long |emu_lane\\* )\\*?(emu_[a-z0-9_]+)\\(");
  for (std::sregex_iterator at(header->begin(), header->end(), declaration), end; at != end; ++at)
    names.insert((*at)[1]);
  names.erase("emu_entry_");
  EXPECT_GE(names.size(), 13u);
  for (const std::string& name : names) {
    const bool exported = name.starts_with("emu_entry_") || name.starts_with("emu_element_");
    EXPECT_NE(may_be_undefined(name), exported) << name;
  }
}

}  // namespace
}  // namespace tilewright::msl_emulator
