// IEEE numbers through tensor operations: finite, 0, -0, subnormal, Inf and NaN in interior rectangles, in rectangles
// that end inside, and in empty ones (D is larger than A and B), in three element types. Class and sign of every
// element are those of the program's meaning. Each row of A and each column of B has one special number, so that every
// pair of them meets in some element, and every order of a sum has one class and one sign.
#include <array>
#include <cmath>
#include <limits>

#include "driver/element.h"
#include "driver/view_range.h"
#include "product_text.h"
#include "tensor_case.h"

namespace tilewright::mpp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr int kDepth = 19, kEdge = 45, kOut = 80;  // tiles of 32: one whole, one of 13 rows, one of none

double smallest(const std::string& type) { return type == "f16" ? 0x1p-24 : type == "bf16" ? 0x1p-133 : 0x1p-149; }

std::array<double, 9> special_numbers(const std::string& type) {
  return {1.0, 0.0, -0.0, smallest(type), -smallest(type), kInfinity, -kInfinity, kNotANumber, -2.0};
}

Product with_an_empty_edge(const char* type, const char* start, unsigned bits) {
  Product one{.m = kEdge, .n = kEdge, .k = kDepth, .rows = kOut, .columns = kOut};
  one.start = start;
  one.type = type;
  one.a_by_column = (bits & 1) != 0;
  one.b_by_column = (bits & 2) != 0;
  one.d_by_column = (bits & 4) != 0;
  return one;
}

/// `others` is what every element is that is not special: 1, or a zero.
void set_special(TensorCase& made, const std::vector<Product>& products, double others) {
  for (std::size_t at = 0; at < products.size(); ++at) {
    const Product& one = products[at];
    const std::array<double, 9> numbers = special_numbers(one.type);
    const auto element = [&](std::int64_t line, std::int64_t k, std::int64_t step) {
      return k == (line * step + 3) % kDepth ? numbers[static_cast<std::size_t>(line % 9)] : others;
    };
    set_numbers(made, "A" + std::to_string(at), [&](std::int64_t i) {
      return one.a_by_column ? element(i % kEdge, i / kEdge, 5) : element(i / kDepth, i % kDepth, 5);
    });
    set_numbers(made, "B" + std::to_string(at), [&](std::int64_t i) {
      return one.b_by_column ? element(i / kDepth, i % kDepth, 7) : element(i % kEdge, i / kEdge, 7);
    });
    // Where C and every product are -0 the sign is not promised: see below.
    const double zero = std::signbit(others) ? 0.0 : -0.0;
    if (one.loads_start())
      set_numbers(made, "C" + std::to_string(at), [&](std::int64_t i) {
        return i % 3 != 0 ? 0.0 : numbers[static_cast<std::size_t>(i / 3 % 9)] + zero;
      });
  }
}

class SpecialNumbers : public testing::TestWithParam<const char*> {};

TEST_P(SpecialNumbers, ClassAndSign) {
  const char* const type = GetParam();
  const std::vector<Product> products{with_an_empty_edge(type, "0.0", 0), with_an_empty_edge(type, "0.0", 3),
                                      with_an_empty_edge(type, "C", 4), with_an_empty_edge(type, "2.0", 2)};
  auto made = tensor_case("p set:schedules=2 set:layouts=3", program_of(products));
  ASSERT_TRUE(made);
  for (std::size_t at = 0; at < products.size(); ++at) {
    ASSERT_EQ(made->launch(at).views.size(), 2u) << at;
    EXPECT_EQ(made->launch(at).matrices[0].view, realize::ViewKind::BoundedMnk) << at;
  }
  for (const double others : {1.0, 0.0, -0.0}) {
    set_special(*made, products, others);
    expect_right(*made, std::string(type) + ", others " + std::to_string(others));
  }
}

/// The elements of a buffer, in row-major order, after a run.
std::vector<float> numbers_after_run(const TensorCase& made, const std::string& buffer) {
  const auto run = driver::run_metal(made.kernel, made.buffers.arguments());
  EXPECT_TRUE(run) << (run ? "" : render(run.error()));
  const Arguments arguments = made.buffers.arguments();
  const ArrayView& view = arguments.at(buffer);
  std::vector<float> numbers;
  driver::for_each_element(view, [&](std::int64_t, std::int64_t position) {
    const std::uint32_t bits = driver::load_bits(view.type, view.data + position * 4);
    numbers.push_back(static_cast<float>(driver::bits_to_number(view.type, bits)));
  });
  return numbers;
}

/// A sum of nothing but -0 is a zero; which one is not promised (docs/metal.md), and this is what it is here: the chain
/// of a tensor operation begins at +0; where B is empty, -1 * 0 leaves -0; where A is, 0 * 0 gives +0.
TEST(SignsOfZero, OfSumsOfNothingButNegativeZero) {
  Product one = with_an_empty_edge("f32", "-0.0", 0);
  one.k = 16;  // whole steps
  auto made = tensor_case("p set:layouts=3", program_of({one}));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->launch().views.size(), 2u);
  EXPECT_FALSE(made->launch().matrices[0].overwrites) << "overwriting would begin at +0";
  set_numbers(*made, "A0", [](std::int64_t) { return -1.0; });
  set_numbers(*made, "B0", [](std::int64_t) { return 0.0; });
  const std::vector<float> zeros = numbers_after_run(*made, "D0");
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    const std::size_t row = i / kOut, column = i % kOut;
    EXPECT_EQ(zeros[i], 0.0f) << i;
    if (row < kEdge && column < kEdge) {
      EXPECT_FALSE(std::signbit(zeros[i])) << i;
    }
    if (column >= 64) {
      EXPECT_EQ(std::signbit(zeros[i]), row < kEdge) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SpecialNumbers, testing::Values("f32", "f16", "bf16"));

}  // namespace
}  // namespace tilewright::mpp
