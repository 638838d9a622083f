// Values as bytes and back: numbers as 8 bytes, lowest first, texts behind their length.
//
// Reading trusts nothing: after the first thing that does not fit every further value is empty, and failed() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::store {

class ByteWriter {
 public:
  void number(std::uint64_t value);
  void integer(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void text(std::string_view value);

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::int64_t integer() { return static_cast<std::int64_t>(number()); }
  std::string text();
  /// How many items follow. Each takes 8 bytes or more, so that a damaged count cannot ask for more than there is.
  std::size_t count();
  /// A number below `end`, for enumerators and flags.
  std::uint64_t number_below(std::uint64_t end);

  bool failed() const { return failed_; }
  /// Everything was read, and nothing failed.
  bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::uint64_t fail();

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace tilewright::store
