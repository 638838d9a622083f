// Kits as a whole: written, run on the emulator from their folder alone, and found wrong where they are.
#include "kit/kit_case.h"

#include <cstring>

#include "driver/small_programs.h"

namespace tilewright::driver {
namespace {

class Kits : public KitTest {
 protected:
  /// Changes one element of a file of numbers, the manifest included.
  template <class T>
  void poke(const std::string& name, std::size_t element, T value) {
    std::string npy = content(in_kit(name));
    const auto begin = npy.find('\n') + 1;
    ASSERT_LE(begin + (element + 1) * sizeof(T), npy.size());
    std::memcpy(npy.data() + begin + element * sizeof(T), &value, sizeof(T));
    replace(name, npy);
  }

  /// The only case that is wrong is the first, in one element.
  void expect_wrong(const std::string& buffer, const std::vector<std::int64_t>& indices, WrongKind kind) {
    const auto done = emulate();
    TW_EXPECT_VALUE(done);
    EXPECT_FALSE(done->ok());
    EXPECT_TRUE(done->cases[1].report.ok());
    const CheckReport& found = done->cases[0].report;
    EXPECT_EQ(found.wrong_elements, 1);
    ASSERT_TRUE(found.first_wrong);
    EXPECT_EQ(found.first_wrong->buffer, buffer);
    EXPECT_EQ(found.first_wrong->indices, indices);
    EXPECT_EQ(found.first_wrong->kind, kind);
  }
};

TEST_F(Kits, ARaggedGemmOfFragments) {
  TW_EXPECT_VALUE(write("gemm M=65 N=33 K=17"));
  expect_pass(2);
}

TEST_F(Kits, ARaggedGemmOfTensors) {
  const auto made = write("gemm M=65 N=33 K=17", Target::MetalMpp);
  TW_EXPECT_VALUE(made);
  EXPECT_EQ(made->kit.language_version, 400);
  expect_pass();
}

TEST_F(Kits, SeveralLaunchesWithATemporary) {
  const auto made = write("mlp N=17 D=19 H=23 C=29");
  TW_EXPECT_VALUE(made);
  EXPECT_EQ(made->kit.launches.size(), 2u);
  EXPECT_EQ(std::ranges::count(made->kit.buffers, KitRole::Temporary, &KitBuffer::role), 1);
  expect_pass();
}

TEST_F(Kits, ScalarsAreValuesOfTheManifest) {
  const auto made = write("attention B=1 Hq=2 Hkv=1 Lq=9 Lk=17 D=16 Dv=8 scale=0.25 causal=1");
  TW_EXPECT_VALUE(made);
  const auto scale = std::ranges::find(made->kit.buffers, std::string("scale"), &KitBuffer::name);
  ASSERT_NE(scale, made->kit.buffers.end());
  EXPECT_EQ(scale->role, KitRole::Scalar);
  EXPECT_EQ(scale->bits, 0x3e800000u);
  expect_pass();
  nlohmann::ordered_json json = manifest();
  json["buffers"][scale - made->kit.buffers.begin()]["bits"] = 0x3f000000;
  set_manifest(json);
  const auto done = emulate();
  TW_EXPECT_VALUE(done);
  EXPECT_FALSE(done->ok());
}

TEST_F(Kits, HalvesInViewsWithGaps) {
  const auto made = write(
      "gemm M=31 N=29 K=23 T=f16 view:A=offset:7,strides:40x1 view:B=strides:1x30 view:C=offset:2000,strides:-64x2");
  TW_EXPECT_VALUE(made);
  expect_pass();
}

TEST_F(Kits, BuffersThatAreUpdated) {
  const auto made = write_text(kAccumulate, "N=37");
  TW_EXPECT_VALUE(made);
  EXPECT_EQ(made->kit.cases[0].inputs.size(), 2u);
  EXPECT_EQ(made->kit.cases[0].expected.size(), 1u);
  expect_pass();
}

TEST_F(Kits, WholeNumbersAndTruths) {
  TW_EXPECT_VALUE(write_text(kKinds, "N=37"));
  expect_pass();
}

TEST_F(Kits, NothingToLaunch) {
  TW_EXPECT_VALUE(write("gemm M=0 N=5 K=3"));
  expect_pass();
}

TEST_F(Kits, WithoutInputsThereIsOneCase) {
  const auto made =
      write_text("program ones(N) {\n  out Y: f32[N]\n  parallel i in N {\n    Y[i] = 1.0\n  }\n}\n", "N=9");
  TW_EXPECT_VALUE(made);
  ASSERT_EQ(made->kit.cases.size(), 1u);
  EXPECT_EQ(made->kit.cases[0].contents, "no inputs");
  const auto done = emulate();
  TW_EXPECT_VALUE(done);
  EXPECT_TRUE(done->ok());
}

// ---- What is wrong is found

TEST_F(Kits, AKernelThatComputesSomethingElse) {
  TW_EXPECT_VALUE(write_text(kDouble, "M=3 N=5"));
  replace_in_text("2.0f", "2.5f");
  const auto done = emulate();
  TW_EXPECT_VALUE(done);
  EXPECT_FALSE(done->ok());
  const Diags faults = check_faults(done->cases);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].code, DiagCode::CheckFailed);
  EXPECT_NE(faults[0].notes.at(0).message.find("Y[0, 0]"), std::string::npos) << render(faults[0]);
  EXPECT_EQ(faults[0].hint, "tilewright emulate --kit " + kit());
}

