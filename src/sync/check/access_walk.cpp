#include "sync/check/access_walk.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace tilewright::sync {

namespace {

Truth answer_of(const std::vector<Truth>& answers, std::size_t worker) {
  return answers.size() == 1 ? answers[0] : answers[worker];
}
Truth flipped(Truth answer) {
  if (answer == Truth::Maybe) return answer;
  return answer == Truth::Yes ? Truth::No : Truth::Yes;
}
/// Of two conditions by an operation on truth values.
Truth combined(kernel::BinaryKind kind, Truth a, Truth b) {
  const bool all = kind == kernel::BinaryKind::And || kind == kernel::BinaryKind::Min;
  const bool any = kind == kernel::BinaryKind::Or || kind == kernel::BinaryKind::Max;
  if (all && (a == Truth::No || b == Truth::No)) return Truth::No;
  if (any && (a == Truth::Yes || b == Truth::Yes)) return Truth::Yes;
  if (a == Truth::Maybe || b == Truth::Maybe) return Truth::Maybe;
  if (all || any) return all ? Truth::Yes : Truth::No;
  if (kind == kernel::BinaryKind::Xor) return a != b ? Truth::Yes : Truth::No;
  return Truth::Maybe;
}

}  // namespace

AccessWalk::AccessWalk(PlaceFinder& finder, const MemoryAccess& access, bool count_out)
    : finder_(finder), access_(access), count_out_(count_out) {}

Places AccessWalk::run() {
  enter(0, Active(workers(), 1));
  result_.known = known_;
  if (!known_) result_.places.clear(), result_.terms.clear();
  std::ranges::sort(result_.places);
  const auto twice = std::ranges::unique(result_.places);
  result_.places.erase(twice.begin(), twice.end());
  result_.owners.assign(owners_.begin(), owners_.end());
  return std::move(result_);
}

bool AccessWalk::surely_runs(const kernel::LoopOp& loop) {
  const Form& low = value(loop.low);
  const std::vector<Truth> runs = finder_.arithmetic_.compare(kernel::CompareKind::Lt, low, value(loop.high));
  return std::ranges::all_of(runs, [](Truth answer) { return answer == Truth::Yes; });
}

// ---- Regions -------------------------------------------------------------------------------------------------------

void AccessWalk::enter(std::size_t depth, const Active& active) {
  if (depth == access_.around.size()) return reach(active);
  const Surrounding& around = access_.around[depth];
  const kernel::OpPayload& payload = finder_.program_.ops[around.op].payload;
  if (const auto* loop = std::get_if<kernel::LoopOp>(&payload)) return enter_loop(depth, *loop, around.op, active);
  const auto* branch = std::get_if<kernel::IfOp>(&payload);
  if (branch == nullptr) return enter(depth + 1, active);
  Active inside(workers(), 0);
  const Truth other = around.then_arm ? Truth::No : Truth::Yes;
  const std::vector<Truth> holds = truth(branch->condition);
  for (std::size_t worker = 0; worker < workers(); ++worker)
    inside[worker] = active[worker] != 0 && answer_of(holds, worker) != other ? 1 : 0;
  enter(depth + 1, inside);
}

Form AccessWalk::trips_of(const kernel::LoopOp& loop, const Form& low, const Form& high) const {
  Form distance = finder_.arithmetic_.add(high, finder_.arithmetic_.times(low, -1));
  if (!distance.known || !distance.terms.empty()) return {};
  for (std::int64_t& number : distance.numbers) number = number <= 0 ? 0 : (number - 1) / loop.step + 1;
  return distance;
}

