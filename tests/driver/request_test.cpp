// The texts of the command line: bindings, views, settings; each way to be wrong.
#include "driver/request.h"

#include <gtest/gtest.h>

#include "driver/element.h"
#include "driver/faults.h"

namespace tilewright::driver {
namespace {

constexpr const char* kFamily = R"(
program family(M, N; BM: {16, 32} = 32, T: type {f32, f16} = f32) {
  in X: T[M, N]
  in s: T = 1.0
  in n: i32 = 1
  in b: bool = true
  out Y: T[M, N]
  parallel i in M, j in N {
    Y[i, j] = X[i, j] * s
  }
}
)";

class Assignments : public testing::Test {
 protected:
  Assignments() : program_(Program::parse(kFamily)) {}

  Result<Values> resolve(std::vector<std::string> words) const { return resolve_values(*program_, words); }

  Result<Program> program_;
};

TEST_F(Assignments, EveryKind) {
  TW_EXPECT_VALUE(program_);
  const auto values = resolve({"M=4", "N=0", "BM=16", "T=f16", "s=0.5", "n=-3", "b=false"});
  TW_EXPECT_VALUE(values);
  EXPECT_EQ(values->bindings.numbers, (std::map<std::string, std::int64_t>{{"M", 4}, {"N", 0}, {"BM", 16}}));
  EXPECT_EQ(values->bindings.types, (std::map<std::string, DataType>{{"T", DataType::F16}}));
  EXPECT_EQ(values->scalars.at("s"), number_to_bits(DataType::F16, 0.5));
  EXPECT_EQ(values->scalars.at("n"), static_cast<std::uint32_t>(-3));
  EXPECT_EQ(values->scalars.at("b"), 0U);
  const Bindings full = with_defaults(*program_, resolve({"M=1", "N=1"})->bindings);
  EXPECT_EQ(full.numbers.at("BM"), 32);
  EXPECT_EQ(full.types.at("T"), DataType::F32);
}

TEST_F(Assignments, Scalars) {
  TW_EXPECT_VALUE(program_);
  for (const char* text : {"s=1", "s=1e-3", "s=inf", "s=-inf", "s=nan", "s=65504", "n=2147483647", "b=1"})
    EXPECT_TRUE(resolve({"T=f16", text}).has_value()) << text;
  for (const char* text : {"s=", "s=x", "s=1.5.2", "n=1.5", "b=yes"})
    expect_fault(resolve({"M=1", "N=1", "T=f16", text}), DiagCode::BadBinding, {"scalar", "for example"});
  expect_fault(resolve({"M=1", "N=1", "T=f16", "s=70000"}), DiagCode::BadBinding, {"range of f16", "s=inf"});
  expect_fault(resolve({"M=1", "N=1", "n=2147483648"}), DiagCode::BadBinding, {"range of i32"});
}

TEST_F(Assignments, Faults) {
  TW_EXPECT_VALUE(program_);
  expect_fault(resolve({"M"}), DiagCode::BadBinding, {"NAME=VALUE", "'M'"});
  expect_fault(resolve({"=4"}), DiagCode::BadBinding);
  expect_fault(resolve({"M=4", "M=5"}), DiagCode::BadBinding, {"given twice"});
  expect_fault(resolve({"M=four"}), DiagCode::BadBinding, {"'M' expects an integer", "'four'"});
  expect_fault(resolve({"M=4.0"}), DiagCode::BadBinding);
  expect_fault(resolve({"M=0x10"}), DiagCode::BadBinding);
  expect_fault(resolve({"M=9223372036854775808"}), DiagCode::BadBinding,
               {"at most 9223372036854775807", "9223372036854775808"});
  expect_fault(resolve({"T=float"}), DiagCode::BadBinding, {"element type", "f32, f16"});
  expect_fault(resolve({"BN=4"}), DiagCode::UnknownSymbol, {"'BN'", "did you mean 'BM'?"});
  expect_fault(resolve({"m=4"}), DiagCode::UnknownSymbol, {"did you mean 'M'?"});
  expect_fault(resolve({"X=4"}), DiagCode::UnknownSymbol, {"--in X=FILE.npy"});
}

TEST_F(Assignments, AllFaultsAtOnce) {
  TW_EXPECT_VALUE(program_);
  const auto result = resolve({"M=x", "Q=1", "T=i9"});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().size(), 4U);  // N has no value
}

TEST(View, Spelling) {
  const auto view = parse_view("A=offset:-4,strides:16x-1x0,elements:99");
  TW_EXPECT_VALUE(view);
  EXPECT_EQ(view->first, "A");
  EXPECT_EQ(view->second.offset, -4);
  EXPECT_EQ(view->second.strides, (std::vector<std::int64_t>{16, -1, 0}));
  EXPECT_EQ(view->second.elements, 99);
  EXPECT_EQ(view_text(view->second), "offset:-4,strides:16x-1x0,elements:99");
  EXPECT_EQ(parse_view("A=strides:16:1")->second.strides, (std::vector<std::int64_t>{16, 1}));
  EXPECT_EQ(parse_view("A=strides:16,1,offset:2")->second.strides, (std::vector<std::int64_t>{16, 1}));
  for (const char* text :
       {"", "A", "=offset:1", "A=", "A=offset", "A=offset:", "A=offset:x", "A=offset:1x2", "A=strides:1xx2",
        "A=elements:-1", "A=size:4", "A=offset:1,offset:2", "A=offset:1,2", "A=offset:99999999999999999999"})
    expect_fault(parse_view(text), DiagCode::BadOption, {"--view", "for example"});
}

