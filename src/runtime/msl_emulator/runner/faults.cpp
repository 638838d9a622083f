#include "runtime/msl_emulator/runner/faults.h"

#include <csignal>
#include <cstring>

#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/msl_emulator/runner/checker.h"
#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/reports.h"

namespace tilewright::msl_emulator::runner {

namespace {

constexpr std::uint32_t kMaxPagesBehindObjects = 4096;
constexpr std::uint64_t kFaultStackBytes = 64 << 10;

constinit Engine* the_engine = nullptr;

struct Registers {
  std::uint64_t code = 0;
  std::uint64_t stack = 0;
};

Registers registers_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uint64_t>(machine.gregs[REG_RIP]), static_cast<std::uint64_t>(machine.gregs[REG_RSP])};
#else
  return {machine.pc, machine.sp};
#endif
}

/// Where in the program: the interrupted instruction, or the innermost call out of the program that is on the stack.
Site interrupted_site(Worker& worker, const Registers& registers) {
  const std::uint64_t begin = worker.code_begin, bytes = worker.code_bytes;
  if (registers.code - begin < bytes) return code_site(worker, registers.code + 1);
  const auto stacks = reinterpret_cast<std::uint64_t>(worker.stacks);
  const std::uint64_t inside = registers.stack - stacks;
  if (inside >= worker.private_bytes) return 0;
  const std::uint64_t end = stacks + (inside / kStackBytes + 1) * kStackBytes - 64;
  if (inside % kStackBytes < kGuardBytes) return 0;
  for (std::uint64_t at = registers.stack & ~std::uint64_t{7}; at < end; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    if (word - begin < bytes) return code_site(worker, word);
  }
  return 0;
}

bool is_beside_object(const Worker& worker, std::uint64_t address) {
  if (address - kArenaBegin >= kArenaBytes) return false;
  return worker.slots[(address - kArenaBegin) >> kSlotShift].kind != SlotKind::Unused;
}

bool give_page(Engine& engine, std::uint64_t address) {
  if (engine.pages_behind_objects.fetch_add(1) >= kMaxPagesBehindObjects) return false;
  void* page = reinterpret_cast<void*>(address & ~(kPageBytes - 1));
  return mprotect(page, kPageBytes, PROT_READ | PROT_WRITE) == 0;
}

void name_slot(ReportRecord& report, const Worker& worker, std::uint64_t address) {
  const std::uint64_t from_arena = address - kArenaBegin;
  const std::uint64_t slot = from_arena >> kSlotShift;
  if (slot < kBuffers) report.slot = static_cast<std::uint32_t>(slot);
  static_cast<void>(worker);
  report.offset = static_cast<std::int64_t>((from_arena & (kSlotBytes - 1)) - kSlotMiddle);
}

ReportRecord report_of_signal(Worker& worker, int signal, const siginfo_t& info, Site site) {
  ReportRecord report = lane_report(worker, EMU_WILD_ACCESS, Detail::Signal, site);
  report.numbers[0] = signal;
  report.address = reinterpret_cast<std::uint64_t>(info.si_addr);
  if (signal == SIGFPE) report.detail = Detail::Division;
  if (signal == SIGILL || signal == SIGTRAP) report.detail = Detail::Instruction;
  if (signal == SIGSYS) {
    report.detail = Detail::SystemCall;
    report.numbers[0] = info.si_syscall;
  }
  if (signal == SIGTERM || signal == SIGXCPU) {
    report.kind = EMU_TIMEOUT;
    report.detail = Detail::Plain;
  }
  const std::uint64_t inside = report.address - reinterpret_cast<std::uint64_t>(worker.stacks);
  if (signal == SIGSEGV && inside < worker.engine->lane_count * kStackBytes) {
    report.detail = Detail::StackOverflow;
    report.numbers[0] = static_cast<std::int64_t>(kStackBytes - kGuardBytes);
  }
  return report;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Engine& engine = *the_engine;
  Worker* worker = this_worker;
  if (worker == nullptr) end_failed("signal %d before the kernel ran", signal);
  const Registers registers = registers_of(context);
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const bool is_access = signal == SIGSEGV || signal == SIGBUS;
  if (is_access && is_beside_object(*worker, address)) {
    if (!worker->checks) {
      ReportRecord report =
          lane_report(*worker, EMU_OUT_OF_BOUNDS, Detail::PageFault, interrupted_site(*worker, registers));
      name_slot(report, *worker, address);
      engine.log.add(report);
    }
    if (give_page(engine, address)) return;
  }
  // The processor refuses some misaligned accesses that have been reported; it names no address then.
  if (signal == SIGSEGV && address == 0 && info->si_code == SI_KERNEL && worker->misaligned)
    end_with(RunStatus::Stopped);
  engine.log.add(report_of_signal(*worker, signal, *info, interrupted_site(*worker, registers)));
  end_with(RunStatus::Stopped);
}

}  // namespace

void install_fault_handlers(Engine& engine) {
  the_engine = &engine;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGTERM, SIGXCPU})
    if (sigaction(signal, &action, nullptr) != 0) end_failed("signal %d cannot be handled", signal);
}

void install_fault_stack() {
  stack_t stack{};
  stack.ss_sp = reserve(kFaultStackBytes);
  stack.ss_size = kFaultStackBytes;
  if (sigaltstack(&stack, nullptr) != 0) end_failed("no stack for signal handlers");
}

}  // namespace tilewright::msl_emulator::runner
