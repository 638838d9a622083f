// From formulas to operations: the rules of docs/tile-text.md ("From text to operations"), over ValueTerm.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/session.h"
#include "frontend/terms.h"

namespace tilewright::dsl {

class Maker {
 public:
  explicit Maker(Session& session) : session_(session), builder_(session.builder()) {}

  /// What a term is before it meets another: a tile, an index expression (integers included), or a number. The last
  /// two make an operation only where a tile is needed.
  struct Part {
    std::variant<tile::ValueId, tile::IndexId, RealLeaf> what;
    Place place;
  };
  /// The axes that a definition lists, if it does.
  using WantedAxes = std::optional<std::vector<tile::AxisId>>;

  /// Makes everything below the term, once: operands from left to right, each operation after its operands.
  Part part(const ValueTermPtr& term);
  /// The tile, made of a number or index expression when the term is one; a number, also one over axes, takes the type
  /// `beside` it.
  tile::ValueId value(const ValueTermPtr& term, std::optional<tile::ElementType> beside = std::nullopt);
  tile::ValueId value_of(const Part& part, std::optional<tile::ElementType> beside = std::nullopt,
                         const WantedAxes& axes = std::nullopt);
  tile::ValueId binary(tile::BinaryKind kind, const Part& a, const Part& b, const Place& place);

  /// A number of this type over the axes.
  tile::ValueId number(double value, bool integral, tile::ElementType element, const Place& place,
                       std::vector<tile::AxisId> axes = {});
  bool number_fits(double value, bool integral, tile::ElementType element, const Place& place);
  std::string type_name(tile::ElementType element);

 private:
  Part make(const FailedTerm& term, const Place& place);
  Part make(const IndexLeaf& term, const Place& place);
  Part make(const RealLeaf& term, const Place& place);
  Part make(const TruthLeaf& term, const Place& place);
  Part make(const MadeLeaf& term, const Place& place);
  Part make(const UnaryTerm& term, const Place& place);
  Part make(const BinaryTerm& term, const Place& place);
  Part make(const SelectTerm& term, const Place& place);
  Part make(const CastTerm& term, const Place& place);
  Part make(const ShapedTerm& term, const Place& place);
  Part make(const BroadcastTerm& term, const Place& place);
  Part make(const ElementTerm& term, const Place& place);
  Part make(const RelabelTerm& term, const Place& place);
  Part make(const GatherTerm& term, const Place& place);
  Part make(const FoldTerm& term, const Place& place);
  Part make(const MmaTerm& term, const Place& place);
  Part make(const MatmulTerm& term, const Place& place);
  Part make(const LoadTerm& term, const Place& place);
  Part make(const NamedTerm& term, const Place& place);
  Part make(const PlacedTerm& term, const Place& place);

  Part made(tile::ValueId value, const Place& place);
  Part nothing(const Place& place) { return {tile::ValueId{}, place}; }
  Part shaped(const ShapedTerm& term, std::optional<tile::ElementType> beside, const Place& place);
  Part for_axes(const ValueTermPtr& term, const std::vector<tile::AxisId>& axes, const Place& place);
  Part load(const LoadTerm& term, const WantedAxes& axes, const Place& place);
  Part make_cast(const CastTerm& term, const WantedAxes& axes, const Place& place);
  Part make_element(const ElementTerm& term, const WantedAxes& axes, const Place& place);
  tile::ValueId truth(bool value, const Place& place, std::vector<tile::AxisId> axes);
  bool failed(const Part& part) const;
  std::optional<tile::ElementType> element_beside(const Part& other);
  bool unify(const Part& a, const Part& b, std::string_view what, const Place& place, tile::ValueId& x,
             tile::ValueId& y);
  std::string describe(const Part& part);

  Session& session_;
  tile::Builder& builder_;
};

}  // namespace tilewright::dsl
