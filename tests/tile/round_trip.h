// The law of the printer, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tile/parser.h"
#include "tile/printer.h"

namespace tilewright::tile {

/// Reading the printed text gives the same program, and printing that the same text.
inline ::testing::AssertionResult round_trips(const Program& program) {
  const std::string text = print_program(program);
  const Result<Program> again = parse_program(text, "printed.tile");
  if (!again) return ::testing::AssertionFailure() << "the text is refused:\n" << render(again.error()) << text;
  const std::string second = print_program(*again);
  if (second != text)
    return ::testing::AssertionFailure() << "printing again gives another text:\n" << text << "---\n" << second;
  if (*again != program) return ::testing::AssertionFailure() << "the text gives another program:\n" << text;
  return ::testing::AssertionSuccess();
}

}  // namespace tilewright::tile
