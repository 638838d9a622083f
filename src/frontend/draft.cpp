// The draft: declarations, statements with a word of their own, branches.
#include <cmath>

#include "frontend/maker.h"
#include "frontend/session.h"

namespace tilewright::dsl {

namespace {

static_assert(static_cast<int>(Scope::Automatic) == static_cast<int>(tile::Scope::Auto) &&
              static_cast<int>(Scope::Vector) == static_cast<int>(tile::Scope::Vector));

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

IndexTerm leaf(tile::IndexKind kind, std::uint32_t id, const std::shared_ptr<Session>& session) {
  IndexTerm term;
  term.kind = kind;
  term.value = id;
  term.session = session;
  return term;
}

Index family_index(tile::IndexKind kind, std::uint32_t id, const std::shared_ptr<Session>& session) {
  return Index(std::make_shared<const IndexTerm>(leaf(kind, id, session)));
}

struct Declaration {
  tile::ObjectKind kind;
  std::string name;
  const Element& element;
  const std::vector<Index>& extents;
  const Strides& strides;
  std::optional<double> default_value;
};

bool default_fits(Session& session, double value, tile::ElementType element, const Place& at) {
  if (element == tile::kBool && (value == 0.0 || value == 1.0)) return true;
  std::vector<DataType> types{element.data};
  if (element.symbolic()) types = session.type_param(element.param).choices;
  for (DataType type : types)
    if (!is_reserved(type) && !Maker(session).number_fits(value, std::trunc(value) == value, {type, {}}, at))
      return false;
  return true;
}

Buffer declare(const std::shared_ptr<Session>& session, const Declaration& wanted, const Place& at) {
  const Buffer none(session, tile::ObjectId::kNone);
  if (!session->begin_statement(at)) return none;
  session->check_name(wanted.name, at);
  const auto element = session->element(wanted.element, at);
  auto extents = session->sizes(wanted.extents, "an extent", at);
  auto strides = session->sizes(wanted.strides.strides, "a stride", at);
  if (!element || !extents || !strides) return none;
  if (wanted.default_value && !default_fits(*session, *wanted.default_value, *element, at)) return none;
  tile::Object object;
  object.name = wanted.name;
  object.kind = wanted.kind;
  object.element = *element;
  object.extents = std::move(*extents);
  object.strides = std::move(*strides);
  object.default_value = wanted.default_value;
  return Buffer(session, session->builder().object(std::move(object)).index);
}

std::optional<tile::Comparison> comparison_of(tile::BinaryKind kind) {
  switch (kind) {
    case tile::BinaryKind::Lt:
      return tile::Comparison::Lt;
    case tile::BinaryKind::Le:
      return tile::Comparison::Le;
    case tile::BinaryKind::Gt:
      return tile::Comparison::Gt;
    case tile::BinaryKind::Ge:
      return tile::Comparison::Ge;
    case tile::BinaryKind::Eq:
      return tile::Comparison::Eq;
    case tile::BinaryKind::Ne:
      return tile::Comparison::Ne;
    default:
      return std::nullopt;
  }
}

}  // namespace

// ---- Declarations --------------------------------------------------------------------------------------------------

Draft::Draft(std::string name, const std::string& comment, Place at)
    : session_(std::make_shared<Session>(std::move(name), lines_of(comment), at)) {}

Index Draft::symbol(std::string name, std::optional<std::int64_t> default_value, Place at) {
  if (!session_->begin_statement(at)) return Index(0);
  session_->check_name(name, at);
  const tile::SymbolId id = session_->builder().symbol(std::move(name), default_value);
  return family_index(tile::IndexKind::Symbol, id.index, session_);
}

Index Draft::param(std::string name, std::vector<std::int64_t> choices, std::int64_t default_value, Place at) {
  if (!session_->begin_statement(at)) return Index(0);
  session_->check_name(name, at);
  if (choices.empty())
    session_->fault(at, DiagCode::CallArguments, "expected at least one choice for '" + name + "', found none",
                    "p.param(\"" + name + "\", {32, 64}, 64)");
  const tile::ParamId id = session_->builder().param(tile::Param{std::move(name), std::move(choices), default_value});
  return family_index(tile::IndexKind::Param, id.index, session_);
}

Element Draft::type(std::string name, std::vector<DataType> choices, DataType default_type, Place at) {
  if (!session_->begin_statement(at)) return Element(default_type);
  session_->check_name(name, at);
  if (choices.empty())
    session_->fault(at, DiagCode::CallArguments, "expected at least one choice for '" + name + "', found none",
                    "p.type(\"" + name + "\", {f32, f16}, f32)");
  tile::TypeParam param{std::move(name), std::move(choices), default_type};
  return Element(session_, session_->type_param(std::move(param)).index);
}

Buffer Draft::in(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides,
                 Place at) {
  return declare(session_, {tile::ObjectKind::In, std::move(name), element, extents, strides, std::nullopt}, at);
}

Buffer Draft::out(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides,
                  Place at) {
  return declare(session_, {tile::ObjectKind::Out, std::move(name), element, extents, strides, std::nullopt}, at);
}

Buffer Draft::inout(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides,
                    Place at) {
  return declare(session_, {tile::ObjectKind::InOut, std::move(name), element, extents, strides, std::nullopt}, at);
}

Buffer Draft::temp(std::string name, const Element& element, const std::vector<Index>& extents, const Strides& strides,
                   Place at) {
  return declare(session_, {tile::ObjectKind::Temp, std::move(name), element, extents, strides, std::nullopt}, at);
}

Buffer Draft::scalar(std::string name, const Element& element, std::optional<double> default_value, Place at) {
  return declare(session_, {tile::ObjectKind::In, std::move(name), element, {}, {}, default_value}, at);
}

void Draft::require(const Value& condition, std::string message, Place at) {
  if (!session_->begin_statement(at, {condition.term()})) return;
  session_->forget(condition.term());
  const auto* test = std::get_if<BinaryTerm>(&condition.term()->formula);
  const auto comparison = test ? comparison_of(test->kind) : std::nullopt;
  const auto* lhs = comparison ? std::get_if<IndexLeaf>(&test->a->formula) : nullptr;
  const auto* rhs = comparison ? std::get_if<IndexLeaf>(&test->b->formula) : nullptr;
  if (!lhs || !rhs)
    return session_->fault(at, DiagCode::NotAValue, "expected a comparison of two sizes, found another condition",
                           "p.require(D % 2 == 0, \"..\"); two requirements stand for &&");
  const tile::IndexId left = session_->size(lhs->index, "a side of a requirement", false, at);
  const tile::IndexId right = session_->size(rhs->index, "a side of a requirement", false, at);
  if (!left.valid() || !right.valid()) return;
  session_->at(at);
  session_->builder().require(left, *comparison, right, std::move(message));
}

Axis Draft::axis(std::string label, const Index& extent, Place at) {
  if (!session_->begin_statement(at))
    return Axis(std::make_shared<const IndexTerm>(leaf(tile::IndexKind::Axis, tile::AxisId::kNone, session_)));
  const tile::IndexId size = session_->size(extent, "an extent", false, at);
  // After a fault the axis stands for itself still, so that its uses are no further faults.
  const tile::AxisId id =
      session_->builder().axis(std::move(label), size.valid() ? size : session_->builder().index().constant(1));
  return Axis(std::make_shared<const IndexTerm>(leaf(tile::IndexKind::Axis, id.index, session_)));
}

// ---- Statements ----------------------------------------------------------------------------------------------------

Expr Draft::number(const Value& x) const { return make_expr(ShapedTerm{x.term(), {}}, x.place(), session_); }

Buffer Draft::memory(std::string name, const Element& element, const std::vector<Index>& extents, Space space,
                     const Layout& layout, Place at) {
  const Buffer none(session_, tile::ObjectId::kNone);
  if (!session_->begin_statement(at)) return none;
  session_->check_name(name, at);
  const auto type = session_->element(element, at);
  auto sizes = session_->sizes(extents, "an extent", at);
  auto axes = session_->axes(layout.axes, at);
  if (!type || !sizes || !axes) return none;
  tile::Object object;
  object.name = name;
  object.element = *type;
  object.space = static_cast<tile::MemorySpace>(space);
  if (layout.offset) {
    object.layout = session_->index(*layout.offset, at);
    if (!object.layout.valid()) return none;
  }
  if (layout.offset.has_value() != !axes->empty() || (layout.offset && axes->size() != sizes->size())) {
    session_->fault(at, DiagCode::RankMismatch,
                    "expected a layout of '" + name + "' over " + std::to_string(sizes->size()) +
                        " axes, found one over " + std::to_string(axes->size()) +
                        (layout.offset ? "" : " without an offset"),
                    "Layout{{r, c}, r * 33 + c}");
    return none;
  }
  object.extents = std::move(*sizes);
  object.layout_axes = std::move(*axes);
  session_->at(at);
  return Buffer(session_, session_->builder().memory(std::move(object)).index);
}

void Draft::barrier(Scope scope, Place at) {
  if (!session_->begin_statement(at)) return;
  if (scope != Scope::Group && scope != Scope::Subgroup)
    return session_->fault(at, DiagCode::ScopeNesting, "expected a barrier of a group or subgroup, found another scope",
                           "p.barrier(Scope::Group)");
  session_->builder().barrier(static_cast<tile::Scope>(scope));
}

void Draft::stage(std::string label, Place at) {
  if (session_->begin_statement(at)) session_->builder().stage_cut(std::move(label));
}

void Draft::opaque(std::string symbol, const std::vector<Argument>& arguments, Place at) {
  std::vector<ValueTermPtr> terms;
  for (const Argument& argument : arguments)
    if (const auto* value = std::get_if<Value>(&argument.what())) terms.push_back(value->term());
  if (!session_->begin_statement(at, terms)) return;
  std::vector<tile::ObjectId> objects;
  bool ok = true;
  for (const Argument& argument : arguments) {
    const auto* buffer = std::get_if<Buffer>(&argument.what());
    if (buffer == nullptr) continue;
    const auto object = session_->object(*buffer, at);
    ok = ok && object.has_value();
    objects.push_back(object.value_or(tile::ObjectId{}));
  }
  Maker maker(*session_);
  std::vector<Maker::Part> parts;
  parts.reserve(terms.size());
  for (const ValueTermPtr& term : terms) parts.push_back(maker.part(term));
  std::vector<tile::ValueId> values;
  values.reserve(parts.size());
  for (const Maker::Part& part : parts) values.push_back(maker.value_of(part));
  session_->at(at);
  if (ok) session_->builder().opaque(std::move(symbol), std::move(values), std::move(objects));
}

namespace {

/// Closes the branches also when one of them throws.
class Branches {
 public:
  Branches(Session& session, tile::ValueId condition, const Place& at) : session_(session), place_(at) {
    session_.open_branches(condition);
    block_ = session_.block();
  }
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;
  ~Branches() {
    if (!complete_ && !session_.finished())
      session_.fault(place_, DiagCode::RegionBody, "a branch is left by an exception",
                     "catch it inside the branch, or give up the draft");
    session_.close(block_, place_);
  }
  void next() { block_ = session_.next_branch(block_, place_); }
  void complete() { complete_ = true; }

 private:
  Session& session_;
  Place place_;
  BlockToken block_ = kRootBlock;
  bool complete_ = false;
};

}  // namespace

void Draft::when(const Value& condition, const std::function<void()>& then, const std::function<void()>& otherwise,
                 Place at) {
  if (!session_->begin_statement(at, {condition.term()})) return;
  Maker maker(*session_);
  const Maker::Part part = maker.part(condition.term());
  tile::ValueId value;
  if (std::holds_alternative<tile::IndexId>(part.what))
    session_->fault(condition.place(), DiagCode::TypeMismatch, "expected a bool condition, found an index expression",
                    "compare it: x != 0");
  else
    value = maker.value_of(part);
  session_->at(condition.place());
  const std::shared_ptr<Session> session = session_;
  Branches branches(*session, value, at);
  if (then) then();
  branches.next();
  if (otherwise) otherwise();
  branches.complete();
}

}  // namespace tilewright::dsl
