#include "proof/check/check_fields.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilewright::proof {

std::unexpected<Diags> certificate_refused(const std::string& field, const std::string& message) {
  return failure(DiagCode::CertificateInvalid, fmt::format("the certificate does not hold: {}: {}", field, message),
                 "ask the prover again");
}

Result<void> compare_certificates(const Certificate& found, const Certificate& expected) {
  const auto differ = [](const std::string& field, const std::string& wanted, const std::string& is) {
    return certificate_refused(field, fmt::format("expected '{}', found '{}'", wanted, is));
  };
  if (found.family != expected.family) return differ("family", expected.family, found.family);
  if (found.subject != expected.subject)
    return differ("subject", hash_text(expected.subject), hash_text(found.subject));
  if (found.operation != expected.operation)
    return differ("operation", fmt::format("{}", expected.operation), fmt::format("{}", found.operation));
  const auto premise_text = [](const std::vector<Premise>& list, std::size_t i) {
    return i < list.size() ? fmt::format("{}: {}", guarantor_name(list[i].by), list[i].text) : std::string("nothing");
  };
  for (std::size_t i = 0; i < std::max(found.premises.size(), expected.premises.size()); ++i)
    if (premise_text(found.premises, i) != premise_text(expected.premises, i))
      return differ(fmt::format("premise {}", i + 1), premise_text(expected.premises, i),
                    premise_text(found.premises, i));
  for (std::size_t i = 0; i < std::max(found.fields.size(), expected.fields.size()); ++i) {
    if (i >= expected.fields.size()) return differ(found.fields[i].name, "nothing", found.fields[i].value);
    const Field& wanted = expected.fields[i];
    if (i >= found.fields.size()) return differ(wanted.name, wanted.value, "nothing");
    if (found.fields[i].name != wanted.name) return differ(wanted.name, wanted.name, found.fields[i].name);
    if (found.fields[i].value != wanted.value) return differ(wanted.name, wanted.value, found.fields[i].value);
  }
  return {};
}

std::uint64_t SampleSource::below(std::uint64_t count) {
  // SplitMix64.
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t word = state_;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return (word ^ (word >> 31)) % count;
}

}  // namespace tilewright::proof
