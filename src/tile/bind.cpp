// Binding: values of symbols and parameters, requirements, and the closed copy. The checks of the closed program are in
// bind_checks.cpp.
#include "tile/bind.h"

#include <algorithm>

#include "support/checked_math.h"
#include "tile/bind_internal.h"
#include "tile/comparison.h"
#include "tile/copy.h"
#include "tile/printer.h"
#include "tile/syntax.h"

namespace tilewright::tile {

namespace {

class Binder {
 public:
  Binder(const Program& family, const Bindings& bindings, const BindLimits& limits)
      : family_(family), bindings_(bindings), limits_(limits) {}

  /// Symbols stay open.
  Result<Program> choose() {
    check_names();
    for (const Symbol& symbol : family_.symbols())
      if (bindings_.numbers.contains(symbol.name))
        fault(DiagCode::BadBinding, "'" + symbol.name + "' is a size and stays open here", "give parameters only");
    collect_params();
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    return close(FamilyPart::Symbols);
  }

  Result<Program> run() {
    check_names();
    collect_symbols();
    collect_params();
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    check_requirements();
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    Program closed = close(FamilyPart::None);
    Diags faults = check_bound(closed, limits_);
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return closed;
  }

 private:
  void fault(DiagCode code, std::string message, std::string hint = {}) {
    diags_.push_back(Diag{code, std::move(message), {}, std::move(hint), {}});
  }

  std::string known_names() const {
    std::string out;
    auto add = [&](const std::string& name) { out += (out.empty() ? "" : ", ") + name; };
    for (const Symbol& symbol : family_.symbols()) add(symbol.name);
    for (const Param& param : family_.params()) add(param.name);
    for (const TypeParam& param : family_.type_params()) add(param.name);
    return out.empty() ? "none" : out;
  }

