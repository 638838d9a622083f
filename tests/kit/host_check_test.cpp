// kit/check.h, the comparison that runs on a Mac, against the one that runs here.
#include <kit/check.h>

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "case_count.h"
#include "driver/check_tally.h"
#include "driver/faults.h"

namespace tilewright::driver {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kGuardBytes = 64;

bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(HostCheck, ElementsAreTheSameNumbers) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    ASSERT_TRUE(same_number(kit::number_of(kit::Type::F16, bits), bits_to_number(DataType::F16, bits))) << bits;
    ASSERT_TRUE(same_number(kit::number_of(kit::Type::BF16, bits), bits_to_number(DataType::BF16, bits))) << bits;
    const std::uint32_t word = bits * 65537 + 11;
    ASSERT_TRUE(same_number(kit::number_of(kit::Type::F32, word), bits_to_number(DataType::F32, word))) << word;
    ASSERT_TRUE(same_number(kit::number_of(kit::Type::I32, word), bits_to_number(DataType::I32, word))) << word;
  }
  EXPECT_EQ(kit::number_of(kit::Type::Bool, 1), 1);
}

TEST(HostCheck, VerdictsOnNumbersAreTheSame) {
  const auto kind_of = [](tile::Agreement agreement) {
    switch (agreement) {
      case tile::Agreement::Within:
        return kit::Kind::Right;
      case tile::Agreement::TooFar:
        return kit::Kind::Value;
      case tile::Agreement::WrongClass:
        return kit::Kind::Class;
      case tile::Agreement::WrongSign:
        break;
    }
    return kit::Kind::Sign;
  };
  const double numbers[] = {0.0, -0.0, 1.0, -1.0, 1.5, 1e-40, 1e30, kInf, -kInf, kNan};
  for (double found : numbers)
    for (double expected : numbers)
      for (double bound : {0.0, 1e-45, 0.5, 1e31, kInf})
        EXPECT_EQ(kit::judge(found, expected, bound), kind_of(tile::agree(found, expected, bound)))
            << found << " " << expected << " " << bound;
}

TEST(HostCheck, TheMedianLiesBetween) {
  const kit::Spread spread = kit::spread_of({5, 1, 9, 2, 3});
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 9);
}

// ---- Whole buffers

/// A buffer for both sides, and what a run does to it.
class RandomBuffer {
 public:
  explicit RandomBuffer(std::uint32_t seed) : random_(seed) {
    const kit::Role roles[] = {kit::Role::Input, kit::Role::Output, kit::Role::InOut};
    const std::pair<kit::Type, DataType> types[] = {{kit::Type::F32, DataType::F32},
                                                    {kit::Type::F16, DataType::F16},
                                                    {kit::Type::BF16, DataType::BF16},
                                                    {kit::Type::I32, DataType::I32}};
    host.name = "C";
    host.role = roles[below(3)];
    std::tie(host.type, type) = types[below(4)];
    const std::size_t rank = below(4);
    std::int64_t stride = 1 + below(2), low = 0, high = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      host.extents.push_back(1 + below(4));
      host.strides.push_back(below(3) == 0 ? -stride : stride);
      const std::int64_t reach = host.strides.back() * (host.extents.back() - 1);
      (reach < 0 ? low : high) += reach;
      stride = stride * host.extents.back() + below(3);
      points *= host.extents.back();
    }
    host.offset = -low + below(3);
    host.elements = host.offset + high + 1 + below(3);
    view = {type, nullptr, host.elements, host.offset, host.extents, host.strides};
    for (std::int64_t i = 0; i < points; ++i) {
      exact.value.push_back(some_number());
      exact.bound.push_back(below(4) == 0 ? 0 : below(8) == 0 ? kInf : 0.01);
      exact.written.push_back(below(4) == 0 ? 0 : 1);
    }
  }

  /// What a run stores: element of the buffer, bits.
  std::map<std::int64_t, std::uint32_t> some_stores(std::int64_t faults) {
    std::map<std::int64_t, std::uint32_t> stores;
    if (host.is_compared())
      kit::for_each_element(host, [&](std::int64_t ordinal, std::int64_t position) {
        const auto i = static_cast<std::size_t>(ordinal);
        if (exact.written[i] != 0) stores[position] = number_to_bits(type, exact.value[i]);
      });
    for (; faults > 0; --faults) {
      const std::int64_t position = below(static_cast<std::uint32_t>(host.elements));
      if (below(3) == 0)
        stores.erase(position);
      else
        stores[position] = number_to_bits(type, some_number());
    }
    return stores;
  }

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  double some_number() {
    if (type == DataType::I32) return static_cast<double>(below(9)) - 4;
    const double numbers[] = {0.0, -0.0, 0.5, -2, 3, 3.0078125, 3.25, kInf, -kInf, kNan};
    return numbers[below(10)];
  }

  kit::Buffer host;
  DataType type{};
  ArrayView view;
  std::int64_t points = 1;
  tile::ExactOutput exact;

 private:
  std::mt19937 random_;
};

