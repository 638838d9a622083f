#include "support/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tilewright {
namespace {

TEST(Hash, AgreesWithThePublishedFunction) {
  EXPECT_EQ(hash128(""), (Hash128{0, 0}));
  EXPECT_EQ(hash128("a"), (Hash128{9607679276477937801u, 16624257681780017498u}));
  EXPECT_EQ(hash128("abc"), (Hash128{13012657714217449575u, 4297124817637354834u}));
  EXPECT_EQ(hash128("0123456789abcde"), (Hash128{11974462240020439889u, 5750240258219592944u}));
  EXPECT_EQ(hash128("0123456789abcdef"), (Hash128{5467490433528156583u, 9782763267945859290u}));
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  EXPECT_EQ(hash128(every_byte), (Hash128{2060892794568774329u, 8130694422178614302u}));
}

TEST(Hash, TextReadsBack) {
  const Hash128 hash = hash128("The quick brown fox jumps over the lazy dog");
  EXPECT_EQ(hash_text(hash), "e34bbc7bbc071b6c7a433ca9c49a9347");
  EXPECT_EQ(hash_from_text(hash_text(hash)), hash);
  EXPECT_EQ(hash_text({1, 0xf}), "0000000000000001000000000000000f");
  EXPECT_EQ(hash64("The quick brown fox jumps over the lazy dog"), 0xe34bbc7bbc071b6cu);
}

TEST(Hash, OtherTextsAreNone) {
  for (const std::string& text : {std::string(), std::string(31, '0'), std::string(33, '0'), std::string(31, '0') + "g",
                                  std::string(31, '0') + "A", std::string(31, '0') + "-"})
    EXPECT_EQ(hash_from_text(text), std::nullopt) << text;
}

TEST(Hash, EveryPrefixAndEveryByteCounts) {
  std::set<Hash128> seen;
  const std::string text = "a text that is longer than two blocks of sixteen bytes";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    EXPECT_TRUE(seen.insert(hash128(text.substr(0, i))).second);
    if (i == text.size()) continue;
    std::string changed = text;
    changed[i] ^= 1;
    EXPECT_TRUE(seen.insert(hash128(changed)).second);
  }
}

TEST(Hash, PartsKeepTheirBorders) {
  const auto two = [](std::string_view a, std::string_view b) {
    return HashBuilder().add_bytes(a).add_bytes(b).finish();
  };
  EXPECT_NE(two("ab", "c"), two("a", "bc"));
  EXPECT_NE(two("", "abc"), two("abc", ""));
  EXPECT_EQ(two("ab", "c"), two("ab", "c"));
  EXPECT_NE(HashBuilder().add_int(1).finish(), HashBuilder().add_int(-1).finish());
  EXPECT_NE(HashBuilder().add_int(1).add_int(2).finish(), HashBuilder().add_hash({1, 2}).finish());
}

TEST(Hash, ValuesNeverChange) {
  EXPECT_EQ(hash_text(HashBuilder().add_bytes("gemm").add_int(-7).add_hash({1, 2}).finish()),
            "e07145b2fda7c3268ff509305fd38ac3");
}

}  // namespace
}  // namespace tilewright