void AccessWalk::enter_loop(std::size_t depth, const kernel::LoopOp& loop, kernel::OpId op, const Active& active) {
  const Form low = value(loop.low), high = value(loop.high);
  const Form trips = trips_of(loop, low, high);
  const bool together = finder_.facts_.of(loop.low) == kernel::Uniformity::Group &&
                        finder_.facts_.of(loop.high) == kernel::Uniformity::Group;
  // What is worth counting out has some iterations and not too many.
  const auto most = static_cast<std::int64_t>(kMostPlaces / workers());
  const bool countable = trips.known && std::ranges::max(trips.numbers) <= most - iterations_;
  if (countable && (count_out_ || !together)) return count_iterations(depth, loop, op, low, trips, active);
  if (together) return enter(depth + 1, active);
  own_.insert(op);
  const std::vector<Truth> runs = finder_.arithmetic_.compare(kernel::CompareKind::Lt, low, high);
  Active inside = active;
  for (std::size_t worker = 0; worker < workers(); ++worker)
    if (answer_of(runs, worker) == Truth::No) inside[worker] = 0;
  enter(depth + 1, inside);
  own_.erase(op);
}

void AccessWalk::count_iterations(std::size_t depth, const kernel::LoopOp& loop, kernel::OpId op, const Form& low,
                                  const Form& trips, const Active& active) {
  const std::int64_t most = std::ranges::max(trips.numbers);
  iterations_ += most;
  for (std::int64_t i = 0; i < most; ++i) {
    Active running = active;
    for (std::size_t worker = 0; worker < workers(); ++worker)
      if (trips.of(worker) <= i) running[worker] = 0;
    std::int64_t distance = 0;
    if (__builtin_mul_overflow(i, loop.step, &distance)) return give_up();
    counted_[op] = finder_.arithmetic_.add(low, Form::number(distance));
    forms_.clear();
    enter(depth + 1, running);
  }
  counted_.erase(op);
  forms_.clear();
}

// ---- Places --------------------------------------------------------------------------------------------------------

/// Those of them that may touch a lane: a mask of several lanes is not looked into.
AccessWalk::Active AccessWalk::unmasked(kernel::ValueId mask, const Active& active) {
  if (!mask.valid() || finder_.program_.values[mask].lanes != 1) return active;
  const std::vector<Truth> holds = truth(mask);
  Active touching = active;
  for (std::size_t worker = 0; worker < workers(); ++worker)
    if (answer_of(holds, worker) == Truth::No) touching[worker] = 0;
  return touching;
}

void AccessWalk::reach(const Active& active) {
  const kernel::Op& op = finder_.program_.ops[access_.op];
  const auto lanes = [&](kernel::ValueId index, kernel::ValueId mask, std::int64_t count) {
    const Form first = value(index);
    const Active touching = unmasked(mask, active);
    for (std::int64_t lane = 0; lane < count; ++lane)
      add(places_form(finder_.arithmetic_.add(first, Form::number(lane))), Form::number(0), 1, 1, touching);
  };
  const auto place = [&](kernel::ValueId index, kernel::ValueId stride, bool transposed, std::int64_t rows,
                         std::int64_t columns) {
    if (transposed) std::swap(rows, columns);
    add(places_form(value(index)), value(stride), rows, columns, active);
  };
  if (const auto* load = std::get_if<kernel::LoadOp>(&op.payload))
    lanes(load->index, load->mask, finder_.program_.values[op.results[0]].lanes);
  if (const auto* store = std::get_if<kernel::StoreOp>(&op.payload))
    lanes(store->index, store->mask, finder_.program_.values[store->value].lanes);
  if (const auto* load = std::get_if<kernel::FragmentLoadOp>(&op.payload)) {
    const kernel::ValueType type = finder_.program_.values[op.results[0]];
    place(load->index, load->row_stride, load->transposed, type.rows, type.columns);
  }
  if (const auto* store = std::get_if<kernel::FragmentStoreOp>(&op.payload)) {
    const kernel::ValueType type = finder_.program_.values[store->fragment];
    place(store->index, store->row_stride, store->transposed, type.rows, type.columns);
  }
  if (const auto* atom = std::get_if<kernel::AtomOp>(&op.payload)) {
    const kernel::AtomView& view = access_.operand == 0 ? atom->a.view : atom->b.view;
    const Form depth = value(atom->k);
    const std::int64_t k = depth.is_number() ? depth.numbers[0] : kernel::kMaxAtomDepth;
    place(view.index, view.row_stride, view.transposed, access_.operand == 0 ? atom->m : k,
          access_.operand == 0 ? k : atom->n);
  }
}

