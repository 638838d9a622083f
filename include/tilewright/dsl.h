// Tile programs written in C++: the second front door beside the .tile text (docs/dsl.md).
//
//   using namespace tilewright::dsl;
//   Draft p("gemm");
//   auto [M, N, K] = p.symbols("M", "N", "K");
//   Index BM = p.param("BM", {32, 64, 128}, 64), BN = p.param("BN", {32, 64}, 64), BK = p.param("BK", {16, 32}, 32);
//   Buffer A = p.in("A", f32, {M, K}), B = p.in("B", f32, {K, N}), C = p.out("C", f32, {M, N});
//   for (auto [i, j] : p.parallel({"i", ceildiv(M, BM)}, {"j", ceildiv(N, BN)})) {
//     Axis m = p.axis("m", BM), n = p.axis("n", BN), k = p.axis("k", BK);
//     Tile acc = fill({m, n}, 0.0).named("acc");
//     for (auto [s] : p.pipeline({"s", ceildiv(K, BK)})) {
//       Tile a = A(i * BM + m, s * BK + k).named("a");
//       Tile b = B(s * BK + k, j * BN + n).named("b");
//       acc = mma(a, b, acc);
//     }
//     C(i * BM + m, j * BN + n).store(acc);
//   }
//   Result<Program> program = p.finish();
//
// The C++ runs once and records: a body of a region runs once, whatever its extent. Nothing throws; every fault is
// recorded with its place in the C++ file and returned by finish(). Any use of a handle is safe, also after its region,
// its draft or finish(): it is a fault at worst. One thread at a time uses a draft and its handles.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tilewright/compile.h>
#include <tilewright/dsl_values.h>
#include <tilewright/errors.h>
#include <tilewright/types.h>

namespace tilewright::dsl {

using tilewright::Program;
using tilewright::Result;

enum class Scope : std::uint8_t { Automatic, Device, Group, Subgroup, Worker, Vector };
enum class RegionKind : std::uint8_t { Parallel, Serial, Pipeline, Reduce };

// ---- Regions -------------------------------------------------------------------------------------------------------

/// One domain of a region: name and extent.
struct Domain {
  Domain(std::string name, const Index& extent, Place at = Place::current())
      : name(std::move(name)), extent(extent), place(at) {}
  std::string name;
  Index extent;
  Place place;
};

/// What all regions share: entering, leaving, and noticing when the body was left another way.
class RegionHandle {
 public:
  RegionHandle(std::shared_ptr<Session> session, RegionKind kind, std::vector<Domain> domains);
  RegionHandle(RegionHandle&&) noexcept;
  RegionHandle& operator=(RegionHandle&&) = delete;
  ~RegionHandle();

  bool enter();
  void leave();
  Index coordinate(std::size_t domain) const;

  struct Options {
    Scope scope = Scope::Automatic;
    Order order = Order::UnorderedTree;
    int window = 0;
    int interval = 1;
  };
  Options& options();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A one-pass range: for (auto [i, j] : p.parallel({"i", I}, {"j", J})) { .. } runs its body once and closes the
/// region.
template <RegionKind kind, std::size_t N>
class [[nodiscard]] Region {
 public:
  class Iterator {
   public:
    Iterator(RegionHandle& handle, bool inside) : handle_(&handle), inside_(inside) {}
    std::array<Index, N> operator*() const {
      return [&]<std::size_t... D>(std::index_sequence<D...>) {
        return std::array<Index, N>{handle_->coordinate(D)...};
      }(std::make_index_sequence<N>{});
    }
    Iterator& operator++() {
      inside_ = false;
      handle_->leave();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !inside_; }

   private:
    RegionHandle* handle_;
    bool inside_;
  };

  Region(std::shared_ptr<Session> session, std::vector<Domain> domains)
      : handle_(std::move(session), kind, std::move(domains)) {}

  Iterator begin() { return Iterator(handle_, handle_.enter()); }
  std::default_sentinel_t end() const { return {}; }

  /// Who executes the instances: a hard constraint.
  Region scope(Scope scope) && {
    static_assert(kind == RegionKind::Parallel, "only a parallel region has a scope");
    handle_.options().scope = scope;
    return std::move(*this);
  }
  /// Most iterations in flight; 0 leaves it to the planner, 1 keeps them in order.
  Region window(int window) && {
    static_assert(kind == RegionKind::Pipeline, "only a pipeline has a window");
    handle_.options().window = window;
    return std::move(*this);
  }
  Region interval(int interval) && {
    static_assert(kind == RegionKind::Pipeline, "only a pipeline has an interval");
    handle_.options().interval = interval;
    return std::move(*this);
  }
  /// Which orders the folds may take.
  Region order(Order order) && {
    static_assert(kind == RegionKind::Reduce, "only a reduce region has an order");
    handle_.options().order = order;
    return std::move(*this);
  }

 private:
  RegionHandle handle_;
};

template <std::size_t N>
using Parallel = Region<RegionKind::Parallel, N>;
template <std::size_t N>
using Serial = Region<RegionKind::Serial, N>;
template <std::size_t N>
using Pipeline = Region<RegionKind::Pipeline, N>;
template <std::size_t N>
using Reduce = Region<RegionKind::Reduce, N>;

// ---- The draft -----------------------------------------------------------------------------------------------------

/// Strides of a buffer, in elements, that every launch must match; none: any.
struct Strides {
  std::vector<Index> strides = {};
};
/// Where memory puts the element at these axes (one a dimension); none: dense row-major.
struct Layout {
  Axes axes = {};
  std::optional<Index> offset = std::nullopt;
};

/// An argument of an opaque call: a value, or a buffer as such.
class Argument {
 public:
  template <class T>
    requires(std::convertible_to<const T&, Value> && !std::same_as<T, Buffer>)
  Argument(const T& x, Place at = Place::current()) : what_(Value(x, at)) {}
  Argument(const Buffer& buffer) : what_(buffer) {}
  const std::variant<Value, Buffer>& what() const { return what_; }

