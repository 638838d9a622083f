#include "driver/fill.h"

#include <random>

#include "driver/element.h"
#include "driver/view_range.h"
#include "support/number_text.h"

namespace tilewright::driver {

namespace {

constexpr std::string_view kRandomPrefix = "random:";
constexpr std::int64_t kSmallIntegers = 8;

std::uint32_t dyadic_bits(DataType type, std::int64_t ordinal, std::int64_t step) {
  if (type == DataType::I32) return static_cast<std::uint32_t>(ordinal % kSmallIntegers);
  // The ordinal is reduced first: the product must not overflow on views of 2^60 points.
  const std::int64_t phase = ((ordinal % 127) * step + 17) % 127;
  if (type == DataType::Bool) return static_cast<std::uint32_t>(phase % 2);
  return number_to_bits(type, static_cast<double>(phase - 63) / 64.0);
}

std::uint32_t random_bits(DataType type, std::uint64_t word) {
  if (type == DataType::I32) return static_cast<std::uint32_t>(word >> 61);
  if (type == DataType::Bool) return static_cast<std::uint32_t>(word >> 63);
  return number_to_bits(type, static_cast<double>(word >> 11) * 0x1p-52 - 1.0);
}

}  // namespace

Result<Fill> parse_fill(std::string_view text) {
  if (text == "dyadic") return Fill{};
  if (text.starts_with(kRandomPrefix)) {
    const auto seed = parse_uint64(text.substr(kRandomPrefix.size()));
    if (seed) return Fill{Fill::Kind::Random, *seed};
  }
  return failure(
      DiagCode::BadOption,
      "--fill expects dyadic or random:SEED with a seed of at most 64 bits, found '" + std::string(text) + "'",
      "for example --fill random:1");
}

std::string fill_text(const Fill& fill) {
  return fill.kind == Fill::Kind::Dyadic ? "dyadic" : std::string(kRandomPrefix) + std::to_string(fill.seed);
}

void fill_view(const ArrayView& view, const Fill& fill, int input) {
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
  const std::int64_t step = 5 + 6 * static_cast<std::int64_t>(input);
  std::mt19937_64 generator(fill.seed * 1'000'003 + static_cast<std::uint64_t>(input));
  for_each_element(without_repeats(view), [&](std::int64_t ordinal, std::int64_t position) {
    const std::uint32_t bits =
        fill.kind == Fill::Kind::Dyadic ? dyadic_bits(view.type, ordinal, step) : random_bits(view.type, generator());
    store_bits(view.type, view.data + position * bytes, bits);
  });
}

std::uint32_t unset_scalar_bits(DataType type) {
  return number_to_bits(type, type == DataType::I32 || type == DataType::Bool ? 1.0 : 1.5);
}

}  // namespace tilewright::driver
