// Every program of the standard library on both targets against the oracle: one problem a line.
//
// A line is the program and its bindings, as on the command line, with `view:NAME=...` for views and `rows:N` for
// sampled checks. Each runs with both fills, two poisons and guards, whole outputs compared within the oracle's own
// bound for each element.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "driver/run.h"

namespace tilewright::driver {
namespace {

const char* const kProblems[] = {
    // gemm: multiples, ragged, prime, 1, 0, degenerate.
    "gemm M=128 N=64 K=64",
    "gemm M=65 N=33 K=17",
    "gemm M=127 N=61 K=97",
    "gemm M=1 N=1 K=1",
    "gemm M=1 N=64 K=300",
    "gemm M=64 N=1 K=300",
    "gemm M=3 N=5 K=0",
    "gemm M=0 N=5 K=3",
    "gemm M=5 N=0 K=3",
    "gemm M=70 N=70 K=2048",
    "gemm M=33 N=34 K=35 BM=16 BN=8 BK=4",
    "gemm M=9 N=9 K=9 BM=1 BN=1 BK=1",
    "gemm M=65 N=33 K=17 T=f16",
    "gemm M=65 N=33 K=17 T=bf16",
    "gemm M=31 N=29 K=23 view:A=offset:7,strides:40x1 view:B=strides:1x30 view:C=offset:3,strides:64x2",
    "gemm M=31 N=29 K=23 view:A=strides:0x1 view:B=strides:29x0",
    "gemm M=31 N=29 K=23 view:A=strides:-23x1 view:C=strides:1x-31",
    "gemm M=31 N=29 K=23 T=f16 view:A=offset:1,strides:25x1 view:C=offset:5,strides:30x1",
    "gemm M=1 N=16 K=1 view:A=strides:99x77 view:C=strides:1000x1",
    "gemm_nt M=65 N=33 K=17",
    "gemm_nt M=64 N=1 K=32",
    "gemm_nt M=1 N=1 K=0",
    "gemm_nt M=61 N=67 K=71 T=bf16",
    "gemm_nt M=31 N=29 K=23 view:B=strides:1x29",
    "gemm_tn M=65 N=33 K=17",
    "gemm_tn M=64 N=64 K=64 T=f16",
    "gemm_tn M=31 N=29 K=23 view:A=offset:2,strides:1x23",
    "gemm_tt M=65 N=33 K=17",
    "gemm_tt M=7 N=130 K=40 T=bf16",
    "gemm_alpha_beta M=65 N=33 K=17 alpha=2 beta=3",
    "gemm_alpha_beta M=65 N=33 K=17",
    "gemm_alpha_beta M=5 N=7 K=0 beta=0.5",
    "gemm_alpha_beta M=0 N=7 K=3 beta=0.5",
    "gemm_alpha_beta M=33 N=31 K=9 T=f16 alpha=-1.5 beta=0.25",
    "gemm_alpha_beta M=33 N=31 K=9 alpha=0 beta=1 view:C=offset:4,strides:1x40",
    "batched_gemm G=3 M=33 N=65 K=17",
    "batched_gemm G=0 M=3 N=4 K=5",
    "batched_gemm G=2 M=17 N=16 K=1 view:B=strides:33x1x2",
    "batched_gemm G=5 M=9 N=16 K=16 view:A=strides:0x16x1",
    "batched_gemm G=2 M=19 N=23 K=29 T=bf16",
    "gemm_bias_gelu M=65 N=33 K=17",
    "gemm_bias_gelu M=3 N=5 K=0",
    "gemm_bias_gelu M=31 N=37 K=41 T=f16 view:bias=strides:0",
    "gemm_bias_relu M=65 N=33 K=17",
    "gemm_bias_relu M=31 N=37 K=41 T=bf16 view:bias=strides:-1",
    "mlp N=65 D=17 H=33 C=10",
    "mlp N=0 D=17 H=33 C=10",
    "mlp N=7 D=0 H=5 C=3",
    "mlp N=7 D=5 H=0 C=3",
    "mlp N=33 D=64 H=96 C=10 T=f16",
    "mlp N=17 D=19 H=23 C=29 T=bf16 view:X=strides:1x17 view:Y=offset:2,strides:31x1",
    // Row programs.
    "softmax N=9 C=300",
    "softmax N=1 C=1",
    "softmax N=5 C=0",
    "softmax N=0 C=5",
    "softmax N=7 C=127 T=f16",
    "softmax N=7 C=129 T=bf16 view:X=strides:1x7 view:Y=offset:1,strides:130x1",
    "softmax N=4 C=1000 BR=1 BC=64",
    "rmsnorm N=9 C=300",
    "rmsnorm N=3 C=1",
    "rmsnorm N=3 C=0",
    "rmsnorm N=7 C=257 T=f16",
    "rmsnorm N=7 C=257 T=bf16 eps=0.001 view:X=offset:5,strides:260x1 view:gain=strides:0",
    "layernorm N=9 C=300",
    "layernorm N=3 C=1",
    "layernorm N=0 C=7",
    "layernorm N=3 C=0",
    "layernorm N=5 C=131 T=f16",
    "layernorm N=5 C=131 T=bf16 view:X=strides:1x5",
    "residual_layernorm N=9 C=300",
    "residual_layernorm N=2 C=67 T=f16",
    "residual_layernorm N=2 C=67 T=bf16 view:H=offset:1,strides:70x1",
    "residual_layernorm N=0 C=0",
    "swiglu N=9 C=300",
    "swiglu N=1 C=1",
    "swiglu N=3 C=0",
    "swiglu N=5 C=67 T=f16",
    "swiglu N=5 C=67 T=bf16 view:gate=strides:0x1 view:up=strides:1x5",
    "rowsum N=9 C=300",
    "rowsum N=5 C=0",
    "rowsum N=0 C=5",
    "rowsum N=5 C=1031 T=f16",
    "rowsum N=5 C=1031 T=bf16 view:X=strides:1x0",
    "cross_entropy N=9 C=300",
    "cross_entropy N=9 C=7",
    "cross_entropy N=3 C=0",
    "cross_entropy N=0 C=3",
    "cross_entropy N=7 C=33 T=f16",
    "cross_entropy N=7 C=33 T=bf16 view:X=strides:40x1 view:label=strides:0 view:loss=offset:1,strides:2",
    "rope B=2 L=9 H=3 D=8",
    "rope B=1 L=1 H=1 D=2",
    "rope B=2 L=5 H=3 D=0",
    "rope B=0 L=5 H=3 D=4",
    "rope B=2 L=17 H=2 D=64 T=f16",
    "rope B=1 L=7 H=2 D=6 T=bf16 view:X=strides:0x12x6x1 view:Y=offset:3,strides:90x12x6x1",
    // Attention.
    "attention B=2 Hq=4 Hkv=2 Lq=33 Lk=40 D=16 Dv=24 scale=0.25",
    "attention B=1 Hq=2 Hkv=1 Lq=33 Lk=40 D=16 Dv=8 scale=0.25 causal=1",
    "attention B=1 Hq=1 Hkv=1 Lq=40 Lk=33 D=8 Dv=8 scale=0.5 causal=1",
    "attention B=1 Hq=1 Hkv=1 Lq=1 Lk=1 D=16 Dv=16 scale=3",
    "attention B=1 Hq=1 Hkv=1 Lq=5 Lk=0 D=4 Dv=4 scale=1",
    "attention B=1 Hq=1 Hkv=1 Lq=0 Lk=5 D=4 Dv=4 scale=1",
    "attention B=1 Hq=1 Hkv=1 Lq=3 Lk=5 D=0 Dv=4 scale=1",
    "attention B=0 Hq=1 Hkv=1 Lq=3 Lk=5 D=4 Dv=4 scale=1",
    "attention B=1 Hq=2 Hkv=2 Lq=9 Lk=17 D=96 Dv=64 scale=0.1 T=f16",
    "attention B=1 Hq=2 Hkv=1 Lq=9 Lk=17 D=24 Dv=16 scale=0.2 causal=1 T=bf16 BQ=8 BK=8",
    // Convolution.
    "conv2d N=2 H=9 W=11 C=5 F=7 R=3 S=3",
    "conv2d N=1 H=9 W=11 C=5 F=7 R=3 S=3 pad=1",
    "conv2d N=1 H=9 W=11 C=5 F=7 R=3 S=2 pad=2 stride=2",
    "conv2d N=1 H=2 W=2 C=3 F=4 R=3 S=3",
    "conv2d N=1 H=1 W=1 C=1 F=1 R=1 S=1",
    "conv2d N=0 H=5 W=5 C=3 F=4 R=3 S=3",
    "conv2d N=1 H=5 W=5 C=0 F=4 R=3 S=3",
    "conv2d N=1 H=8 W=8 C=17 F=9 R=3 S=3 pad=1 T=f16",
    "conv2d N=1 H=8 W=8 C=17 F=9 R=3 S=3 pad=1 T=bf16",
    // Sampled rows.
    "gemm M=300 N=70 K=65 rows:5",
    "mlp N=300 D=17 H=33 C=10 rows:3",
    "softmax N=300 C=70 rows:4",
    "rowsum N=90 C=7 rows:3",
    "cross_entropy N=70 C=9 rows:1",
};

struct Problem {
  const char* line;
  Target target;
};

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.line << " on " << target_name(problem.target);
}

RunRequest parse(const Problem& problem) {
  RunRequest request;
  request.target = problem.target;
  request.threads = 2;
  request.check = true;
  std::istringstream words(problem.line);
  words >> request.program;
  for (std::string word; words >> word;) {
    if (word.starts_with("view:")) {
      auto view = parse_view(word.substr(5));
      EXPECT_TRUE(view) << word;
      if (view) request.views.insert(*view);
    } else if (word.starts_with("rows:")) {
      request.sample_rows = std::stol(word.substr(5));
    } else {
      request.assignments.push_back(word);
    }
  }
  return request;
}

class Problems : public testing::TestWithParam<Problem> {};

TEST_P(Problems, AgreeWithTheOracle) {
  auto report = run_program(parse(GetParam()));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->checks.size(), 2u);
  EXPECT_TRUE(report->ok()) << render(check_faults(*report));
  EXPECT_EQ(report->totals().undecided_elements, 0);
}

std::vector<Problem> all_problems() {
  std::vector<Problem> all;
  for (Target target : {Target::Cpu, Target::Interp})
    for (const char* line : kProblems) all.push_back({line, target});
  return all;
}

std::string test_name(const testing::TestParamInfo<Problem>& info) {
  std::string name =
      std::to_string(info.index) + "_" + info.param.line + "_" + std::string(target_name(info.param.target));
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllPrograms, Problems, testing::ValuesIn(all_problems()), test_name);

TEST(ProblemsTable, CoversEveryProgramOfTheLibrary) {
  auto paths = find_programs();
  ASSERT_TRUE(paths);
  for (const std::string& path : *paths) {
    const std::string name = path.substr(path.rfind('/') + 1, path.rfind('.') - path.rfind('/') - 1);
    EXPECT_TRUE(std::any_of(std::begin(kProblems), std::end(kProblems), [&](const std::string& line) {
      return line.starts_with(name + " ");
    })) << name;
  }
}

}  // namespace
}  // namespace tilewright::driver
