#include "store/byte_stream.h"

#include "support/little_endian.h"

namespace tilewright::store {

namespace {

constexpr std::size_t kWord = 8;

}  // namespace

void ByteWriter::number(std::uint64_t value) {
  for (std::size_t i = 0; i < kWord; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xffu);
}

void ByteWriter::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

std::uint64_t ByteReader::fail() {
  failed_ = true;
  rest_ = {};
  return 0;
}

std::uint64_t ByteReader::number() {
  if (failed_ || rest_.size() < kWord) return fail();
  const std::uint64_t value = load_little_endian(rest_.substr(0, kWord));
  rest_.remove_prefix(kWord);
  return value;
}

std::string ByteReader::text() {
  const std::uint64_t size = number();
  if (failed_ || size > rest_.size()) return fail(), std::string();
  std::string value(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

std::size_t ByteReader::count() {
  const std::uint64_t value = number();
  return value > rest_.size() / kWord ? fail() : value;
}

std::uint64_t ByteReader::number_below(std::uint64_t end) {
  const std::uint64_t value = number();
  return value < end ? value : fail();
}

}  // namespace tilewright::store
