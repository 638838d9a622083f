// From text to program: the entry, limits, names and declarations.
#include "tile/parser.h"

#include <algorithm>
#include <cmath>

#include "support/spelling.h"
#include "tile/parser_internal.h"

namespace tilewright::tile {

namespace {

constexpr std::uint32_t kMaxDepth = 512;        ///< of the recursion: blocks, calls and expressions together
constexpr std::size_t kMaxWork = 1'000'000;     ///< operations, their axes, terms of their index expressions
constexpr std::size_t kWorkAfterFault = 5'000;  ///< how far to look for more faults

/// What to write for the names that other languages give to types.
std::string_view foreign_type(std::string_view name) {
  if (name == "float" || name == "float32" || name == "fp32" || name == "single") return "f32";
  if (name == "half" || name == "float16" || name == "fp16") return "f16";
  if (name == "bfloat" || name == "bfloat16") return "bf16";
  if (name == "int" || name == "int32" || name == "s32") return "i32";
  return {};
}

}  // namespace

Result<Program> parse_program(std::string_view text, std::string file_label) {
  if (text.size() > kMaxTextBytes) {
    Diag diag{DiagCode::SyntaxError, {}, {}, {}, {}};
    diag.message = "expected a text of at most " + std::to_string(kMaxTextBytes) + " bytes, found " +
                   std::to_string(text.size()) + " in " + file_label;
    return failure(std::move(diag));
  }
  const SourceMap map(text, std::move(file_label));
  Faults faults(map);
  const SyntaxTree tree = parse_syntax(map, faults);
  if (!faults.empty()) return std::unexpected(faults.take());
  Builder builder(std::string(tree.program.name.text), map.source_text(), tree.comment);
  Elaborator(map, tree, builder).run();
  Result<Program> program = builder.finish();
  if (!program) cap_diags(program.error());
  return program;
}

void Elaborator::run() {
  work_limit_ = kMaxWork;
  push(ScopeKind::Family);
  declare_functions();
  declare_family();
  push(ScopeKind::Program);
  base_ = 1;
  run_block(tree_.program.body);
}

// ---- Faults and limits ---------------------------------------------------------------------------------------------

void Elaborator::report(DiagCode code, TextRange range, std::string message, std::string hint) {
  report(Diag{code, std::move(message), map_.place(range), std::move(hint), {}});
}

void Elaborator::report(Diag diag) {
  constexpr std::size_t kMostCalls = 3;
  if (stopped_) return;
  for (std::size_t i = 0; i < std::min(calls_.size(), kMostCalls); ++i) {
    const ActiveCall& call = calls_[calls_.size() - 1 - i];
    diag.notes.push_back(
        {"in the call of '" + std::string(call.function->name.text) + "' here", map_.place(call.range)});
  }
  builder_.report(std::move(diag));
  if (++faults_ > kMaxFaults) stopped_ = true;
}

void Elaborator::stop(TextRange range, std::string message, std::string hint) {
  report(DiagCode::NestingTooDeep, range, std::move(message), std::move(hint));
  stopped_ = true;
}

void Elaborator::charge(std::size_t work, TextRange range) {
  work_ += work;
  if (builder_.failed()) work_limit_ = std::min(work_limit_, work_ + kWorkAfterFault);
  if (work_ <= work_limit_ || stopped_) return;
  if (builder_.failed()) {
    stopped_ = true;
    return;
  }
  stop(range,
       "expected a program of at most " + std::to_string(kMaxWork) +
           " operations once functions are written out, found a larger one",
       "call fewer functions inside functions");
}

Elaborator::Level::Level(Elaborator& elaborator, TextRange range) : elaborator_(elaborator) {
  if (++elaborator.depth_ > kMaxDepth)
    elaborator.stop(range,
                    "expected blocks, calls and expressions at most " + std::to_string(kMaxDepth) +
                        " levels deep once functions are written out, found more",
                    "give parts a name of their own");
  elaborator.charge(1, range);
}

ValueId Elaborator::made(ValueId value, TextRange range) {
  if (!value.valid()) return value;
  const std::size_t rank = builder_.type_of(value).axes.size();
  charge(1 + rank, range);
  if (rank <= kMaxTileRank) return value;
  report(DiagCode::NestingTooDeep, range,
         "expected a tile of at most " + std::to_string(kMaxTileRank) + " axes, found " + std::to_string(rank));
  return {};
}

std::string Elaborator::shown(TextRange range, std::string_view otherwise) const {
  constexpr std::size_t kLongest = 32;
  const std::string_view text = map_.text(range);
  const bool plain = text.size() <= kLongest && text.find_first_of("\r\n") == std::string_view::npos &&
                     text.find("//") == std::string_view::npos;
  return std::string(plain ? text : otherwise);
}

// ---- Names ---------------------------------------------------------------------------------------------------------

void Elaborator::pop() {
  for (const auto& [name, entity] : scopes_.back().names) ended_.insert_or_assign(name, entity.range);
  scopes_.pop_back();
}

Entity* Elaborator::find(std::string_view name) {
  for (std::size_t i = scopes_.size(); i-- > base_;)
    if (auto found = scopes_[i].names.find(name); found != scopes_[i].names.end()) return &found->second;
  auto found = scopes_[0].names.find(name);
  return found == scopes_[0].names.end() ? nullptr : &found->second;
}

bool Elaborator::define(const SyntaxName& name, decltype(Entity::what) what) {
  if (const Entity* first = find(name.text); first && !std::holds_alternative<FailedEntity>(first->what)) {
    redefinition(name, *first);
    return false;
  }
  scopes_.back().names.insert_or_assign(name.text, Entity{std::move(what), name.range, scopes_.size() - 1});
  return true;
}

void Elaborator::redefinition(const SyntaxName& name, const Entity& first) {
  const std::string text(name.text);
  Diag diag{DiagCode::Redefinition, {}, map_.place(name.range), "choose another name", {}};
  diag.message = "expected a new name, found '" + text + "', which is " + describe(first, name.text) + " already";
  const auto* index = std::get_if<IndexEntity>(&first.what);
  if (index && index->role == IndexEntity::Role::Axis)
    diag.hint = "write '" + text + "' without an extent to use that axis";
  if ((index && index->role == IndexEntity::Role::Alias) || std::holds_alternative<NumberEntity>(first.what))
    diag.hint = "only its own block may change what such a name stands for; define a tile: " + text + "[] = ..";
  diag.notes.push_back({"'" + text + "' is defined here", map_.place(first.range)});
  report(std::move(diag));
}

std::vector<std::string_view> Elaborator::visible_names() const {
  std::vector<std::string_view> names;
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (i != 0 && i < base_) continue;
    for (const auto& [name, entity] : scopes_[i].names) names.push_back(name);
  }
  return names;
}

