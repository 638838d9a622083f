// One comparison with the reference, as a line and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "driver/run.h"

namespace tilewright::report {

/// "check dyadic    ok: 1024 elements within their bounds, ..", with its line break.
std::string check_line(const driver::FillCheck& check);

/// {contents, ok, the counts, repeat: a command or null}.
nlohmann::ordered_json check_json(const driver::FillCheck& check);
/// The counts alone: {checked_elements, .., harmed, first_wrong}.
void add_check_counts(nlohmann::ordered_json& json, const CheckReport& found);

/// NaN and infinities as text.
nlohmann::ordered_json number_json(double value);

}  // namespace tilewright::report
