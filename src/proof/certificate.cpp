#include "proof/certificate.h"

#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace tilewright::proof {

namespace {

constexpr std::array<std::string_view, 5> kGuarantors = {"verifier", "proof", "here", "caller", "launch"};
constexpr std::string_view kHeads[] = {"certificate", "subject", "operation"};

std::optional<Guarantor> guarantor_from(std::string_view name) {
  for (std::size_t i = 0; i < kGuarantors.size(); ++i)
    if (kGuarantors[i] == name) return static_cast<Guarantor>(i);
  return std::nullopt;
}

struct Line {
  std::string_view name, value;
};

Line split(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return {line, {}};
  return {line.substr(0, space), line.substr(space + 1)};
}

std::string statement_text(const Certificate& certificate) {
  std::string text = fmt::format("certificate {}\nsubject {}\n", certificate.family, hash_text(certificate.subject));
  text +=
      certificate.operation == kNoOperation ? "operation none\n" : fmt::format("operation {}\n", certificate.operation);
  for (const Premise& premise : certificate.premises)
    text += fmt::format("premise {}: {}\n", guarantor_name(premise.by), premise.text);
  for (const Field& field : certificate.fields) text += fmt::format("{} {}\n", field.name, field.value);
  return text;
}

class CertificateParser {
 public:
  explicit CertificateParser(std::string_view text) : text_(text) {}

  Result<Certificate> run() {
    Certificate certificate;
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      if (end == std::string_view::npos) return fault("expected a line break at the end of each line");
      const Line line = split(text_.substr(0, end));
      ++number_;
      if (line.name == "digest") return finish(std::move(certificate), line.value, text_.size() == end + 1);
      if (const auto wrong = take(certificate, line)) return fault(*wrong);
      text_.remove_prefix(end + 1);
    }
    ++number_;
    return fault("expected a line 'digest ..', found the end of the text");
  }

 private:
  std::optional<std::string> take(Certificate& certificate, const Line& line) {
    if (number_ <= 3 && line.name != kHeads[number_ - 1])
      return fmt::format("expected a line '{} ..', found '{}'", kHeads[number_ - 1], line.name);
    if (line.name.empty() || line.value.empty()) return std::string("expected a name and a value");
    if (number_ == 1) certificate.family = line.value;
    if (number_ == 2) {
      const auto hash = hash_from_text(line.value);
      if (!hash) return std::string("expected 32 hexadecimal digits");
      certificate.subject = *hash;
    }
    if (number_ == 3) return take_operation(certificate, line.value);
    if (number_ <= 3) return std::nullopt;
    if (line.name == "premise") return take_premise(certificate, line.value);
    certificate.fields.push_back({std::string(line.name), std::string(line.value)});
    return std::nullopt;
  }

  static std::optional<std::string> take_operation(Certificate& certificate, std::string_view value) {
    if (value == "none") return std::nullopt;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), certificate.operation);
    if (error == std::errc{} && end == value.data() + value.size() && certificate.operation != kNoOperation)
      return std::nullopt;
    return std::string("expected the number of an operation, or none");
  }

  static std::optional<std::string> take_premise(Certificate& certificate, std::string_view value) {
    const std::size_t colon = value.find(": ");
    const auto by = guarantor_from(value.substr(0, colon));
    if (colon == std::string_view::npos || !by)
      return std::string("expected 'premise WHO: TEXT', with WHO verifier, proof, here, caller or launch");
    if (!certificate.fields.empty()) return std::string("expected the premises before all other fields");
    certificate.premises.push_back({*by, std::string(value.substr(colon + 2))});
    return std::nullopt;
  }

  Result<Certificate> finish(Certificate certificate, std::string_view digest, bool last) {
    if (number_ <= 3) return fault(fmt::format("expected a line '{} ..', found 'digest'", kHeads[number_ - 1]));
    if (!last) return fault("expected nothing after the digest");
    if (digest != hash_text(hash128(statement_text(certificate))))
      return fault("the digest does not belong to the lines before it");
    return certificate;
  }

  Result<Certificate> fault(std::string message) const {
    return failure(DiagCode::CertificateInvalid, fmt::format("line {} of the certificate: {}", number_, message),
                   "ask the prover again");
  }

  std::string_view text_;
  int number_ = 0;
};

}  // namespace

std::string_view guarantor_name(Guarantor guarantor) { return kGuarantors[static_cast<std::size_t>(guarantor)]; }

std::string print_certificate(const Certificate& certificate) {
  const std::string text = statement_text(certificate);
  return text + "digest " + hash_text(hash128(text)) + "\n";
}

Result<Certificate> parse_certificate(std::string_view text) { return CertificateParser(text).run(); }

}  // namespace tilewright::proof
