// Names in the text: those of the program where they can stand, and fresh ones for what has none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tilewright::emit_msl {

class NameTable {
 public:
  /// `wanted` itself, made an identifier, or with a number behind it when it is a word of Metal or taken.
  std::string fresh(std::string_view wanted);
  bool is_free(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int, std::less<>> last_number_;
};

/// Whether Metal, its library or the functions of emit/msl/library.h use the word.
bool is_reserved(std::string_view name);

}  // namespace tilewright::emit_msl
