// Texts that mean harm, or that nobody meant: an error in bounded time, and nothing of the machine shows.
#include <unistd.h>

#include "msl_emulator/front/front_test.h"
#include "support/files.h"
#include "support/temporary_folder.h"

namespace tilewright::msl_emulator {
namespace {

/// Compiles a text that lies in a folder of its own.
Result<CompiledLibrary> compile_in(const TemporaryFolder& folder, const std::string& text,
                                   std::vector<std::string> include_paths = {}) {
  EXPECT_TRUE(write_file_atomically(folder / "k.metal", text));
  CompileRequest request;
  request.path = folder / "k.metal";
  request.include_paths = std::move(include_paths);
  return compile(request, test_toolchain());
}

constexpr const char* kKernel = "kernel void f(device int* x) { x[0] = 1; }\n";

TEST(Hostile, OtherFoldersAreNotRead) {
  const TemporaryFolder folder, secret;
  ASSERT_TRUE(write_file_atomically(secret / "s.h", "secret_word another_secret;\n"));
  const auto refused = [&](const std::string& text, std::uint32_t line) {
    const auto library = compile_in(folder, text);
    expect_fault(library, DiagCode::KernelCompile, line, "outside the folders");
    ASSERT_FALSE(library);
    EXPECT_EQ(render(library.error()).find("secret_word"), std::string::npos) << render(library.error());
  };
  refused("\n#include </etc/passwd>\n" + std::string(kKernel), 2);
  refused("#include \"" + (secret / "s.h") + "\"\n" + kKernel, 1);
  const std::string up = "../" + secret.path().substr(secret.path().rfind('/') + 1) + "/s.h";
  refused("\n\n#include \"" + up + "\"\n" + kKernel, 3);
  refused("#define F <" + (secret / "s.h") + ">\n#include F\n" + kKernel, 2);
  ASSERT_EQ(::symlink((secret / "s.h").c_str(), (folder / "link.h").c_str()), 0);
  refused("#include \"link.h\"\n" + std::string(kKernel), 1);
  refused("const unsigned char x[] = {\n#embed \"" + (secret / "s.h") + "\"\n};\n" + kKernel, 0);
  refused("#define H #\nH include \"nothing\"\n#include \"" + (secret / "s.h") + "\"\n", 3);
}

TEST(Hostile, GivenFoldersAreRead) {
  const TemporaryFolder folder, given;
  ASSERT_TRUE(write_file_atomically(given / "g.h", "#define G 1\n"));
  ASSERT_TRUE(write_file_atomically(folder / "own.h", "#define O 1\n"));
  const std::string text = "#include <g.h>\n#include \"own.h\"\n#if !G || !O\n#error\n#endif\n" + std::string(kKernel);
  const auto library = compile_in(folder, text, {given.path()});
  EXPECT_TRUE(library) << render(library.error());
  EXPECT_FALSE(compile_in(folder, text));
}

TEST(Hostile, DirectivesThatMacrosMakeAreNotObeyed) {
  const TemporaryFolder folder;
  expect_fault(compile_in(folder, "#define H #\nH include \"/etc/passwd\"\n" + std::string(kKernel)),
               DiagCode::KernelCompile, 2, "after macros were expanded");
}

TEST(Hostile, FunctionsOfTheSystemAreNotFound) {
  const TemporaryFolder folder;
  expect_fault(compile_in(folder,
                          "extern \"C\" int system(const char* s);\n"
                          "kernel void f(device int* x) { x[0] = system(0); }\n"),
               DiagCode::KernelNotModelled, 0, "'system'");
}

TEST(Hostile, BrokenTextsEndInErrors) {
  const std::string kernel = kKernel;
  const std::pair<std::string, const char*> texts[] = {
      {"kernel void f() { const char* s = \"abc\n; }", ""},
      {"kernel void f() { /* never closed", ""},
      {"kernel void f() { char c = 'a; }", ""},
      {kernel + "#if 1\n", ""},
      {kernel + std::string(1'000'000, '('), ""},
      {kernel + "int x = " + std::string(200'000, '(') + "1" + std::string(200'000, ')') + ";", ""},
      {kernel + "int x = " + std::string(100'000, '-') + "1;", ""},
      {std::string("kernel void f() {}\n\0int x;", 26), "a byte that is 0"},
      {std::string(1000, '\xff'), ""},
      {"", "no kernel"},
      {std::string().append(17'000'000, ' '), "larger than 16777216 bytes"},
      {"#include \"k.metal\"\n", ""},
  };
  for (const auto& [text, words] : texts) {
    const TemporaryFolder folder;
    const auto library = compile_in(folder, text);
    ASSERT_FALSE(library) << text.substr(0, 60);
    EXPECT_NE(render(library.error()).find(words), std::string::npos) << render(library.error());
  }
}

TEST(Hostile, NamespacesNestOnlySoDeep) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "namespace a { ";
  text += std::string(5000, '}') + kKernel;
  expect_fault(rewrite_text(text), DiagCode::KernelCompile, 1, "more than 100 deep");
}

TEST(Hostile, MacrosThatGrowWithoutEndAreStopped) {
  const TemporaryFolder folder;
  std::string text = "#define A0 1 + 1\n";
  for (int i = 1; i < 40; ++i)
    text += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " + A" + std::to_string(i - 1) + "\n";
  expect_fault(compile_in(folder, text + "int x = A39;\n" + kKernel), DiagCode::KernelCompile, 0, "");
}

}  // namespace
}  // namespace tilewright::msl_emulator
