// Certificates with one part altered and the digest recomputed: a checker must refuse each, and name the part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/certificate.h"

namespace tilewright::proof {

using CertificateCheck = std::function<Result<void>(const Certificate&)>;

/// Tries the alterations of one certificate: every one, or one of `stride`, by the certificate not always the same.
class CertificateAlterer {
 public:
  CertificateAlterer(const Certificate& certificate, const CertificateCheck& check, std::size_t stride)
      : certificate_(certificate), check_(check), stride_(stride), turn_(certificate.subject.low % stride) {}

  int tried() const { return tried_; }

  void run() {
    alter_head();
    for (std::size_t i = 0; i < certificate_.premises.size(); ++i) alter_premise(i);
    for (std::size_t i = 0; i < certificate_.fields.size(); ++i) {
      alter_field(i);
      for (std::size_t at = 0; at < certificate_.fields[i].value.size(); ++at) alter_character(i, at);
    }
  }

 private:
  template <class F>
  void with(const std::string& part, F&& change) {
    if (turn_++ % stride_ != 0) return;
    Certificate altered = certificate_;
    change(altered);
    if (altered == certificate_) return;
    ++tried_;
    const auto read = parse_certificate(print_certificate(altered));
    ASSERT_TRUE(read) << render(read.error());
    const auto result = check_(*read);
    ASSERT_FALSE(result) << "altered: " << part << "\n" << print_certificate(altered);
    EXPECT_EQ(result.error()[0].code, DiagCode::CertificateInvalid);
    EXPECT_NE(result.error()[0].message.find(part), std::string::npos) << result.error()[0].message;
  }

  void alter_head() {
    with("family", [](Certificate& c) { c.family += "x"; });
    with("subject", [](Certificate& c) { c.subject.low ^= 1; });
    for (std::uint32_t operation = 0; operation < 12; ++operation)
      with("operation", [&](Certificate& c) { c.operation = operation; });
    with("operation", [](Certificate& c) { c.operation = c.operation == kNoOperation ? 0 : kNoOperation; });
    with("premise", [](Certificate& c) { c.premises.push_back({Guarantor::Here, "more"}); });
    with(certificate_.fields.back().name, [](Certificate& c) { c.fields.pop_back(); });
    with("more", [](Certificate& c) { c.fields.push_back({"more", "1"}); });
  }

  void alter_premise(std::size_t i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const std::string part = "premise " + std::to_string(i + 1);
    for (const Guarantor by :
         {Guarantor::Verifier, Guarantor::Proof, Guarantor::Here, Guarantor::Caller, Guarantor::Launch})
      with(part, [&](Certificate& c) { c.premises[i].by = by; });
    with("premise", [&](Certificate& c) { c.premises.erase(c.premises.begin() + at); });
    with("premise", [&](Certificate& c) { c.premises.insert(c.premises.begin() + at, c.premises[i]); });
    if (i > 0) with("premise", [&](Certificate& c) { std::swap(c.premises[i], c.premises[i - 1]); });
    for (std::size_t place = 0; place < certificate_.premises[i].text.size(); ++place)
      with(part, [&](Certificate& c) { c.premises[i].text[place] = other(c.premises[i].text[place]); });
  }

  void alter_field(std::size_t i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const std::string name = certificate_.fields[i].name;
    with(name, [&](Certificate& c) { c.fields[i].value += "0"; });
    with(name, [&](Certificate& c) { c.fields[i].name += "x"; });
    with(name, [&](Certificate& c) { c.fields.insert(c.fields.begin() + at, {"more", "1"}); });
    with("", [&](Certificate& c) { c.fields.erase(c.fields.begin() + at); });
    with("", [&](Certificate& c) { c.fields.insert(c.fields.begin() + at, c.fields[i]); });
    if (i > 0) with("", [&](Certificate& c) { std::swap(c.fields[i], c.fields[i - 1]); });
    // A value that means something, but elsewhere.
    for (const Field& field : certificate_.fields) with(name, [&](Certificate& c) { c.fields[i].value = field.value; });
    for (const char* word : {"all", "interior", "none", "+0", "-0", "standalone", "one iteration", "one point", "1"})
      with(name, [&](Certificate& c) { c.fields[i].value = word; });
  }

  void alter_character(std::size_t i, std::size_t at) {
    const std::string name = certificate_.fields[i].name;
    with(name, [&](Certificate& c) { c.fields[i].value[at] = other(c.fields[i].value[at]); });
  }

  static char other(char c) {
    if (c >= '0' && c <= '9') return c == '9' ? '0' : static_cast<char>(c + 1);
    if (c == '<') return '>';
    if (c == '+') return '-';
    return c == 'n' ? 'm' : 'n';
  }

  const Certificate& certificate_;
  const CertificateCheck& check_;
  std::size_t stride_, turn_;
  int tried_ = 0;
};

/// Accepts the certificate itself, after a round trip through its text; refuses it with any part altered. Returns how
/// many alterations there are. Of them it tries one of `stride`, and of those one of eight with sanitizers.
inline int expect_alterations_refused(const Certificate& certificate, const CertificateCheck& check,
                                      std::size_t stride = 1) {
  const auto read = parse_certificate(print_certificate(certificate));
  EXPECT_TRUE(read) << print_certificate(certificate);
  if (!read) return 0;
  const auto accepted = check(*read);
  EXPECT_TRUE(accepted) << render(accepted.error());
  if (kSanitized) stride *= 8;
  CertificateAlterer alterer(certificate, check, stride);
  alterer.run();
  return alterer.tried() * static_cast<int>(stride);
}

}  // namespace tilewright::proof
