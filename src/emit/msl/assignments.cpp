// Variables of emit/msl/kernel_text.h: how they are called, declared and set.
#include <algorithm>

#include "emit/msl/kernel_text.h"
#include "support/check.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

constexpr std::size_t kLineWidth = 100;

std::string_view matrix_word(ScalarType scalar) {
  if (scalar == ScalarType::F16) return "simdgroup_half8x8";
  return scalar == ScalarType::BF16 ? "simdgroup_bfloat8x8" : "simdgroup_float8x8";
}

}  // namespace

std::string KernelText::base_name(ValueId value) const {
  const ScalarType scalar = program_.values[value].scalar;
  const bool floating = is_float_scalar(scalar);
  const OpId id = facts_.placement.definition(value);
  if (!id.valid() || (floating && facts_.variables.changes(facts_.variables.of(value))))
    return floating ? "acc" : "count";
  const OpPayload& payload = program_.ops[id].payload;
  std::string memory;
  for_each_memory(payload, [&](MemoryRef from) {
    memory = from.buffer.valid() ? program_.buffers[from.buffer].name : program_.allocations[from.allocation].name;
  });
  if (std::holds_alternative<LoadOp>(payload)) return memory + "_value";
  if (std::holds_alternative<FragmentLoadOp>(payload)) return memory + "_tile";
  if (const auto* reduce = std::get_if<SubgroupReduceOp>(&payload))
    return reduce->kind == LaneFold::Add ? "total" : reduce->kind == LaneFold::Max ? "highest" : "lowest";
  if (std::holds_alternative<AtomOp>(payload)) return "product";
  if (std::holds_alternative<ShuffleOp>(payload)) return "other";
  if (std::holds_alternative<FragmentFillOp>(payload)) return "filled";
  if (const auto* binary = std::get_if<BinaryOp>(&payload); binary != nullptr && !floating) {
    if (binary->kind == BinaryKind::FloorDiv) return "row";
    if (binary->kind == BinaryKind::FloorMod) return "column";
  }
  return floating ? "x" : scalar == ScalarType::I1 ? "flag" : "at";
}

std::string KernelText::type_text(ValueId value) const {
  const ValueType type = program_.values[value];
  const std::string_view number = type_word(expressions_.number_type(value));
  switch (form_of(type)) {
    case Form::Number:
      return std::string(number);
    case Form::Lanes:
      return fmt::format("{}<{}, {}>", library_.use(Function::Lanes), number, lanes_of(type));
    case Form::Matrix:
      return std::string(matrix_word(type.scalar));
    case Form::Tensor:
      return "auto";
  }
  TW_CHECK(false);
}

std::string KernelText::declaration(ValueId value) {
  name(value) = table_.fresh(base_name(value));
  return new_variable(value, name(value));
}

std::string KernelText::new_variable(ValueId like, const std::string& name) const {
  const std::string text = type_text(like) + " " + name;
  if (form_of(program_.values[like]) != Form::Tensor) return text;
  const TensorNames& names = tensor_names_[facts_.tensors.of(like).value()];
  return fmt::format("{} = {}.get_destination_cooperative_tensor<{}, {}, float>()", text, names.operation,
                     names.views[0], names.views[1]);
}

std::string KernelText::target(ValueId value) {
  if (is_declared(value)) return name(value);
  const bool constant =
      form_of(program_.values[value]) == Form::Number && !facts_.variables.changes(facts_.variables.of(value));
  return (constant ? "const " : "") + declaration(value);
}

void KernelText::declare(ValueId value) {
  if (!is_declared(value)) line("{};", declaration(value));
}

std::string KernelText::filled_matrix(ValueId value, const Expr& element) const {
  const ScalarType scalar = program_.values[value].scalar;
  return fmt::format("make_filled_simdgroup_matrix<{}, 8, 8>({})", memory_word(scalar), element.text);
}

void KernelText::assign_each_lane(ValueId value, const std::string& number) {
  const ValueType type = program_.values[value];
  if (form_of(type) == Form::Tensor) return assign_tensor(value, number);
  const bool matrix = form_of(type) == Form::Matrix;
  if (!is_declared(value)) {
    // A matrix that only its elements were written to has lost values on M1: it begins filled.
    const std::string left = target(value);
    if (matrix)
      line("{} = {};", left, filled_matrix(value, float_literal(type.scalar, 0)));
    else
      line("{};", left);
  }
  for_each_lane(0, lanes_of(type), element_of_lane(value, name(value)) + " = " + number + ";");
}

