// Damage to the files of a kit: each is an error that names the file, what was expected and what was found.
#include "kit/kit_case.h"

#include "driver/small_programs.h"
#include "support/npy_raw.h"

namespace tilewright::driver {
namespace {

class KitDamage : public KitTest {
 protected:
  void SetUp() override { TW_EXPECT_VALUE(write_text(kDouble, "M=3 N=5")); }

  template <class T>
  static std::string npy(const char* element, const std::vector<std::int64_t>& shape, const std::vector<T>& values) {
    return format_raw_npy(*raw_element(element), shape, std::as_bytes(std::span(values)));
  }
};

TEST_F(KitDamage, EveryFileIsHeldAgainstItsDigest) {
  const auto kit_value = read_manifest(content(in_kit(kKitManifest)), "kit.json");
  TW_EXPECT_VALUE(kit_value);
  EXPECT_EQ(kit_value->files.size(), 13u);
  for (const auto& [name, listed] : kit_value->files) {
    SCOPED_TRACE(name);
    const std::string whole = content(in_kit(name));
    std::string bent = whole;
    bent[bent.size() / 2] ^= 1;
    write_in_kit(name, bent);
    expect_fault(emulate(), DiagCode::KitDamaged,
                 {name.c_str(), "expected the SHA-256", sha256_text(whole).c_str(), sha256_text(bent).c_str()});
    write_in_kit(name, whole.substr(1));
    const std::string sizes =
        "expected " + std::to_string(whole.size()) + " bytes, found " + std::to_string(whole.size() - 1);
    expect_fault(emulate(), DiagCode::KitDamaged, {name.c_str(), sizes.c_str()});
    std::filesystem::remove(in_kit(name));
    expect_fault(emulate(), DiagCode::KitDamaged, {name.c_str(), "found none that can be read", "copy the kit again"});
    write_in_kit(name, whole);
  }
  expect_pass();
}

TEST_F(KitDamage, EveryDamageIsTold) {
  std::filesystem::remove(in_kit("run.sh"));
  std::filesystem::remove(in_kit("kernels.metal"));
  const auto found = emulate();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().size(), 2u) << render(found.error());
}

TEST_F(KitDamage, AFolderWithoutAManifest) {
  std::filesystem::remove(in_kit(kKitManifest));
  expect_fault(emulate(), DiagCode::KitFolder, {"kit' is no kit", "kit.json", "emit PROGRAM .. --kit DIR"});
  std::filesystem::remove_all(kit());
  expect_fault(emulate(), DiagCode::KitFolder, {"is no kit"});
}

/// Digests agree, and still the file is not what the manifest says.
TEST_F(KitDamage, ArraysAreWhatTheBuffersAre) {
  replace("dyadic/0-X.npy", npy<float>("f32", {5, 3}, std::vector<float>(15)));
  expect_fault(emulate(), DiagCode::KitDamaged, {"0-X.npy", "expected f32[3, 5]", "found f32[5, 3]"});
  replace("dyadic/0-X.npy", npy<std::int32_t>("i32", {3, 5}, std::vector<std::int32_t>(15)));
  expect_fault(emulate(), DiagCode::KitDamaged, {"0-X.npy", "expected f32[3, 5]", "found i32[3, 5]"});
  replace("dyadic/0-X.npy", std::string(128 + 60, ' '));
  expect_fault(emulate(), DiagCode::NpyFormat, {"0-X.npy"});
}

TEST_F(KitDamage, ImagesAreWhatAnOracleGives) {
  std::vector<double> bounds(15, 0);
  bounds[3] = -1;
  replace("dyadic/1-Y.bound.npy", npy<double>("f64", {3, 5}, bounds));
  expect_fault(emulate(), DiagCode::KitDamaged, {"1-Y.bound.npy", "bounds from 0 on", "-1"});
  bounds[3] = std::numeric_limits<double>::quiet_NaN();
  replace("dyadic/1-Y.bound.npy", npy<double>("f64", {3, 5}, bounds));
  expect_fault(emulate(), DiagCode::KitDamaged, {"1-Y.bound.npy", "nan"});
  bounds[3] = 0;
  replace("dyadic/1-Y.bound.npy", npy<double>("f64", {3, 5}, bounds));
  replace("dyadic/1-Y.stored.npy", npy<std::uint8_t>("u8", {3, 5}, std::vector<std::uint8_t>(15, 2)));
  expect_fault(emulate(), DiagCode::KitDamaged, {"1-Y.stored.npy", "marks 0 and 1", "found 2"});
}

}  // namespace
}  // namespace tilewright::driver
