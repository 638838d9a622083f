// Coefficients: the shipped file, every way in which a file is refused, every coefficient out of its range.
#include "plan/cost_priors.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "plan/plan_cases.h"

namespace tilewright::plan::cost_priors_test {
namespace {

using Json = nlohmann::ordered_json;

Json shipped() { return Json::parse(shipped_priors_text()); }

Result<CostPriors> parsed(const Json& json) { return parse_cost_priors(json.dump(), "costs.json"); }

TEST(CostPriors, TheShippedFileHasThePublishedNumbers) {
  const CostPriors& p = shipped_priors();
  const CostPriors expected{.version = "priors-v1",
                            .matrix_issue = 1,
                            .shared_fragment_transfer = 2,
                            .independent_element = 1.0 / 128,
                            .subgroup_setup = 8,
                            .metal_mpp_memory_fragment = 1,
                            .metal_mpp_lhs_footprint = 0.125,
                            .metal_mpp_rhs_footprint = 0.375,
                            .metal_mpp_output_fragment = 1,
                            .metal_mpp_tensor_operation = 8,
                            .metal_mpp_accumulator_init = 1,
                            .metal_mpp_tile_aspect = 0.1875,
                            .metal_mpp_local_row_aspect = 0.25,
                            .metal_mpp_local_column_aspect = 0.125,
                            .metal_mpp_row_edge = 0.25,
                            .metal_mpp_column_edge = 0.25,
                            .metal_mpp_independent_element = 1.0 / 32,
                            .metal_mpp_group_setup = 8,
                            .subgroup_reduction_scalar_round = 1,
                            .subgroup_reduction_collective = 2,
                            .subgroup_reduction_group_setup = 16,
                            .subgroup_reduction_global_access_byte = 0,
                            .subgroup_reduction_private_access_byte = 0,
                            .preferred_subgroups = 4,
                            .preferred_fragment_scalars_per_lane = 32,
                            .preferred_concurrent_programs = 64,
                            .metal_mpp_concurrent_subgroups = 512};
  // Those of cpu.vector are measured, and change with what is measured.
  CostPriors published = p;
  for (const CostPriorRow& row : cost_prior_rows())
    if (row.name.starts_with("cpu_vector_")) {
      const auto member = std::get<double CostPriors::*>(row.member);
      EXPECT_GT(p.*member, 0) << row.name;
      published.*member = 0;
    }
  EXPECT_EQ(published, expected);
  EXPECT_TRUE(validate(p));
}

TEST(CostPriors, TheTableNamesEveryMemberOnce) {
  CostPriors priors;
  double number = 1;
  for (const CostPriorRow& row : cost_prior_rows())
    std::visit([&](auto member) { priors.*member = static_cast<std::decay_t<decltype(priors.*member)>>(number++); },
               row.member);
  EXPECT_EQ(number, 45);
  EXPECT_EQ(priors.matrix_issue, 1);
  EXPECT_EQ(priors.metal_mpp_concurrent_subgroups, 44);
  number = 1;
  for (const CostPriorRow& row : cost_prior_rows()) {
    std::visit([&](auto member) { EXPECT_EQ(static_cast<double>(priors.*member), number) << row.name; }, row.member);
    ++number;
  }
}

TEST(CostPriors, ValuesThatWereNeverLoadedAreRefused) {
  const auto result = validate(CostPriors{});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().size(), 4u);
  for (const Diag& fault : result.error()) EXPECT_EQ(fault.code, DiagCode::CoefficientNotPositive);
}

TEST(CostPriors, EveryCoefficientHasItsRange) {
  for (const CostPriorRow& row : cost_prior_rows()) {
    const std::string name(row.name);
    if (const auto* real = std::get_if<double CostPriors::*>(&row.member)) {
      for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()}) {
        CostPriors priors = shipped_priors();
        priors.** real = value;
        expect_code(validate(priors), DiagCode::CoefficientNotFinite, {name, "finite"});
      }
      CostPriors priors = shipped_priors();
      priors.** real = -0.5;
      expect_code(validate(priors), DiagCode::CoefficientNegative, {name, "-0.5"});
      priors.** real = 0;
      EXPECT_TRUE(validate(priors));
    } else {
      for (const std::int64_t value : {0, -1}) {
        CostPriors priors = shipped_priors();
        priors.*std::get<std::int64_t CostPriors::*>(row.member) = value;
        expect_code(validate(priors), DiagCode::CoefficientNotPositive, {name, std::to_string(value)});
      }
    }
  }
}

