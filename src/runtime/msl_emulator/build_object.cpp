#include "runtime/msl_emulator/build_object.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "runtime/msl_emulator/front/preprocess.h"

namespace tilewright::msl_emulator {

namespace {

void append_arguments(std::vector<std::string>& command, std::initializer_list<const char*> arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
}

/// A level of the architecture and not the processor itself: some processors have instructions that round to bfloat and
/// flush subnormals, under one name or another. Without them the runner's conversions are called.
const char* processor_argument() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4")) return "-march=x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "-march=x86-64-v3";
  return "-march=x86-64-v2";
#else
  return "-march=native";
#endif
}

std::vector<std::string> clang_on_text(const Toolchain& toolchain, Dialect dialect) {
  std::vector<std::string> command{toolchain.clang};
  for (std::string& argument : language_arguments(dialect)) command.push_back(std::move(argument));
  append_arguments(
      command, {"-nostdinc", "-nostdinc++", "-w", "-fno-color-diagnostics", "-fno-diagnostics-show-line-numbers",
                "-ferror-limit=20", "-ftemplate-backtrace-limit=6", "-ffp-contract=off", "-fno-exceptions",
                "-fno-threadsafe-statics", "-fno-stack-protector", "-fvisibility=hidden", "-fPIC", "-gline-tables-only",
                "-fno-asynchronous-unwind-tables", "-fno-strict-float-cast-overflow", "-Xclang",
                "-ffloat16-excess-precision=none", "-Wno-c++11-narrowing"});
  append_arguments(command, {processor_argument()});
  // A misaligned vector access is reported by the runner; it must not trap on its way. A call at the end of a kernel
  // keeps its own line.
  append_arguments(command, {"-fmax-type-align=8", "-fno-optimize-sibling-calls"});
  if (dialect == Dialect::Cpp20) append_arguments(command, {"-fno-rtti"});
  return command;
}

/// Code generation and linking; the loop of a lane is short, so vectorizing it costs more than it gains.
constexpr std::initializer_list<const char*> kCodeArguments = {"-O2", "-fno-vectorize", "-fno-slp-vectorize"};
constexpr std::initializer_list<const char*> kLinkArguments = {
    "-shared", "-nostdlib", "-Wl,--build-id=none", "-Wl,-z,noexecstack", "-Wl,-z,now", "-Wl,--hash-style=gnu"};

}  // namespace

std::vector<BuildStage> build_stages(const Toolchain& toolchain, Dialect dialect, bool checks,
                                     const std::string& folder) {
  const std::string text = folder + kRewrittenName, object = folder + kObjectName;
  std::vector<std::string> first = clang_on_text(toolchain, dialect);
  append_arguments(first, kCodeArguments);
  if (!checks) {
    append_arguments(first, kLinkArguments);
    first.insert(first.end(), {"-o", object, text});
    return {{std::move(first), "clang"}};
  }
  const std::string plain = folder + "/plain.bc", instrumented = folder + "/instrumented.bc";
  append_arguments(first, {"-fsanitize=thread", "-emit-llvm", "-c", "-Xclang", "-disable-llvm-passes"});
  first.insert(first.end(), {"-o", plain, text});
  // Without tsan-module, which would only add a constructor.
  std::vector<std::string> second{toolchain.opt,
                                  "-passes=always-inline,function(sroa,tsan),forceattrs",
                                  "-tsan-instrument-func-entry-exit=0",
                                  "-tsan-instrument-read-before-write=1",
                                  "-tsan-handle-cxx-exceptions=0",
                                  plain,
                                  "-o",
                                  instrumented};
  // The same access in both branches of a condition is one call for the optimizer, and has no line then.
  for (const char* kind : {"read", "write", "unaligned_read", "unaligned_write"})
    for (const int bytes : {1, 2, 4, 8, 16})
      second.push_back(fmt::format("-force-attribute=__tsan_{}{}:nomerge", kind, bytes));
  for (const char* operation : {"load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or",
                                "fetch_xor", "compare_exchange_val"})
    for (const int bits : {8, 16, 32, 64})
      second.push_back(fmt::format("-force-attribute=__tsan_atomic{}_{}:nomerge", bits, operation));
  std::vector<std::string> third{toolchain.clang, "-x", "ir", "-w", "-fPIC", "-ffp-contract=off"};
  append_arguments(third, {processor_argument()});
  append_arguments(third, kCodeArguments);
  append_arguments(third, kLinkArguments);
  third.insert(third.end(), {"-o", object, instrumented});
  return {{std::move(first), "clang"}, {std::move(second), "opt"}, {std::move(third), "clang"}};
}

BuildStage syntax_stage(const Toolchain& toolchain, Dialect dialect, const std::string& folder) {
  std::vector<std::string> command = clang_on_text(toolchain, dialect);
  command.insert(command.end(), {"-fsyntax-only", folder + kRewrittenName});
  return {std::move(command), "clang"};
}

}  // namespace tilewright::msl_emulator
