#include "runtime/msl_emulator/runner/sandbox.h"

#include <array>
#include <cstddef>
#include <cstdio>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/job.h"

namespace tilewright::msl_emulator::runner {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

/// Beyond what is mapped already: scratch memory of collectives.
constexpr std::uint64_t kFurtherAddressBytes = std::uint64_t{1} << 30;

void set_limit(int resource, std::uint64_t value) {
  rlimit limit{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

std::uint64_t mapped_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const bool read = std::fscanf(file, "%lu", &pages) == 1;
  std::fclose(file);
  return read ? pages * kPageBytes : 0;
}

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
constexpr sock_filter jump_if_equal(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}
constexpr sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

constexpr std::array kAllowed{
    SYS_futex,       SYS_exit,         SYS_exit_group,    SYS_madvise,     SYS_munmap,          SYS_brk,
    SYS_sigaltstack, SYS_rt_sigreturn, SYS_clock_gettime, SYS_sched_yield, SYS_restart_syscall,
};
/// Allowed without execution: the third argument is the protection.
constexpr std::array kProtecting{SYS_mmap, SYS_mprotect};

constexpr std::size_t kProgramLength = 4 + 2 * kAllowed.size() + 1 + 5 * kProtecting.size() + 1;

std::array<sock_filter, kProgramLength> make_program() {
  std::array<sock_filter, kProgramLength> program{};
  std::size_t at = 0;
  program[at++] = load(offsetof(seccomp_data, arch));
  program[at++] = jump_if_equal(kArchitecture, 1, 0);
  program[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  program[at++] = load(offsetof(seccomp_data, nr));
  for (const long call : kAllowed) {
    program[at++] = jump_if_equal(static_cast<std::uint32_t>(call), 0, 1);
    program[at++] = answer(SECCOMP_RET_ALLOW);
  }
  for (const long call : kProtecting) {
    program[at++] = jump_if_equal(static_cast<std::uint32_t>(call), 0, 4);
    program[at++] = load(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t));
    program[at++] = BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
    program[at++] = answer(SECCOMP_RET_KILL_PROCESS);
    program[at++] = answer(SECCOMP_RET_ALLOW);
  }
  program[at++] = answer(SECCOMP_RET_TRAP);
  while (at < program.size()) program[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  return program;
}

}  // namespace

void limit_resources(std::uint64_t cpu_seconds) {
  const std::uint64_t mapped = mapped_bytes();
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  set_limit(RLIMIT_NOFILE, 0);
  set_limit(RLIMIT_NPROC, 0);
  if (cpu_seconds != 0) set_limit(RLIMIT_CPU, cpu_seconds);
  if (mapped != 0) set_limit(RLIMIT_AS, mapped + kFurtherAddressBytes);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void forbid_system_calls() {
  auto program = make_program();
  const sock_fprog description{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) end_failed("the runner cannot give up privileges");
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &description) != 0)
    end_failed("the runner cannot close itself off: this kernel of the system has no seccomp filters");
}

}  // namespace tilewright::msl_emulator::runner