/// Rows of a padded allocation are apart; fragments count the places between, so all do.
Form AccessWalk::places_form(const Form& element) {
  if (!access_.memory.allocation.valid()) return element;
  const kernel::AllocationLayout& layout = finder_.program_.allocations[access_.memory.allocation].layout;
  if (layout.row == 0 || layout.pad == 0) return element;
  FormArithmetic& arithmetic = finder_.arithmetic_;
  const Form row = arithmetic.binary(kernel::BinaryKind::FloorDiv, element, Form::number(layout.row));
  return arithmetic.add(element, arithmetic.times(row, layout.pad));
}

void AccessWalk::add(const Form& first, const Form& down, std::int64_t rows, std::int64_t columns,
                     const Active& active) {
  const auto size = static_cast<std::size_t>(finder_.kernel_.group.subgroup_size);
  const std::size_t step = access_.unit == AccessUnit::Worker ? 1 : size;
  const bool fits = first.known && down.known && down.terms.empty() && (!any_ || first.terms == result_.terms);
  if (!fits) give_up();
  if (fits) result_.terms = first.terms, any_ = true;
  for (std::size_t worker = 0; worker < workers(); worker += step) {
    const auto running = std::find(active.begin() + static_cast<std::ptrdiff_t>(worker),
                                   active.begin() + static_cast<std::ptrdiff_t>(worker + step), 1);
    if (running == active.begin() + static_cast<std::ptrdiff_t>(worker + step)) continue;
    const auto who = static_cast<std::size_t>(running - active.begin());
    const auto owner = static_cast<Owner>(step == 1 ? worker : workers() + worker / size);
    owners_.insert(owner);
    if (!known_) continue;
    if (result_.places.size() + static_cast<std::size_t>(rows * columns) > kMostPlaces) return give_up();
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        std::int64_t number = 0;
        if (__builtin_mul_overflow(row, down.of(who), &number) ||
            __builtin_add_overflow(number, first.of(who), &number) || __builtin_add_overflow(number, column, &number))
          return give_up();
        result_.places.push_back({number, owner});
      }
  }
}

// ---- Values --------------------------------------------------------------------------------------------------------

const Form& AccessWalk::value(kernel::ValueId id) {
  const auto made = forms_.find(id);
  if (made != forms_.end()) return made->second;
  return forms_[id] = computed(id);
}

/// An integer that has no form by what computes it may still be one that all workers hold alike.
Form AccessWalk::computed(kernel::ValueId id) {
  const kernel::ValueType type = finder_.program_.values[id];
  const bool integer = type.is_scalar() && !kernel::is_float_scalar(type.scalar);
  if (!integer) return {};
  const PlaceFinder::Source& source = finder_.sources_[id.index];
  const Form form = source.op.valid() ? of(finder_.program_.ops[source.op], id) : argument(id);
  return form.known ? form : alike(id);
}

Form AccessWalk::alike(kernel::ValueId id) {
  if (finder_.facts_.of(id) != kernel::Uniformity::Group) return {};
  const PlaceFinder::Source& source = finder_.sources_[id.index];
  // In iterations that are counted out, or that each worker runs by itself, it is not one integer.
  for (kernel::OpId loop : source.regions)
    if (counted_.contains(loop) || own_.contains(loop)) return {};
  const auto known = finder_.alike_.find(id);
  if (known != finder_.alike_.end()) return FormArithmetic::form_of(known->second);
  const SymbolId made = finder_.arithmetic_.symbol({{}, source.regions, {}, false, {}});
  finder_.alike_[id] = made;
  return FormArithmetic::form_of(made);
}

bool AccessWalk::is_constant(kernel::ValueId id) const {
  const kernel::OpId op = finder_.sources_[id.index].op;
  return op.valid() && std::holds_alternative<kernel::ConstOp>(finder_.program_.ops[op].payload);
}

