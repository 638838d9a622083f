#include "driver/guarded_buffer.h"

#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "driver/host_memory.h"
#include "support/check.h"

namespace tilewright::driver {

namespace {

constexpr std::size_t kGuardBytes = 4096;

constexpr std::byte guard_byte(std::size_t i) { return static_cast<std::byte>((i * 37 + 0xc3) & 0xff); }

void write_guard(std::byte* at) {
  for (std::size_t i = 0; i < kGuardBytes; ++i) at[i] = guard_byte(i);
}

std::int64_t harmed_bytes(const std::byte* at) {
  std::int64_t harmed = 0;
  for (std::size_t i = 0; i < kGuardBytes; ++i) harmed += at[i] != guard_byte(i) ? 1 : 0;
  return harmed;
}

#ifdef MAP_NORESERVE
constexpr int kMapFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#else
constexpr int kMapFlags = MAP_PRIVATE | MAP_ANONYMOUS;
#endif

}  // namespace

Result<GuardedBuffer> GuardedBuffer::make(DataType type, std::int64_t elements) {
  TW_CHECK(elements >= 0);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t front = (kGuardBytes + page - 1) / page * page;
  const auto bytes = static_cast<__uint128_t>(elements) * data_type_bytes(type);
  const __uint128_t total = bytes + front + kGuardBytes;
  void* mapping = MAP_FAILED;
  if (total < (static_cast<__uint128_t>(1) << 63))
    mapping = mmap(nullptr, static_cast<std::size_t>(total), PROT_READ | PROT_WRITE, kMapFlags, -1, 0);
  if (mapping == MAP_FAILED)
    return failure(
        DiagCode::OutOfMemory,
        "a buffer of " + std::to_string(elements) + " elements (" + wide_text(bytes) + " bytes) could not be allocated",
        "use smaller sizes");
  GuardedBuffer buffer;
  buffer.type_ = type;
  buffer.elements_ = elements;
  buffer.mapping_ = mapping;
  buffer.mapping_bytes_ = static_cast<std::size_t>(total);
  buffer.data_ = static_cast<std::byte*>(mapping) + front;
  write_guard(buffer.data_ - kGuardBytes);
  write_guard(buffer.data_ + static_cast<std::size_t>(bytes));
  return buffer;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : type_(other.type_),
      elements_(std::exchange(other.elements_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(std::exchange(other.mapping_bytes_, 0)) {}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(elements_, other.elements_);
  std::swap(data_, other.data_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

std::int64_t GuardedBuffer::harmed_guard_bytes() const {
  const auto bytes = static_cast<std::size_t>(elements_) * data_type_bytes(type_);
  return harmed_bytes(data_ - kGuardBytes) + harmed_bytes(data_ + bytes);
}

}  // namespace tilewright::driver
