// Sets of integers: the context that owns them, its quota, and answers that may be Unknown.
//
// src/sets answers questions about sets of integer points, affine functions on them and maps between them, exactly: for
// all values of the open sizes (parameters), not for samples. The mathematics is isl's (Verdoolaege, "isl: An Integer
// Set Library for the Polyhedral Model", 2010; Presburger arithmetic with quasi-affine functions). Nothing of isl shows
// in a header but isl_handles.h, which is for this folder alone.
//
// How an answer fails. isl's worst cases are exponential, so each query has a quota of isl's elementary operations. On
// an overrun the query stops: what it was to compute is *lost*, a question answers Unknown, a value is absent. Whatever
// is made from a lost value is lost. An answer that is given is true. Nothing else is ever lost: a lost value and an
// Unknown mean "quota", and nothing else. Any other error of isl is a broken invariant (support/check.h).
#pragma once

#include <cstdint>
#include <memory>

namespace tilewright::sets {

namespace detail {
struct State;
class Access;
}  // namespace detail

/// The answer to a question. Yes and No are exact; Unknown says nothing.
enum class Truth : std::uint8_t { No, Yes, Unknown };

constexpr Truth truth_of(bool value) { return value ? Truth::Yes : Truth::No; }
constexpr Truth negation(Truth a) { return a == Truth::Unknown ? Truth::Unknown : truth_of(a == Truth::No); }
/// Three-valued (Kleene): one No makes it No, whatever is unknown.
constexpr Truth both(Truth a, Truth b) {
  if (a == Truth::No || b == Truth::No) return Truth::No;
  return a == Truth::Yes ? b : a;
}
/// One Yes makes it Yes.
constexpr Truth either(Truth a, Truth b) { return negation(both(negation(a), negation(b))); }

/// Owner of the values of one analysis: spaces are made in a context, all else is made from spaces. Copies are handles
/// to the same context, and a value keeps its context alive. Values of two contexts never meet (TW_CHECK). A context
/// and its values belong to one thread at a time; different threads use different contexts.
class Context {
 public:
  static constexpr std::uint64_t kDefaultQuota = 200'000;

  Context();

  /// Operations of isl that one query may take, from the next query on; 0 is no limit. An operation is about an
  /// allocation: a million take some seconds.
  void set_quota(std::uint64_t operations);
  std::uint64_t quota() const;
  /// Queries stopped by the quota so far.
  std::uint64_t overruns() const;

 private:
  friend class detail::Access;
  std::shared_ptr<detail::State> state_;
};

/// A query is each single call of a function of this folder, unless a Query lives: then all calls in its scope are one
/// query, with one quota and at most one count in overruns(). After the overrun every further result in its scope is
/// lost; values made before it stay whole. An inner Query is a part of the outer one.
class Query {
 public:
  explicit Query(const Context& context);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// Whether the quota stopped this query, so far.
  bool overran() const;

 private:
  std::shared_ptr<detail::State> state_;
};

}  // namespace tilewright::sets
