#include "plan/cost_priors.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "support/number_text.h"
#include "support/spelling.h"

namespace tilewright::plan {

namespace {

constexpr CostPriorRow kPriorRows[] = {
    {"matrix_issue", &CostPriors::matrix_issue, "one 8x8x8 step"},
    {"shared_fragment_transfer", &CostPriors::shared_fragment_transfer, "one fragment loaded or stored by a subgroup"},
    {"independent_element", &CostPriors::independent_element, "one remaining scalar element, reference basis"},
    {"subgroup_setup", &CostPriors::subgroup_setup, "one participating subgroup, reference basis"},
    {"metal_mpp_memory_fragment", &CostPriors::metal_mpp_memory_fragment, "one request of an A or B fragment"},
    {"metal_mpp_lhs_footprint", &CostPriors::metal_mpp_lhs_footprint, "one distinct fragment of A"},
    {"metal_mpp_rhs_footprint", &CostPriors::metal_mpp_rhs_footprint, "one distinct fragment of B"},
    {"metal_mpp_output_fragment", &CostPriors::metal_mpp_output_fragment, "one fragment stored straight to the output"},
    {"metal_mpp_tensor_operation", &CostPriors::metal_mpp_tensor_operation, "one tensor operation of a subgroup"},
    {"metal_mpp_accumulator_init", &CostPriors::metal_mpp_accumulator_init, "one fragment that starts from a value"},
    {"metal_mpp_tile_aspect", &CostPriors::metal_mpp_tile_aspect,
     "a tile that is longer than wide, or wider than long"},
    {"metal_mpp_local_row_aspect", &CostPriors::metal_mpp_local_row_aspect, "a subgroup's rectangle taller than wide"},
    {"metal_mpp_local_column_aspect", &CostPriors::metal_mpp_local_column_aspect,
     "a subgroup's rectangle wider than tall"},
    {"metal_mpp_row_edge", &CostPriors::metal_mpp_row_edge, "an issue spent on rows outside the objects"},
    {"metal_mpp_column_edge", &CostPriors::metal_mpp_column_edge, "an issue spent on columns outside the objects"},
    {"metal_mpp_independent_element", &CostPriors::metal_mpp_independent_element, "one remaining scalar element, mpp"},
    {"metal_mpp_group_setup", &CostPriors::metal_mpp_group_setup, "a program, mpp"},
    {"subgroup_reduction_scalar_round", &CostPriors::subgroup_reduction_scalar_round,
     "one scalar round of a row reduction"},
    {"subgroup_reduction_collective", &CostPriors::subgroup_reduction_collective, "one collective of a row reduction"},
    {"subgroup_reduction_group_setup", &CostPriors::subgroup_reduction_group_setup, "a group of row reductions"},
    {"subgroup_reduction_global_access_byte", &CostPriors::subgroup_reduction_global_access_byte,
     "one byte of payload"},
    {"subgroup_reduction_private_access_byte", &CostPriors::subgroup_reduction_private_access_byte,
     "one byte of a stripe"},
    {"cpu_vector_fma", &CostPriors::cpu_vector_fma, "one fused multiply-add of a whole vector"},
    {"cpu_vector_excess_load", &CostPriors::cpu_vector_excess_load,
     "one cycle in which loads keep the multipliers waiting"},
    {"cpu_vector_excess_latency", &CostPriors::cpu_vector_excess_latency,
     "one cycle in which too few sums are under way"},
    {"cpu_vector_left_load", &CostPriors::cpu_vector_left_load,
     "one element of the left operand that is spread over lanes"},
    {"cpu_vector_near_panel_byte", &CostPriors::cpu_vector_near_panel_byte,
     "one byte of a panel from beyond the near cache"},
    {"cpu_vector_far_panel_byte", &CostPriors::cpu_vector_far_panel_byte,
     "one byte of a panel from beyond the far cache"},
    {"cpu_vector_far_right_byte", &CostPriors::cpu_vector_far_right_byte,
     "one byte read in place from beyond the far cache"},
    {"cpu_vector_page_touch", &CostPriors::cpu_vector_page_touch, "one row of the right operand in another page"},
    {"cpu_vector_left_byte", &CostPriors::cpu_vector_left_byte,
     "one byte of the left operand from beyond the far cache"},
    {"cpu_vector_left_line", &CostPriors::cpu_vector_left_line, "one line of the left operand for a single step"},
    {"cpu_vector_packed_byte", &CostPriors::cpu_vector_packed_byte, "one byte of a panel that is copied"},
    {"cpu_vector_strided_element", &CostPriors::cpu_vector_strided_element, "one element copied or stored by itself"},
    {"cpu_vector_far_strided_element", &CostPriors::cpu_vector_far_strided_element,
     "likewise from beyond the far cache"},
    {"cpu_vector_rectangle", &CostPriors::cpu_vector_rectangle, "one rectangle that begins and ends"},
    {"cpu_vector_output", &CostPriors::cpu_vector_output, "one vector stored"},
    {"cpu_vector_output_touch", &CostPriors::cpu_vector_output_touch,
     "one row of a rectangle in another page of a large output"},
    {"cpu_vector_lane_fold", &CostPriors::cpu_vector_lane_fold, "one vector of partial sums folded to one number"},
    {"cpu_vector_partial", &CostPriors::cpu_vector_partial, "one vector of sums that waits between passes"},
    {"preferred_subgroups", &CostPriors::preferred_subgroups, "subgroups that a group should have, reference basis"},
    {"preferred_fragment_scalars_per_lane", &CostPriors::preferred_fragment_scalars_per_lane,
     "state above which there is pressure"},
    {"preferred_concurrent_programs", &CostPriors::preferred_concurrent_programs, "programs of one wave"},
    {"metal_mpp_concurrent_subgroups", &CostPriors::metal_mpp_concurrent_subgroups, "subgroups of one wave, mpp"},
};

constexpr std::string_view kLoadPriorsHint = "load them from profiles/costs/priors-v1.json";

void check_coefficient(Diags& faults, std::string_view name, double value) {
  if (!std::isfinite(value))
    faults.push_back({DiagCode::CoefficientNotFinite,
                      fmt::format("cost coefficient {} is expected to be finite, found {}", name, format_double(value)),
                      {},
                      std::string(kLoadPriorsHint),
                      {}});
  else if (value < 0)
    faults.push_back(
        {DiagCode::CoefficientNegative,
         fmt::format("cost coefficient {} is expected to be at least 0, found {}", name, format_double(value)),
         {},
         std::string(kLoadPriorsHint),
         {}});
}

void check_coefficient(Diags& faults, std::string_view name, std::int64_t value) {
  if (value > 0) return;
  faults.push_back({DiagCode::CoefficientNotPositive,
                    fmt::format("cost coefficient {} is expected to be at least 1, found {}", name, value),
                    {},
                    std::string(kLoadPriorsHint),
                    {}});
}

std::unexpected<Diags> bad_coefficient(std::string_view name, std::string_view value, std::string_view range) {
  return failure(DiagCode::BadOption, fmt::format("cost.{} expects {}, found '{}'", name, range, value));
}

}  // namespace

std::span<const CostPriorRow> cost_prior_rows() { return kPriorRows; }

Result<void> validate(const CostPriors& priors) {
  Diags faults;
  for (const CostPriorRow& row : kPriorRows)
    std::visit([&](auto member) { check_coefficient(faults, row.name, priors.*member); }, row.member);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

Result<void> set_coefficient(CostPriors& priors, std::string_view name, std::string_view value) {
  std::vector<std::string_view> names;
  for (const CostPriorRow& row : kPriorRows) {
    names.push_back(row.name);
    if (row.name != name) continue;
    if (const auto* real = std::get_if<double CostPriors::*>(&row.member)) {
      const auto number = parse_double(value);
      if (!number || !std::isfinite(*number) || *number < 0)
        return bad_coefficient(name, value, "a finite number of at least 0");
      priors.** real = *number;
    } else {
      const auto number = parse_int64(value);
      if (!number || *number < 1) return bad_coefficient(name, value, "a whole number of at least 1");
      priors.*std::get<std::int64_t CostPriors::*>(row.member) = *number;
    }
    return {};
  }
  return failure(DiagCode::UnknownOption, fmt::format("no cost coefficient is called '{}'", name),
                 did_you_mean(name, names));
}

}  // namespace tilewright::plan
