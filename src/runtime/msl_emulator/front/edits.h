// Changes of a text that keep its lines: whatever is replaced, every line break and line marker stays where it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/msl_emulator/front/tokens.h"

namespace tilewright::msl_emulator {

class Edits {
 public:
  /// The bytes [begin, end) become blanks.
  void blank(std::uint32_t begin, std::uint32_t end) { edits_.push_back({begin, end, true, {}}); }
  /// The bytes [begin, end) become `text`, which has no line break.
  void replace(std::uint32_t begin, std::uint32_t end, std::string text) {
    edits_.push_back({begin, end, false, std::move(text)});
  }

  /// An edit inside another one is dropped.
  std::string apply(const TokenText& source) const;

 private:
  struct Edit {
    std::uint32_t begin, end;
    bool is_blank;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace tilewright::msl_emulator
