// Fields that say what a certificate about an operation of a program is about. Internal to the provers of src/proof;
// checkers derive the same fields with code of their own.
#pragma once

#include <string>
#include <vector>

#include "analysis/accesses.h"
#include "proof/subject.h"

namespace tilewright::proof {

/// "i in ceildiv(M, 64), m in 64": the dimensions of a domain, in order; "one point" for none.
std::string domain_text(const tile::Program& program, const analysis::OverDomain& domain);
/// "load A[i*64 + m, k]": the access as the program's text has it.
std::string access_text(const tile::Program& program, const analysis::Access& access);
/// "M, K": extents of an object; "1" for rank 0.
std::string extents_text(const tile::Program& program, tile::ObjectId object);

/// That distinct buffers do not overlap, with who answers for it.
Premise alias_premise(const Subject& subject);
/// A certificate about one operation: family left to the issuer, premises the common ones, no field yet.
Certificate certificate_of(const Subject& subject, tile::OpId op);

}  // namespace tilewright::proof
