#include "runtime/msl_emulator/toolchain.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::msl_emulator {
namespace {

void make_program(const std::string& path) {
  ASSERT_TRUE(write_file_atomically(path, "#!/bin/sh\n"));
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
}

TEST(FindToolchain, PathComesFirstThenTheFolderOfLlvm) {
  const TemporaryFolder path, llvm;
  make_program(path / "clang-19");
  make_program(llvm / "clang");
  make_program(llvm / "opt");
  const auto found =
      find_toolchain_in("relative:/nonexistent:" + path.path(), llvm.path(), "/shims/../shims/msl", "/r", "");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->clang, path / "clang-19");
  EXPECT_EQ(found->opt, llvm / "opt");
  EXPECT_EQ(found->shim_folder, "/shims/msl");
  EXPECT_EQ(found->cache_folder, "");
}

TEST(FindToolchain, WhatIsMissingIsNamedWithItsPackage) {
  const TemporaryFolder llvm;
  // Neither a folder nor a file that cannot be executed is a program.
  ASSERT_TRUE(write_file_atomically(llvm / "opt", "x"));
  ASSERT_EQ(::mkdir((llvm / "clang").c_str(), 0755), 0);
  const auto found = find_toolchain_in("", llvm.path(), "/shims", "/r", "");
  ASSERT_FALSE(found);
  ASSERT_EQ(found.error().size(), 2u);
  EXPECT_EQ(found.error()[0].code, DiagCode::ToolMissing);
  EXPECT_NE(found.error()[0].message.find("clang-19"), std::string::npos);
  EXPECT_NE(found.error()[0].hint.find("package clang-19"), std::string::npos);
  EXPECT_NE(found.error()[1].hint.find("package llvm-19"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::msl_emulator
