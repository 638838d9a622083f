#include "report/plan_words.h"

#include <fmt/format.h>

namespace tilewright::report {

namespace {

std::string kind_of(const tile::OpPayload& payload) {
  return std::visit([](const auto& op) { return std::string(op.kName); }, payload);
}

}  // namespace

std::string value_name(const driver::PlanReport& report, tile::ValueId value) {
  const std::string& name = report.bound.value(value).name;
  return name.empty() ? fmt::format("#{}", value.index) : name;
}

std::string operation_text(const driver::PlanReport& report, tile::OpId op) {
  if (!op.valid()) return "-";
  const tile::OpPayload& payload = report.bound.op(op).payload;
  std::string text = fmt::format("%{} {}", op.index, kind_of(payload));
  if (const auto* load = std::get_if<tile::LoadOp>(&payload)) text += " " + report.bound.object(load->object).name;
  if (const auto* store = std::get_if<tile::StoreOp>(&payload)) text += " " + report.bound.object(store->object).name;
  if (const auto* mma = std::get_if<tile::MmaOp>(&payload))
    text +=
        fmt::format("({}, {}, {})", value_name(report, mma->a), value_name(report, mma->b), value_name(report, mma->c));
  return text;
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace tilewright::report
