// What the tests of row reductions share.
#pragma once

#include <string>
#include <vector>

#include "case_count.h"
#include "lower_rows/planned_case.h"
#include "realize_rows/row_cases.h"

namespace tilewright::lower::testing {

using realize::Numbers;
using realize::RowMapping;

inline constexpr const char* kRowPrograms[] = {"rowsum",  "rmsnorm",      "layernorm", "residual_layernorm",
                                               "softmax", "cross_entropy"};

inline RowMapping mapping(std::int64_t s, std::int64_t q = 1, std::int64_t v = 1, std::int64_t u = 1,
                          bool cached = false) {
  return {s, q, v, u, cached};
}

inline const std::vector<RowMapping> kFewWidths = {mapping(1), mapping(3), mapping(1, 3)};
/// Subgroups that are and are no power of two; several programs a group, the last one partial or not. A few of them
/// with sanitizers.
inline const std::vector<RowMapping> kWidths =
    kSanitized ? kFewWidths : std::vector{mapping(1),  mapping(2),    mapping(3),    mapping(4),   mapping(8),
                                          mapping(32), mapping(1, 2), mapping(1, 3), mapping(1, 8)};

void expect_rows(tile::testing::Trial& trial, const RowMapping& by);
/// The mappings among these that are legal; a test that has none of them fails.
void expect_legal_rows(tile::testing::Trial& trial, const std::vector<RowMapping>& mappings);
/// A program of programs/ on random numbers.
tile::testing::Trial library_trial(const std::string& name, const Numbers& numbers, DataType type = DataType::F32,
                                   std::uint64_t seed = 1);

}  // namespace tilewright::lower::testing