TEST(Options, Texts) {
  EXPECT_EQ(parse_check("all"), 0);
  EXPECT_EQ(parse_check("rows:12"), 12);
  for (const char* text : {"", "rows", "rows:", "rows:0", "rows:-1", "some"})
    expect_fault(parse_check(text), DiagCode::BadOption, {"--check"});
  EXPECT_EQ(parse_target("interp"), Target::Interp);
  expect_fault(parse_target("gpu"), DiagCode::BadOption, {"'gpu'", "cpu, interp, metal-simdgroup and metal-mpp"});
  EXPECT_EQ(parse_threads("2"), 2);
  for (const char* text : {"0", "-1", "two", "100000"}) expect_fault(parse_threads(text), DiagCode::BadOption, {text});
  EXPECT_EQ(parse_named("--in", "A=a=b.npy"), (std::pair<std::string, std::string>{"A", "a=b.npy"}));
  for (const char* text : {"A", "A=", "=a.npy"}) expect_fault(parse_named("--in", text), DiagCode::BadOption, {"--in"});
}

TEST(Options, Settings) {
  RunRequest request;
  EXPECT_TRUE(apply_setting(request, "noalias=true").has_value());
  EXPECT_TRUE(request.noalias);
  EXPECT_TRUE(apply_setting(request, "noalias=false").has_value());
  EXPECT_FALSE(request.noalias);
  expect_fault(apply_setting(request, "noalias=1"), DiagCode::BadOption, {"true or false"});
  expect_fault(apply_setting(request, "noalias"), DiagCode::BadOption);
  EXPECT_TRUE(apply_setting(request, "enabled=false").has_value()) << "the planner looks at it";
  EXPECT_EQ(request.settings.size(), 1U);
  request.target = Target::Interp;
  expect_fault(apply_setting(request, "no_alias=true"), DiagCode::UnknownOption, {"did you mean 'noalias'?"});
  expect_fault(apply_setting(request, "window=2"), DiagCode::UnknownOption, {"the options are noalias"});
}

TEST(Options, TensorBindingsOfMetalMpp) {
  RunRequest request{.program = "gemm", .target = Target::MetalMpp};
  EXPECT_TRUE(apply_setting(request, "tensor_bindings=handle").has_value());
  EXPECT_EQ(request.tensor_bindings, TensorBindings::Handle);
  EXPECT_TRUE(request.settings.empty()) << "the planner does not know it";
  EXPECT_EQ(repeat_command(request, std::nullopt),
            "tilewright run gemm --target metal-mpp --set tensor_bindings=handle --check");
  EXPECT_TRUE(apply_setting(request, "tensor_bindings=inline").has_value());
  EXPECT_EQ(request.tensor_bindings, TensorBindings::Inline);
  EXPECT_EQ(repeat_command(request, std::nullopt), "tilewright run gemm --target metal-mpp --check");
  for (const char* text : {"tensor_bindings", "tensor_bindings=", "tensor_bindings=handles"})
    expect_fault(apply_setting(request, text), DiagCode::BadOption, {"--set tensor_bindings expects inline or handle"});
  for (Target target : {Target::Cpu, Target::Interp, Target::MetalSimdgroup}) {
    request.target = target;
    expect_fault(apply_setting(request, "tensor_bindings=handle"), DiagCode::Unsupported,
                 {"tensor_bindings belongs to target metal-mpp", "--target metal-mpp"});
  }
}

TEST(Options, RepeatCommand) {
  RunRequest request;
  request.program = "my programs/gemm.tile";
  request.assignments = {"M=4", "alpha=-0.5"};
  request.target = Target::Interp;
  request.threads = 2;
  request.inputs = {{"A", "it's.npy"}};
  request.views = {{"B", {std::nullopt, std::vector<std::int64_t>{0, 1}, std::nullopt}}};
  request.noalias = true;
  request.sample_rows = 8;
  EXPECT_EQ(repeat_command(request, Fill{Fill::Kind::Random, 1}),
            "tilewright run 'my programs/gemm.tile' M=4 alpha=-0.5 --target interp --view B=strides:0x1 "
            "--set noalias=true --threads 2 --in 'A=it'\\''s.npy' --fill random:1 --check=rows:8");
  EXPECT_EQ(kit_command(request, "a kit"),
            "tilewright emit 'my programs/gemm.tile' M=4 alpha=-0.5 --target interp --view B=strides:0x1 "
            "--set noalias=true --kit 'a kit'");
  EXPECT_EQ(repeat_command({.program = "gemm"}, std::nullopt), "tilewright run gemm --check");
}

}  // namespace
}  // namespace tilewright::driver
