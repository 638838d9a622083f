// Objects and their C headers: linked with a C program, they give what the interpreter gives.
#include <cmath>

#include "cli/run_tool.h"

namespace tilewright {
namespace {

constexpr const char* kReading = R"(
#include <stdio.h>
#include <stdlib.h>
/* The numbers of a .npy file lie at its end. */
__attribute__((unused)) static inline float *numbers(const char *path, long count) {
  float *data = (float *)aligned_alloc(64, (size_t)(count * 4 + 63) / 64 * 64);
  FILE *file = fopen(path, "rb");
  if (!data || !file || fseek(file, -count * 4, SEEK_END) != 0 || fread(data, 4, (size_t)count, file) != (size_t)count) exit(1);
  fclose(file);
  return data;
}
__attribute__((unused)) static inline void *block(long bytes) { return aligned_alloc(64, (size_t)(bytes + 127) / 64 * 64); }
__attribute__((unused)) static inline void put(const char *path, const float *data, long count) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 4, (size_t)count, file) != (size_t)count || fclose(file) != 0) exit(1);
}
)";

class ObjectTest : public ToolTest {
 protected:
  void write_numbers(const std::string& name, const std::vector<std::int64_t>& shape, unsigned seed) {
    std::int64_t count = 1;
    for (std::int64_t extent : shape) count *= extent;
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(std::sin(static_cast<float>(i) * 0.7F + static_cast<float>(seed)));
    write_floats(name, shape, values);
  }
  void build_and_run(const std::vector<std::string>& headers, const std::string& main_text, const std::string& objects,
                     const std::string& flags = "-std=c99 -Werror") {
    std::string includes;
    for (const std::string& header : headers) includes += "#include \"" + header + "\"\n";
    write_text(folder_ / "main.c", std::string("#define _ISOC11_SOURCE\n") + kReading + includes + main_text);
    const std::string command = "cd " + shell_quoted(folder_.path()) + " && " + TILEWRIGHT_C_COMPILER +
                                " -Wall -Wextra " + flags + " main.c " + objects + " -lm -o main 2>cc.err && ./main";
    EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder_ / "cc.err");
  }
  void expect_file(const std::string& raw, const std::string& npy) {
    const std::vector<float> expected = read_floats(npy);
    const std::string bytes = text_of(folder_ / raw);
    ASSERT_EQ(bytes.size(), expected.size() * 4);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      float found = 0;
      std::memcpy(&found, bytes.data() + i * 4, 4);
      ASSERT_NEAR(found, expected[i], 1e-5 * (1 + std::fabs(expected[i]))) << i;
    }
  }
};

TEST_F(ObjectTest, TwoObjectsInOneProgram) {
  write_numbers("a.npy", {37, 19}, 1);
  write_numbers("b.npy", {19, 23}, 2);
  write_numbers("x.npy", {5, 33}, 3);
  const std::vector<std::string> gemm = {"gemm", "M=37", "N=23", "K=19"}, softmax = {"softmax", "N=5", "C=33"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(
      tool(with({"run"}, with(gemm, {"--target", "interp", "--in", "A=a.npy", "--in", "B=b.npy", "--out", "C=c.npy"})))
          .status,
      0);
  ASSERT_EQ(tool(with({"run"}, with(softmax, {"--target", "interp", "--in", "X=x.npy", "--out", "Y=y.npy"}))).status,
            0);
  const ToolResult emitted = tool(with({"emit"}, with(gemm, {"--target", "cpu", "-o", "gemm-37.o", "--json"})));
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  EXPECT_EQ(emitted.json()["companions"][0], "gemm-37.h");
  EXPECT_TRUE(emitted.json()["externals"].is_array());
  ASSERT_EQ(tool(with({"emit"}, with(softmax, {"--target", "cpu", "-o", "rows.o"}))).status, 0);
  const std::string main_text = R"(
int main(void) {
  float *a = numbers("a.npy", 37 * 19), *b = numbers("b.npy", 19 * 23), *c = (float *)block(37 * 23 * 4);
  gemm_37_run(a, b, c, block(GEMM_37_WORKSPACE_BYTES));
  put("c.bin", c, 37 * 23);
  float *x = numbers("x.npy", 5 * 33), *y = (float *)block(5 * 33 * 4);
  rows_run(x, y, block(ROWS_WORKSPACE_BYTES));
  put("y.bin", y, 5 * 33);
  return 0;
}
)";
  build_and_run({"gemm-37.h", "rows.h"}, main_text, "gemm-37.o rows.o");
  expect_file("c.bin", "c.npy");
  expect_file("y.bin", "y.npy");
  const std::string header = text_of(folder_ / "rows.h");
  for (const auto& name : tool(with({"emit"}, with(softmax, {"--target", "cpu", "--json"}))).json()["externals"])
    EXPECT_NE(header.find(name.get<std::string>()), std::string::npos) << name;
  // The header is C++ too.
  build_and_run({"gemm-37.h", "rows.h"}, main_text, "-x none gemm-37.o rows.o -lstdc++",
                "-x c++ -std=c++17 -fpermissive -w");
}

TEST_F(ObjectTest, ScalarsTemporariesAndRangesOfTasks) {
  write_text(folder_ / "p.tile", R"(
program p(N) {
  in X: f32[N]
  in float: f32
  out Y: f32[N]
  temp T: f32[N]
  parallel i in N {
    T[i] = X[i] * float
  }
  parallel i in N {
    Y[i] = T[i] + 1.0
  }
}
)");
  const ToolResult emitted = tool({"emit", "p.tile", "N=7", "--target", "cpu", "-o", "p.o"});
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  build_and_run({"p.h"}, R"(
int main(void) {
  float x[7] = {0, 1, 2, 3, 4, 5, 6}, y[7], z[7], t[7], s = 3;
  p_run(x, s, y, block(P_WORKSPACE_BYTES));
  void *bindings[P_BINDINGS] = {x, &s, z, t};
  void *scratch = block(P_0_SCRATCH_BYTES + P_1_SCRATCH_BYTES);
  for (int64_t i = P_0_TASKS; i-- > 0;) p_0_p_0(bindings, i, i + 1, scratch);
  for (int64_t i = P_1_TASKS; i-- > 0;) p_1_p_1(bindings, i, i + 1, scratch);
  for (int i = 0; i < 7; ++i)
    if (y[i] != 3 * x[i] + 1 || z[i] != y[i]) return 1;
  return 0;
}
)",
                "p.o");
}

TEST_F(ObjectTest, TheHeaderNeverTakesThePlaceOfTheCode) {
  ASSERT_EQ(tool({"emit", "gemm", "M=4", "N=4", "K=4", "--target", "cpu", "-o", "9.h"}).status, 0);
  EXPECT_NE(text_of(folder_ / "9.h.h").find("tw_9_run"), std::string::npos);
  EXPECT_EQ(text_of(folder_ / "9.h").substr(1, 3), "ELF");
}

}  // namespace
}  // namespace tilewright
