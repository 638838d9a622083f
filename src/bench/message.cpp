#include "bench/message.h"

namespace tilewright::bench {

std::string encode_message(const Fields& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += '\t';
    for (const char c : fields[i]) {
      if (c == '\\')
        line += "\\\\";
      else if (c == '\t')
        line += "\\t";
      else if (c == '\n')
        line += "\\n";
      else
        line += c;
    }
  }
  return line + "\n";
}

Fields decode_message(std::string_view line) {
  Fields fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.emplace_back();
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      fields.back() += line[i] == 't' ? '\t' : line[i] == 'n' ? '\n' : line[i];
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

}  // namespace tilewright::bench