 private:
  std::variant<Value, Buffer> what_;
};

/// A name with its place in the C++ file; made implicitly.
struct Name {
  Name(std::string text, Place at = Place::current()) : text(std::move(text)), place(at) {}
  Name(const char* text, Place at = Place::current()) : text(text), place(at) {}
  std::string text;
  Place place;
};

/// A program being written.
class Draft {
 public:
  /// `comment`: what stands before the program in its text, without the comment marks; its first line is the summary.
  explicit Draft(std::string name, const std::string& comment = {}, Place at = Place::current());
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // Declarations.
  Index symbol(std::string name, std::optional<std::int64_t> default_value = std::nullopt, Place at = Place::current());
  /// auto [M, N] = p.symbols("M", "N");
  template <class... Rest>
    requires(std::convertible_to<const Rest&, std::string> && ...)
  std::array<Index, 1 + sizeof...(Rest)> symbols(const Name& first, const Rest&... rest) {
    return {symbol(first.text, std::nullopt, first.place), symbol(rest, std::nullopt, first.place)...};
  }
  Index param(std::string name, std::vector<std::int64_t> choices, std::int64_t default_value,
              Place at = Place::current());
  Element type(std::string name, std::vector<DataType> choices, DataType default_type, Place at = Place::current());
  Buffer in(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides = {},
            Place at = Place::current());
  Buffer out(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides = {},
             Place at = Place::current());
  Buffer inout(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides = {},
               Place at = Place::current());
  Buffer temp(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides = {},
              Place at = Place::current());
  Buffer scalar(std::string name, const Element& element, std::optional<double> default_value = std::nullopt,
                Place at = Place::current());
  /// A comparison of sizes that every binding must satisfy: p.require(D % 2 == 0, "the head size is even").
  void require(const Value& condition, std::string message = {}, Place at = Place::current());
  Axis axis(std::string label, const Index& extent, Place at = Place::current());

  // Statements.
  /// A tile without axes that holds a number.
  Expr number(const Value& x) const;
  Buffer memory(std::string name, const Element& element, const std::vector<Index>& extents,
                Space space = Space::Automatic, const Layout& layout = {}, Place at = Place::current());
  void barrier(Scope scope = Scope::Group, Place at = Place::current());
  void stage(std::string label = {}, Place at = Place::current());
  void opaque(std::string symbol, const std::vector<Argument>& arguments, Place at = Place::current());
  /// Runs one of two branches: the `if` of the text. Loads inside are lazy.
  void when(const Value& condition, const std::function<void()>& then, const std::function<void()>& otherwise = {},
            Place at = Place::current());

  // Regions, over one to four domains, or any number: p.serial({{"a", A}, {"b", B}, ..}).
  using D = const Domain&;
  Parallel<1> parallel(D a) { return {session_, {a}}; }
  Parallel<2> parallel(D a, D b) { return {session_, {a, b}}; }
  Parallel<3> parallel(D a, D b, D c) { return {session_, {a, b, c}}; }
  Parallel<4> parallel(D a, D b, D c, D d) { return {session_, {a, b, c, d}}; }
  template <std::size_t N>
  Parallel<N> parallel(const Domain (&domains)[N]) {
    return {session_, {domains, domains + N}};
  }
  Serial<1> serial(D a) { return {session_, {a}}; }
  Serial<2> serial(D a, D b) { return {session_, {a, b}}; }
  Serial<3> serial(D a, D b, D c) { return {session_, {a, b, c}}; }
  Serial<4> serial(D a, D b, D c, D d) { return {session_, {a, b, c, d}}; }
  template <std::size_t N>
  Serial<N> serial(const Domain (&domains)[N]) {
    return {session_, {domains, domains + N}};
  }
  Pipeline<1> pipeline(D a) { return {session_, {a}}; }
  Pipeline<2> pipeline(D a, D b) { return {session_, {a, b}}; }
  Pipeline<3> pipeline(D a, D b, D c) { return {session_, {a, b, c}}; }
  Pipeline<4> pipeline(D a, D b, D c, D d) { return {session_, {a, b, c, d}}; }
  template <std::size_t N>
  Pipeline<N> pipeline(const Domain (&domains)[N]) {
    return {session_, {domains, domains + N}};
  }
  Reduce<1> reduce(D a) { return {session_, {a}}; }
  Reduce<2> reduce(D a, D b) { return {session_, {a, b}}; }
  Reduce<3> reduce(D a, D b, D c) { return {session_, {a, b, c}}; }
  Reduce<4> reduce(D a, D b, D c, D d) { return {session_, {a, b, c, d}}; }
  template <std::size_t N>
  Reduce<N> reduce(const Domain (&domains)[N]) {
    return {session_, {domains, domains + N}};
  }

  /// The verified program, or every fault. It ends the draft.
  Result<Program> finish();

  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace tilewright::dsl