void Elaborator::unknown_name(const SyntaxName& name, std::string_view what, std::string hint) {
  if (stopped_) return;
  const std::string text(name.text);
  Diag diag{DiagCode::UnknownName, {}, map_.place(name.range), std::move(hint), {}};
  diag.message = "expected " + std::string(what) + ", found '" + text + "', which nothing defines";
  for (std::size_t i = 1; i < base_; ++i)
    if (scopes_[i].names.contains(name.text))
      diag.hint = "a function sees its parameters, symbols and parameters of the program only: pass '" + text + "'";
  if (diag.hint.empty() && functions_.contains(name.text)) diag.hint = "a call has its arguments in parentheses";
  if (auto ended = ended_.find(name.text); diag.hint.empty() && ended != ended_.end()) {
    diag.hint = "a name ends with its block: define it before the block";
    diag.notes.push_back({"'" + text + "' is defined here", map_.place(ended->second)});
  }
  if (diag.hint.empty()) diag.hint = did_you_mean(name.text, visible_names());
  report(std::move(diag));
  // Further uses of the name are the same fault.
  scopes_.back().names.insert_or_assign(name.text, Entity{FailedEntity{}, name.range, scopes_.size() - 1});
}

std::string Elaborator::describe(const Entity& entity, std::string_view name) const {
  return std::visit(Overloaded{
                        [&](const TileEntity&) { return std::string("a tile"); },
                        [&](const IndexEntity& index) {
                          switch (index.role) {
                            case IndexEntity::Role::Symbol:
                              return std::string("a symbol");
                            case IndexEntity::Role::Param:
                              return std::string("a parameter");
                            case IndexEntity::Role::Coord:
                              return std::string("a coordinate");
                            case IndexEntity::Role::Axis:
                              return std::string("an axis");
                            case IndexEntity::Role::Alias:
                              break;
                          }
                          return std::string("an index expression");
                        },
                        [&](const ObjectEntity& object) {
                          const ObjectKind kind = builder_.object_of(object.id).kind;
                          return std::string(kind == ObjectKind::Memory ? "a memory" : "a buffer");
                        },
                        [&](const TypeEntity&) { return std::string("a type parameter"); },
                        [&](const NumberEntity&) { return std::string("a number"); },
                        [&](const FailedEntity&) { return "'" + std::string(name) + "'"; },
                    },
                    entity.what);
}

