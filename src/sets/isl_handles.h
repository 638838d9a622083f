// Internal to src/sets: owners of isl's objects, the state behind a Context, and the guard of one query. No other
// folder may include this file.
#pragma once

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace tilewright::sets::detail {

/// One reference to an object of isl, or null. isl's functions take a reference (copy() or release()) or keep to
/// looking (get()).
template <class T, T* (*kCopy)(T*), T* (*kFree)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* taken) : object_(taken) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() { kFree(object_); }

  explicit operator bool() const { return object_ != nullptr; }
  T* get() const { return object_; }
  T* copy() const { return kCopy(object_); }
  T* release() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

using SpaceHandle = Handle<isl_space, isl_space_copy, isl_space_free>;
using FunctionHandle = Handle<isl_pw_aff, isl_pw_aff_copy, isl_pw_aff_free>;
using SetHandle = Handle<isl_set, isl_set_copy, isl_set_free>;
using MapHandle = Handle<isl_map, isl_map_copy, isl_map_free>;
using PointHandle = Handle<isl_point, isl_point_copy, isl_point_free>;
using ValHandle = Handle<isl_val, isl_val_copy, isl_val_free>;

/// The isl context and the query in progress.
struct State {
  State();
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void enter();
  void leave();
  /// Takes note of an overrun since the last call; any other error of isl ends the program. Whether the query is whole.
  bool settle();

  isl_ctx* ctx = nullptr;
  std::uint64_t quota = 0;
  std::uint64_t overruns = 0;
  int depth = 0;  ///< queries inside queries
  bool overran = false;
};

/// Every public function that asks isl lives in one.
class Ask {
 public:
  explicit Ask(State& state) : state_(state) { state_.enter(); }
  ~Ask() { state_.leave(); }
  Ask(const Ask&) = delete;
  Ask& operator=(const Ask&) = delete;

  /// Nothing was lost so far: what isl gave is what was asked for.
  bool whole() const { return state_.settle(); }
  isl_ctx* ctx() const { return state_.ctx; }

 private:
  State& state_;
};

/// isl objects that are made whatever the quota says: few and small.
class Unmetered {
 public:
  explicit Unmetered(State& state) : ctx_(state.ctx), operations_(isl_ctx_get_max_operations(ctx_)) {
    isl_ctx_set_max_operations(ctx_, 0);
  }
  ~Unmetered() { isl_ctx_set_max_operations(ctx_, operations_); }
  Unmetered(const Unmetered&) = delete;
  Unmetered& operator=(const Unmetered&) = delete;

 private:
  isl_ctx* ctx_;
  unsigned long operations_;
};

inline isl_val* val_of(isl_ctx* ctx, std::int64_t value) {
  static_assert(sizeof(long) == sizeof(std::int64_t), "isl takes long");
  return isl_val_int_from_si(ctx, value);
}
/// Nothing for null, infinities, NaN, fractions and values beyond int64.
std::optional<std::int64_t> integer_of(const ValHandle& val);

}  // namespace tilewright::sets::detail
