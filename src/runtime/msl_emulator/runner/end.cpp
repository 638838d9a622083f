#include "runtime/msl_emulator/runner/end.h"

#include <cstdarg>
#include <cstdio>

#include <unistd.h>

namespace tilewright::msl_emulator::runner {

namespace {

constinit Answer* the_answer = nullptr;

[[gnu::format(printf, 1, 0)]] void write_message(const char* format, va_list arguments) {
  if (the_answer != nullptr) std::vsnprintf(the_answer->message.data(), the_answer->message.size(), format, arguments);
}

}  // namespace

void set_answer(Answer* answer) { the_answer = answer; }

void end_with(RunStatus status) {
  if (the_answer != nullptr) the_answer->status.store(status, std::memory_order_release);
  _exit(the_answer == nullptr ? 2 : 0);
}

void end_failed(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_message(format, arguments);
  va_end(arguments);
  end_with(RunStatus::Failed);
}

void end_too_large(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_message(format, arguments);
  va_end(arguments);
  end_with(RunStatus::TooLarge);
}

}  // namespace tilewright::msl_emulator::runner
