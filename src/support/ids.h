// Typed ids and the vectors they index: how every IR here names its parts.
//
// An Id<Tag> is a position in one IdVector. Ids of different tags do not convert into each other. An invalid id (the
// default) means "none". IdList<Id> is a range in a pool of ids that the owner of the IR keeps (see IdPool).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "support/check.h"

namespace tilewright {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t index = kNone;

  constexpr bool valid() const { return index != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

template <class IdType, class T>
class IdVector {
 public:
  IdType push_back(T value) {
    items_.push_back(std::move(value));
    return IdType{static_cast<std::uint32_t>(items_.size() - 1)};
  }
  T& operator[](IdType id) {
    TW_CHECK(id.index < items_.size());
    return items_[id.index];
  }
  const T& operator[](IdType id) const {
    TW_CHECK(id.index < items_.size());
    return items_[id.index];
  }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t count, const T& value = T{}) { items_.resize(count, value); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  /// Ids 0 .. size()-1, for loops that need the id.
  std::vector<IdType> ids() const {
    std::vector<IdType> all(items_.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i].index = i;
    return all;
  }
  bool operator==(const IdVector&) const = default;

 private:
  std::vector<T> items_;
};

/// A range of ids in an IdPool.
template <class IdType>
struct IdList {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;

  bool empty() const { return count == 0; }
  bool operator==(const IdList&) const = default;
};

/// Storage of all IdLists of one IR. Lists are never changed in place once made, except through mutable_span.
class IdPool {
 public:
  template <class IdType>
  IdList<IdType> add(std::span<const IdType> ids) {
    IdList<IdType> list{static_cast<std::uint32_t>(indices_.size()), static_cast<std::uint32_t>(ids.size())};
    for (IdType id : ids) indices_.push_back(id.index);
    return list;
  }
  template <class IdType>
  IdList<IdType> add(const std::vector<IdType>& ids) {
    return add(std::span<const IdType>(ids));
  }
  template <class IdType>
  std::vector<IdType> get(IdList<IdType> list) const {
    TW_CHECK(std::size_t{list.begin} + list.count <= indices_.size());
    std::vector<IdType> ids(list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) ids[i].index = indices_[list.begin + i];
    return ids;
  }
  template <class IdType>
  IdType at(IdList<IdType> list, std::size_t position) const {
    TW_CHECK(position < list.count);
    return IdType{indices_[list.begin + position]};
  }
  /// Replaces one entry, for renumbering.
  template <class IdType>
  void set(IdList<IdType> list, std::size_t position, IdType id) {
    TW_CHECK(position < list.count);
    indices_[list.begin + position] = id.index;
  }
  bool operator==(const IdPool&) const = default;

 private:
  std::vector<std::uint32_t> indices_;
};

}  // namespace tilewright

template <class Tag>
struct std::hash<tilewright::Id<Tag>> {
  std::size_t operator()(tilewright::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index); }
};
