// Buffers between guards, poison, fills and owned arrays.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <tilewright/host_array.h>

#include "driver/element.h"
#include "driver/faults.h"
#include "driver/fill.h"
#include "driver/guarded_buffer.h"
#include "driver/host_memory.h"
#include "driver/poisoned_copy.h"
#include "support/temporary_folder.h"

namespace tilewright::driver {
namespace {

TEST(GuardedBuffer, SeesWritesOnBothSides) {
  for (std::int64_t elements : {0, 1, 3, 1024, 5000}) {
    const auto buffer = GuardedBuffer::make(DataType::F16, elements);
    TW_EXPECT_VALUE(buffer);
    EXPECT_EQ(buffer->harmed_guard_bytes(), 0);
    for (std::int64_t i = 0; i < elements * 2; ++i) EXPECT_EQ(buffer->data()[i], std::byte{0});
    buffer->data()[-1] ^= std::byte{1};
    EXPECT_EQ(buffer->harmed_guard_bytes(), 1);
    buffer->data()[elements * 2] ^= std::byte{1};
    buffer->data()[elements * 2 + 4095] ^= std::byte{1};
    EXPECT_EQ(buffer->harmed_guard_bytes(), 3);
  }
}

TEST(GuardedBuffer, MayBeFarLargerThanMemory) {
  const std::int64_t elements = std::int64_t{1} << 38;  // 1 TiB of f32
  const auto buffer = GuardedBuffer::make(DataType::F32, elements);
  TW_EXPECT_VALUE(buffer);
  store_bits(DataType::F32, buffer->data() + (elements - 1) * 4, 7);
  EXPECT_EQ(load_bits(DataType::F32, buffer->data() + (elements - 1) * 4), 7U);
  EXPECT_EQ(buffer->harmed_guard_bytes(), 0);
}

TEST(GuardedBuffer, SaysHowMuchItCouldNotGet) {
  expect_fault(GuardedBuffer::make(DataType::F32, std::int64_t{1} << 61), DiagCode::OutOfMemory,
               {"9223372036854775808 bytes"});
  expect_fault(GuardedBuffer::make(DataType::F32, std::int64_t{1} << 55), DiagCode::OutOfMemory,
               {"144115188075855872 bytes"});
}

TEST(HostMemory, RefusesWithTheTrueSize) {
  ASSERT_TRUE(available_memory_bytes());
  EXPECT_TRUE(expect_memory(1, "a test"));
  const auto wide = static_cast<__uint128_t>(1) << 70;
  expect_fault(expect_memory(wide, "a test"), DiagCode::OutOfMemory,
               {"a test needs 1180591620717411303424 bytes", "bytes available"});
}

TEST(Element, PoisonIsToldApartFromArithmetic) {
  for (DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
    EXPECT_TRUE(std::isnan(bits_to_number(type, poison_bits(type, Poison::Nan))));
    EXPECT_NE(poison_bits(type, Poison::Nan), number_to_bits(type, std::nan("")));
    EXPECT_NE(poison_bits(type, Poison::Nan), number_to_bits(type, -std::nan("")));
    EXPECT_GT(bits_to_number(type, poison_bits(type, Poison::Large)), 6e4);
    EXPECT_TRUE(std::isfinite(bits_to_number(type, poison_bits(type, Poison::Large))));
  }
  EXPECT_EQ(bits_to_number(DataType::F32, poison_bits(DataType::F32, Poison::Large)), 1e30F);
  EXPECT_GT(poison_bits(DataType::Bool, Poison::Nan), 1U);
}

TEST(Element, RoundTripsThroughNumbers) {
  for (double number : {0.0, -0.0, 1.5, -3.0}) {
    for (DataType type : {DataType::F32, DataType::F16, DataType::BF16})
      EXPECT_EQ(bits_to_number(type, number_to_bits(type, number)), number);
  }
  EXPECT_EQ(bits_to_number(DataType::I32, number_to_bits(DataType::I32, -7)), -7);
  EXPECT_EQ(bits_to_number(DataType::Bool, number_to_bits(DataType::Bool, 1)), 1);
}

TEST(PoisonedCopy, PoisonsWhatIsNotContents) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5, 6, 7};
  const ArrayView view{DataType::F32, reinterpret_cast<std::byte*>(memory.data()), 8, 1, {2, 2}, {4, 1}};
  auto copy = PoisonedCopy::make(view, Poison::Large, true);
  TW_EXPECT_VALUE(copy);
  const float poison = std::bit_cast<float>(poison_bits(DataType::F32, Poison::Large) ^ 1U);
  const auto* values = reinterpret_cast<const float*>(copy->view().data);
  EXPECT_EQ(std::vector<float>(values, values + 8), (std::vector<float>{poison, 1, 2, poison, poison, 5, 6, poison}));
  EXPECT_EQ(copy->changed_elements(), 0);
  reinterpret_cast<float*>(copy->view().data)[5] = 9;
  reinterpret_cast<float*>(copy->view().data)[4] = 9;
  EXPECT_EQ(copy->changed_elements(), 1);
  EXPECT_EQ(copy->count_outside_writes(), 1);
}

