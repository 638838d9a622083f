#include <tilewright/types.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tilewright {
namespace {

TEST(Types, NamesAreTheContract) {
  constexpr std::pair<DataType, std::string_view> kNames[] = {
      {DataType::F32, "f32"},      {DataType::F16, "f16"},       {DataType::BF16, "bf16"},     {DataType::I32, "i32"},
      {DataType::Index, "index"},  {DataType::Bool, "bool"},     {DataType::I8, "i8"},         {DataType::U8, "u8"},
      {DataType::I4Scaled, "i4s"}, {DataType::F8E4M3, "f8e4m3"}, {DataType::F8E5M2, "f8e5m2"}, {DataType::F64, "f64"},
  };
  for (const auto& [type, name] : kNames) {
    EXPECT_EQ(data_type_name(type), name);
    EXPECT_EQ(data_type_from_name(name), type);
    EXPECT_EQ(data_type_bytes(type) == 0, is_reserved(type)) << name;
  }
}

TEST(Types, OtherNamesAreNone) {
  for (std::string_view name : {"", "F32", "f3", "f322", " f32", "float"})
    EXPECT_EQ(data_type_from_name(name), std::nullopt) << name;
}

}  // namespace
}  // namespace tilewright