TEST(CostPriors, EachCoefficientMustBeThereOnceAndBeANumber) {
  for (const CostPriorRow& row : cost_prior_rows()) {
    const std::string name(row.name);
    Json json = shipped();
    json["coefficients"].erase(name);
    expect_code(parsed(json), DiagCode::CoefficientMissing, {"'costs.json'", "'" + name + "' is missing"});
    for (const Json& value : {Json("1"), Json(true), Json(nullptr), Json::array({1})}) {
      json = shipped();
      json["coefficients"][name]["value"] = value;
      expect_code(parsed(json), DiagCode::CoefficientType, {name, value.dump()});
    }
    json = shipped();
    json["coefficients"][name]["value"] = -1;
    expect_code(parsed(json),
                std::holds_alternative<double CostPriors::*>(row.member) ? DiagCode::CoefficientNegative
                                                                         : DiagCode::CoefficientNotPositive,
                {name, "-1"});
    json = shipped();
    json["coefficients"][name].erase("value");
    expect_code(parsed(json), DiagCode::CostFileFormat, {name, "'value'"});
  }
  Json json = shipped();
  json["coefficients"]["preferred_subgroups"]["value"] = 4.0;
  expect_code(parsed(json), DiagCode::CoefficientType, {"preferred_subgroups", "whole number", "4.0"});
  json["coefficients"]["preferred_subgroups"]["value"] = UINT64_MAX;
  expect_code(parsed(json), DiagCode::CoefficientType, {"preferred_subgroups"});
}

TEST(CostPriors, UnknownNamesAreRefused) {
  Json json = shipped();
  json["coefficients"]["matrix_isue"] = {{"value", 1}};
  expect_code(parsed(json), DiagCode::CoefficientUnknown, {"'matrix_isue'", "did you mean 'matrix_issue'?"});
  json = shipped();
  json["comment"] = "x";
  expect_code(parsed(json), DiagCode::CostFileFormat, {"'comment'"});
  json = shipped();
  json["coefficients"]["matrix_issue"]["unit"] = "ns";
  expect_code(parsed(json), DiagCode::CostFileFormat, {"matrix_issue", "'unit'"});
}

TEST(CostPriors, RepeatedNamesAreRefused) {
  std::string text = shipped_priors_text();
  const std::string entry = "\"coefficients\": {";
  text.insert(text.find(entry) + entry.size(), "\"matrix_issue\": {\"value\": 3},");
  expect_code(parse_cost_priors(text, "x"), DiagCode::CoefficientRepeated, {"'matrix_issue' stands twice"});
}

TEST(CostPriors, TheFormOfTheFile) {
  expect_code(parse_cost_priors("", "x"), DiagCode::CostFileFormat, {"'x'", "not JSON"});
  expect_code(parse_cost_priors("{\"schema\": 1e999}", "x"), DiagCode::CostFileFormat, {"not JSON"});
  expect_code(parse_cost_priors("[]", "x"), DiagCode::CostFileFormat, {"expected an object"});
  for (const char* key : {"schema", "version", "source", "coefficients"}) {
    Json json = shipped();
    json.erase(key);
    expect_code(parsed(json), DiagCode::CostFileFormat, {key, "missing"});
  }
  for (const char* key : {"schema", "version", "source"}) {
    Json json = shipped();
    json[key] = 1;
    expect_code(parsed(json), DiagCode::CostFileFormat, {key, "a text"});
  }
  Json json = shipped();
  json["coefficients"] = Json::array();
  expect_code(parsed(json), DiagCode::CostFileFormat, {"'coefficients'"});
  json = shipped();
  json["schema"] = "tilewright.cost-priors.2";
  expect_code(parsed(json), DiagCode::CostFileFormat, {"tilewright.cost-priors.1", "tilewright.cost-priors.2"});
  EXPECT_EQ(load_cost_priors("/nonexistent/priors.json").error()[0].code, DiagCode::FileRead);
}

TEST(CostPriors, SetFromText) {
  CostPriors priors = shipped_priors();
  EXPECT_TRUE(set_coefficient(priors, "matrix_issue", "0.25"));
  EXPECT_EQ(priors.matrix_issue, 0.25);
  EXPECT_TRUE(set_coefficient(priors, "preferred_subgroups", "7"));
  EXPECT_EQ(priors.preferred_subgroups, 7);
  expect_code(set_coefficient(priors, "matrix_isue", "1"), DiagCode::UnknownOption, {"did you mean 'matrix_issue'?"});
  for (const char* text : {"nan", "inf", "-1", "x", "", "1e999"})
    expect_code(set_coefficient(priors, "matrix_issue", text), DiagCode::BadOption,
                {"cost.matrix_issue", "at least 0"});
  for (const char* text : {"0", "-1", "1.5", "x", ""})
    expect_code(set_coefficient(priors, "preferred_subgroups", text), DiagCode::BadOption, {"at least 1"});
}

}  // namespace
}  // namespace tilewright::plan::cost_priors_test
