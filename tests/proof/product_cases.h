// Random small programs about a matrix product, for the families about accumulators, their operands and results.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proof/case_random.h"
#include "proof/subject.h"
#include "tile/program.h"

namespace tilewright::proof {

struct ProductCase {
  std::string text;
  bool is_open = false;    ///< in K
  std::int64_t size = 0;   ///< of K when it is bound
  std::int64_t least = 1;  ///< of an open K
  bool promised = true;    ///< distinct buffers do not overlap
  /// The region of the product has as many iterations as a coordinate says.
  bool trips_vary = false;
  /// A branch stands around a load that is asked about.
  bool restricted = false;
  /// A coordinate divides, takes a minimum, or is beyond quasi-affine expressions.
  bool not_affine = false;

  tile::Program program() const;
  Assumptions assumptions() const;
  /// Sizes at which the truth is asked: none for a bound program, else K from `least` on.
  std::vector<std::map<std::string, std::int64_t>> trials() const;
};

/// In how many of 100 programs a part is another than the plain one.
struct ProductProfile {
  int open = 0;        ///< K is not bound
  int from_zero = 50;  ///< an open K may be 0
  int no_trip = 5;     ///< a bound K is 0
  int one_trip = 25;   ///< a bound K is 1
  int place = 8;       ///< no loop, a branch, another loop around
  int init = 15;
  int update = 12;
  int observer = 8;
  int others = 25;  ///< other products
  int epilogue = 25;
  int sink = 15;
  int consumer = 8;
};
/// A loop around mma(a, b, acc), stores of its result, other products beside it.
ProductCase random_product(CaseRandom& random, const ProductProfile& profile);

struct OperandProfile {
  int open = 25;
  int unpromised = 20;
  int use = 12;         ///< another use of an operand, another source
  int bounds = 8;       ///< another policy
  int coordinate = 30;  ///< something else than tiles that end together
  int outer = 50;       ///< a row or column outside
  int branch = 10;
  int not_affine = 10;
};
/// A product whose operands are loads, or relabellings of loads.
ProductCase random_operands(CaseRandom& random, const OperandProfile& profile);

}  // namespace tilewright::proof
