// The names that an object has, and those that it wants from elsewhere.
#include <algorithm>

#include <fmt/format.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "emit/llvm/emit_internal.h"
#include "support/result.h"

namespace tilewright::emit_llvm {

namespace {

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::unexpected<Diags> unreadable(llvm::Error error) {
  return failure(DiagCode::InternalError,
                 fmt::format("the object that was made cannot be read: {}", llvm::toString(std::move(error))));
}

}  // namespace

Result<void> check_symbol_prefix(const std::string& prefix) {
  const bool digit_first = !prefix.empty() && prefix.front() >= '0' && prefix.front() <= '9';
  if (!digit_first && std::ranges::all_of(prefix, is_word)) return {};
  return failure(DiagCode::BadOption, fmt::format("'{}' cannot begin the names of functions", prefix),
                 "use letters, digits and '_', and no digit first");
}

Result<std::vector<std::string>> undefined_symbols(const std::string& object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernels"));
  if (!file) return unreadable(file.takeError());
  const bool underscore = (*file)->isMachO();
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags) return unreadable(flags.takeError());
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) == 0) continue;
    auto name = symbol.getName();
    if (!name) return unreadable(name.takeError());
    if (underscore) name->consume_front("_");
    if (!name->empty()) names.push_back(name->str());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace tilewright::emit_llvm
