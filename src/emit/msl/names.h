// Names in the text: those of the program where they can stand, and fresh ones for what has none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::emit_msl {

class NameTable {
 public:
  /// `wanted` itself, made an identifier, or with a number behind it when it is a word of Metal or taken.
  std::string fresh(std::string_view wanted);
  bool is_free(std::string_view name) const;

  /// Names given after begin_scope() are free again after end_scope(). Scopes nest.
  void begin_scope() { scopes_.push_back(given_.size()); }
  void end_scope();

 private:
  struct Given {
    std::string name, base;
    int number = 0;  ///< behind the base; 0: none
  };
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int, std::less<>> last_number_;
  std::vector<Given> given_;
  std::vector<std::size_t> scopes_;
};

/// Whether Metal, its library or the functions of emit/msl/library.h use the word.
bool is_reserved(std::string_view name);

}  // namespace tilewright::emit_msl
