#include "emit/msl/library.h"

#include <algorithm>

#include "emit/msl/library_table.h"

namespace tilewright::emit_msl {

std::string_view Library::use(Function function) {
  const Definition& definition = kDefinitions[static_cast<std::size_t>(function)];
  used_.set(static_cast<std::size_t>(function));
  for (Function needed : definition.needs)
    if (needed != Function::Count) use(needed);
  return definition.name;
}

std::string Library::text() const {
  std::string text;
  for (std::size_t i = 0; i < kFunctionCount; ++i)
    if (used_.test(i)) text.append(kDefinitions[i].text);
  return text;
}

bool is_library_name(std::string_view name) {
  return std::ranges::find(kDefinitions, name, &Definition::name) != kDefinitions.end();
}

}  // namespace tilewright::emit_msl
