// What poisoned runs made of the buffers of a program, compared with the oracle's images and added up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/check.h>

#include "driver/poisoned_copy.h"
#include "tile/interpreter.h"

namespace tilewright::driver {

class OutputCheck;

class CheckTally {
 public:
  CheckTally();
  ~CheckTally();
  CheckTally(const CheckTally&) = delete;
  CheckTally& operator=(const CheckTally&) = delete;

  /// An input, whose elements must not change. `original` is what the copies are made from.
  void add_input(std::string name);
  /// A written buffer that is compared on these rows, ascending. `exact` has to live as long as this; `has_contents`:
  /// an inout buffer.
  void add_output(std::string name, const ArrayView& original, bool has_contents, const tile::ExactOutput& exact,
                  std::vector<std::int64_t> rows);

  /// Compares the copy of the buffer that was added as number `index` after one run. Overwrites its elements.
  void inspect(std::size_t index, PoisonedCopy& copy, Poison poison);

  /// Of all runs so far; the first wrong element is of the buffer that was added first.
  CheckReport report() const;

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<OutputCheck> output;  ///< none for an input
    /// The same element counts once, whichever of the runs shows it.
    std::int64_t changed = 0, outside = 0;
  };
  std::vector<Entry> entries_;
};

/// Rows as the oracle counts them (tile::row_count): up to rank 1 every element is a row of its own.
std::int64_t checked_row_count(const std::vector<std::int64_t>& extents);

}  // namespace tilewright::driver
