// parse_program on arbitrary bytes: it returns, and what it accepts survives being printed and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/check.h"
#include "tile/parser.h"
#include "tile/printer.h"
#include "tile/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<tile::Program> program = tile::parse_program(text, "fuzz.tile");
  if (!program) {
    TW_CHECK(!program.error().empty());
    for (const Diag& diag : program.error()) TW_CHECK(!diag.message.empty());
    TW_CHECK(!render(program.error()).empty());
    return 0;
  }
  if (!tile::verify(*program)) return 0;
  const std::string printed = tile::print_program(*program);
  const Result<tile::Program> again = tile::parse_program(printed, "printed.tile");
  TW_CHECK(again && *again == *program);
  TW_CHECK(tile::print_program(*again) == printed);
  return 0;
}
