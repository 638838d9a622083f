// Values of the DSL: index expressions, element types, buffers, tiles and the formulas over them. Include
// tilewright/dsl.h, which explains them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/types.h>

namespace tilewright::dsl {

using Place = std::source_location;

enum class Space : std::uint8_t { Automatic, Private, Shared, Cluster, Global, Tensor };
enum class Order : std::uint8_t { UnorderedTree, OrderedTree, FoldLeft, FoldRight };

// NOLINTNEXTLINE(readability-identifier-naming): spelled as in the text
inline constexpr double inf = std::numeric_limits<double>::infinity();

// What the library keeps behind the handles.
class Session;
struct IndexTerm;
struct ValueTerm;

class Expr;
class Value;
class Ref;

template <class T>
concept Integer =
    (std::signed_integral<T> || std::unsigned_integral<T>) && !std::same_as<T, bool> && !std::same_as<T, char> &&
    !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// ---- Sizes and coordinates -----------------------------------------------------------------------------------------

/// An index expression: 64-bit integers over symbols, parameters, coordinates and axes. / and % are floored.
class Index {
 public:
  template <Integer T>
  Index(T value) : Index(static_cast<std::int64_t>(value), std::in_range<std::int64_t>(value)) {}
  explicit Index(std::shared_ptr<const IndexTerm> term) : term_(std::move(term)) {}
  Index(const Index&) = default;
  Index& operator=(const Index&) = default;

  const std::shared_ptr<const IndexTerm>& term() const { return term_; }

 private:
  Index(std::int64_t value, bool fits);
  std::shared_ptr<const IndexTerm> term_;
};

Index operator+(const Index& a, const Index& b);
Index operator-(const Index& a, const Index& b);
Index operator*(const Index& a, const Index& b);
Index operator/(const Index& a, const Index& b);
Index operator%(const Index& a, const Index& b);
Index operator&(const Index& a, const Index& b);
Index operator^(const Index& a, const Index& b);
Index operator<<(const Index& a, const Index& b);
Index operator>>(const Index& a, const Index& b);
Index operator-(const Index& a);
Index ceildiv(const Index& a, const Index& b);
Index max(const Index& a, const Index& b);
Index min(const Index& a, const Index& b);

/// A named axis of tiles. Tiles join by the identity of their axes, never by name or extent.
class Axis : public Index {
 public:
  explicit Axis(std::shared_ptr<const IndexTerm> term) : Index(std::move(term)) {}
};

// ---- Element types -------------------------------------------------------------------------------------------------

/// f32, f16, ..: a type by its name in the text. f32(x) casts; f32(0.5) is a constant of that type.
struct BuiltinElement {
  DataType type;
  constexpr operator DataType() const { return type; }
  Expr operator()(const Value& x) const;
};
// NOLINTBEGIN(readability-identifier-naming): spelled as in the text
inline constexpr BuiltinElement f32{DataType::F32};
inline constexpr BuiltinElement f16{DataType::F16};
inline constexpr BuiltinElement bf16{DataType::BF16};
inline constexpr BuiltinElement i32{DataType::I32};
inline constexpr BuiltinElement bool_type{DataType::Bool};
inline constexpr BuiltinElement index_type{DataType::Index};
// NOLINTEND(readability-identifier-naming)

/// An element type: a built-in one or a type parameter (Draft::type). T(x) casts.
class Element {
 public:
  Element(DataType type) : type_(type) {}
  Element(BuiltinElement element) : type_(element.type) {}
  Element(std::shared_ptr<Session> session, std::uint32_t param) : session_(std::move(session)), param_(param) {}
  Element(const Element&) = default;
  Element& operator=(const Element&) = default;
  Expr operator()(const Value& x) const;

  DataType data_type() const { return type_; }                          ///< when it is no parameter
  const std::shared_ptr<Session>& session() const { return session_; }  ///< of a parameter
  std::uint32_t param() const { return param_; }

 private:
  DataType type_ = DataType::F32;
  std::shared_ptr<Session> session_;
  std::uint32_t param_ = 0;
};

// ---- Buffers -------------------------------------------------------------------------------------------------------

/// A coordinate with its place in the C++ file; made implicitly.
class Coordinate {
 public:
  Coordinate(const Index& index, Place at = Place::current()) : index_(index), place_(at) {}
  template <Integer T>
  Coordinate(T value, Place at = Place::current()) : index_(value), place_(at) {}
  const Index& index() const { return index_; }
  const Place& place() const { return place_; }

 private:
  Index index_;
  Place place_;
};

using Axes = std::vector<Axis>;

/// Elements of a buffer or memory at coordinates: a name for them, without an effect. Used as a value it is a load.
class Ref {
 public:
  Ref(std::shared_ptr<Session> session, std::uint32_t object, std::vector<Index> coords, Place at)
      : session_(std::move(session)), object_(object), coords_(std::move(coords)), place_(at) {}
  Ref(const Ref&) = default;
  template <class T>
  void operator=(const T&) = delete;  // .store(x) stores
  Ref& operator=(const Ref&) = delete;

