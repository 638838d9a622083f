// The program that executes one launch of a compiled kernel, closed off from the system. Started by launch() alone.
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/engine.h"
#include "runtime/msl_emulator/runner/faults.h"
#include "runtime/msl_emulator/runner/sandbox.h"
#include "runtime/msl_emulator/runner/schedule.h"
#include "runtime/msl_emulator/runner/setup.h"

namespace tilewright::msl_emulator::runner {

constinit thread_local Worker* this_worker = nullptr;

namespace {

Control& open_control() {
  void* at = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, kControlFile, 0);
  if (at == MAP_FAILED) std::exit(2);
  auto& control = *static_cast<Control*>(at);
  set_answer(&control.answer);
  if (control.job.version != kJobVersion) end_failed("the runner is of another version than the library");
  return control;
}

/// Threads wait for `go`, so that all of them exist before the sandbox closes, and count themselves out in `left`.
struct Gate {
  std::atomic<std::uint32_t> ready{};
  std::atomic<std::uint32_t> go{};
  std::atomic<std::uint32_t> left{};
};

void worker_main(Engine& engine, Gate& gate, std::uint32_t index) {
  this_worker = engine.workers[index];
  install_fault_stack();
  gate.ready.fetch_add(1);
  gate.ready.notify_one();
  gate.go.wait(0);
  run_groups(*this_worker);
  gate.left.fetch_sub(1);
  gate.left.notify_one();
  for (;;) gate.go.wait(1);  // the end of the process ends the thread: no system calls of its own
}

void wait_until(std::atomic<std::uint32_t>& number, std::uint32_t value) {
  for (std::uint32_t now = number.load(); now != value; now = number.load()) number.wait(now);
}

void run(Control& control) {
  // Neither is ever destroyed: the process ends by itself.
  auto& engine = *new Engine(control.job, control.answer);
  auto& gate = *new Gate;
  set_up(engine);
  install_fault_handlers(engine);
  install_fault_stack();
  this_worker = engine.workers[0];
  const std::uint32_t others = control.job.workers - 1;
  gate.left.store(others);
  for (std::uint32_t i = 1; i <= others; ++i) std::thread(worker_main, std::ref(engine), std::ref(gate), i).detach();
  wait_until(gate.ready, others);
  limit_resources(control.job.cpu_seconds);
  forbid_system_calls();
  ask_for_elements(engine);
  const auto begin = std::chrono::steady_clock::now();
  gate.go.store(1);
  gate.go.notify_all();
  run_groups(*engine.workers[0]);
  wait_until(gate.left, 0);
  control.answer.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  gather(engine);
  end_with(engine.stop.load() ? RunStatus::Stopped : RunStatus::Finished);
}

}  // namespace

}  // namespace tilewright::msl_emulator::runner

int main() {
  using namespace tilewright::msl_emulator::runner;
  syscall(SYS_close_range, kDataFile + 1, ~0u, 0u);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  run(open_control());
}
