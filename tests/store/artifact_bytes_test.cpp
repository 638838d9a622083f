#include "store/artifact_bytes.h"

#include <gtest/gtest.h>

#include "store/byte_stream.h"
#include "store/store_samples.h"

namespace tilewright::store {
namespace {

TEST(ByteStream, ReadsWhatWasWritten) {
  ByteWriter out;
  out.number(UINT64_MAX);
  out.integer(-5);
  out.text("a text");
  out.text("");
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.number(), UINT64_MAX);
  EXPECT_EQ(in.integer(), -5);
  EXPECT_EQ(in.text(), "a text");
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.complete());
  EXPECT_EQ(in.number(), 0u);
  EXPECT_TRUE(in.failed());
}

TEST(ByteStream, CountsAndLengthsCannotExceedWhatIsThere) {
  ByteWriter out;
  out.number(UINT64_MAX);
  const std::string bytes = out.take();
  ByteReader count(bytes), text(bytes), word(bytes);
  EXPECT_EQ(count.count(), 0u);
  EXPECT_EQ(text.text(), "");
  EXPECT_EQ(word.number_below(3), 0u);
  EXPECT_TRUE(count.failed() && text.failed() && word.failed());
}

TEST(ArtifactBytes, RoundTrip) {
  const artifact::Artifact made = sample_artifact(7);
  const std::string bytes = artifact_to_bytes(made);
  const auto back = artifact_from_bytes(bytes);
  ASSERT_TRUE(back.has_value());
  // Equal artifacts give equal bytes, and every field is in the bytes.
  EXPECT_EQ(artifact_to_bytes(*back), bytes);
  EXPECT_EQ(back->code, made.code);
  EXPECT_EQ(back->bindings[1].tensor, made.bindings[1].tensor);
  EXPECT_EQ(back->launches[1].group, made.launches[1].group);
  EXPECT_EQ(back->hashes, made.hashes);
  EXPECT_EQ(back->externals, made.externals);
}

TEST(ArtifactBytes, AnyPrefixAndAnyMoreIsNothing) {
  const std::string bytes = artifact_to_bytes(sample_artifact());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(artifact_from_bytes(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(artifact_from_bytes(bytes + '\0'));
}

TEST(ArtifactBytes, DamageIsReadSafely) {
  const std::string bytes = artifact_to_bytes(sample_artifact(1, 20));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int flip : {0x01, 0x80, 0xff}) {
      std::string harmed = bytes;
      harmed[at] = static_cast<char>(harmed[at] ^ flip);
      static_cast<void>(artifact_from_bytes(harmed));
    }
}

}  // namespace
}  // namespace tilewright::store
