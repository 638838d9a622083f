// Every program of programs/: which launches are row reductions, and with which sweeps.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "realize_rows/row_cases.h"
#include "tile/parser.h"

namespace tilewright::realize {
namespace {

tile::Program sized(const std::string& name, const Numbers& params = {}) {
  const std::string text = rows_library_text(name);
  const auto family = tile::parse_program(text, name);
  const Numbers sizes = {{"N", 17}, {"C", 257}, {"causal", 0}};
  Numbers numbers = params;
  for (const tile::Symbol& symbol : family->symbols())
    numbers.emplace(symbol.name, sizes.contains(symbol.name) ? sizes.at(symbol.name) : 8);
  return rows_program(text, numbers);
}

/// One line a launch: its sweeps, or why there are none.
std::string launches_of(const tile::Program& program, const proof::Assumptions& assumptions = apart()) {
  const proof::Subject subject = proof::make_subject(program, assumptions);
  std::string text;
  for (std::uint32_t launch = 0; launch < subject.walk.launches.size(); ++launch) {
    const RowReductionFacts facts = row_reduction_facts(subject, launch);
    const auto* refusal = std::get_if<Refusal>(&facts);
    text += (launch == 0 ? "" : "; ") +
            (refusal != nullptr ? std::string(refusal->code) : sweeps_of(std::get<RowReductionWorkload>(facts)));
  }
  return text;
}

TEST(RowCorpus, LaunchesOfTheLibrary) {
  const std::map<std::string, std::string> expected = {
      {"attention", "matrix_product"},
      {"batched_gemm", "matrix_product"},
      {"conv2d", "matrix_product"},
      {"cross_entropy", "fold 1x128/128*4@3, fold 1x128/128*4@3, store 4r"},
      {"gemm", "matrix_product"},
      {"gemm_alpha_beta", "matrix_product"},
      {"gemm_bias_gelu", "matrix_product"},
      {"gemm_bias_relu", "matrix_product"},
      {"gemm_nt", "matrix_product"},
      {"gemm_tn", "matrix_product"},
      {"gemm_tt", "matrix_product"},
      {"layernorm", "fold 3x128/257*4, fold 3x128/257*4, store 3x128/257*4"},
      {"mlp", "matrix_product; matrix_product"},
      {"residual_layernorm", "fold 3x128/257*4, fold 3x128/257*4, store 3x128/257*4, store 3x128/257*4"},
      {"rmsnorm", "fold 3x128/257*4, store 3x128/257*4"},
      {"rope", "no_fold"},
      {"rowsum", "fold 3x128/257*4, store 4r"},
      {"softmax", "fold 1x128/128*4@3, fold 1x128/128*4@3, store 3x128/257*4"},
      {"swiglu", "no_fold"},
  };
  for (const std::string& name : rows_library_names()) {
    ASSERT_TRUE(expected.contains(name)) << name << " needs a line here";
    EXPECT_EQ(launches_of(sized(name)), expected.at(name)) << name;
  }
  EXPECT_EQ(rows_library_names().size(), expected.size());
}

TEST(RowCorpus, NoneWithoutThePromise) {
  for (const char* name : {"cross_entropy", "layernorm", "residual_layernorm", "rmsnorm", "rowsum", "softmax"}) {
    const std::string answer = launches_of(sized(name), {});
    EXPECT_TRUE(answer == "source_may_alias" || answer == "stored_twice") << name << " " << answer;
  }
}

TEST(RowCorpus, OneRowAProgram) {
  EXPECT_EQ(launches_of(sized("rowsum", {{"BR", 1}})), "fold 3x128/257, store 1r");
  EXPECT_EQ(launches_of(sized("rmsnorm", {{"BR", 1}, {"BC", 256}})), "fold 2x256/257, store 2x256/257");
  EXPECT_EQ(launches_of(sized("softmax", {{"BR", 1}, {"BC", 256}})),
            "fold 1x256/256@2, fold 1x256/256@2, store 2x256/257");
}

TEST(RowCorpus, ElementTypesChangeBytesOnly) {
  const Numbers numbers{{"N", 17}, {"C", 257}};
  const auto narrow = workload_of(rows_program(rows_library_text("rmsnorm"), numbers, {{"T", DataType::F16}}));
  EXPECT_EQ(sweeps_of(narrow), sweeps_of(workload_of(rows_program(rows_library_text("rmsnorm"), numbers))));
  ASSERT_EQ(narrow.reads.size(), 3u);
  for (const RowRead& read : narrow.reads) EXPECT_EQ(read.bytes, 2);
  EXPECT_EQ(narrow.sweeps[1].bytes, 2);
}

/// Whole words replaced.
std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out, word;
  const auto finish = [&] {
    out += names.contains(word) ? names.at(word) : word;
    word.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      finish();
      out += c;
    }
  }
  finish();
  return out;
}

TEST(RowCorpus, NamesDoNotMatter) {
  const std::map<std::string, std::string> names = {{"softmax", "zz"},
                                                    {"rmsnorm", "attention_like"},
                                                    {"layernorm", "gemm"},
                                                    {"rowsum", "q"},
                                                    {"X", "Out"},
                                                    {"Y", "In0"},
                                                    {"S", "A"},
                                                    {"gain", "w3"},
                                                    {"shift", "sum_"},
                                                    {"i", "row"},
                                                    {"s", "block"},
                                                    {"r", "c2"},
                                                    {"c", "r2"},
                                                    {"best", "total2"},
                                                    {"total", "best2"},
                                                    {"squares", "sq"},
                                                    {"N", "Columns"},
                                                    {"C", "Rows"}};
  for (const char* name : {"rowsum", "softmax", "rmsnorm", "layernorm"}) {
    const tile::Program program = rows_program(rows_library_text(name), {{"N", 17}, {"C", 257}});
    const tile::Program other = rows_program(renamed(rows_library_text(name), names), {{"Columns", 17}, {"Rows", 257}});
    EXPECT_EQ(row_workload_text(workload_of(program)), row_workload_text(workload_of(other))) << name;
  }
}

TEST(RowCorpus, OrderOfDeclarationsDoesNotMatter) {
  std::string text = rows_library_text("rmsnorm");
  const std::string input = "  in X: T[N, C]\n", output = "  out Y: T[N, C]\n";
  text.erase(text.find(input), input.size());
  text.insert(text.find(output) + output.size(), input);
  const Numbers numbers{{"N", 17}, {"C", 257}};
  EXPECT_EQ(row_workload_text(workload_of(rows_program(text, numbers))),
            row_workload_text(workload_of(rows_program(rows_library_text("rmsnorm"), numbers))));
}

}  // namespace
}  // namespace tilewright::realize
