#include "support/counted.h"

namespace tilewright {

std::string counted(std::uint64_t number, std::string_view noun, std::string_view plural) {
  std::string text = std::to_string(number) + " ";
  if (number == 1) return text.append(noun);
  return plural.empty() ? text.append(noun).append("s") : text.append(plural);
}

}  // namespace tilewright
