#include "realize/refusal.h"

#include <fmt/format.h>

namespace tilewright::realize {

std::string numbers_text(std::span<const NamedNumber> numbers) {
  std::string text;
  for (const NamedNumber& number : numbers)
    text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", number.name, number.value);
  return numbers.empty() ? text : text + ")";
}

std::string refusal_text(const Refusal& refusal) { return fmt::format("{}: {}", refusal.code, refusal.reason); }

}  // namespace tilewright::realize
