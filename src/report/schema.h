// The versions of the JSON shapes in this folder: one grows when a key of its shape changes its meaning or goes.
#pragma once

namespace tilewright::report {

inline constexpr int kSchema = 1;
inline constexpr int kPlanSchema = 2;  ///< of `plan`

}  // namespace tilewright::report
