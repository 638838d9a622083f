// A draft's program in the making: the builder, the open blocks, the variables behind the tiles, and the formulas that
// no statement has used yet.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/dsl.h>

#include "frontend/terms.h"
#include "tile/builder.h"

namespace tilewright::dsl {

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::string name, std::vector<std::string> comment, const Place& at);

  const std::string& name() const { return name_; }
  tile::Builder& builder() { return builder_; }
  bool finished() const { return finished_; }
  /// The program, canonical but not verified, or every fault. Once.
  Result<tile::Program> finish();

  // Places and faults.
  /// Place of what is made from here on.
  void at(const Place& place);
  /// Of the statement before: for what C++ gives no place of its own, such as x = y.
  const Place& last_place() const { return last_place_; }
  void fault(const Place& place, DiagCode code, std::string message, std::string hint = {});
  void foreign(const Place& place, const Session& other);

  // What the handles stand for; nothing, with a fault, when they do not belong here.
  tile::IndexId index(const Index& index, const Place& place);
  std::optional<std::vector<tile::IndexId>> indices(const std::vector<Index>& indices, const Place& place);
  /// An index expression of sizes: over symbols and parameters, perhaps coordinates.
  tile::IndexId size(const Index& index, std::string_view what, bool coordinates_too, const Place& place);
  std::optional<std::vector<tile::IndexId>> sizes(const std::vector<Index>& list, std::string_view what,
                                                  const Place& place);
  std::optional<tile::AxisId> axis(const Axis& axis, const Place& place);
  std::optional<std::vector<tile::AxisId>> axes(const Axes& axes, const Place& place);
  std::optional<tile::ElementType> element(const Element& element, const Place& place);
  std::optional<tile::ObjectId> object(const Buffer& buffer, const Place& place);
  /// A name of the interface is one in the text too.
  void check_name(const std::string& name, const Place& place);

  /// A new type parameter; its choices are what numbers must fit.
  tile::TypeParamId type_param(tile::TypeParam param);
  const tile::TypeParam& type_param(tile::TypeParamId id) const { return type_params_[id]; }

  // Statements.
  /// Makes the formulas that are older than this statement and not part of it. False when the draft is finished.
  bool begin_statement(const Place& place, const std::vector<ValueTermPtr>& parts = {});
  /// A formula that a later statement must not overtake.
  void watch(const ValueTermPtr& term) { pending_.push_back(term); }
  /// A formula that was read and needs no operation.
  void forget(const ValueTermPtr& term);

  // Tiles.
  struct Variable {
    tile::VariableId id;
    std::string label;
    tile::ElementType element;  ///< last seen in its own block
    BlockToken block;
  };
  /// False when the variable ended with its block.
  bool check_scope(std::size_t variable, const Place& place);
  std::size_t declare(std::string label, tile::ValueId value);
  tile::ValueId read(std::size_t variable, const Place& place);
  void assign(std::size_t variable, tile::ValueId value, const Place& place);
  void fold(std::size_t variable, tile::FoldKind kind, tile::ValueId value, const Place& place);
  const Variable& variable(std::size_t variable) const { return variables_[variable]; }
  /// A reduce region stands between the variable and this point.
  bool inside_reduce(std::size_t variable) const;

  // Blocks.
  BlockToken block() const { return blocks_.empty() ? kRootBlock : blocks_.back().token; }
  bool is_open(BlockToken block) const;
  struct OpenedRegion {
    BlockToken block;
    std::vector<tile::CoordId> coords;
  };
  OpenedRegion open_region(tile::RegionSpec spec);
  void open_branches(tile::ValueId condition);
  BlockToken next_branch(BlockToken first, const Place& place);
  /// Closes the block, and before it every block inside that was left without being closed.
  void close(BlockToken block, const Place& place);

 private:
  struct Block {
    BlockToken token;
    tile::RegionKind kind;
    bool is_branch;
  };

  tile::IndexId build(const IndexTerm& term, const Place& place);
  void make_pending(const std::vector<ValueTermPtr>& parts);
  void close_innermost();
  bool close_inside(BlockToken block, const Place& place);

  std::string name_;
  std::vector<std::string> files_;  ///< as Location::file counts them
  tile::Builder builder_;
  IdVector<tile::TypeParamId, tile::TypeParam> type_params_;
  std::vector<Variable> variables_;
  std::vector<Block> blocks_;
  std::vector<std::weak_ptr<ValueTerm>> pending_;
  BlockToken next_block_ = 1;
  Place last_place_;
  bool finished_ = false;
};

}  // namespace tilewright::dsl
