#include "store/entry_key.h"

#include <gtest/gtest.h>

#include "store/store_samples.h"

namespace tilewright::store {
namespace {

TEST(EntryKey, RoundTripAndDigest) {
  const EntryKey key = sample_key(3);
  EXPECT_EQ(EntryKey::from_bytes(key.to_bytes()), key);
  EXPECT_EQ(key.digest().size(), 64u);
  EXPECT_NE(key.digest(), sample_key(4).digest());
  EXPECT_EQ(*key.find("M"), "3");
  EXPECT_EQ(key.find("N"), nullptr);
}

TEST(EntryKey, BoundariesBetweenFieldsCount) {
  EntryKey one, other;
  one.add("ab", "c");
  other.add("a", "bc");
  EXPECT_NE(one.to_bytes(), other.to_bytes());
}

TEST(EntryKey, NoKeyFromOtherBytes) {
  const std::string bytes = sample_key().to_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(EntryKey::from_bytes(bytes.substr(0, size)));
  EXPECT_FALSE(EntryKey::from_bytes(bytes + "x"));
}

TEST(EntryKey, DifferencesAreNamed) {
  EntryKey wanted = sample_key(64), found = sample_key(128);
  wanted.add("layout", "(1, 8)");
  found.add("plan", "p");
  EXPECT_EQ(difference_text(key_differences(wanted, found)),
            "M is 64, there 128; layout is (1, 8), there absent; plan is absent, there p");
  EXPECT_TRUE(key_differences(wanted, wanted).empty());
}

TEST(EntryKey, LongValuesAreShownWhereTheyDiffer) {
  const std::string same(100, 's');
  EntryKey wanted, found;
  wanted.add("features", same + "+avx512f");
  found.add("features", same + "-avx512f");
  const std::string text = difference_text(key_differences(wanted, found));
  EXPECT_NE(text.find("+avx512f, there ..ssssss-avx512f"), std::string::npos) << text;
}

}  // namespace
}  // namespace tilewright::store
