// Certificates with one part altered and the digest recomputed: a checker must refuse each, and name the part.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "proof/certificate.h"

namespace tilewright::proof {

using CertificateCheck = std::function<Result<void>(const Certificate&)>;

/// Accepts the certificate itself, after a round trip through its text; refuses it with any part altered. Returns how
/// many alterations were tried.
inline int expect_alterations_refused(const Certificate& certificate, const CertificateCheck& check) {
  int tried = 0;
  const auto run = [&](const Certificate& altered, const std::string& part) {
    const auto read = parse_certificate(print_certificate(altered));
    ASSERT_TRUE(read) << render(read.error());
    const auto result = check(*read);
    ++tried;
    ASSERT_FALSE(result) << "altered: " << part << "\n" << print_certificate(altered);
    EXPECT_EQ(result.error()[0].code, DiagCode::CertificateInvalid);
    EXPECT_NE(result.error()[0].message.find(part), std::string::npos) << result.error()[0].message;
  };
  const auto read = parse_certificate(print_certificate(certificate));
  EXPECT_TRUE(read) << print_certificate(certificate);
  if (!read) return 0;
  const auto accepted = check(*read);
  EXPECT_TRUE(accepted) << render(accepted.error());
  const auto with = [&](const auto& change) {
    Certificate altered = certificate;
    change(altered);
    return altered;
  };
  run(with([](Certificate& c) { c.family += "x"; }), "family");
  run(with([](Certificate& c) { c.subject.low ^= 1; }), "subject");
  run(with([](Certificate& c) { c.operation = c.operation == 3 ? 4 : 3; }), "operation");
  run(with([](Certificate& c) { c.premises.push_back({Guarantor::Here, "more"}); }), "premise");
  for (std::size_t i = 0; i < certificate.premises.size(); ++i) {
    const std::string part = "premise " + std::to_string(i + 1);
    run(with([i](Certificate& c) { c.premises[i].text += "x"; }), part);
    run(with([i](Certificate& c) {
          c.premises[i].by = c.premises[i].by == Guarantor::Here ? Guarantor::Caller : Guarantor::Here;
        }),
        part);
    run(with([i](Certificate& c) { c.premises.erase(c.premises.begin() + static_cast<std::ptrdiff_t>(i)); }),
        "premise");
  }
  for (std::size_t i = 0; i < certificate.fields.size(); ++i) {
    const std::string name = certificate.fields[i].name;
    run(with([i](Certificate& c) { c.fields[i].value += "0"; }), name);
    run(with([i](Certificate& c) { c.fields[i].name += "x"; }), name);
    run(with(
            [i](Certificate& c) { c.fields.insert(c.fields.begin() + static_cast<std::ptrdiff_t>(i), {"more", "1"}); }),
        name);
    for (std::size_t at = 0; at < certificate.fields[i].value.size(); ++at) {
      const char digit = certificate.fields[i].value[at];
      if (digit < '0' || digit > '9') continue;
      run(with([i, at, digit](Certificate& c) {
            c.fields[i].value[at] = digit == '9' ? '0' : static_cast<char>(digit + 1);
          }),
          name);
    }
  }
  run(with([](Certificate& c) { c.fields.pop_back(); }), certificate.fields.back().name);
  run(with([](Certificate& c) { c.fields.push_back({"more", "1"}); }), "more");
  return tried;
}

}  // namespace tilewright::proof
