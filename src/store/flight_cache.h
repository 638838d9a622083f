// Values by key in the memory of this process: each made once, however many threads ask for it at the same time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "support/result.h"

namespace tilewright::store {

struct FlightCounts {
  std::uint64_t hits = 0;    ///< found finished
  std::uint64_t joined = 0;  ///< waited for another thread that was making it
  std::uint64_t made = 0;    ///< also those that failed
};

/// Value: cheap to copy, such as a shared pointer. Thread-safe. At most `most` finished values stay; the least recently
/// used go first. Failures are told to everybody who waited, and are not kept.
template <class Value>
class FlightCache {
 public:
  explicit FlightCache(std::size_t most) : most_(most) {}

  /// The finished value of a key, if there is one; it counts as a use.
  std::optional<Value> find(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end() || !found->second->value) return std::nullopt;
    ++counts_.hits;
    entries_.splice(entries_.begin(), entries_, found->second);
    return *found->second->value;
  }

  /// find(), or what `make()` gives, a Result<Value>. It runs without a lock, and may use the cache with other keys.
  /// What it throws goes to its own caller; one of those who waited then makes the value.
  template <class Make>
  Result<Value> get(std::string_view key, Make&& make) {
    std::shared_ptr<Flight> flight;
    {
      std::unique_lock lock(mutex_);
      while (true) {
        const auto found = index_.find(key);
        if (found == index_.end()) break;
        if (found->second->value) {
          ++counts_.hits;
          entries_.splice(entries_.begin(), entries_, found->second);
          return *found->second->value;
        }
        flight = found->second->flight;
        ++counts_.joined;
        landed_.wait(lock, [&] { return flight->done; });
        if (flight->result) return *flight->result;
      }
      flight = begin(key);
    }
    Landing landing{*this, key, *flight};
    Result<Value> made = std::forward<Make>(make)();
    landing.result = made;
    return made;
  }

  FlightCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return finished_;
  }
  /// Forgets what is finished.
  void clear() {
    const std::lock_guard lock(mutex_);
    trim(0);
  }

 private:
  struct Flight {
    bool done = false;
    std::optional<Result<Value>> result;  ///< none after an exception
  };
  struct Entry {
    std::string key;
    std::optional<Value> value;
    std::shared_ptr<Flight> flight;  ///< while the value is made
  };
  using Place = typename std::list<Entry>::iterator;

  /// Ends a flight on every way out of get().
  struct Landing {
    FlightCache& cache;
    std::string_view key;
    Flight& flight;
    std::optional<Result<Value>> result = {};
    ~Landing() { cache.land(key, flight, std::move(result)); }
  };

  std::shared_ptr<Flight> begin(std::string_view key) {
    ++counts_.made;
    auto flight = std::make_shared<Flight>();
    entries_.push_front({std::string(key), std::nullopt, flight});
    index_.emplace(entries_.front().key, entries_.begin());
    return flight;
  }

  void land(std::string_view key, Flight& flight, std::optional<Result<Value>> result) {
    const std::lock_guard lock(mutex_);
    const Place place = index_.find(key)->second;
    if (result && *result) {
      place->value = **result;
      place->flight.reset();
      ++finished_;
      entries_.splice(entries_.begin(), entries_, place);
    } else {
      index_.erase(key);
      entries_.erase(place);
    }
    flight.result = std::move(result);
    flight.done = true;
    trim(most_);
    landed_.notify_all();
  }

  /// Premise: the lock is held.
  void trim(std::size_t most) {
    for (Place place = entries_.end(); finished_ > most && place != entries_.begin();) {
      --place;
      if (!place->value) continue;
      index_.erase(place->key);
      place = entries_.erase(place);
      --finished_;
    }
  }

  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable landed_;
  std::list<Entry> entries_;  ///< the latest used first
  std::unordered_map<std::string_view, Place> index_;
  std::size_t finished_ = 0;
  FlightCounts counts_;
};

}  // namespace tilewright::store
