#include "support/npy_raw.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr RawElement kRawElements[] = {
    {"f32", "f4", 4}, {"f16", "f2", 2}, {"bf16", "V2", 2}, {"f64", "f8", 8}, {"i8", "i1", 1},
    {"u8", "u1", 1},  {"i16", "i2", 2}, {"u16", "u2", 2},  {"i32", "i4", 4}, {"u32", "u4", 4},
    {"i64", "i8", 8}, {"u64", "u8", 8}, {"bool", "b1", 1},
};

const RawElement* found(const RawElement* at) { return at == std::end(kRawElements) ? nullptr : at; }

}  // namespace

std::span<const RawElement> raw_elements() { return kRawElements; }

const RawElement* raw_element(std::string_view name) {
  return found(std::ranges::find(kRawElements, name, &RawElement::name));
}

const RawElement* raw_element_of_code(std::string_view code) {
  return found(std::ranges::find(kRawElements, code, &RawElement::code));
}

}  // namespace tilewright
