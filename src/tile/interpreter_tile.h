// Tiles as the interpreter keeps them, and the readers and writers of their elements.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tile/interpreter_exact.h"
#include "tile/interpreter_typed.h"

namespace tilewright::tile {

/// The elements of one tile or object, row-major: `real` of float types, `whole` of the others.
/// Exact: bound[i] is the bound of a Real and Inf for an undecided whole number; empty when all bounds are 0.
template <class A>
struct Elements {
  std::vector<typename A::Stored> real;
  std::vector<std::int64_t> whole;
  std::vector<double> bound;
};
template <class A>
using TileRef = std::shared_ptr<Elements<A>>;

/// Keeps the memory of small tiles that died for those that come; large ones go back to the system.
template <class A>
class TilePool {
 public:
  TileRef<A> take() {
    if (free_.empty()) return std::make_shared<Elements<A>>();
    TileRef<A> tile = std::move(free_.back());
    free_.pop_back();
    return tile;
  }
  void give_back(TileRef<A>& tile) {
    if (tile && tile.use_count() == 1 && free_.size() < kKeptTiles && elements(*tile) <= kKeptElements) {
      tile->bound.clear();
      free_.push_back(std::move(tile));
    }
    tile.reset();
  }

 private:
  static constexpr std::size_t kKeptTiles = 64;
  static constexpr std::size_t kKeptElements = std::size_t{1} << 16;
  static std::size_t elements(const Elements<A>& tile) {
    return tile.real.capacity() + tile.whole.capacity() + tile.bound.capacity();
  }
  std::vector<TileRef<A>> free_;
};

template <class A>
class RealReader {
 public:
  explicit RealReader(const Elements<A>& from)
      : real_(from.real.data()),
        bound_(from.bound.empty() ? &kNoBound : from.bound.data()),
        step_(!from.bound.empty()) {}
  typename A::Real operator[](std::int64_t i) const {
    if constexpr (A::kBounded)
      return {real_[i], bound_[i * step_]};
    else
      return real_[i];
  }

 private:
  static constexpr double kNoBound = 0;
  const typename A::Stored* real_;
  const double* bound_;
  std::int64_t step_;
};

template <class A>
class WholeReader {
 public:
  explicit WholeReader(const Elements<A>& from)
      : whole_(from.whole.data()),
        bound_(from.bound.empty() ? &kNoBound : from.bound.data()),
        step_(!from.bound.empty()) {}
  typename A::WholeNumber operator[](std::int64_t i) const {
    if constexpr (A::kBounded)
      return {whole_[i], bound_[i * step_] != 0};
    else
      return whole_[i];
  }

 private:
  static constexpr double kNoBound = 0;
  const std::int64_t* whole_;
  const double* bound_;
  std::int64_t step_;
};

/// Writes every element of a tile once; finish() drops bounds that are all 0.
template <class A>
class RealWriter {
 public:
  RealWriter(Elements<A>& to, std::int64_t size) : to_(&to) {
    to.whole.clear();
    to.real.resize(static_cast<std::size_t>(size));
    to.bound.resize(A::kBounded ? static_cast<std::size_t>(size) : 0);
    real_ = to.real.data();
    bound_ = to.bound.data();
  }
  void set(std::int64_t i, typename A::Real x) {
    if constexpr (A::kBounded) {
      real_[i] = x.value;
      bound_[i] = x.bound;
      any_bound_ |= x.bound != 0;
    } else {
      real_[i] = x;
    }
  }
  void finish() {
    if (!any_bound_) to_->bound.clear();
  }

 private:
  Elements<A>* to_;
  typename A::Stored* real_;
  double* bound_;
  bool any_bound_ = false;
};

template <class A>
class WholeWriter {
 public:
  WholeWriter(Elements<A>& to, std::int64_t size) : to_(&to) {
    to.real.clear();
    to.whole.resize(static_cast<std::size_t>(size));
    to.bound.resize(A::kBounded ? static_cast<std::size_t>(size) : 0);
    whole_ = to.whole.data();
    bound_ = to.bound.data();
  }
  void set(std::int64_t i, typename A::WholeNumber x) {
    whole_[i] = A::number(x);
    if constexpr (A::kBounded) {
      bound_[i] = x.undecided ? kInfinity : 0;
      any_bound_ |= x.undecided;
    }
  }
  void finish() {
    if (!any_bound_) to_->bound.clear();
  }

 private:
  Elements<A>* to_;
  std::int64_t* whole_;
  double* bound_;
  bool any_bound_ = false;
};

/// What a loop over elements of float or of whole types needs to name.
template <class A>
struct RealAccess {
  using Element = typename A::Real;
  using Reader = RealReader<A>;
  using Writer = RealWriter<A>;
};
template <class A>
struct WholeAccess {
  using Element = typename A::WholeNumber;
  using Reader = WholeReader<A>;
  using Writer = WholeWriter<A>;
};
template <class A, class F>
void with_access(DataType type, F&& f) {
  if (is_float(type))
    f(RealAccess<A>{});
  else
    f(WholeAccess<A>{});
}

}  // namespace tilewright::tile
