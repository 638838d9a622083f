// Certificates print and parse back; tokens belong to one operation of one subject and cannot be forged.
#include "proof/certificate.h"

#include <type_traits>

#include <gtest/gtest.h>

#include "proof/issuer.h"
#include "proof/verdict.h"

namespace tilewright::proof {
namespace {

struct SomeFamily {
  static constexpr std::string_view kId = "some.family";
};
struct OtherFamily {};

// A token comes from src/proof alone.
static_assert(!std::is_default_constructible_v<Proved<SomeFamily>>);
static_assert(!std::is_constructible_v<Proved<SomeFamily>, Certificate>);
static_assert(!std::is_constructible_v<Proved<SomeFamily>, std::shared_ptr<const Certificate>>);
static_assert(!std::is_constructible_v<Proved<SomeFamily>, Proved<OtherFamily>>);
static_assert(std::is_copy_constructible_v<Proved<SomeFamily>>);

Certificate sample() {
  return {"some.family",
          hash128("p"),
          17,
          {{Guarantor::Verifier, "the program is verified"}, {Guarantor::Caller, "noalias: buffers do not overlap"}},
          {{"domain", "i in 3, m in 64"}, {"bound", "i*64 + m < 192"}}};
}

void expect_fault(const std::string& text, const std::string& mentions) {
  const auto result = parse_certificate(text);
  ASSERT_FALSE(result) << text;
  EXPECT_EQ(result.error()[0].code, DiagCode::CertificateInvalid);
  EXPECT_NE(result.error()[0].message.find(mentions), std::string::npos) << result.error()[0].message;
}

TEST(Certificate, PrintsAndParsesBack) {
  for (std::uint32_t operation : {std::uint32_t{0}, std::uint32_t{17}, kNoOperation}) {
    Certificate certificate = sample();
    certificate.operation = operation;
    const auto back = parse_certificate(print_certificate(certificate));
    ASSERT_TRUE(back) << render(back.error());
    EXPECT_EQ(*back, certificate);
  }
}

TEST(Certificate, EveryChangedByteIsRefused) {
  const std::string text = print_certificate(sample());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(parse_certificate(changed)) << i;
    EXPECT_FALSE(parse_certificate(text.substr(0, i))) << i;
  }
}

TEST(Certificate, FaultsNameTheLine) {
  const std::string text = print_certificate(sample());
  expect_fault("", "expected a line 'digest ..'");
  expect_fault("subject 12\n", "line 1 of the certificate: expected a line 'certificate ..', found 'subject'");
  expect_fault("certificate a\nsubject 12\n", "line 2 of the certificate: expected 32 hexadecimal digits");
  expect_fault("certificate a\nsubject " + hash_text({}) + "\noperation -1\n", "line 3");
  expect_fault("certificate a\nsubject " + hash_text({}) + "\noperation 4294967295\n", "line 3");
  expect_fault("certificate a\nsubject " + hash_text({}) + "\noperation 1\npremise god: x\n", "line 4");
  expect_fault("certificate a\nsubject " + hash_text({}) + "\noperation 1\nx y\npremise here: x\n", "before all other");
  expect_fault("certificate a\nsubject " + hash_text({}) + "\noperation 1\nname\n", "a name and a value");
  expect_fault("certificate a\ndigest 12\n", "expected a line 'subject ..', found 'digest'");
  expect_fault(text + "more x\n", "nothing after the digest");
  expect_fault("certificate a", "line break");
}

TEST(Token, BelongsToOneOperationOfOneSubject) {
  const auto token = Issuer::issue<SomeFamily>(sample());
  EXPECT_TRUE(token.holds_for(hash128("p"), 17));
  EXPECT_FALSE(token.holds_for(hash128("p"), 18));
  EXPECT_FALSE(token.holds_for(hash128("q"), 17));
}

TEST(Finding, TellsEachKindOfVerdict) {
  const Verdict<SomeFamily> proved = Issuer::issue<SomeFamily>(sample());
  const Verdict<SomeFamily> refuted = Refuted{"past_end", {{{"i", 2}}, "4 is not below 4"}};
  const Verdict<SomeFamily> unknown = Unknown{"quota", "the search was cut short"};
  EXPECT_TRUE(is_proved(proved));
  EXPECT_FALSE(is_proved(refuted));
  EXPECT_EQ(finding_of(proved, 17, "q", {}).premises.size(), 2u);
  EXPECT_EQ(finding_of(refuted, 17, "q", {}).witness[0].value, 2);
  EXPECT_EQ(finding_of(unknown, 17, "q", {}).reason, "the search was cut short");
  EXPECT_EQ(kind_name(finding_of(unknown, 17, "q", {}).kind), "unknown");
}

}  // namespace
}  // namespace tilewright::proof
