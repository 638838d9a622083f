// Statements of emit/msl/kernel_text.h for tensor operations of Metal Performance Primitives.
//
// Views are made where an operation reads them and only of operands that have elements: an empty view makes a device
// read. Their extents begin with the inner one, whose elements follow each other; a transpose is a flag of the
// descriptor. Where elements of a cooperative tensor lie is asked of the tensor.
#include <algorithm>

#include "emit/msl/kernel_text.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

constexpr std::size_t kLineOfSlot = 90;

std::string extents_of(const TensorOperand& operand, const TensorSide& side) {
  if (!operand.is_whole) return "dextents<int32_t, 2>";
  const std::string outer = std::to_string(side.extent), depth = "dynamic_extent";
  return fmt::format("extents<int32_t, {}, {}>", side.depth_is_inner ? depth : outer,
                     side.depth_is_inner ? outer : depth);
}

std::string memory_of(const Program& program, const MemoryRef& memory) {
  return memory.buffer.valid() ? program.buffers[memory.buffer].name : program.allocations[memory.allocation].name;
}

}  // namespace

// ---- Operations -----------------------------------------------------------------------------------------------------

void KernelText::declare_tensor_operations() {
  for (const Tensors::Used& used : facts_.tensors.operations()) {
    const auto& atom = std::get<AtomOp>(program_.ops[used.atom].payload);
    const TensorOperation& operation = used.operation;
    TensorNames names;
    for (bool left : {true, false}) {
      const TensorOperand& operand = left ? operation.a : operation.b;
      const std::string memory = memory_of(program_, left ? atom.a.view.memory : atom.b.view.memory);
      std::string& extents = names.extents[left ? 0 : 1];
      std::string& view = names.views[left ? 0 : 1];
      if (operand.is_handle) {
        view = table_.fresh(memory + "_tensor");
        line("using {} = {};", view, handle_type(operand.scalar));
        continue;
      }
      extents = table_.fresh(memory + "_extents");
      view = table_.fresh(memory + "_view");
      line("using {} = {};", extents, extents_of(operand, side_of(atom, left)));
      line("using {} = tensor<{} {}, {}, tensor_inline>;", view, operand.is_device ? "device" : "threadgroup",
           memory_word(operand.scalar), extents);
    }
    names.operation = table_.fresh(operation.accumulates ? "multiply_add" : "multiply");
    const std::string shape = table_.fresh(names.operation + "_shape");
    line("constexpr auto {} = matmul2d_descriptor(", shape);
    line("    {}, {}, static_cast<int>(dynamic_extent), {}, {}, {}, matmul2d_descriptor::mode::{});", operation.m,
         operation.n, operation.a.transposed, operation.b.transposed, operation.relaxed,
         operation.accumulates ? "multiply_accumulate" : "multiply");
    const std::string scope =
        operation.subgroups == 1 ? "execution_simdgroup" : fmt::format("execution_simdgroups<{}>", operation.subgroups);
    line("matmul2d<{}, {}> {};", shape, scope, names.operation);
    tensor_names_.push_back(std::move(names));
  }
}

Expr KernelText::named(ValueId value, std::string_view wanted) {
  const Expr number = as_type(TextType::Int, expressions_.of(value));
  if (Expressions::is_plain(number)) return number;
  const std::string name = table_.fresh(wanted);
  line("const int {} = {};", name, number.text);
  return {name, TextType::Int};
}

