// parse_npy on arbitrary bytes: it returns, and what it accepts survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "support/check.h"
#include "support/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = tilewright::parse_npy(std::as_bytes(std::span(data, size)), "fuzz.npy");
  if (!array) {
    TW_CHECK(!array.error().empty() && !tilewright::render(array.error()).empty());
    return 0;
  }
  const std::string text = tilewright::format_npy(*array);
  const auto again = tilewright::parse_npy(std::as_bytes(std::span(text)), "again.npy");
  TW_CHECK(again && *again == *array);
  TW_CHECK(tilewright::format_npy(*again) == text);
  return 0;
}
