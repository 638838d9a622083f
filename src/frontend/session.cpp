#include "frontend/session.h"

#include <algorithm>
#include <unordered_set>

#include "frontend/maker.h"
#include "tile/lexer.h"
#include "tile/parser.h"

namespace tilewright::dsl {

// Session: faults, handles, statements. Blocks and tiles are in session_blocks.cpp.

Session::Session(std::string name, std::vector<std::string> comment, const Place& at)
    : name_(name),
      files_{at.file_name()},
      builder_(std::move(name), tile::SourceText{at.file_name(), {}}, std::move(comment)) {
  this->at(at);
  check_name(name_, at);
}

Result<tile::Program> Session::finish() {
  if (finished_)
    return failure(DiagCode::DraftFinished,
                   "expected a draft that is still open, found finish() of '" + name_ + "' again",
                   "keep the program that finish() gives");
  make_pending({});
  if (!blocks_.empty())
    builder_.report(DiagCode::RegionBody, "finish() stands inside a region of '" + name_ + "'",
                    "call it after the last region, not from its body");
  finished_ = true;
  Result<tile::Program> program = builder_.finish();
  if (!program) tile::cap_diags(program.error());
  return program;
}

// ---- Faults --------------------------------------------------------------------------------------------------------

void Session::at(const Place& place) {
  last_place_ = place;
  auto file = std::find(files_.begin(), files_.end(), place.file_name());
  if (file == files_.end()) {
    builder_.add_file(place.file_name());
    file = files_.insert(files_.end(), place.file_name());
  }
  builder_.at({place.line(), place.column(), 0, static_cast<std::uint32_t>(file - files_.begin())});
}

void Session::fault(const Place& place, DiagCode code, std::string message, std::string hint) {
  Diag diag{code, std::move(message), {}, std::move(hint), {}};
  diag.place.file = place.file_name();
  diag.place.line = place.line();
  diag.place.column = place.column();
  builder_.report(std::move(diag));
}

void Session::foreign(const Place& place, const Session& other) {
  fault(place, DiagCode::ForeignHandle,
        "expected a handle of the draft '" + name_ + "', found one of another draft, '" + other.name_ + "'",
        "make the symbols, buffers and tiles of a program with its own draft");
}

void Session::check_name(const std::string& name, const Place& place) {
  if (tile::is_valid_name(name)) return;
  fault(place, DiagCode::SyntaxError, "expected a name, found '" + name + "'",
        "letters, digits and _, no digit first, and no word of the language");
}

// ---- Handles -------------------------------------------------------------------------------------------------------

tile::IndexId Session::build(const IndexTerm& term, const Place& place) {
  if (!term.lhs) {
    if (term.session && term.session.get() != this) {
      foreign(place, *term.session);
      return {};
    }
    const auto id = static_cast<std::uint32_t>(term.value);
    tile::IndexArena& arena = builder_.index();
    switch (term.kind) {
      case tile::IndexKind::Symbol:
        return arena.symbol(tile::SymbolId{id});
      case tile::IndexKind::Param:
        return arena.param(tile::ParamId{id});
      case tile::IndexKind::Axis:
        return arena.axis(tile::AxisId{id});
      case tile::IndexKind::Coord:
        if (is_open(term.block)) return arena.coord(tile::CoordId{id});
        fault(place, DiagCode::UnknownName, "a coordinate is used outside the region that defines it",
              "coordinates end with the body of their region");
        return {};
      default:
        return arena.constant(term.value);
    }
  }
  const tile::IndexId lhs = build(*term.lhs, place);
  const tile::IndexId rhs = build(*term.rhs, place);
  return lhs.valid() && rhs.valid() ? builder_.index().make(term.kind, lhs, rhs) : tile::IndexId{};
}

tile::IndexId Session::index(const Index& index, const Place& place) {
  const IndexTerm& term = *index.term();
  switch (term.fault) {
    case IndexTerm::Fault::None:
      return build(term, place);
    case IndexTerm::Fault::TooLarge:
      fault(place, DiagCode::NestingTooDeep,
            "expected an index expression of at most " + std::to_string(tile::kMaxIndexTerms) +
                " terms, found a larger one");
      return {};
    case IndexTerm::Fault::OutOfRange:
      fault(place, DiagCode::LiteralOutOfRange, "expected an integer of 64 bits with a sign, found a larger one");
      return {};
  }
  return {};
}

std::optional<std::vector<tile::IndexId>> Session::indices(const std::vector<Index>& indices, const Place& place) {
  std::vector<tile::IndexId> ids;
  for (const Index& one : indices) {
    ids.push_back(index(one, place));
    if (!ids.back().valid()) return std::nullopt;
  }
  return ids;
}

tile::IndexId Session::size(const Index& index, std::string_view what, bool coordinates_too, const Place& place) {
  const tile::IndexId id = this->index(index, place);
  if (!id.valid()) return id;
  std::string found;
  if (const auto axes = builder_.index().axes(id); !axes.empty())
    found = "the axis '" + builder_.axis_label(axes[0]) + "'";
  if (!coordinates_too && !builder_.index().coords(id).empty()) found = "a coordinate";
  if (found.empty()) return id;
  fault(place, DiagCode::NotAValue,
        "expected " + std::string(what) + " made of symbols and parameters" +
            (coordinates_too ? " and coordinates of enclosing regions" : "") + ", found " + found);
  return {};
}

std::optional<std::vector<tile::IndexId>> Session::sizes(const std::vector<Index>& list, std::string_view what,
                                                         const Place& place) {
  std::vector<tile::IndexId> ids;
  for (const Index& one : list) {
    ids.push_back(size(one, what, false, place));
    if (!ids.back().valid()) return std::nullopt;
  }
  return ids;
}

std::optional<tile::AxisId> Session::axis(const Axis& axis, const Place& place) {
  const tile::IndexId id = index(axis, place);
  if (!id.valid()) return std::nullopt;
  if (builder_.index()[id].kind == tile::IndexKind::Axis) return builder_.index()[id].axis();
  fault(place, DiagCode::ForeignHandle, "expected an axis of this draft, found one that holds nothing",
        "p.axis(\"m\", BM) makes an axis");
  return std::nullopt;
}

std::optional<std::vector<tile::AxisId>> Session::axes(const Axes& axes, const Place& place) {
  std::vector<tile::AxisId> ids;
  for (const Axis& one : axes) {
    const auto id = axis(one, place);
    if (!id) return std::nullopt;
    if (tile::contains(ids, *id)) {
      fault(place, DiagCode::AxisMismatch, "expected each axis once, found '" + builder_.axis_label(*id) + "' twice");
      return std::nullopt;
    }
    ids.push_back(*id);
  }
  return ids;
}

std::optional<tile::ElementType> Session::element(const Element& element, const Place& place) {
  if (!element.session()) return tile::ElementType{element.data_type(), {}};
  if (element.session().get() == this) return tile::ElementType{DataType::F32, tile::TypeParamId{element.param()}};
  foreign(place, *element.session());
  return std::nullopt;
}

std::optional<tile::ObjectId> Session::object(const Buffer& buffer, const Place& place) {
  if (buffer.session().get() != this) {
    foreign(place, *buffer.session());
    return std::nullopt;
  }
  const tile::ObjectId id{buffer.object()};
  if (!id.valid()) return std::nullopt;
  return id;
}

tile::TypeParamId Session::type_param(tile::TypeParam param) {
  const tile::TypeParamId id = builder_.type_param(param);
  type_params_.push_back(std::move(param));
  return id;
}

// ---- Statements ----------------------------------------------------------------------------------------------------

bool Session::begin_statement(const Place& place, const std::vector<ValueTermPtr>& parts) {
  if (finished_) return false;
  make_pending(parts);
  at(place);
  return true;
}

void Session::forget(const ValueTermPtr& term) {
  std::erase_if(pending_, [&](const std::weak_ptr<ValueTerm>& weak) { return weak.lock() == term; });
}

namespace {

using TermSet = std::unordered_set<const ValueTerm*>;

bool is_made(const ValueTerm& term) { return term.owner != nullptr; }

/// Everything below a term that is not made yet.
void collect_parts(const ValueTerm& term, TermSet& found) {
  if (is_made(term)) return;
  for (const ValueTermPtr& part : parts_of(term.formula))
    if (found.insert(part.get()).second) collect_parts(*part, found);
}

}  // namespace

void Session::make_pending(const std::vector<ValueTermPtr>& parts) {
  std::vector<ValueTermPtr> waiting;
  for (const auto& weak : pending_)
    if (ValueTermPtr term = weak.lock(); term && !is_made(*term)) waiting.push_back(std::move(term));
  pending_.clear();
  TermSet inner;
  for (const ValueTermPtr& part : parts) {
    inner.insert(part.get());
    collect_parts(*part, inner);
  }
  for (const ValueTermPtr& term : waiting)
    if (!inner.contains(term.get())) collect_parts(*term, inner);
  for (const ValueTermPtr& term : waiting) {
    // Outside the launches there is no place for an operation; what needs none waits for its use.
    if (inner.contains(term.get()) || (blocks_.empty() && term->closed)) continue;
    Maker(*this).part(term);
  }
}

}  // namespace tilewright::dsl