// ---- Declarations --------------------------------------------------------------------------------------------------

void Elaborator::declare_functions() {
  const std::vector<std::string_view> builtins = builtin_names();
  for (const FunctionDecl& function : tree_.functions) {
    const SyntaxName& name = function.name;
    if (std::find(builtins.begin(), builtins.end(), name.text) != builtins.end()) {
      report(DiagCode::Redefinition, name.range,
             "expected a new name, found '" + std::string(name.text) + "', which is a built-in function",
             "choose another name");
      continue;
    }
    const auto [first, inserted] = functions_.emplace(name.text, &function);
    if (inserted) continue;
    Diag diag{DiagCode::Redefinition, {}, map_.place(name.range), "choose another name", {}};
    diag.message = "expected a new name, found '" + std::string(name.text) + "', which is a function already";
    diag.notes.push_back({"it is defined here", map_.place(first->second->name.range)});
    report(std::move(diag));
  }
}

void Elaborator::declare_family() {
  for (const auto& [name, default_value] : tree_.program.symbols) {
    at(name.range);
    if (find(name.text)) {
      redefinition(name, *find(name.text));
      continue;
    }
    const SymbolId id = builder_.symbol(std::string(name.text), default_value);
    define(name, IndexEntity{builder_.index().symbol(id), IndexEntity::Role::Symbol});
  }
  for (const ParamDecl& decl : tree_.program.params) declare_param(decl);
}

void Elaborator::declare_param(const ParamDecl& decl) {
  const SyntaxName& name = decl.name;
  at(name.range);
  if (find(name.text)) return redefinition(name, *find(name.text));
  if (!decl.is_type) {
    const ParamId id = builder_.param(Param{std::string(name.text), decl.choices, decl.default_value});
    define(name, IndexEntity{builder_.index().param(id), IndexEntity::Role::Param});
    return;
  }
  TypeParam param{std::string(name.text), {}, DataType::F32};
  bool ok = true;
  for (const SyntaxName& choice : decl.type_choices) {
    auto type = data_type(choice);
    ok = ok && type.has_value();
    if (type) param.choices.push_back(*type);
  }
  if (auto type = data_type(decl.default_type)) {
    param.default_type = *type;
  } else {
    ok = false;
  }
  if (!ok) {
    define(name, FailedEntity{});
    return;
  }
  if (functions_.contains(name.text))
    report(DiagCode::Redefinition, name.range,
           "expected a new name, found '" + std::string(name.text) + "', which is a function already",
           "choose another name");
  type_params_.push_back(param);
  define(name, TypeEntity{builder_.type_param(std::move(param))});
}

std::optional<DataType> Elaborator::data_type(const SyntaxName& name) {
  const std::string text(name.text);
  auto type = data_type_from_name(name.text);
  if (type && !is_reserved(*type)) return type;
  if (type) {
    report(DiagCode::ReservedType, name.range,
           "expected f32, f16, bf16, i32 or bool, found " + text + ", which is reserved and has no operations yet",
           *type == DataType::F64 ? "use f32" : "");
    return std::nullopt;
  }
  const std::string_view other = foreign_type(name.text);
  unknown_name(
      name, "an element type",
      other.empty() ? did_you_mean(name.text, {"f32", "f16", "bf16", "i32", "bool"}) : "write " + std::string(other));
  return std::nullopt;
}