void KernelText::tensor_product(const AtomOp& payload, ValueId result) {
  declare(result);
  if (payload.c.valid() && facts_.variables.of(payload.c) != facts_.variables.of(result))
    assign_tensor(result, expressions_.of(payload.c, lane_name_).text);
  const Expr depth = named(payload.k, "depth");
  const auto extents = [&](bool left) {
    const TensorSide side = side_of(payload, left);
    const MemoryRef& memory = left ? payload.a.view.memory : payload.b.view.memory;
    const bool may_lack = facts_.ranges.of(side.outer).low <= 0;
    // Where a slice ends, its tensor knows.
    if ((left ? payload.a : payload.b).view.origin.is_known() && !may_lack) return Extents{{}, depth, false};
    const Expr outer = named(side.outer, memory_of(program_, memory) + (left ? "_rows" : "_columns"));
    return Extents{outer, depth, may_lack};
  };
  const Extents a = extents(true);
  const Extents b = extents(false);
  std::vector<std::string> guards;
  if (a.may_lack_outer) guards.push_back(a.outer.text + " > 0");
  if (b.may_lack_outer) guards.push_back(b.outer.text + " > 0");
  if (facts_.ranges.of(payload.k).low <= 0) guards.push_back(depth.text + " > 0");
  if (guards.empty()) return run_product(payload, result, a, b);
  line("if ({}) {{", fmt::join(guards, " && "));
  const auto inside = [&](auto&& write) {
    ++depth_;
    table_.begin_scope();
    write();
    table_.end_scope();
    --depth_;
  };
  const auto absent = [&](bool by_row) {
    inside([&] {
      if (!payload.c.valid()) assign_tensor(result, "0.0f");
      if (a.may_lack_outer || b.may_lack_outer) absent_product(payload, result, by_row, by_row ? a : b);
    });
  };
  inside([&] { run_product(payload, result, a, b); });
  const bool both = a.may_lack_outer && b.may_lack_outer;
  if (both) {
    line("}} else if ({} > 0) {{", a.outer.text);
    absent(true);
  }
  const bool otherwise = a.may_lack_outer || b.may_lack_outer || !payload.c.valid();
  if (otherwise) {
    line("}} else {{");
    absent(!a.may_lack_outer);
  }
  line("}}");
}

void KernelText::run_product(const AtomOp& payload, ValueId result, const Extents& a, const Extents& b) {
  const TensorNames& names = tensor_names_[facts_.tensors.of(result).value()];
  const std::array<bool, 2> handles = {payload.a.view.origin.is_known(), payload.b.view.origin.is_known()};
  std::string left = handles[0] ? "" : declare_view(payload, true, names, a);
  std::string right = handles[1] ? "" : declare_view(payload, false, names, b);
  const auto run = [&](bool whole_step) {
    const std::string left_part = handles[0] ? declare_slice(payload, true, whole_step) : left;
    const std::string right_part = handles[1] ? declare_slice(payload, false, whole_step) : right;
    line("{}.run({}, {}, {});", names.operation, left_part, right_part, name(result));
  };
  const std::int64_t step = (handles[0] ? payload.a : payload.b).view.origin.step;
  const IndexRange depth = facts_.ranges.of(payload.k);
  if (!handles[0] && !handles[1]) return run(false);
  if (depth.low >= step || depth.high < step) return run(depth.low >= step);
  for (bool whole_step : {true, false}) {
    whole_step ? line("if ({} == {}) {{", a.depth.text, step) : line("}} else {{");
    table_.begin_scope();
    ++depth_;
    run(whole_step);
    --depth_;
    table_.end_scope();
  }
  line("}}");
}

/// A slice reaches to the end of the tensor where its extents are open: so does the operand, unless it has all of m or
/// n, or all that a step takes of k.
std::string KernelText::declare_slice(const AtomOp& payload, bool left, bool whole_step) {
  const AtomView& view = left ? payload.a.view : payload.b.view;
  const TensorSide side = side_of(payload, left);
  const std::string open = "dynamic_extent";
  const bool whole_outer = facts_.ranges.of(side.outer).low >= side.extent;
  const std::string outer = whole_outer ? std::to_string(side.extent) : open;
  const std::string depth = whole_step ? std::to_string(view.origin.step) : open;
  const std::string extents = side.depth_is_inner ? depth + ", " + outer : outer + ", " + depth;
  const std::string from_inner = as_type(TextType::Int, expressions_.of(view.origin.inner)).text;
  const std::string from_outer = as_type(TextType::Int, expressions_.of(view.origin.outer)).text;
  const std::string name = table_.fresh(memory_of(program_, view.memory) + "_part");
  line("auto {} = {}.slice{}({}, {});", name, expressions_.memory_name(view.memory),
       whole_outer || whole_step ? "<" + extents + ">" : "", from_inner, from_outer);
  return name;
}

