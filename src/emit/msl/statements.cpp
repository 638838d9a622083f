// Statements of emit/msl/kernel_text.h that one worker makes by itself.
#include <algorithm>

#include "emit/msl/kernel_text.h"
#include "support/check.h"

namespace tilewright::emit_msl {

using namespace kernel;

void KernelText::block(BlockId id) {
  for (OpId op_id : program_.blocks[id].ops) {
    const Op& op = program_.ops[op_id];
    if (!facts_.placement.is_live(op_id)) continue;
    const bool held = std::ranges::any_of(op.results, [&](ValueId result) {
      return facts_.placement.is_held(result) && !facts_.placement.is_literal(result);
    });
    if (op.results.empty() || held || !nested_blocks(op.payload).empty())
      std::visit([&](const auto& payload) { statement(payload, op); }, op.payload);
  }
}

/// What one worker computes.
template <class Payload>
void KernelText::statement(const Payload&, const Op& op) {
  TW_CHECK(op.results.size() == 1);
  assign(op.results[0], [&](const std::string& lane) { return expressions_.definition(op.results[0], lane); });
}

void KernelText::statement(const StoreOp& payload, const Op&) {
  const bool single = program_.values[payload.value].lanes == 1;
  const std::string_view lane = single ? std::string_view() : lane_name_;
  std::string guard;
  if (payload.mask.valid()) guard = fmt::format("if ({}) ", expressions_.of(payload.mask, lane).text);
  const std::string place = expressions_.element(payload.memory, payload.index, lane);
  Expr value = expressions_.of(payload.value, lane);
  if (value.type == TextType::Bool) value = call(TextType::Int, "uchar", {&value});
  if (single) return line("{}{} = {};", guard, place, value.text);
  for_each_lane(0, program_.values[payload.value].lanes, fmt::format("{}{} = {};", guard, place, value.text));
}

void KernelText::statement(const FoldLanesOp& payload, const Op& op) {
  const ValueType type = program_.values[payload.operand];
  const ValueId result = op.results[0];
  const TextType number = expressions_.number_type(result);
  // The operand may read the variable of the result: that is set last.
  const std::string first = expressions_.of(payload.operand, "0").text;
  const std::string total = table_.fresh("folded");
  line("{} {} = {};", type_word(number), total, first);
  const Expr next = expressions_.of(payload.operand, lane_name_);
  const IntegerFacts facts{.wide = number == TextType::Long, .may_wrap = facts_.ranges.may_wrap(result)};
  const Expr sum = binary(library_, binary_of(payload.kind), type.scalar, {total, number}, next, facts);
  for_each_lane(1, type.lanes, fmt::format("{} = {};", total, sum.text));
  if (!is_declared(result) && !facts_.variables.changes(facts_.variables.of(result))) {
    name(result) = total;
    return;
  }
  const std::string left = target(result);
  line("{} = {};", left, total);
}

// ---- Loops ----------------------------------------------------------------------------------------------------------

void KernelText::statement(const LoopOp& payload, const Op&) {
  const Block& body = program_.blocks[payload.body];
  const std::vector<ValueId> carries(body.args.begin() + 1, body.args.end());
  const Expr low = expressions_.of(payload.low);
  const Expr high = expressions_.of(payload.high);
  copy_all(carries, payload.inits);
  const std::string index = loop_name();
  name(body.args[0]) = index;
  const TextType type = expressions_.number_type(body.args[0]);
  // Past the last number of 64 bits there is no next index.
  const bool ends = facts_.ranges.of(body.args[0]).high <= INT64_MAX - payload.step;
  const std::string step =
      !ends ? fmt::format("{0} = {1}({0}, {2}L)", index, library_.use(Function::SaturatingStep), payload.step)
      : payload.step == 1 ? "++" + index
                          : fmt::format("{} += {}", index, integer_literal(payload.step).text);
  line("for ({} {} = {}; {} < {}; {}) {{", type_word(type), index, low.text, index, wrapped(high, Binding::Sum), step);
  ++depth_, ++loops_;
  table_.begin_scope();
  block(payload.body);
  copy_all(carries, body.yields);
  table_.end_scope();
  --depth_, --loops_;
  line("}}");
}

// ---- Ifs ------------------------------------------------------------------------------------------------------------

bool KernelText::has_statements(BlockId id) const {
  return id.valid() && std::ranges::any_of(program_.blocks[id].ops, [&](OpId op_id) {
           const Op& op = program_.ops[op_id];
           if (!facts_.placement.is_live(op_id)) return false;
           return op.results.size() != 1 || facts_.placement.is_held(op.results[0]) ||
                  !nested_blocks(op.payload).empty();
         });
}

bool KernelText::is_choice(const IfOp& payload, const Op& op) const {
  if (op.results.size() != 1 || form_of(program_.values[op.results[0]]) != Form::Number) return false;
  if (has_statements(payload.then_block) || has_statements(payload.else_block)) return false;
  // Where a branch leaves a variable as it is, there is less to write.
  const auto stays = [&](BlockId id) {
    const ValueId yielded = program_.blocks[id].yields[0];
    return facts_.placement.is_held(yielded) && facts_.variables.of(yielded) == facts_.variables.of(op.results[0]);
  };
  return !stays(payload.then_block) && !stays(payload.else_block);
}

void KernelText::branch(BlockId id, const std::vector<ValueId>& results) {
  ++depth_;
  table_.begin_scope();
  block(id);
  copy_all(results, program_.blocks[id].yields);
  table_.end_scope();
  --depth_;
}

void KernelText::statement(const IfOp& payload, const Op& op) {
  const Expr condition = expressions_.of(payload.condition);
  if (facts_.placement.is_literal(payload.condition)) {
    const BlockId chosen = condition.text == "true" ? payload.then_block : payload.else_block;
    if (!chosen.valid()) return;
    block(chosen);
    return copy_all(op.results, program_.blocks[chosen].yields);
  }
  if (is_choice(payload, op)) {
    const Expr a = expressions_.of(program_.blocks[payload.then_block].yields[0]);
    const Expr b = expressions_.of(program_.blocks[payload.else_block].yields[0]);
    const std::string left = target(op.results[0]);
    return line("{} = {};", left, choice(condition, a, b).text);
  }
  for (ValueId result : op.results)
    if (!facts_.placement.is_literal(result)) declare(result);
  line("if ({}) {{", condition.text);
  branch(payload.then_block, op.results);
  const bool otherwise = payload.else_block.valid() && (has_statements(payload.else_block) || !op.results.empty());
  if (otherwise) {
    const std::size_t before = text_.size();
    line("}} else {{");
    const std::size_t empty = text_.size();
    branch(payload.else_block, op.results);
    if (text_.size() == empty) text_.resize(before);
  }
  line("}}");
}

}  // namespace tilewright::emit_msl
