// How memory of an emulated launch is spelt on the command line.
#include "driver/emulate_options.h"

#include <cstring>

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

template <class T>
T value_at(const EmulatedBuffer& buffer, std::size_t byte) {
  T value{};
  std::memcpy(&value, buffer.data.data() + byte, sizeof value);
  return value;
}

void expect_bad(const auto& result, std::string_view mention) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, DiagCode::BadOption);
  EXPECT_NE(render(result.error()).find(mention), std::string::npos) << render(result.error());
}

TEST(EmulateOptions, Extents) {
  EXPECT_EQ(*parse_extent3("--grid", "4"), (std::array<std::uint32_t, 3>{4, 1, 1}));
  EXPECT_EQ(*parse_extent3("--grid", "4,0,2"), (std::array<std::uint32_t, 3>{4, 0, 2}));
  EXPECT_EQ(*parse_extent3("--grid", "4294967295"), (std::array<std::uint32_t, 3>{UINT32_MAX, 1, 1}));
  for (const char* text : {"", "a", "-1", "1,", "1,2,3,4", "4294967296", "1x2"})
    expect_bad(parse_extent3("--grid", text), "--grid");
}

TEST(EmulateOptions, BuffersOfAKind) {
  const auto out = parse_buffer("--buffer", "2=out:f16:3x5");
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->index, 2u);
  EXPECT_EQ(out->data.size(), 30u);
  EXPECT_FALSE(out->initialized);
  EXPECT_FALSE(out->read_only);
  EXPECT_EQ(value_at<std::uint16_t>(*out, 28), 0xffffu);
  const auto zero = parse_buffer("--buffer", "0=zero:i64:2:ro");
  ASSERT_TRUE(zero);
  EXPECT_TRUE(zero->initialized);
  EXPECT_TRUE(zero->read_only);
  EXPECT_EQ(value_at<std::int64_t>(*zero, 8), 0);
  const auto empty = parse_buffer("--buffer", "0=out:f32:0x7");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->data.empty());
}

TEST(EmulateOptions, RandomBuffersDependOnTheSeedAlone) {
  const auto a = parse_buffer("--buffer", "0=random:7:f32:100");
  const auto b = parse_buffer("--buffer", "5=random:7:f32:100");
  const auto c = parse_buffer("--buffer", "0=random:8:f32:100");
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->data, b->data);
  EXPECT_NE(a->data, c->data);
  for (std::size_t i = 0; i < 100; ++i) {
    const float value = value_at<float>(*a, 4 * i);
    EXPECT_GE(value, -1.0f);
    EXPECT_LT(value, 1.0f + 1e-6f);
  }
  const auto integers = parse_buffer("--buffer", "0=random:7:u8:1000");
  ASSERT_TRUE(integers);
  for (std::byte b8 : integers->data) EXPECT_LT(static_cast<int>(b8), 8);
}

TEST(EmulateOptions, BytesFollowEachOtherAtMultiplesOfTheirSize) {
  const auto bytes = parse_bytes("3=u8:255;i32:-7,9;f16:1.5;bf16:-2;f64:0.25;i8:-128");
  ASSERT_TRUE(bytes) << render(bytes.error());
  EXPECT_EQ(bytes->index, 3u);
  EXPECT_EQ(bytes->data.size(), 25u);
  EXPECT_EQ(value_at<std::uint8_t>(*bytes, 0), 255);
  EXPECT_EQ(value_at<std::int32_t>(*bytes, 4), -7);
  EXPECT_EQ(value_at<std::int32_t>(*bytes, 8), 9);
  EXPECT_EQ(value_at<std::uint16_t>(*bytes, 12), 0x3e00u);
  EXPECT_EQ(value_at<std::uint16_t>(*bytes, 14), 0xc000u);
  EXPECT_EQ(value_at<double>(*bytes, 16), 0.25);
  EXPECT_EQ(value_at<std::int8_t>(*bytes, 24), -128);
}

TEST(EmulateOptions, BytesKeepTheRangeOfTheirType) {
  for (const char* text :
       {"0=i8:127", "0=i8:-128", "0=u8:255", "0=u64:18446744073709551615", "0=i64:-9223372036854775808"})
    EXPECT_TRUE(parse_bytes(text)) << text;
  for (const char* text : {"0=i8:128", "0=i8:-129", "0=u8:256", "0=u8:-1", "0=u64:18446744073709551616", "0=i32:1.5",
                           "0=f32:x", "0=i32:", "0=i32"})
    expect_bad(parse_bytes(text), "--bytes");
}

TEST(EmulateOptions, WhatIsNotABuffer) {
  expect_bad(parse_buffer("--buffer", "a.npy"), "index from 0 to 30");
  expect_bad(parse_buffer("--buffer", "31=out:f32:1"), "index from 0 to 30");
  expect_bad(parse_buffer("--buffer", "0=out:f31:1"), "the types are f32");
  expect_bad(parse_buffer("--buffer", "0=out:f32"), "out:TYPE:SHAPE");
  expect_bad(parse_buffer("--buffer", "0=out:f32:3x-1"), "extents");
  expect_bad(parse_buffer("--buffer", "0=random:x:f32:1"), "seed");
  expect_bad(parse_buffer("--buffer", "0=@31"), "index after '@'");
  EXPECT_EQ(parse_buffer("--buffer", "1=@0")->same_memory_as, 0u);
  expect_bad(parse_buffer("--buffer", "0=zero:f32:4294967296x4294967296"), "4294967296");
  const auto missing = parse_buffer("--buffer", "0=/nowhere/a.npy");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].code, DiagCode::FileRead);
}

TEST(EmulateOptions, IndexedTexts) {
  EXPECT_EQ(*parse_indexed_size("--threadgroup", "1=4096"), (std::pair<std::uint32_t, std::uint64_t>{1, 4096}));
  EXPECT_EQ(*parse_indexed("--out", "2=c=d.npy"), (std::pair<std::uint32_t, std::string>{2, "c=d.npy"}));
  expect_bad(parse_indexed_size("--threadgroup", "1=x"), "INDEX=BYTES");
  expect_bad(parse_indexed("--out", "2="), "INDEX=FILE.npy");
}

}  // namespace
}  // namespace tilewright::driver
