// Internal to src/proof/check: comparing a certificate with the one that the checker derives from the subject.
#pragma once

#include <cstdint>
#include <string>

#include "proof/certificate.h"
#include "support/result.h"

namespace tilewright::proof {

/// CertificateInvalid that names the field (a premise: "premise 1"; the head: "family", "subject", "operation").
std::unexpected<Diags> certificate_refused(const std::string& field, const std::string& message);

/// Every part of `found` against `expected`, in the order of the text; the first difference is the fault.
Result<void> compare_certificates(const Certificate& found, const Certificate& expected);

/// Numbers from a seed, the same on every machine.
class SampleSource {
 public:
  explicit SampleSource(std::uint64_t seed) : state_(seed) {}
  /// In 0 .. count-1; count >= 1.
  std::uint64_t below(std::uint64_t count);

 private:
  std::uint64_t state_;
};

}  // namespace tilewright::proof