  /// A snapshot. Outside the buffer it gives +0 or `otherwise`.
  Expr load() const;
  Expr load(const Value& otherwise) const;
  void store(const Value& x, Place at = Place::current()) const;
  /// The promise that no coordinate leaves the buffer.
  Ref assume() const;
  Expr named(std::string label) const;
  Expr over(const Axes& axes) const;
  Expr in(Space space) const;

  const std::shared_ptr<Session>& session() const { return session_; }
  std::uint32_t object() const { return object_; }
  const std::vector<Index>& coords() const { return coords_; }
  bool assumed() const { return assume_; }
  const Place& place() const { return place_; }

 private:
  std::shared_ptr<Session> session_;
  std::uint32_t object_;
  std::vector<Index> coords_;
  Place place_;
  bool assume_ = false;
};

/// A buffer, scalar input (rank 0, usable as a value) or explicit memory.
class Buffer {
 public:
  Buffer(std::shared_ptr<Session> session, std::uint32_t object) : session_(std::move(session)), object_(object) {}
  Buffer(const Buffer&) = default;
  Buffer& operator=(const Buffer&) = default;

  Ref operator()(Place at = Place::current()) const { return Ref(session_, object_, {}, at); }
  template <class... Rest>
    requires(std::convertible_to<Rest, Index> && ...)
  Ref operator()(const Coordinate& first, const Rest&... rest) const {
    return Ref(session_, object_, {first.index(), Index(rest)...}, first.place());
  }
  /// The same with any number of coordinates.
  Ref at(std::vector<Index> coords, Place at = Place::current()) const {
    return Ref(session_, object_, std::move(coords), at);
  }

  const std::shared_ptr<Session>& session() const { return session_; }
  std::uint32_t object() const { return object_; }

 private:
  std::shared_ptr<Session> session_;
  std::uint32_t object_;
};

// ---- Values --------------------------------------------------------------------------------------------------------

/// A formula: pure, a value that may be copied and used many times. It becomes operations, from left to right, where a
/// statement uses it, and before the next statement at the latest.
class Expr {
 public:
  Expr(const Value& x);
  explicit Expr(std::shared_ptr<ValueTerm> term) : term_(std::move(term)) {}
  Expr(const Expr&) = default;
  Expr& operator=(const Expr&) = default;

  /// The name in the printed text.
  Expr named(std::string label, Place at = Place::current()) const;
  /// With exactly these axes, in this order: the brackets of `x[m, n] = ..`.
  Expr over(const Axes& axes, Place at = Place::current()) const;
  /// In this memory: a hard constraint.
  Expr in(Space space, Place at = Place::current()) const;
  /// The element at one coordinate an axis.
  template <class... Rest>
    requires(std::convertible_to<Rest, Index> && ...)
  Expr operator()(const Coordinate& first, const Rest&... rest) const {
    return element({first.index(), Index(rest)...}, first.place());
  }
  Expr element(std::vector<Index> coords, Place at = Place::current()) const;

  const std::shared_ptr<ValueTerm>& term() const { return term_; }

 private:
  std::shared_ptr<ValueTerm> term_;
};

/// A variable that holds a tile. Copying takes a snapshot into a new variable, moving keeps the variable, assignment
/// redefines it: inside a loop or a branch that makes it a carry.
class Tile {
 public:
  Tile(const Expr& x, Place at = Place::current());
  Tile(const Ref& x, Place at = Place::current());
  Tile(const Value& x, Place at = Place::current());
  Tile(const Tile& other, Place at = Place::current());
  Tile(Tile&& other) noexcept = default;
  ~Tile() = default;

  Tile& operator=(const Tile& other) &;
  Tile& operator=(const Expr& x) &;
  Tile& operator=(const Ref& x) &;
  Tile& operator=(const Value& x) &;

  /// Folds, in the body of a reduce region; elsewhere t += x is t = t + x.
  Tile& operator+=(const Value& x) &;
  Tile& operator-=(const Value& x) &;
  Tile& operator*=(const Value& x) &;
  Tile& operator/=(const Value& x) &;
  void fold_add(const Value& x) &;
  void fold_max(const Value& x) &;
  void fold_min(const Value& x) &;

  [[nodiscard]] Expr named(std::string label, Place at = Place::current()) const;
  [[nodiscard]] Expr over(const Axes& axes, Place at = Place::current()) const;
  [[nodiscard]] Expr in(Space space, Place at = Place::current()) const;
  template <class... Rest>
    requires(std::convertible_to<Rest, Index> && ...)
  Expr operator()(const Coordinate& first, const Rest&... rest) const {
    return element({first.index(), Index(rest)...}, first.place());
  }
  Expr element(std::vector<Index> coords, Place at = Place::current()) const;

  const std::shared_ptr<Session>& session() const { return session_; }  ///< none after a move
  std::size_t variable() const { return variable_; }

