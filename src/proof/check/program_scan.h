// A program read by the checkers of the families about matrix products: uses, blocks and texts by a plain scan, which
// shares no code with src/analysis or the provers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/certificate.h"
#include "proof/check/program_points.h"
#include "proof/subject.h"
#include "tile/program.h"

namespace tilewright::proof::check {

struct ScanUse {
  tile::OpId op;               ///< the user; of a yield the owner of the block
  std::uint32_t position = 0;  ///< operand, or number of the yield
  bool is_yield = false;
};

/// Premises that a certificate about the program begins with.
std::vector<Premise> head_premises(const tile::Program& program, const Assumptions& assumptions);

/// A buffer that the caller places somewhere, so that another one may overlap it.
bool placed_by_caller(const tile::Object& object);
/// That distinct ones do not overlap, with who answers for it.
Premise alias_premise(const Assumptions& assumptions);

class ProgramScan {
 public:
  explicit ProgramScan(const tile::Program& program);

  const tile::Program& program() const { return program_; }
  const std::vector<tile::OpId>& order() const { return order_; }  ///< of the text
  const std::vector<ScanUse>& uses(tile::ValueId value) const { return uses_[value]; }
  tile::BlockId block_of(tile::OpId op) const { return blocks_[op]; }
  /// The region or if whose block it is; none for the root.
  tile::OpId owner_of(tile::BlockId block) const { return owners_[block]; }
  bool inside(tile::OpId outer, tile::OpId op) const;
  /// The outermost region around op, or op itself.
  tile::OpId launch_of(tile::OpId op) const;
  /// Branches of ifs around op.
  int branches_around(tile::OpId op) const;

  template <class Payload>
  const Payload* as(tile::OpId op) const {
    return op.valid() && op.index < program_.ops().size() ? std::get_if<Payload>(&program_.op(op).payload) : nullptr;
  }
  template <class Payload>
  const Payload* made_by(tile::ValueId value) const {
    return as<Payload>(program_.value(value).def);
  }
  tile::ValueId result_of(tile::OpId op) const { return program_.list(program_.op(op).results).at(0); }
  /// The number that the value is at every point.
  std::optional<tile::Literal> literal(tile::ValueId value) const;

  std::string value_name(tile::ValueId value) const;
  std::string call(tile::OpId op) const;
  std::string loop(tile::OpId region) const;
  std::string axis_list(tile::ValueId value) const;
  std::string touch(tile::OpId op) const;  ///< "load A[i, k]", "store C[i]"
  std::string sizes(tile::ObjectId object) const;
  std::string domain(const ProgramPoints& points) const;  ///< "i in 3, m in 64", "one point"
  static std::string number(tile::Literal literal);

  /// Head and common premises of a certificate about an operation.
  Certificate head(std::string_view family, std::uint32_t operation, const Assumptions& assumptions) const;

 private:
  void scan(tile::BlockId block, tile::OpId owner);

  const tile::Program& program_;
  std::vector<tile::OpId> order_;
  IdVector<tile::ValueId, std::vector<ScanUse>> uses_;
  IdVector<tile::OpId, tile::BlockId> blocks_;
  IdVector<tile::BlockId, tile::OpId> owners_;
};

}  // namespace tilewright::proof::check
