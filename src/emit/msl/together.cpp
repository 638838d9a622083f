// Statements of emit/msl/kernel_text.h that the workers of a subgroup or group make together.
#include "emit/msl/kernel_text.h"
#include "support/check.h"

namespace tilewright::emit_msl {

using namespace kernel;

Expr KernelText::reduced(LaneFold kind, ValueId result, ScalarType scalar, const Expr& operand) {
  if (scalar == ScalarType::I1)
    return call(TextType::Bool, kind == LaneFold::Max ? "simd_any" : "simd_all", {&operand});
  if (is_float_scalar(scalar)) {
    const Expr wide = as_type(TextType::Float, operand);
    const std::string_view function = kind == LaneFold::Add   ? "simd_sum"
                                      : kind == LaneFold::Max ? library_.use(Function::SubgroupMaxFloat)
                                                              : library_.use(Function::SubgroupMinFloat);
    return as_type(operand.type, call(TextType::Float, function, {&wide}));
  }
  const bool wide = expressions_.number_type(result) == TextType::Long || operand.type == TextType::Long;
  if (wide) {
    const Expr number = as_type(TextType::Long, operand);
    const Function function = kind == LaneFold::Add   ? Function::SubgroupSumLong
                              : kind == LaneFold::Max ? Function::SubgroupMaxLong
                                                      : Function::SubgroupMinLong;
    return call(TextType::Long, library_.use(function), {&number});
  }
  if (kind != LaneFold::Add) return call(TextType::Int, kind == LaneFold::Max ? "simd_max" : "simd_min", {&operand});
  if (!facts_.ranges.may_wrap(result)) return call(TextType::Int, "simd_sum", {&operand});
  const Expr bits = call(TextType::Int, "uint", {&operand});
  const Expr sum = call(TextType::Int, "simd_sum", {&bits});
  return call(TextType::Int, "int", {&sum});
}

void KernelText::statement(const SubgroupReduceOp& payload, const Op& op) {
  const ScalarType scalar = program_.values[payload.operand].scalar;
  assign(op.results[0], [&](const std::string& lane) {
    return reduced(payload.kind, op.results[0], scalar, expressions_.of(payload.operand, lane));
  });
}

Expr KernelText::exchanged(const ShuffleOp& payload, ScalarType scalar, const Expr& operand) {
  const bool wide = operand.type == TextType::Long;
  const auto function = [&]() -> std::string_view {
    switch (payload.kind) {
      case ShuffleKind::Xor:
        return wide ? library_.use(Function::ExchangeXor) : "simd_shuffle_xor";
      case ShuffleKind::Down:
        return wide ? library_.use(Function::ExchangeDown) : "simd_shuffle_down";
      case ShuffleKind::Index:
        return wide ? library_.use(Function::ExchangeIndex) : "simd_broadcast";
    }
    TW_CHECK(false);
  }();
  const Expr number = integer_literal(payload.number);
  if (scalar == ScalarType::I1) {
    const Expr bits = call(TextType::Int, "ushort", {&operand});
    return compare(CompareKind::Ne, call(TextType::Int, function, {&bits, &number}), integer_literal(0));
  }
  if (scalar == ScalarType::BF16) {
    const Expr bits = call(TextType::Int, "as_type<ushort>", {&operand});
    const Expr moved = call(TextType::Int, function, {&bits, &number});
    return call(TextType::BFloat, "as_type<bfloat>", {&moved});
  }
  return call(operand.type, function, {&operand, &number});
}

void KernelText::statement(const ShuffleOp& payload, const Op& op) {
  const ScalarType scalar = program_.values[payload.operand].scalar;
  assign(op.results[0],
         [&](const std::string& lane) { return exchanged(payload, scalar, expressions_.of(payload.operand, lane)); });
}

// ---- Fragments ------------------------------------------------------------------------------------------------------

void KernelText::statement(const FragmentFillOp& payload, const Op& op) {
  const ValueId result = op.results[0];
  const Expr element = expressions_.of(payload.scalar);
  if (form_of(program_.values[result]) == Form::Tensor) return assign_tensor(result, element.text);
  if (form_of(program_.values[result]) != Form::Matrix) return assign_each_lane(result, element.text);
  const std::string left = target(result);
  line("{} = {};", left, filled_matrix(result, element));
}

void KernelText::statement(const FragmentLoadOp& payload, const Op& op) {
  if (is_tensor(program_.values[op.results[0]])) return load_tensor(payload, op.results[0]);
  const std::string from = expressions_.address(payload.memory, payload.index);
  const std::string stride = expressions_.of(payload.row_stride).text;
  declare(op.results[0]);
  line("simdgroup_load({}, {}, {}{});", name(op.results[0]), from, stride,
       payload.transposed ? ", ulong2(0), true" : "");
}

void KernelText::statement(const FragmentStoreOp& payload, const Op&) {
  if (is_tensor(program_.values[payload.fragment])) return store_tensor(payload);
  const std::string to = expressions_.address(payload.memory, payload.index);
  const std::string stride = expressions_.of(payload.row_stride).text;
  line("simdgroup_store({}, {}, {}{});", name(payload.fragment), to, stride,
       payload.transposed ? ", ulong2(0), true" : "");
}

void KernelText::statement(const AtomOp& payload, const Op& op) {
  if (payload.atom == kTensorAtom) return tensor_product(payload, op.results[0]);
  declare(op.results[0]);
  const std::string &d = name(op.results[0]), &a = name(payload.a.fragment), &b = name(payload.b.fragment);
  if (payload.c.valid())
    line("simdgroup_multiply_accumulate({}, {}, {}, {});", d, a, b, name(payload.c));
  else
    line("simdgroup_multiply({}, {}, {});", d, a, b);
}

// ---- Fences ---------------------------------------------------------------------------------------------------------

void KernelText::statement(const FenceOp& payload, const Op&) {
  const char* const function =
      payload.participants == Participants::Group ? "threadgroup_barrier" : "simdgroup_barrier";
  const char* flags = "mem_flags::mem_none";
  if (payload.memory.shared) flags = "mem_flags::mem_threadgroup";
  if (payload.memory.device) flags = "mem_flags::mem_device";
  if (payload.memory.shared && payload.memory.device) flags = "mem_flags::mem_threadgroup | mem_flags::mem_device";
  line("{}({});", function, flags);
}

}  // namespace tilewright::emit_msl
