// A program written in C++ is the one that the .tile file of its name says: equal, and equal in print.
#include <gtest/gtest.h>

#include <examples/programs.h>
#include "frontend/draft_tests.h"
#include "support/files.h"
#include "tile/parser.h"

namespace tilewright {
namespace {

void expect_twins(const std::string& name, const char* comment, void (*write)(dsl::Draft&)) {
  const std::string path = std::string(TILEWRIGHT_SOURCE_DIR) + "/programs/" + name + ".tile";
  auto text = read_file(path);
  ASSERT_TRUE(text) << render(text.error());
  auto parsed = tile::parse_program(*text, name);
  ASSERT_TRUE(parsed) << render(parsed.error());
  dsl::Draft draft(name, comment);
  write(draft);
  auto captured = verified(draft);
  ASSERT_TRUE(captured) << render(captured.error());
  EXPECT_EQ(tile::print_program(*captured), tile::print_program(*parsed));
  EXPECT_TRUE(*captured == *parsed);
}

TEST(Twins, Gemm) { expect_twins("gemm", examples::kGemmComment, examples::write_gemm); }
TEST(Twins, Softmax) { expect_twins("softmax", examples::kSoftmaxComment, examples::write_softmax); }
TEST(Twins, Attention) { expect_twins("attention", examples::kAttentionComment, examples::write_attention); }

}  // namespace
}  // namespace tilewright