 private:
  void define(const Expr& x, const Place& at);
  std::shared_ptr<Session> session_;
  std::size_t variable_ = 0;
};

/// Whatever may stand where a value is needed; made implicitly, with its place in the C++ file. Functions of your own
/// take const Value& and return Expr. A number takes the type of the tile beside it; alone it is f32 when it has a
/// point and an index when it has none.
class Value {
 public:
  Value(const Expr& x, Place at = Place::current()) : term_(x.term()), place_(at) {}
  Value(const Tile& x, Place at = Place::current());
  Value(const Ref& x, Place at = Place::current());
  Value(const Buffer& scalar, Place at = Place::current());
  Value(const Index& x, Place at = Place::current());
  template <Integer T>
  Value(T number, Place at = Place::current()) : Value(Index(number), at) {}
  template <std::floating_point T>
  Value(T number, Place at = Place::current()) : Value(Real{static_cast<double>(number)}, at) {}
  template <std::same_as<bool> T>
  Value(T truth, Place at = Place::current()) : Value(Truth{truth}, at) {}

  const std::shared_ptr<ValueTerm>& term() const { return term_; }
  const Place& place() const { return place_; }

 private:
  struct Real {
    double value;
  };
  struct Truth {
    bool value;
  };
  Value(Real number, const Place& at);
  Value(Truth truth, const Place& at);

  std::shared_ptr<ValueTerm> term_;
  Place place_;
};

Expr operator+(const Value& a, const Value& b);
Expr operator-(const Value& a, const Value& b);
Expr operator*(const Value& a, const Value& b);
Expr operator/(const Value& a, const Value& b);
Expr operator%(const Value& a, const Value& b);
Expr operator<(const Value& a, const Value& b);
Expr operator<=(const Value& a, const Value& b);
Expr operator>(const Value& a, const Value& b);
Expr operator>=(const Value& a, const Value& b);
Expr operator==(const Value& a, const Value& b);
Expr operator!=(const Value& a, const Value& b);
/// Both sides are computed: no short circuit.
Expr operator&&(const Value& a, const Value& b);
Expr operator||(const Value& a, const Value& b);
Expr operator-(const Value& x);
Expr operator!(const Value& x);

Expr exp(const Value& x);
Expr log(const Value& x);
Expr sqrt(const Value& x);
Expr tanh(const Value& x);
Expr sin(const Value& x);
Expr cos(const Value& x);
Expr abs(const Value& x);
Expr floor(const Value& x);
Expr max(const Value& a, const Value& b);
Expr min(const Value& a, const Value& b);
/// Picks between two computed values.
Expr select(const Value& condition, const Value& if_true, const Value& if_false);
Expr cast(const Value& x, const Element& to);
template <BuiltinElement to>
Expr cast(const Value& x) {
  return to(x);
}

/// Folds over an axis. max and min of a tile and an axis are folds; of two indices, index expressions.
Expr sum(const Value& x, const Axis& axis, Order order = Order::UnorderedTree);
Expr max(const Value& x, const Axis& axis, Order order = Order::UnorderedTree);
Expr min(const Value& x, const Axis& axis, Order order = Order::UnorderedTree);
inline Index max(const Index& a, const Axis& b) { return max(a, static_cast<const Index&>(b)); }
inline Index min(const Index& a, const Axis& b) { return min(a, static_cast<const Index&>(b)); }
template <Integer T>
Index max(T a, const Axis& b) {
  return max(Index(a), static_cast<const Index&>(b));
}
template <Integer T>
Index min(T a, const Axis& b) {
  return min(Index(a), static_cast<const Index&>(b));
}

/// c + the sum of a * b over the axes that only a and b have. `ordered` forbids another order of the sum; `relaxed`
/// permits f32 operands to be rounded to 10 explicit bits of mantissa or more before they are multiplied.
struct Ordered {};
struct Relaxed {};
// NOLINTBEGIN(readability-identifier-naming): spelled as in the text
inline constexpr Ordered ordered{};
inline constexpr Relaxed relaxed{};
// NOLINTEND(readability-identifier-naming)
Expr mma(const Value& a, const Value& b, const Value& c);
Expr mma(const Value& a, const Value& b, const Value& c, Ordered);
Expr mma(const Value& a, const Value& b, const Value& c, Relaxed);
Expr mma(const Value& a, const Value& b, const Value& c, Ordered, Relaxed);
/// mma onto zeros over these axes.
Expr matmul(const Value& a, const Value& b, const Axes& axes);

/// x over exactly these axes: a constant of a number, the elements of an index expression.
Expr fill(const Axes& axes, const Value& x);
Expr broadcast(const Value& x, const Axes& axes);
/// x at `indices` along the axis, or `otherwise` where they leave it.
Expr gather(const Value& x, const Axis& axis, const Value& indices, const Value& otherwise);
/// x with axes exchanged: pairs of the old and the new one.
Expr relabel(const Value& x, const std::vector<std::pair<Axis, Axis>>& axes);

}  // namespace tilewright::dsl