/// One extent for each that the type leaves open.
std::string KernelText::declare_view(const AtomOp& payload, bool left, const TensorNames& names,
                                     const Extents& extents) {
  const AtomView& view = left ? payload.a.view : payload.b.view;
  const TensorSide side = side_of(payload, left);
  std::string numbers = extents.depth.text;
  const bool whole = facts_.ranges.of(side.outer).low >= side.extent;
  // More than the operation takes is not asked for.
  std::string outer = extents.outer.text;
  if (facts_.ranges.of(side.outer).high > side.extent) outer = fmt::format("min({}, {})", outer, side.extent);
  if (!whole) numbers = side.depth_is_inner ? numbers + ", " + outer : outer + ", " + numbers;
  const std::string from = expressions_.address(view.memory, view.index);
  const Expr stride = named(view.row_stride, "stride");
  const std::string name = table_.fresh(memory_of(program_, view.memory) + "_part");
  const std::size_t which = left ? 0 : 1;
  line("{} {}({}, {}({}), array<int32_t, 2>{{1, {}}});", names.views[which], name, from, names.extents[which], numbers,
       stride.text);
  return name;
}

/// One of the operands has no element: the product is that of 0 and the other one, row by row or column by column.
void KernelText::absent_product(const AtomOp& payload, ValueId result, bool by_row, const Extents& present) {
  const AtomView& view = by_row ? payload.a.view : payload.b.view;
  const TensorSide side = side_of(payload, by_row);
  const std::string base(expressions_.memory_name(view.memory));
  std::string from = expressions_.address(view.memory, view.index);
  // Without an element the place may lie outside of the memory.
  if (present.may_lack_outer && !by_row && from != base)
    from = fmt::format("{} > 0 ? {} : {}", present.outer.text, from, base);
  const std::string stride = as_type(TextType::Long, expressions_.of(view.row_stride)).text;
  line("{}<{}>({}, {}, {}, {}, {}, {}, {}, {});", library_.use(Function::AddZeroProducts), side.extent, name(result),
       by_row, from, side.depth_is_inner ? stride : "1", side.depth_is_inner ? "1" : stride, present.outer.text,
       present.depth.text, names_.lane);
}

// ---- Elements -------------------------------------------------------------------------------------------------------

void KernelText::for_each_slot(const std::string& tensor, std::string guard, const std::string& statement) {
  const auto names_place = [&](const std::string& text) { return text.find(names_.place + "[") != std::string::npos; };
  // Elements without a place hold no value that anything may be made of.
  const std::size_t made_of = statement.find(" = ");
  const bool reads = statement.find(fmt::format("[{}]", lane_name_), made_of) != std::string::npos;
  if (guard.empty() && (reads || names_place(statement)))
    guard = fmt::format("{}.is_valid_element({})", tensor, lane_name_);
  const std::string head = fmt::format("for (ushort {0} = 0; {0} < {1}.get_capacity(); ++{0})", lane_name_, tensor);
  if (guard.empty() && !names_place(statement)) return line("{} {}", head, statement);
  line("{} {{", head);
  if (names_place(guard) || names_place(statement))
    line("  const auto {} = {}.get_multidimensional_index({});", names_.place, tensor, lane_name_);
  const bool fits = guard.size() + statement.size() < kLineOfSlot;
  if (guard.empty() || fits) {
    line("  {}{}", guard.empty() ? "" : fmt::format("if ({}) ", guard), statement);
  } else {
    line("  if ({})", guard);
    line("    {}", statement);
  }
  line("}}");
}

void KernelText::assign_tensor(ValueId value, const std::string& number) {
  declare(value);
  for_each_slot(name(value), "", fmt::format("{}[{}] = {};", name(value), lane_name_, number));
}

std::array<std::string, 2> KernelText::part_guards(const FragmentPart& part, ValueType type) {
  const auto guard = [&](ValueId bound, std::int64_t extent, int coordinate, const char* what) {
    const bool asks = bound.valid() && facts_.ranges.of(bound).low < extent;
    return asks ? fmt::format("{}[{}] < {}", names_.place, coordinate, named(bound, what).text) : std::string();
  };
  std::string rows = guard(part.rows, type.rows, 1, "rows");
  return {std::move(rows), guard(part.columns, type.columns, 0, "columns")};
}