std::string KernelText::element_of_lane(ValueId like, const std::string& variable) const {
  const bool matrix = form_of(program_.values[like]) == Form::Matrix;
  return fmt::format("{}.{}[{}]", variable, matrix ? "thread_elements()" : "at", lane_name_);
}

void KernelText::for_each_lane(int first, int lanes, const std::string& statement) {
  const std::string head = fmt::format("for (int {0} = {1}; {0} < {2}; ++{0})", lane_name_, first, lanes);
  if (head.size() + statement.size() < kLineWidth) return line("{} {}", head, statement);
  line("{}", head);
  line("  {}", statement);
}

// ---- Carries --------------------------------------------------------------------------------------------------------

bool KernelText::reads(ValueId source, std::uint32_t variable) const {
  if (facts_.placement.is_literal(source)) return false;
  if (facts_.placement.is_held(source)) return facts_.variables.of(source) == variable;
  bool found = false;
  for_each_operand(program_.ops[facts_.placement.definition(source)].payload,
                   [&](ValueId operand) { found = found || reads(operand, variable); });
  return found;
}

void KernelText::copy(const Copy& copy) {
  const auto [target_value, source, ready] = copy;
  const Form form = form_of(program_.values[target_value]);
  if (form == Form::Tensor)
    return assign_tensor(target_value, ready.empty() ? expressions_.of(source, lane_name_).text
                                                     : fmt::format("{}[{}]", ready, lane_name_));
  const bool whole = form == Form::Number || !ready.empty() ||
                     (facts_.placement.is_held(source) && !facts_.placement.is_literal(source));
  if (whole) {
    const std::string right = !ready.empty()         ? ready
                              : form == Form::Number ? expressions_.of(source).text
                                                     : name(source);
    const std::string left = target(target_value);
    return line("{} = {};", left, right);
  }
  const OpId id = facts_.placement.definition(source);
  const auto* fill = id.valid() ? std::get_if<FragmentFillOp>(&program_.ops[id].payload) : nullptr;
  if (fill == nullptr || form != Form::Matrix)
    return assign_each_lane(target_value, expressions_.of(source, lane_name_).text);
  const std::string right = filled_matrix(target_value, expressions_.of(fill->scalar));
  const std::string left = target(target_value);
  line("{} = {};", left, right);
}

void KernelText::copy_all(const std::vector<ValueId>& targets, const std::vector<ValueId>& sources) {
  std::vector<Copy> pending;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const bool same = facts_.placement.is_held(sources[i]) && !facts_.placement.is_literal(sources[i]) &&
                      facts_.variables.of(sources[i]) == facts_.variables.of(targets[i]);
    if (!same && !facts_.placement.is_literal(targets[i])) pending.push_back({targets[i], sources[i], {}});
  }
  while (!pending.empty()) {
    const auto is_wanted = [&](const Copy& ready) {
      return std::ranges::any_of(pending, [&](const Copy& other) {
        return &other != &ready && other.ready.empty() && reads(other.source, facts_.variables.of(ready.target));
      });
    };
    const auto next = std::ranges::find_if_not(pending, is_wanted);
    if (next != pending.end()) {
      copy(*next);
      pending.erase(next);
      continue;
    }
    // Every target is read by another copy: one of them reads first.
    const auto first = std::ranges::find_if(pending, [](const Copy& each) { return each.ready.empty(); });
    first->ready = table_.fresh("next");
    keep(first->target, first->source, first->ready);
  }
}

void KernelText::keep(ValueId like, ValueId source, const std::string& into) {
  const Form form = form_of(program_.values[like]);
  if (form == Form::Tensor) {
    line("{};", new_variable(like, into));
    return for_each_slot(into, "",
                         fmt::format("{}[{}] = {};", into, lane_name_, expressions_.of(source, lane_name_).text));
  }
  const std::string type = type_text(like);
  const bool held = facts_.placement.is_held(source) && !facts_.placement.is_literal(source);
  if (form == Form::Number || held)
    return line("const {} {} = {};", type, into, form == Form::Number ? expressions_.of(source).text : name(source));
  const std::string number = expressions_.of(source, lane_name_).text;
  line("{} {};", type, into);
  for_each_lane(0, lanes_of(program_.values[like]), element_of_lane(like, into) + " = " + number + ";");
}

}  // namespace tilewright::emit_msl