/// Both sides see the same stores; every count agrees.
void expect_same_verdict(std::uint32_t seed) {
  SCOPED_TRACE(seed);
  RandomBuffer buffer(seed);
  const bool has_contents = buffer.host.has_contents();
  const std::int64_t size = kit::type_bytes(buffer.host.type);
  std::vector<std::uint8_t> contents;
  for (std::int64_t i = 0; i < buffer.points * size; ++i)
    contents.push_back(static_cast<std::uint8_t>(buffer.below(60)));
  auto memory = GuardedBuffer::make(buffer.type, buffer.host.elements);
  TW_EXPECT_VALUE(memory);
  buffer.view.data = memory->data();
  kit::for_each_element(buffer.host, [&](std::int64_t ordinal, std::int64_t position) {
    std::memcpy(memory->data() + position * size, contents.data() + ordinal * size, static_cast<std::size_t>(size));
  });

  const kit::Expected expected{buffer.exact.value.data(), buffer.exact.bound.data(), buffer.exact.written.data()};
  std::vector<std::int64_t> rows(static_cast<std::size_t>(checked_row_count(buffer.host.extents)));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  CheckTally tally;
  if (buffer.host.is_compared())
    tally.add_output("C", buffer.view, has_contents, buffer.exact, rows);
  else
    tally.add_input("C");
  kit::Verdict verdict;
  const auto stores = buffer.some_stores(buffer.below(4));
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    auto copy = PoisonedCopy::make(buffer.view, poison, has_contents);
    TW_EXPECT_VALUE(copy);
    const kit::Image image =
        kit::make_image(buffer.host, contents.data(), poison_bits(buffer.type, poison), kGuardBytes);
    EXPECT_EQ(image.poison, copy->poison_bits());
    std::vector<std::uint8_t> after = image.bytes;
    for (const auto& [position, bits] : stores) {
      store_bits(buffer.type, copy->view().data + position * size, bits);
      kit::store_bits(buffer.host.type, after.data() + kGuardBytes + position * size, bits);
    }
    tally.inspect(0, *copy, poison);
    verdict.add(buffer.host, expected, image, after, kGuardBytes, poison == Poison::Nan ? 0 : 1);
  }
  verdict.finish(buffer.host, expected);
  const CheckReport report = tally.report();
  EXPECT_EQ(verdict.ok(), report.ok());
  EXPECT_EQ(verdict.wrong(), report.wrong_elements + report.unwritten_elements);
  EXPECT_EQ(verdict.outside() > 0, report.out_of_bounds_writes + report.changed_inputs > 0);
  EXPECT_EQ(verdict.largest_error(), report.max_abs_error);
  EXPECT_EQ(verdict.first_wrong().empty(), !report.first_wrong);
  if (!report.first_wrong) return;
  std::string place = "C";
  for (std::size_t d = 0; d < buffer.host.extents.size(); ++d)
    place += (d == 0 ? "[" : ", ") + std::to_string(report.first_wrong->indices[d]);
  if (!buffer.host.extents.empty()) place += "]";
  EXPECT_TRUE(verdict.first_wrong().starts_with(place)) << verdict.first_wrong() << " at " << place;
  EXPECT_EQ(verdict.first_wrong().find("was never written") != std::string::npos,
            report.first_wrong->kind == WrongKind::Unwritten);
}

TEST(HostCheck, VerdictsOnBuffersAreTheSame) {
  for (int seed = 0; seed < case_count(4000); ++seed) {
    expect_same_verdict(static_cast<std::uint32_t>(seed));
    if (testing::Test::HasFailure()) return;
  }
}

/// A byte of a guard, which no element is.
TEST(HostCheck, GuardsAndTemporaries) {
  for (const kit::Role role : {kit::Role::Temporary, kit::Role::Scalar, kit::Role::Output}) {
    kit::Buffer buffer;
    buffer.role = role;
    buffer.extents = {1};
    buffer.strides = {1};
    buffer.elements = 1;
    buffer.bits = 0x3f800000;
    const double value = 1, bound = 0;
    const std::uint8_t stored = 1;
    const kit::Image image = kit::make_image(buffer, nullptr, 0x7fc5a5a5, kGuardBytes);
    EXPECT_EQ(image.bytes.size(), 4u + 2 * kGuardBytes);
    EXPECT_EQ(kit::load_bits(kit::Type::F32, image.bytes.data() + kGuardBytes),
              role == kit::Role::Scalar ? 0x3f800000u : 0x7fc5a5a5u);
    for (const std::size_t place : {kGuardBytes - 1, kGuardBytes, kGuardBytes + 4}) {
      std::vector<std::uint8_t> after = image.bytes;
      kit::store_bits(kit::Type::F32, after.data() + kGuardBytes, 0x3f800000);
      after[place] ^= 0xff;
      kit::Verdict verdict;
      verdict.add(buffer, {&value, &bound, &stored}, image, after, kGuardBytes, 0);
      verdict.finish(buffer, {&value, &bound, &stored});
      const bool own = place == static_cast<std::size_t>(kGuardBytes);
      EXPECT_EQ(verdict.ok(), own && role == kit::Role::Temporary) << place;
      EXPECT_EQ(verdict.outside() > 0, !own || role == kit::Role::Scalar) << place;
    }
  }
}

}  // namespace
}  // namespace tilewright::driver
