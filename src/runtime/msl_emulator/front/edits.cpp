#include "runtime/msl_emulator/front/edits.h"

#include <algorithm>

#include "support/check.h"

namespace tilewright::msl_emulator {

namespace {

/// Appends the bytes [begin, end) with everything gone but line breaks and markers; `blank` keeps the columns too.
void append_emptied(std::string& out, const TokenText& source, std::uint32_t begin, std::uint32_t end, bool blank) {
  auto marker = std::lower_bound(source.tokens.begin(), source.tokens.end(), begin,
                                 [](const Token& token, std::uint32_t at) { return token.begin < at; });
  for (std::uint32_t at = begin; at < end;) {
    while (marker != source.tokens.end() && (marker->begin < at || marker->kind != TokenKind::Marker)) ++marker;
    const std::uint32_t stop = marker == source.tokens.end() ? end : std::min(end, marker->begin);
    for (; at < stop; ++at)
      if (source.text[at] == '\n' || blank) out += source.text[at] == '\n' ? '\n' : ' ';
    if (at >= end) break;
    out.append(source.text, marker->begin, marker->end - marker->begin);
    at = marker->end;
  }
}

}  // namespace

std::string Edits::apply(const TokenText& source) const {
  std::vector<const Edit*> order;
  for (const Edit& edit : edits_) order.push_back(&edit);
  std::sort(order.begin(), order.end(), [](const Edit* a, const Edit* b) {
    if (a->begin != b->begin) return a->begin < b->begin;
    if (a->end != b->end) return a->end > b->end;
    return a < b;
  });
  std::string out;
  out.reserve(source.text.size() + source.text.size() / 8);
  std::uint32_t at = 0;
  for (const Edit* edit : order) {
    if (edit->end <= at && at > 0 && edit->begin < at) continue;
    TW_CHECK(edit->begin >= at && edit->begin <= edit->end && edit->end <= source.text.size());
    out.append(source.text, at, edit->begin - at);
    if (!edit->is_blank) out += edit->text;
    append_emptied(out, source, edit->begin, edit->end, edit->is_blank);
    at = edit->end;
  }
  out.append(source.text, at, std::string::npos);
  return out;
}

}  // namespace tilewright::msl_emulator
