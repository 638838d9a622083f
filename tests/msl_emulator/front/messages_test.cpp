#include "runtime/msl_emulator/front/clang_messages.h"

#include "msl_emulator/front/front_test.h"
#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::msl_emulator {
namespace {

TEST(Messages, ErrorsNotesAndTheColumnOfTheSource) {
  SourceFiles files("k.metal", "int a;\n  x   =  foo( 1 );\nb;", {});
  const Diags diags = clang_errors(
      "In file included from k.metal:1:\n"
      "k.metal:2:7: error: use of 'foo'\n  x = foo( 1 );\n      ^\n"
      "k.metal:1:5: note: declared here\nint a;\n    ^\n"
      "k.metal:3:1: warning: nothing\nb;\n^\n"
      "fatal error: too many errors emitted, stopping now [-ferror-limit=]\n2 errors generated.\n",
      "/shim", files);
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(diags[0].message, "use of 'foo'");
  EXPECT_EQ(diags[0].place.line, 2u);
  EXPECT_EQ(diags[0].place.column, 10u);
  EXPECT_EQ(diags[0].place.source_line, "  x   =  foo( 1 );");
  ASSERT_EQ(diags[0].notes.size(), 1u);
  EXPECT_EQ(diags[0].notes[0].place.column, 5u);
}

TEST(Messages, TheSecondOccurrenceOfAWordIsKept) {
  SourceFiles files("k.metal", "a  +  a  +  a;", {});
  const Diags diags = clang_errors("k.metal:1:5: error: e\na + a + a;\n    ^\n", "/shim", files);
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(diags[0].place.column, 7u);
}

TEST(Messages, AnErrorInTheShimIsPlacedWhereTheUserLedThere) {
  SourceFiles files("k.metal", "one\ntwo\n", {});
  std::string text = "/shim/emu/m.h:9:3: error: static assertion failed: K must be a multiple of 16\n  x\n  ^\n";
  for (int i = 0; i < 9; ++i) text += "/shim/emu/m.h:1:1: note: in instantiation\nx\n^\n";
  text += "k.metal:2:1: note: in instantiation of 'run' requested here\ntwo\n^\n";
  const Diags diags = clang_errors(text, "/shim", files);
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(diags[0].place.file, "k.metal");
  EXPECT_EQ(diags[0].place.line, 2u);
  EXPECT_EQ(diags[0].notes[0].place.file, "/shim/emu/m.h");
  EXPECT_LE(diags[0].notes.size(), 6u);
}

TEST(Messages, FilesThatMustNotBeReadAreNotQuoted) {
  const TemporaryFolder inside, outside;
  ASSERT_TRUE(write_file_atomically(inside / "a.h", "inner\n"));
  ASSERT_TRUE(write_file_atomically(outside / "b.h", "secret\n"));
  SourceFiles files("k.metal", "", {inside.path()});
  EXPECT_EQ(files.line(inside / "a.h", 1), "inner");
  EXPECT_FALSE(files.line(outside / "b.h", 1));
  EXPECT_FALSE(files.line(inside.path() + "/../" + outside.path().substr(outside.path().rfind('/') + 1) + "/b.h", 1));
  const Diags diags =
      clang_errors((outside / "b.h") + ":1:1: error: unknown type name 'secret'\nsecret\n^\n", "/shim", files);
  EXPECT_TRUE(diags.empty());
}

TEST(Messages, ConflictsOfAddressSpaces) {
  const auto conflict = [](const char* message, const char* note) {
    Diag diag{DiagCode::KernelCompile, message, {}, {}, {}};
    diag.notes.push_back({note, {}});
    return is_address_space_conflict(diag);
  };
  EXPECT_TRUE(conflict(
      "cannot initialize a variable of type '__global int *__private' with an lvalue of type '__local int *__private'",
      ""));
  EXPECT_TRUE(conflict(
      "cannot initialize a variable of type '__global int *__private' with an rvalue of type '__private int *'", ""));
  EXPECT_TRUE(conflict("no matching function for call to 'g'",
                       "cannot pass pointer to address space '__local' as a pointer to address space '__global'"));
  EXPECT_FALSE(conflict("use of undeclared identifier 'x'", ""));
  EXPECT_FALSE(
      conflict("invalid operands to binary expression ('const __global half *__private' and '__private X')", ""));
  EXPECT_FALSE(conflict("no matching constructor for initialization of '__private P'",
                        "cannot bind reference in address space '__constant' to object in address space '__generic'"));
  EXPECT_FALSE(
      conflict("no matching function", "deduced conflicting types for parameter 'T' ('float' vs. '__private float')"));
}

TEST(Messages, AtMostTwentyErrors) {
  SourceFiles files("k.metal", "x\n", {});
  std::string text;
  for (int i = 0; i < 50; ++i) text += "k.metal:1:1: error: e\nx\n^\n";
  EXPECT_EQ(clang_errors(text, "/shim", files).size(), 20u);
}

}  // namespace
}  // namespace tilewright::msl_emulator
