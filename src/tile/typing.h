// The type of each operation from the types of its operands: one set of rules for the builder and the verifier.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/errors.h>

#include "tile/program.h"

namespace tilewright::tile {

struct TileType {
  ElementType element;
  std::vector<AxisId> axes;
  bool operator==(const TileType&) const = default;
};

/// Why a type does not exist; the caller adds the place.
struct TypeFault {
  DiagCode code{};
  std::string message;
  std::string hint;
};
template <class T>
using TypeResult = std::expected<T, TypeFault>;

/// Names for messages: how an axis and a type parameter are called.
class TypeNames {
 public:
  virtual ~TypeNames() = default;
  virtual std::string axis(AxisId id) const = 0;
  virtual std::string type_param(TypeParamId id) const = 0;
  std::string element(ElementType type) const;
  std::string tile(const TileType& type) const;  ///< "f32[m, k]"
};

/// Union by identity, in order of first appearance.
std::vector<AxisId> join_axes(const std::vector<AxisId>& a, const std::vector<AxisId>& b);
bool contains(const std::vector<AxisId>& axes, AxisId axis);
bool subset_of(const std::vector<AxisId>& part, const std::vector<AxisId>& whole);

/// True when the element type is, or (symbolic) can only become, a float type.
class ElementFacts {
 public:
  virtual ~ElementFacts() = default;
  virtual std::vector<DataType> possible(ElementType type) const = 0;
  bool surely_float(ElementType type) const;
  bool surely_number(ElementType type) const;  ///< float or integer, not bool
};

TypeResult<TileType> type_unary(UnaryKind kind, const TileType& x, const ElementFacts&, const TypeNames&);
TypeResult<TileType> type_binary(BinaryKind kind, const TileType& a, const TileType& b, const ElementFacts&,
                                 const TypeNames&);
TypeResult<TileType> type_select(const TileType& condition, const TileType& a, const TileType& b, const TypeNames&);
TypeResult<TileType> type_cast(const TileType& x, ElementType to, const TypeNames&);
TypeResult<TileType> type_broadcast(const TileType& x, const std::vector<AxisId>& axes, const TypeNames&);
TypeResult<TileType> type_gather(const TileType& x, AxisId axis, const TileType& indices, const TileType& fallback,
                                 const TypeNames&);
TypeResult<TileType> type_reduce(FoldKind kind, const TileType& x, AxisId axis, const ElementFacts&, const TypeNames&);
/// c's element is f32 with float a and b of one type, or all three i32. Every axis of c is in a or b; axes of a or b
/// that are not in c are in both (the contraction, at least one); the result has c's type. A relaxed one has floats.
TypeResult<TileType> type_mma(const TileType& a, const TileType& b, const TileType& c, bool relaxed,
                              const ElementFacts&, const TypeNames&);
/// Whether a number may stand for an element of a type: finite numbers must stay finite when they are rounded to a
/// float type, an integer type takes whole numbers in its range that are `written_whole` (2, not 2.0), and bool takes
/// none.
std::optional<TypeFault> number_fault(double value, bool written_whole, DataType type);
/// The same for an element type; of a symbolic one its integer choices only: whether the number fits a float choice is
/// asked when the program is bound to it.
std::optional<TypeFault> number_fault(double value, bool written_whole, ElementType element, const ElementFacts&);

/// A value of type x may be stored to coordinates with these axes and element type.
TypeResult<void> type_store(const TileType& x, const std::vector<AxisId>& coordinate_axes, ElementType element,
                            const std::string& object, const TypeNames&);

}  // namespace tilewright::tile
