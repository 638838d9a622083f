// Certificates: what was proved, in full, as text that a checker can validate without trusting the prover.
//
// A certificate names its family, the subject (hash of a program, or of a map), an operation of it, the premises with
// who guarantees each, and the statement as an ordered list of named fields. Nothing in it is advice: every field can
// be derived anew from the subject, and src/proof/check does so with code of its own. The text:
//
//   certificate access.in_bounds
//   subject 52f0c1..                      32 hexadecimal digits
//   operation 17                          or: operation none
//   premise verifier: the program is verified
//   domain i in 3, m in 64
//   ..                                    one line a field, name and value
//   digest 9ab4..                         hash128 of all lines before
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/hash.h"
#include "support/result.h"

namespace tilewright::proof {

/// Who answers for a premise.
enum class Guarantor : std::uint8_t {
  Verifier,  ///< the verifier or the binding of the program
  Proof,     ///< an earlier proof, named in the text
  Here,      ///< this family's own check
  Caller,    ///< promised by the caller of compile(), believed
  Launch,    ///< promised by the caller and checked at every launch
};
std::string_view guarantor_name(Guarantor guarantor);

struct Premise {
  Guarantor by{};
  std::string text;  ///< one line
  bool operator==(const Premise&) const = default;
};

/// A named line. The name has no space, the value no line break.
struct Field {
  std::string name, value;
  bool operator==(const Field&) const = default;
};

inline constexpr std::uint32_t kNoOperation = 0xffff'ffffu;

struct Certificate {
  std::string family;
  Hash128 subject;
  std::uint32_t operation = kNoOperation;  ///< tile::OpId::index
  std::vector<Premise> premises;
  std::vector<Field> fields;
  bool operator==(const Certificate&) const = default;
};

/// The text above, digest included.
std::string print_certificate(const Certificate& certificate);
/// Back. CertificateInvalid with the line for any other text, a wrong digest included.
Result<Certificate> parse_certificate(std::string_view text);

}  // namespace tilewright::proof