std::optional<ElementType> Elaborator::element_type(const SyntaxName& name) {
  const Entity* entity = data_type_from_name(name.text) ? nullptr : find(name.text);
  if (!entity) {
    auto type = data_type(name);
    if (!type) return std::nullopt;
    return ElementType{*type, {}};
  }
  if (const auto* type = std::get_if<TypeEntity>(&entity->what)) return ElementType{DataType::F32, type->id};
  if (!std::holds_alternative<FailedEntity>(entity->what))
    report(DiagCode::NotAValue, name.range,
           "expected an element type, found '" + std::string(name.text) + "', which is " + describe(*entity, name.text),
           "a type parameter is declared as " + std::string(name.text) + ": type {f32, f16} = f32");
  return std::nullopt;
}

std::vector<IndexId> Elaborator::family_indices(const std::vector<ExprId>& ids, std::string_view what) {
  std::vector<IndexId> indices;
  indices.reserve(ids.size());
  for (ExprId id : ids) indices.push_back(family_index(id, what));
  return indices;
}

void Elaborator::run(const BufferDecl& decl, TextRange range) {
  Object object;
  object.name = std::string(decl.name.text);
  object.kind = decl.kind;
  auto element = element_type(decl.element);
  object.extents = family_indices(decl.extents, "an extent");
  object.strides = family_indices(decl.strides, "a stride");
  if (element && decl.default_value.valid()) {
    object.default_value = default_number(decl, *element);
    if (!object.default_value) element.reset();
  }
  const auto invalid = [](IndexId id) { return !id.valid(); };
  const bool ok = element && std::none_of(object.extents.begin(), object.extents.end(), invalid) &&
                  std::none_of(object.strides.begin(), object.strides.end(), invalid);
  if (const Entity* first = find(decl.name.text)) return redefinition(decl.name, *first);
  if (!ok) {
    define(decl.name, FailedEntity{});
    return;
  }
  object.element = *element;
  at(range);
  if (decl.has_strides && decl.strides.size() != decl.extents.size()) {
    report(DiagCode::RankMismatch, range,
           "expected " + std::to_string(decl.extents.size()) + " strides, one a dimension of '" + object.name +
               "', found " + std::to_string(decl.strides.size()));
    object.strides.clear();
  }
  define(decl.name, ObjectEntity{builder_.object(std::move(object))});
}

std::optional<double> Elaborator::default_number(const BufferDecl& decl, ElementType element) {
  const Expr& expr = tree_.exprs[decl.default_value];
  if (const auto* truth = std::get_if<BoolExpr>(&expr.node); truth && element == kBool) return truth->value ? 1.0 : 0.0;
  const bool literal = !std::holds_alternative<BoolExpr>(expr.node) && !std::holds_alternative<AccessExpr>(expr.node) &&
                       !std::holds_alternative<CallExpr>(expr.node) && !std::holds_alternative<NameExpr>(expr.node);
  const Operand operand = literal ? eval(decl.default_value) : Operand{ValueId{}};
  std::optional<std::int64_t> integer;
  if (const auto* index = std::get_if<IndexId>(&operand)) integer = builder_.index().as_constant(*index);
  const auto* real = std::get_if<RealNumber>(&operand);
  if (!integer && !real) {
    report(
        DiagCode::TypeMismatch, expr.range,
        "expected a number of type " + type_name(element) + " as default, found " + shown(expr.range, "an expression"));
    return std::nullopt;
  }
  const double value = integer ? static_cast<double>(*integer) : real->value;
  std::vector<DataType> types{element.data};
  if (element.symbolic()) types = type_params_[element.param.index].choices;
  for (DataType type : types)
    if (!number_fits(value, integer.has_value(), ElementType{type, {}}, expr.range)) return std::nullopt;
  return value;
}

void Elaborator::run(const RequireDecl& decl, TextRange range) {
  const IndexId lhs = family_index(decl.lhs, "a side of a requirement");
  const IndexId rhs = family_index(decl.rhs, "a side of a requirement");
  at(range);
  if (lhs.valid() && rhs.valid()) builder_.require(lhs, decl.comparison, rhs, decl.message);
}

}  // namespace tilewright::tile