/// The index of a loop; carries and coordinates are what they are alike.
Form AccessWalk::argument(kernel::ValueId id) {
  const PlaceFinder::Source& source = finder_.sources_[id.index];
  if (source.regions.empty() || source.argument != 0) return {};
  const kernel::OpId op = source.regions.back();
  const auto* loop = std::get_if<kernel::LoopOp>(&finder_.program_.ops[op].payload);
  if (loop == nullptr) return {};
  if (const auto counted = counted_.find(op); counted != counted_.end()) return counted->second;
  FormArithmetic& arithmetic = finder_.arithmetic_;
  const Form &low = value(loop->low), &high = value(loop->high);
  if (!own_.contains(op)) {
    auto known = finder_.indices_.find(op);
    if (known == finder_.indices_.end()) {
      Symbol index{{}, source.regions, op, false, {}};
      // Bounds that are numbers only because a loop around is counted out are those of one iteration.
      const Form trips = trips_of(*loop, low, high);
      if (is_constant(loop->low) && is_constant(loop->high) && trips.is_number() && trips.numbers[0] > 0)
        index.range =
            plus({low.numbers[0], low.numbers[0]}, scaled({0, std::min(trips.numbers[0] - 1, kFar)}, loop->step));
      known = finder_.indices_.emplace(op, arithmetic.symbol(std::move(index))).first;
    }
    return FormArithmetic::form_of(known->second);
  }
  auto known = finder_.trips_.find(op);
  if (known == finder_.trips_.end())
    known = finder_.trips_.emplace(op, arithmetic.symbol({{0, kFar}, source.regions, {}, true, {}})).first;
  return arithmetic.add(low, arithmetic.times(FormArithmetic::form_of(known->second), loop->step));
}

Form AccessWalk::worker_number(kernel::WorkerQuery query) const {
  const std::int64_t size = finder_.kernel_.group.subgroup_size;
  Form form{true, {}, std::vector<std::int64_t>(workers())};
  for (std::size_t worker = 0; worker < workers(); ++worker) {
    const auto number = static_cast<std::int64_t>(worker);
    form.numbers[worker] = query == kernel::WorkerQuery::Worker ? number
                           : query == kernel::WorkerQuery::Lane ? number % size
                                                                : number / size;
  }
  return form;
}

Form AccessWalk::of(const kernel::Op& op, kernel::ValueId id) {
  FormArithmetic& arithmetic = finder_.arithmetic_;
  if (const auto* number = std::get_if<kernel::ConstOp>(&op.payload)) return Form::number(number->integer);
  if (const auto* who = std::get_if<kernel::WorkerOp>(&op.payload)) return worker_number(who->query);
  if (const auto* binary = std::get_if<kernel::BinaryOp>(&op.payload)) {
    const Form& lhs = value(binary->lhs);
    return arithmetic.binary(binary->kind, lhs, value(binary->rhs));
  }
  if (const auto* unary = std::get_if<kernel::UnaryOp>(&op.payload))
    return unary->kind == kernel::UnaryKind::Neg ? arithmetic.times(value(unary->operand), -1) : Form{};
  if (const auto* fma = std::get_if<kernel::FmaOp>(&op.payload)) {
    const Form& a = value(fma->a);
    return arithmetic.add(arithmetic.binary(kernel::BinaryKind::Mul, a, value(fma->b)), value(fma->c));
  }
  if (const auto* cast_op = std::get_if<kernel::CastOp>(&op.payload)) return cast(*cast_op, id);
  if (const auto* choice = std::get_if<kernel::SelectOp>(&op.payload)) return select(*choice);
  if (const auto* shuffle = std::get_if<kernel::ShuffleOp>(&op.payload)) return shuffled(*shuffle);
  if (const auto* load = std::get_if<kernel::LoadOp>(&op.payload)) {
    const kernel::BufferId buffer = load->memory.buffer;
    if (!buffer.valid() || finder_.program_.buffers[buffer].kind != kernel::BufferKind::Scalar) return {};
    if (!finder_.scalars_.contains(buffer)) finder_.scalars_[buffer] = arithmetic.symbol({});
    return FormArithmetic::form_of(finder_.scalars_[buffer]);
  }
  return {};
}