  template <class Items>
  static bool has(const Items& items, const std::string& name) {
    return std::any_of(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  }

  void check_names() {
    for (const auto& [name, value] : bindings_.numbers) {
      if (has(family_.type_params(), name))
        fault(DiagCode::BadBinding,
              "'" + name + "' stands for an element type, found the number " + std::to_string(value),
              "write for example " + name + "=f32");
      else if (!has(family_.symbols(), name) && !has(family_.params(), name))
        fault(DiagCode::UnknownSymbol, "the program '" + family_.name() + "' has no symbol or parameter '" + name + "'",
              "it has " + known_names());
    }
    for (const auto& [name, type] : bindings_.types) {
      const auto& params = family_.type_params();
      auto found = std::find_if(params.begin(), params.end(), [&](const TypeParam& p) { return p.name == name; });
      if (found == params.end()) {
        fault(DiagCode::UnknownSymbol, "the program '" + family_.name() + "' has no type parameter '" + name + "'",
              "it has " + known_names());
        continue;
      }
      if (type == found->default_type || std::count(found->choices.begin(), found->choices.end(), type) != 0) continue;
      std::string choices;
      for (DataType choice : found->choices)
        choices += (choices.empty() ? "" : ", ") + std::string(data_type_name(choice));
      fault(DiagCode::BadBinding, "'" + name + "' accepts " + choices + ", found " + std::string(data_type_name(type)));
    }
  }

  void collect_symbols() {
    for (const Symbol& symbol : family_.symbols()) {
      auto found = bindings_.numbers.find(symbol.name);
      if (found == bindings_.numbers.end() && symbol.default_value) {
        symbols_.push_back(*symbol.default_value);
        continue;
      }
      if (found == bindings_.numbers.end()) {
        fault(DiagCode::MissingSymbol, "the symbol '" + symbol.name + "' of '" + family_.name() + "' has no value",
              "add " + symbol.name + "=NUMBER");
        symbols_.push_back(0);
        continue;
      }
      if (found->second < 0)
        fault(DiagCode::NegativeSize,
              "expected '" + symbol.name + "' to be at least 0, found " + std::to_string(found->second));
      symbols_.push_back(found->second);
    }
  }

  void collect_params() {
    for (const Param& param : family_.params()) {
      auto found = bindings_.numbers.find(param.name);
      params_.push_back(found == bindings_.numbers.end() ? param.default_value : found->second);
    }
    for (const TypeParam& param : family_.type_params()) {
      auto found = bindings_.types.find(param.name);
      types_.push_back(found == bindings_.types.end() ? param.default_type : found->second);
    }
  }

  std::int64_t leaf_value(const IndexNode& node) const {
    return node.kind == IndexKind::Symbol ? symbols_[node.symbol().index] : params_[node.param().index];
  }

  std::optional<std::int64_t> evaluate(IndexId id) const {
    IndexEnvironment environment;
    environment.symbol = [&](SymbolId s) { return std::optional(symbols_[s.index]); };
    environment.param = [&](ParamId p) { return std::optional(params_[p.index]); };
    return family_.index().evaluate(id, environment);
  }

  /// ", found M = 3, BM = 4": the names in a requirement.
  std::string with_values(const Requirement& r) const {
    std::string out;
    auto add = [&](const std::string& name, std::int64_t value) {
      const std::string part = name + " = " + std::to_string(value);
      if (out.find(part) == std::string::npos) out += (out.empty() ? ", found " : ", ") + part;
    };
    for (IndexId side : {r.lhs, r.rhs}) {
      for (std::uint32_t i : family_.index().leaves(side, IndexKind::Symbol))
        add(family_.symbols()[SymbolId{i}].name, symbols_[i]);
      for (std::uint32_t i : family_.index().leaves(side, IndexKind::Param))
        add(family_.params()[ParamId{i}].name, params_[i]);
    }
    return out;
  }

  void check_requirements() {
    for (const Requirement& r : family_.requirements()) {
      auto lhs = evaluate(r.lhs);
      auto rhs = evaluate(r.rhs);
      const std::string text = print_index(family_, r.lhs) + " " + std::string(comparison_text(r.comparison)) + " " +
                               print_index(family_, r.rhs);
      Diag diag{DiagCode::RequirementFailed, "", family_.place(r.location), "", {}};
      const std::string here = text + with_values(r);
      if (!lhs || !rhs) {
        diag.message = "the requirement " + here + " has no value: it overflows or divides by zero";
      } else if (!holds(*lhs, r.comparison, *rhs)) {
        diag.message = "'" + family_.name() + "' requires " + here + (r.message.empty() ? "" : ": " + r.message);
      } else {
        continue;
      }
      diags_.push_back(std::move(diag));
    }
  }

  Program close(FamilyPart kept) const {
    CopyRules rules;
    rules.kept = kept;
    rules.family_leaf = [&, kept](IndexArena& arena, const IndexNode& node) {
      if (kept == FamilyPart::Symbols && node.kind == IndexKind::Symbol) return arena.symbol(node.symbol());
      return arena.constant(leaf_value(node));
    };
    rules.element = [&](ElementType type) {
      return type.symbolic() ? ElementType{types_[type.param.index], {}} : type;
    };
    // The second copy drops the constants that folding left behind.
    return copy_program(copy_program(family_, rules), {});
  }

  const Program& family_;
  const Bindings& bindings_;
  const BindLimits& limits_;
  std::vector<std::int64_t> symbols_, params_;
  std::vector<DataType> types_;
  Diags diags_;
};

}  // namespace

Result<Program> bind(const Program& family, const Bindings& bindings, const BindLimits& limits) {
  return Binder(family, bindings, limits).run();
}

Result<Program> choose_params(const Program& family, const Bindings& bindings) {
  return Binder(family, bindings, {}).choose();
}

std::vector<std::int64_t> bound_extents(const Program& bound, ObjectId object) {
  std::vector<std::int64_t> extents;
  for (IndexId id : bound.object(object).extents) {
    auto extent = bound.index().as_constant(id);
    TW_CHECK(extent.has_value());
    extents.push_back(*extent);
  }
  return extents;
}

std::int64_t bound_extent(const Program& bound, AxisId axis) {
  auto extent = bound.index().as_constant(bound.axes()[axis].extent);
  TW_CHECK(extent.has_value());
  return *extent;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    strides[d] = step;
    step = checked_mul(step, std::max<std::int64_t>(extents[d], 1)).value_or(0);
  }
  return strides;
}

}  // namespace tilewright::tile