std::string KernelText::whole_view(const MemoryRef& memory, ValueId index, ValueId stride, ValueType type) {
  const Expr step = named(stride, "stride");
  const std::string name = table_.fresh(memory_of(program_, memory) + "_part");
  line("auto {} = tensor({}, extents<int32_t, {}, {}>(), array<int32_t, 2>{{1, {}}});", name,
       expressions_.address(memory, index), type.columns, type.rows, step.text);
  return name;
}

void KernelText::load_tensor(const FragmentLoadOp& payload, ValueId result) {
  const ValueType type = program_.values[result];
  declare(result);
  const auto [rows, columns] = part_guards(payload.part, type);
  // A view has rows of their own: with stride 0 they would be one.
  const bool is_view = type.scalar == ScalarType::F32 && !payload.transposed &&
                       facts_.ranges.of(payload.row_stride).low > 0 && is_within_reach(payload.row_stride, type);
  if (is_view && rows.empty() && columns.empty()) {
    const std::string view = whole_view(payload.memory, payload.index, payload.row_stride, type);
    return line("{}.load({});", name(result), view);
  }
  assign_tensor(result, expressions_.definition(result, lane_name_).text);
}

void KernelText::store_tensor(const FragmentStoreOp& payload) {
  const ValueType type = program_.values[payload.fragment];
  const auto [rows, columns] = part_guards(payload.part, type);
  const bool by_element = payload.transposed || type.scalar != ScalarType::F32 || is_read_by_element(payload.memory) ||
                          !is_within_reach(payload.row_stride, type);
  if (by_element) return store_elements(payload, rows, columns);
  if (rows.empty() && columns.empty()) return store_whole_tensor(payload);
  // Whether all of it is there.
  std::vector<std::string> whole;
  const auto ask = [&](const std::string& guard, std::int64_t extent) {
    const std::size_t at = guard.find(" < ");
    if (!guard.empty()) whole.push_back(fmt::format("{} >= {}", guard.substr(at + 3), extent));
  };
  ask(rows, type.rows), ask(columns, type.columns);
  line("if ({}) {{", fmt::join(whole, " && "));
  table_.begin_scope();
  ++depth_;
  store_whole_tensor(payload);
  --depth_;
  line("}} else {{");
  ++depth_;
  store_elements(payload, rows, columns);
  --depth_;
  table_.end_scope();
  line("}}");
}

/// A tensor counts the offsets of its elements in 32 bits.
bool KernelText::is_within_reach(ValueId stride, ValueType type) const {
  const auto last = checked_mul(std::int64_t{type.rows} - 1, facts_.ranges.of(stride).high);
  return last && *last + type.columns <= INT32_MAX;
}

/// Who wrote which element of a whole tensor is not said: whoever read one may only write the same one.
bool KernelText::is_read_by_element(const MemoryRef& memory) const {
  return std::ranges::any_of(program_.ops.ids(), [&](OpId id) {
    const auto* load = std::get_if<FragmentLoadOp>(&program_.ops[id].payload);
    return load != nullptr && load->memory == memory && facts_.placement.is_live(id) &&
           is_tensor(program_.values[program_.ops[id].results[0]]);
  });
}

void KernelText::store_whole_tensor(const FragmentStoreOp& payload) {
  const std::string view =
      whole_view(payload.memory, payload.index, payload.row_stride, program_.values[payload.fragment]);
  line("{}.store({});", name(payload.fragment), view);
}

/// Each element is computed where it is stored.
void KernelText::store_elements(const FragmentStoreOp& payload, const std::string& rows, const std::string& columns) {
  const std::string& tensor = name(facts_.tensors.behind(payload.fragment).value());
  std::string guard = fmt::format("{}.is_valid_element({})", tensor, lane_name_);
  for (const std::string& bound : {rows, columns})
    if (!bound.empty()) guard += " && " + bound;
  const std::string number = expressions_.of(payload.fragment, lane_name_).text;
  const std::string element =
      expressions_.element_at_place(payload.memory, payload.index, payload.row_stride, payload.transposed);
  for_each_slot(tensor, guard, fmt::format("{} = {};", element, number));
}

}  // namespace tilewright::emit_msl
