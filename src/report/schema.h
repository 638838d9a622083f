// The version of every JSON shape in this folder: it grows when a key changes its meaning or goes.
#pragma once

namespace tilewright::report {

inline constexpr int kSchema = 1;

}  // namespace tilewright::report