/// Only what surely fits is the same integer in a narrower type.
Form AccessWalk::cast(const kernel::CastOp& op, kernel::ValueId id) {
  const kernel::ScalarType from = finder_.program_.values[op.operand].scalar, to = finder_.program_.values[id].scalar;
  if (kernel::is_float_scalar(from) || to == kernel::ScalarType::I1) return {};
  const Form& form = value(op.operand);
  if (!form.known || to == kernel::ScalarType::I64) return form;
  const IntegerRange spread = finder_.arithmetic_.range(form.terms);
  for (std::int64_t number : form.numbers) {
    if (number < INT32_MIN || number > INT32_MAX || !spread.bounded()) return {};
    if (spread.low + number < INT32_MIN || spread.high + number > INT32_MAX) return {};
  }
  return form;
}

Form AccessWalk::select(const kernel::SelectOp& op) {
  const Form &yes = value(op.if_true), &no = value(op.if_false);
  if (!yes.known || !no.known) return {};
  if (yes == no) return yes;
  Form chosen{true, {}, std::vector<std::int64_t>(workers())};
  const std::vector<Truth> answers = truth(op.condition);
  std::optional<std::vector<Term>> terms;
  for (std::size_t worker = 0; worker < workers(); ++worker) {
    const Truth which = answer_of(answers, worker);
    if (which == Truth::Maybe) return {};
    const Form& taken = which == Truth::Yes ? yes : no;
    if (terms && *terms != taken.terms) return {};
    terms = taken.terms;
    chosen.numbers[worker] = taken.of(worker);
  }
  chosen.terms = *terms;
  return chosen;
}

Form AccessWalk::shuffled(const kernel::ShuffleOp& op) {
  const Form& from = value(op.operand);
  // What a worker counts by itself is another integer in the worker that it hears from.
  for (const Term& term : from.terms)
    if (finder_.arithmetic_[term.symbol].own) return {};
  if (!from.known || from.numbers.size() == 1) return from;
  const auto size = static_cast<std::size_t>(finder_.kernel_.group.subgroup_size);
  Form heard = from;
  for (std::size_t worker = 0; worker < workers(); ++worker) {
    const std::size_t lane = worker % size;
    std::size_t other = op.number;
    if (op.kind == kernel::ShuffleKind::Xor) other = lane ^ op.number;
    if (op.kind == kernel::ShuffleKind::Down) other = lane + op.number;
    heard.numbers[worker] = from.numbers[worker - lane + (other < size ? other : lane)];
  }
  return heard;
}

std::vector<Truth> AccessWalk::truth(kernel::ValueId condition) {
  const PlaceFinder::Source& source = finder_.sources_[condition.index];
  if (!source.op.valid()) return {Truth::Maybe};
  const kernel::OpPayload& payload = finder_.program_.ops[source.op].payload;
  if (const auto* number = std::get_if<kernel::ConstOp>(&payload))
    return {number->integer != 0 ? Truth::Yes : Truth::No};
  if (const auto* compare = std::get_if<kernel::CompareOp>(&payload)) {
    const Form& lhs = value(compare->lhs);
    return finder_.arithmetic_.compare(compare->kind, lhs, value(compare->rhs));
  }
  if (const auto* unary = std::get_if<kernel::UnaryOp>(&payload)) {
    if (unary->kind != kernel::UnaryKind::Not) return {Truth::Maybe};
    std::vector<Truth> answers = truth(unary->operand);
    for (Truth& answer : answers) answer = flipped(answer);
    return answers;
  }
  const auto* binary = std::get_if<kernel::BinaryOp>(&payload);
  if (binary == nullptr) return {Truth::Maybe};
  const std::vector<Truth> lhs = truth(binary->lhs), rhs = truth(binary->rhs);
  std::vector<Truth> answers(std::max(lhs.size(), rhs.size()));
  for (std::size_t worker = 0; worker < answers.size(); ++worker)
    answers[worker] = combined(binary->kind, answer_of(lhs, worker), answer_of(rhs, worker));
  return answers;
}

}  // namespace tilewright::sync
