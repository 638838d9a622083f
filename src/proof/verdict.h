// Verdicts: the answer to a question of legality is Proved with a token, Refuted with a witness, or Unknown with a
// reason. There is no bool, and no fourth case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "proof/certificate.h"
#include "proof/domain_part.h"

namespace tilewright::proof {

/// A concrete counterexample: named integers (coordinates, axes, sizes), and what goes wrong there.
struct Witness {
  struct Coordinate {
    std::string name;
    std::int64_t value = 0;
    bool operator==(const Coordinate&) const = default;
  };
  std::vector<Coordinate> point;
  std::string violates;
};

/// The statement is false. `code` is one of the family's reject codes (docs/proofs.md).
struct Refuted {
  std::string_view code;
  Witness witness;
};

/// Nothing was shown, either way. `code` is one of the family's codes; "quota" means that the search was cut short.
struct Unknown {
  std::string_view code;
  std::string reason;
};

/// The token of a proof: only src/proof can make one (Issuer, proof/issuer.h). A rewrite takes it by value and asks
/// holds_for() where it is used, so that a proof about one operation cannot serve another.
template <class F>
class Proved {
 public:
  using Family = F;

  const Certificate& certificate() const { return *certificate_; }
  bool holds_for(const Hash128& subject, std::uint32_t operation) const {
    return certificate_->subject == subject && certificate_->operation == operation;
  }

 private:
  friend class Issuer;
  explicit Proved(std::shared_ptr<const Certificate> certificate) : certificate_(std::move(certificate)) {}

  std::shared_ptr<const Certificate> certificate_;
};

template <class Family>
using Verdict = std::variant<Proved<Family>, Refuted, Unknown>;

template <class Family>
bool is_proved(const Verdict<Family>& verdict) {
  return std::holds_alternative<Proved<Family>>(verdict);
}

/// A verdict without its token, for reports.
struct Finding {
  enum class Kind : std::uint8_t { Proved, Refuted, Unknown };

  std::string family;
  std::uint32_t operation = kNoOperation;
  std::string question;            ///< the statement in words
  std::optional<DomainPart> part;  ///< of the points that the question is about, where a family has parts
  Kind kind{};
  std::string_view code;                     ///< Refuted, Unknown
  std::string reason;                        ///< Unknown: why; Refuted: what the witness violates
  std::vector<Witness::Coordinate> witness;  ///< Refuted
  std::vector<Premise> premises;
  std::shared_ptr<const Certificate> certificate;  ///< Proved
};
std::string_view kind_name(Finding::Kind kind);  ///< "proved", "refuted", "unknown"

template <class Family>
Finding finding_of(const Verdict<Family>& verdict, std::uint32_t operation, std::string question,
                   std::vector<Premise> premises, std::optional<DomainPart> part = std::nullopt) {
  Finding finding{std::string(Family::kId), operation, std::move(question), part, {}, {}, {}, {},
                  std::move(premises),      {}};
  if (const auto* proved = std::get_if<Proved<Family>>(&verdict)) {
    finding.kind = Finding::Kind::Proved;
    finding.certificate = std::make_shared<const Certificate>(proved->certificate());
    finding.premises = proved->certificate().premises;
  } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    finding.kind = Finding::Kind::Refuted;
    finding.code = refuted->code;
    finding.reason = refuted->witness.violates;
    finding.witness = refuted->witness.point;
  } else {
    const auto& unknown = std::get<Unknown>(verdict);
    finding.kind = Finding::Kind::Unknown;
    finding.code = unknown.code;
    finding.reason = unknown.reason;
  }
  return finding;
}

}  // namespace tilewright::proof