TEST_F(Kits, AKernelThatLeavesItsBuffers) {
  TW_EXPECT_VALUE(write_text(kDouble, "M=3 N=5"));
  replace_in_text("Y[", "Y[1 + ");
  expect_fault(emulate(), DiagCode::EmulatorReport, {"out_of_bounds", "kernels.metal:", "the text is "});
}

TEST_F(Kits, LaunchesInAnotherOrderReadWhatNothingHasWritten) {
  TW_EXPECT_VALUE(write("mlp N=17 D=19 H=23 C=29"));
  nlohmann::ordered_json json = manifest();
  std::swap(json["launches"][0], json["launches"][1]);
  set_manifest(json);
  expect_fault(emulate(), DiagCode::EmulatorReport, {"kernel mlp_1: uninitialized_read"});
}

TEST_F(Kits, AKernelThatDoesNotCompile) {
  TW_EXPECT_VALUE(write_text(kDouble, "M=3 N=5"));
  replace_in_text("2.0f", "no_such_name");
  expect_fault(emulate(), DiagCode::KernelCompile, {"no_such_name", "kernels.metal:"});
}

TEST_F(Kits, AnotherExpectationIsFoundAtItsElement) {
  TW_EXPECT_VALUE(write_text(kDouble, "M=3 N=5"));
  poke("dyadic/1-Y.value.npy", 7, 1000.0);
  expect_wrong("Y", {1, 2}, WrongKind::Value);
  poke("dyadic/1-Y.value.npy", 7, std::numeric_limits<double>::quiet_NaN());
  expect_wrong("Y", {1, 2}, WrongKind::Class);
  poke("dyadic/1-Y.bound.npy", 7, std::numeric_limits<double>::infinity());
  const auto done = emulate();
  TW_EXPECT_VALUE(done);
  EXPECT_TRUE(done->ok());
  EXPECT_EQ(done->cases[0].report.undecided_elements, 1);
}

TEST_F(Kits, ElementsThatAreNotStoredKeepTheirPoison) {
  TW_EXPECT_VALUE(write_text(kEven, "N=8"));
  const auto done = emulate();
  TW_EXPECT_VALUE(done);
  EXPECT_TRUE(done->ok());
  EXPECT_EQ(done->cases[0].report.not_stored_elements, 8);
  poke("dyadic/1-Y.stored.npy", 4, std::uint8_t{0});
  expect_wrong("Y", {4}, WrongKind::Uninvited);
  poke("dyadic/1-Y.stored.npy", 4, std::uint8_t{1});
  poke("dyadic/1-Y.stored.npy", 5, std::uint8_t{1});
  const auto unwritten = emulate();
  TW_EXPECT_VALUE(unwritten);
  EXPECT_EQ(unwritten->cases[0].report.unwritten_elements, 1);
}

// ---- What cannot be written

TEST_F(Kits, TheFolderAppearsWholeOrNotAtAll) {
  write_file("file", "mine");
  expect_fault(write_kit(request_of_line("gemm M=3 N=4 K=5", Target::MetalSimdgroup), folder_ / "file"),
               DiagCode::KitFolder, {"it is there and no folder", "does not exist yet"});
  expect_fault(write_kit(request_of_line("gemm M=3 N=4 K=5", Target::MetalSimdgroup), folder_ / "none/kit"),
               DiagCode::KitFolder, {"nothing can be made in", "create that folder first"});
  expect_fault(write("gemm M=3 N=4 K=5 T=f64"), DiagCode::BadBinding);
  expect_fault(write("no_such_program"), DiagCode::UnknownProgram);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"file"});
  std::filesystem::create_directory(kit());
  TW_EXPECT_VALUE(write("gemm M=3 N=4 K=5"));
  const std::string before = content(in_kit(kKitManifest));
  expect_fault(write("gemm M=30 N=4 K=5"), DiagCode::KitFolder, {"it is there and not empty", "remove it"});
  EXPECT_EQ(content(in_kit(kKitManifest)), before);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"file", "kit"}));
}

TEST_F(Kits, OtherTargetsAndLargeOnesAreRefused) {
  expect_fault(write("gemm M=3 N=4 K=5", Target::Cpu), DiagCode::Unsupported, {"the target cpu has no Metal text"});
  expect_fault(write("gemm M=8192 N=8192 K=8"), DiagCode::KitTooLarge,
               {"2282749952 bytes of files", "expected at most 1073741824", "smaller sizes"});
  EXPECT_EQ(folder_.names(), std::vector<std::string>{});
}

TEST_F(Kits, TheCommandMakesItAgain) {
  const auto made = write("gemm M=9 N=4 K=5 set:noalias=true view:A=strides:1x9");
  TW_EXPECT_VALUE(made);
  EXPECT_EQ(made->kit.command, "tilewright emit gemm M=9 N=4 K=5 --view A=strides:1x9 --set noalias=true --kit kit");
  EXPECT_NE(content(in_kit("README.md")).find(made->kit.command), std::string::npos);
  const std::string first = content(in_kit(kKitManifest));
  std::filesystem::remove_all(kit());
  TW_EXPECT_VALUE(write("gemm M=9 N=4 K=5 set:noalias=true view:A=strides:1x9"));
  EXPECT_EQ(content(in_kit(kKitManifest)), first);
}

}  // namespace
}  // namespace tilewright::driver
