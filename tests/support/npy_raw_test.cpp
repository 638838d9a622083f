#include "support/npy_raw.h"

#include <cstring>

#include <gtest/gtest.h>

#include "support/files.h"
#include "support/npy.h"
#include "temporary_folder.h"

namespace tilewright {
namespace {

std::vector<std::byte> counted(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i % 2);
  return bytes;
}

TEST(NpyRaw, EveryElementTypeSurvivesItsFile) {
  const TemporaryFolder folder;
  for (const RawElement& element : raw_elements()) {
    const std::string path = folder / (std::string(element.name) + ".npy");
    const std::vector<std::int64_t> shape{3, 5};
    const std::vector<std::byte> data = counted(15 * element.bytes);
    ASSERT_TRUE(write_raw_npy(path, element, shape, data));
    const auto read = read_raw_npy(path);
    ASSERT_TRUE(read) << render(read.error());
    EXPECT_EQ(read->element, &element);
    EXPECT_EQ(read->shape, shape);
    EXPECT_EQ(read->data, data);
  }
}

TEST(NpyRaw, TypedReadersStillRefuseWhatNoTileHas) {
  const TemporaryFolder folder;
  const std::string path = folder / "u8.npy";
  ASSERT_TRUE(write_raw_npy(path, *raw_element("u8"), std::vector<std::int64_t>{4}, counted(4)));
  const auto read = read_npy(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error()[0].code, DiagCode::NpyType);
}

TEST(NpyRaw, TextAndObjectsAreRefused) {
  const TemporaryFolder folder;
  std::string bytes = format_npy(DataType::F32, std::vector<std::int64_t>{1}, counted(4));
  bytes.replace(bytes.find("<f4"), 3, "|O8");
  const std::string path = folder / "o.npy";
  ASSERT_TRUE(write_file_atomically(path, bytes));
  const auto read = read_raw_npy(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error()[0].code, DiagCode::NpyType);
}

TEST(NpyRaw, NamesAndCodesAreUnique) {
  for (const RawElement& element : raw_elements()) {
    EXPECT_EQ(raw_element(element.name), &element);
    EXPECT_EQ(raw_element_of_code(element.code), &element);
  }
  EXPECT_EQ(raw_element("f31"), nullptr);
}

}  // namespace
}  // namespace tilewright
