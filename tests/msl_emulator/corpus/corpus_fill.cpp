#include "corpus_fill.h"

#include <array>
#include <cstring>
#include <utility>

#include "support/half.h"

namespace tilewright::msl_emulator::corpus {
namespace {

struct NamedElement {
  std::string_view name;
  Element element;
  std::size_t bytes;
};

constexpr std::array<NamedElement, 11> kElements{{{"f32", Element::F32, 4},
                                                  {"f16", Element::F16, 2},
                                                  {"bf16", Element::Bf16, 2},
                                                  {"i32", Element::I32, 4},
                                                  {"u32", Element::U32, 4},
                                                  {"i16", Element::I16, 2},
                                                  {"u16", Element::U16, 2},
                                                  {"i8", Element::I8, 1},
                                                  {"u8", Element::U8, 1},
                                                  {"i64", Element::I64, 8},
                                                  {"u64", Element::U64, 8}}};

double element_value(const Fill& fill, std::size_t index) {
  switch (fill.rule) {
    case Rule::Zero:
    case Rule::Uninitialized:
      return 0;
    case Rule::Iota:
      return static_cast<double>(index);
    case Rule::Value:
      return fill.values.at(0);
    case Rule::Values:
      return fill.values.at(index);
    case Rule::Mixed:
      return static_cast<double>((index * 0x9e3779b97f4a7c15u) >> 61) - 4;
  }
  return 0;
}

template <class T>
void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

void put_element(std::byte* to, Element element, double value) {
  const auto whole = [value] { return static_cast<std::int64_t>(value); };  // a NaN is for the types that have it
  switch (element) {
    case Element::F32:
      return put(to, static_cast<float>(value));
    case Element::F16:
      return put(to, f32_to_f16(static_cast<float>(value)));
    case Element::Bf16:
      return put(to, f32_to_bf16(static_cast<float>(value)));
    case Element::I32:
    case Element::U32:
      return put(to, static_cast<std::uint32_t>(whole()));
    case Element::I16:
    case Element::U16:
      return put(to, static_cast<std::uint16_t>(whole()));
    case Element::I8:
    case Element::U8:
      return put(to, static_cast<std::uint8_t>(whole()));
    case Element::I64:
    case Element::U64:
      return put(to, whole());
  }
}

}  // namespace

std::optional<Element> element_named(std::string_view word) {
  for (const NamedElement& entry : kElements) {
    if (entry.name == word) return entry.element;
  }
  return std::nullopt;
}

std::size_t element_bytes(Element element) {
  for (const NamedElement& entry : kElements) {
    if (entry.element == element) return entry.bytes;
  }
  return 1;
}

std::vector<std::byte> filled(Element element, std::size_t count, const Fill& fill) {
  const std::size_t width = element_bytes(element);
  std::vector<std::byte> bytes(count * width, std::byte{0x7f});
  if (fill.rule == Rule::Uninitialized) return bytes;
  for (std::size_t i = 0; i < count; ++i) put_element(bytes.data() + i * width, element, element_value(fill, i));
  return bytes;
}

}  // namespace tilewright::msl_emulator::corpus