std::vector<double> filled(DataType type, const Fill& fill, int input, std::int64_t count) {
  std::vector<std::byte> memory(static_cast<std::size_t>(count) * data_type_bytes(type));
  fill_view({type, memory.data(), count, 0, {count}, {1}}, fill, input);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(
        bits_to_number(type, load_bits(type, memory.data() + i * static_cast<std::int64_t>(data_type_bytes(type)))));
  return numbers;
}

TEST(Fill, DyadicIsThePublishedPattern) {
  for (int input : {0, 1, 2}) {
    const std::int64_t step = std::vector<std::int64_t>{5, 11, 17}[static_cast<std::size_t>(input)];
    for (DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
      const std::vector<double> numbers = filled(type, {}, input, 300);
      for (std::int64_t i = 0; i < 300; ++i)
        EXPECT_EQ(numbers[static_cast<std::size_t>(i)], static_cast<double>((i * step + 17) % 127 - 63) / 64);
    }
  }
  EXPECT_EQ(filled(DataType::I32, {}, 0, 10), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1}));
}

TEST(Fill, RandomIsRepeatableAndNotDyadic) {
  const Fill one{Fill::Kind::Random, 1}, two{Fill::Kind::Random, 2};
  const std::vector<double> numbers = filled(DataType::F32, one, 0, 1000);
  EXPECT_EQ(numbers, filled(DataType::F32, one, 0, 1000));
  EXPECT_NE(numbers, filled(DataType::F32, two, 0, 1000));
  EXPECT_NE(numbers, filled(DataType::F32, one, 1, 1000));
  int dyadic = 0;
  double sum = 0;
  for (double number : numbers) {
    EXPECT_GE(number, -1);
    EXPECT_LE(number, 1);
    sum += number;
    dyadic += std::floor(number * 4096) == number * 4096 ? 1 : 0;
  }
  EXPECT_LT(dyadic, 10);
  EXPECT_LT(std::abs(sum), 100);
  for (double number : filled(DataType::I32, one, 0, 100)) EXPECT_TRUE(number >= 0 && number < 8);
  const std::vector<double> truths = filled(DataType::Bool, one, 0, 100);
  EXPECT_EQ(std::set<double>(truths.begin(), truths.end()), (std::set<double>{0, 1}));
}

TEST(Fill, BelongsToThePointAndNotToThePlace) {
  std::vector<float> row(6), column(6);
  const auto bytes = [](std::vector<float>& values) { return reinterpret_cast<std::byte*>(values.data()); };
  for (const Fill& fill : {Fill{}, Fill{Fill::Kind::Random, 3}}) {
    fill_view({DataType::F32, bytes(row), 6, 0, {2, 3}, {3, 1}}, fill, 0);
    fill_view({DataType::F32, bytes(column), 6, 0, {2, 3}, {1, 2}}, fill, 0);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(row[3 * i + j], column[i + 2 * j]);
  }
}

TEST(Fill, Text) {
  EXPECT_EQ(parse_fill("dyadic"), Fill{});
  EXPECT_EQ(parse_fill("random:18446744073709551615"), (Fill{Fill::Kind::Random, UINT64_MAX}));
  EXPECT_EQ(fill_text({Fill::Kind::Random, 7}), "random:7");
  for (const char* text : {"", "random", "random:", "random:-1", "random:x", "Dyadic", "random:18446744073709551616"})
    expect_fault(parse_fill(text), DiagCode::BadOption, {"--fill", text});
}

TEST(HostArray, OwnsZerosAndTalksToFiles) {
  auto array = HostArray::make(DataType::F32, {2, 3});
  TW_EXPECT_VALUE(array);
  EXPECT_EQ(array->elements(), 6);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array->data()) % 64, 0U);
  for (float value : array->values<float>()) EXPECT_EQ(value, 0);
  array->values<float>()[4] = 2.5F;
  const TemporaryFolder folder;
  TW_EXPECT_VALUE(array->write_npy(folder / "a.npy"));
  const auto again = HostArray::read_npy(folder / "a.npy", DataType::F32);
  TW_EXPECT_VALUE(again);
  EXPECT_EQ(again->extents(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(again->values<float>()[4], 2.5F);
  expect_fault(HostArray::read_npy(folder / "a.npy", DataType::I32), DiagCode::NpyType);
  expect_fault(HostArray::read_npy(folder / "none.npy"), DiagCode::FileRead, {"none.npy"});
}

TEST(HostArray, RefusesWhatCannotBe) {
  expect_fault(HostArray::make(DataType::F32, {-1}), DiagCode::NegativeSize, {"-1"});
  expect_fault(HostArray::make(DataType::Index, {1}), DiagCode::BadOption, {"index"});
  expect_fault(HostArray::make(DataType::F32, {std::int64_t{1} << 40, std::int64_t{1} << 40}), DiagCode::SizeOverflow);
  EXPECT_TRUE(HostArray::make(DataType::F32, {0, std::int64_t{1} << 40}).has_value());
}

}  // namespace
}  // namespace tilewright::driver
