#include "tile/printer_inline.h"

#include <algorithm>
#include <utility>

namespace tilewright::tile::printing {

namespace {

constexpr std::size_t kLongestInside = 100;

bool is_bare_axis(const Program& program, const IndexValueOp& op) {
  return program.index()[op.expr].kind == IndexKind::Axis;
}

class OperandChoice {
 public:
  OperandChoice(const Program& program, const Op& op, const std::vector<Pending>& stack)
      : program_(program), op_(op), stack_(stack) {
    for_each_operand(program, op.payload, [&](ValueId value) { values_.push_back(value); });
    entries_.resize(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) entries_[i] = entry_of(values_[i]);
  }

  Operands best() {
    // Once some operands have names, others may stand beside them in a better form; reading the text finds it too.
    const Operands first = search();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (first.forms[i] == Form::Named) entries_[i] = nullptr;
    return search();
  }

 private:
  Operands search() const {
    Operands best{std::vector<Form>(values_.size(), Form::Named), 0};
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (may_be(i, Form::Number)) numbers.push_back(i);
    // Bit n: the n-th of the numbers carries its type.
    for (std::size_t typed = 0; typed < (std::size_t{1} << numbers.size()); ++typed) {
      std::vector<Form> forms(values_.size(), Form::Named);
      for (std::size_t i = 0; i < values_.size(); ++i) forms[i] = preferred(i);
      for (std::size_t n = 0; n < numbers.size(); ++n)
        if (typed >> n & 1) forms[numbers[n]] = Form::Inside;
      Operands found = fit(std::move(forms));
      if (std::pair(found.taken, count_numbers(found)) > std::pair(best.taken, count_numbers(best)))
        best = std::move(found);
    }
    return best;
  }

  static std::size_t count_numbers(const Operands& operands) {
    return static_cast<std::size_t>(std::count(operands.forms.begin(), operands.forms.end(), Form::Number));
  }

  /// The entry among the few at the top that an operation could write inside.
  const Pending* entry_of(ValueId value) const {
    const std::size_t reach = std::min(stack_.size(), values_.size());
    for (std::size_t i = stack_.size() - reach; i < stack_.size(); ++i)
      if (stack_[i].value == value) return &stack_[i];
    return nullptr;
  }

  template <class Payload>
  const Payload* payload(std::size_t i) const {
    return entries_[i] ? std::get_if<Payload>(&program_.op(entries_[i]->op).payload) : nullptr;
  }

  bool may_be(std::size_t i, Form form) const {
    const Pending* entry = entries_[i];
    if (!entry || entry->text.text.size() > kLongestInside) return form == Form::Named;
    const bool rank_0 = program_.value(entry->value).axes.empty();
    switch (form) {
      case Form::Named:
        return true;
      case Form::Number:
        return payload<ConstantOp>(i) && rank_0 && program_.value(entry->value).element != kBool && takes_number(i);
      case Form::Index:
        return payload<IndexValueOp>(i) && entry->default_order && takes_index(i);
      case Form::Inside:
        if (payload<IndexValueOp>(i)) return false;
        if (const auto* constant = payload<ConstantOp>(i); constant && !rank_0) return false;
        return entry->default_order && takes_tile(i);
    }
    return false;
  }

  Form preferred(std::size_t i) const {
    for (Form form : {Form::Number, Form::Index, Form::Inside})
      if (may_be(i, form)) return form;
    return Form::Named;
  }

  bool takes_tile(std::size_t i) const {
    if (std::holds_alternative<ReindexOp>(op_.payload)) return false;
    if (std::holds_alternative<IfOp>(op_.payload) && i > 0) return false;
    // A cast of a number is a constant, and the bare name of a scalar is a buffer where buffers are expected.
    if (std::holds_alternative<CastOp>(op_.payload)) return !payload<ConstantOp>(i);
    return !(std::holds_alternative<OpaqueOp>(op_.payload) && payload<LoadOp>(i));
  }

  /// Positions where a number finds its type, provided a tile stands beside it where one is needed.
  bool takes_number(std::size_t i) const {
    return std::visit(Overloaded{
                          [&](const BinaryOp& op) { return op.kind != BinaryKind::And && op.kind != BinaryKind::Or; },
                          [&](const SelectOp&) { return i > 0; },
                          [&](const GatherOp&) { return i == 2; },
                          [&](const LoadOp&) { return true; },
                          [&](const StoreOp&) { return true; },
                          [](const auto&) { return false; },
                      },
                      op_.payload);
  }

  bool takes_index(std::size_t i) const {
    return std::visit(Overloaded{
                          [&](const BinaryOp& op) {
                            // max(x, m) with an axis m folds over m.
                            const bool call = op.kind == BinaryKind::Max || op.kind == BinaryKind::Min;
                            return !(call && i == 1 && is_bare_axis(program_, *payload<IndexValueOp>(i)));
                          },
                          [&](const CastOp&) { return !program_.index().as_constant(payload<IndexValueOp>(i)->expr); },
                          [&](const GatherOp&) { return i == 1; },
                          [](const auto&) { return false; },
                      },
                      op_.payload);
  }

  /// Numbers and index expressions that would meet each other and not a tile get a name.
  void separate(std::vector<Form>& forms) const {
    const auto is_tile = [&](std::size_t i) { return forms[i] == Form::Named || forms[i] == Form::Inside; };
    if (const auto* binary = std::get_if<BinaryOp>(&op_.payload)) {
      const bool both_index = forms[0] == Form::Index && forms[1] == Form::Index;
      if (!is_tile(0) && !is_tile(1) && !(both_index && is_comparison(binary->kind))) forms[0] = Form::Named;
    }
    if (std::holds_alternative<SelectOp>(op_.payload) && !is_tile(1) && !is_tile(2)) forms[1] = Form::Named;
  }

  /// Keeps the forms that agree with the top of the stack; the other operands are named.
  Operands fit(std::vector<Form> forms) const {
    separate(forms);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < forms.size(); ++i)
      if (forms[i] == Form::Inside) order.push_back(i);
    for (std::size_t i = 0; i < forms.size(); ++i)
      if (forms[i] == Form::Number || forms[i] == Form::Index) order.push_back(i);
    Operands result{std::vector<Form>(forms.size(), Form::Named), 0};
    for (std::size_t n = order.size(); n > 0; --n) {
      const std::size_t i = order[n - 1];
      if (result.taken >= stack_.size() || entries_[i] != &stack_[stack_.size() - 1 - result.taken]) continue;
      result.forms[i] = forms[i];
      ++result.taken;
    }
    return result;
  }

  const Program& program_;
  const Op& op_;
  const std::vector<Pending>& stack_;
  std::vector<ValueId> values_;
  std::vector<const Pending*> entries_;
};

}  // namespace

Operands choose_operands(const Program& program, const Op& op, const std::vector<Pending>& stack) {
  if (const auto* region = std::get_if<RegionOp>(&op.payload)) return {std::vector<Form>(region->inits.count), 0};
  return OperandChoice(program, op, stack).best();
}

}  // namespace tilewright::tile::printing
