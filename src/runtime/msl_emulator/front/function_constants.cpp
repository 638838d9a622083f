#include "runtime/msl_emulator/front/function_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "support/number_text.h"

namespace tilewright::msl_emulator {

namespace {

struct IntegerRange {
  std::string_view type;
  std::int64_t least;
  std::uint64_t greatest;
};
constexpr IntegerRange kIntegerRanges[] = {
    {"char", -128, 127},
    {"int8_t", -128, 127},
    {"uchar", 0, 255},
    {"uint8_t", 0, 255},
    {"unsigned char", 0, 255},
    {"short", INT16_MIN, INT16_MAX},
    {"int16_t", INT16_MIN, INT16_MAX},
    {"ushort", 0, UINT16_MAX},
    {"uint16_t", 0, UINT16_MAX},
    {"unsigned short", 0, UINT16_MAX},
    {"int", INT32_MIN, INT32_MAX},
    {"int32_t", INT32_MIN, INT32_MAX},
    {"uint", 0, UINT32_MAX},
    {"uint32_t", 0, UINT32_MAX},
    {"unsigned int", 0, UINT32_MAX},
    {"unsigned", 0, UINT32_MAX},
    {"long", INT64_MIN, INT64_MAX},
    {"int64_t", INT64_MIN, INT64_MAX},
    {"ulong", 0, UINT64_MAX},
    {"uint64_t", 0, UINT64_MAX},
    {"unsigned long", 0, UINT64_MAX},
    {"size_t", 0, UINT64_MAX},
    {"ptrdiff_t", INT64_MIN, INT64_MAX},
};

bool is_float_type(std::string_view type) { return type == "float" || type == "half" || type == "bfloat"; }

std::optional<std::string> bool_value(std::string_view text) {
  if (text == "true" || text == "1") return "true";
  if (text == "false" || text == "0") return "false";
  return std::nullopt;
}

std::optional<std::string> integer_value(std::string_view text, const IntegerRange& range) {
  if (text == "true" || text == "false") return std::string(text == "true" ? "1" : "0");
  const bool negative = text.starts_with('-');
  const std::optional<std::uint64_t> magnitude = literal_integer(text.substr(negative ? 1 : 0));
  if (!magnitude) return std::nullopt;
  const std::uint64_t lowest = range.least < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(range.least) : 0;
  if (negative ? *magnitude > lowest : *magnitude > range.greatest) return std::nullopt;
  if (negative && *magnitude == std::uint64_t{1} << 63) return "(-9223372036854775807l - 1)";
  return fmt::format("{}{}{}", negative ? "-" : "", *magnitude, *magnitude > INT64_MAX ? "ul" : "l");
}

std::optional<std::string> float_value(std::string_view text) {
  if (text.size() > 1 && (text.back() == 'f' || text.back() == 'h') && text.find_first_of(".eE0123456789") == 0)
    text.remove_suffix(1);
  const NumberResult<double> value = parse_double(text);
  if (!value) return std::nullopt;
  if (*value != *value) return "__builtin_nanf(\"\")";
  if (*value - *value != 0) return *value > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  return std::string(text) + (text.find_first_of(".eE") == std::string_view::npos ? ".0f" : "f");
}

/// Vectors: `uint2(1, 2)`. Nothing that could end the declaration.
std::optional<std::string> other_value(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!word && std::string_view(" .,()+-*/:").find(c) == std::string_view::npos) return std::nullopt;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return std::nullopt;
  }
  return depth == 0 && !text.empty() ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> checked_value(const std::string& type, std::string_view text) {
  if (type == "bool") return bool_value(text);
  if (is_float_type(type)) return float_value(text);
  for (const IntegerRange& range : kIntegerRanges)
    if (type == range.type) return integer_value(text, range);
  return other_value(text);
}

class ConstantSettler {
 public:
  ConstantSettler(const Code& code, const ConstantNames& names, const std::map<std::string, std::string>& values,
                  Edits& edits)
      : code_(code), names_(names), values_(values), edits_(edits) {}

  void declaration(const Declaration& declaration) {
    const AttributeItem* item = code_.find_item(declaration.first, declaration.last - 1, "function_constant");
    if (item == nullptr || declaration.has_body()) return;
    const std::optional<std::int64_t> id = evaluate_integer(code_.source(), item->arguments, names_);
    if (!id || *id < 0 || *id > UINT16_MAX) {
      faults.push_back(
          fault_at(code_, declaration.first, DiagCode::KernelCompile,
                   fmt::format("expected an id from 0 to 65535 as the index of a function constant, found '{}'",
                               code_.joined_source(item->arguments))));
      return;
    }
    FunctionConstant constant;
    constant.id = *id;
    for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
      const std::string_view text = code_.text(i);
      if (text == "constant" || text == "const" || text == "constexpr" || text == "static") continue;
      if (i + 2 == declaration.last) {
        constant.name = text;
        continue;
      }
      if (!constant.type.empty() && code_.is_word(i)) constant.type += ' ';
      constant.type += text;
    }
    if (constant.type.empty() || constant.name.empty()) {
      faults.push_back(fault_at(code_, declaration.first, DiagCode::KernelCompile,
                                "expected 'constant TYPE NAME [[function_constant(ID)]];'"));
      return;
    }
    take_value(constant, declaration);
    write(constant, declaration);
    constants.push_back(std::move(constant));
  }

  /// Values that no constant took.
  void check_all_used() {
    for (const auto& [key, value] : values_) {
      if (used_.contains(key)) continue;
      std::string known;
      for (const FunctionConstant& constant : constants)
        known += fmt::format("{}{} (id {}, {})", known.empty() ? "" : ", ", constant.name, constant.id, constant.type);
      faults.push_back({DiagCode::KernelBinding,
                        fmt::format("no function constant has the id or name '{}'", key),
                        {},
                        known.empty() ? "the text has no function constants" : "the text has " + known,
                        {}});
    }
  }

  void questions() {
    for (std::size_t i = 0; i + 3 < code_.size(); ++i) {
      if (!code_.is(i, "is_function_constant_defined") || !code_.is(i + 1, "(") || !code_.is(i + 3, ")")) continue;
      const auto at = std::find_if(constants.begin(), constants.end(), [&](const FunctionConstant& constant) {
        return constant.name == code_.text(i + 2);
      });
      if (at == constants.end()) {
        faults.push_back(fault_at(code_, i + 2, DiagCode::KernelCompile,
                                  fmt::format("'{}' is no function constant", code_.text(i + 2))));
        continue;
      }
      edits_.replace(code_.token(i).begin, code_.token(i + 3).end, at->value ? "true" : "false");
    }
  }

  std::vector<FunctionConstant> constants;
  Diags faults;

 private:
  void take_value(FunctionConstant& constant, const Declaration& declaration) {
    for (const std::string& key : {std::to_string(constant.id), constant.name}) {
      const auto given = values_.find(key);
      if (given == values_.end()) continue;
      used_.insert(key);
      constant.value = checked_value(constant.type, given->second);
      if (!constant.value)
        faults.push_back(
            fault_at(code_, declaration.first, DiagCode::KernelBinding,
                     fmt::format("expected a value of type {} for the function constant {} (id {}), found '{}'",
                                 constant.type, constant.name, constant.id, given->second)));
    }
  }

  void write(const FunctionConstant& constant, const Declaration& declaration) {
    const std::string& type = constant.type;
    const bool one_word = type.find(' ') == std::string::npos;
    const std::string value = constant.value.value_or(one_word ? "" : "0");
    const std::string cast = one_word ? fmt::format("{}({})", type, value) : fmt::format("({})({})", type, value);
    edits_.replace(code_.token(declaration.first).begin, code_.token(declaration.last - 1).end,
                   fmt::format("constant constexpr {} {} = {};", type, constant.name, cast));
  }

  const Code& code_;
  const ConstantNames& names_;
  const std::map<std::string, std::string>& values_;
  Edits& edits_;
  std::set<std::string> used_;
};

}  // namespace

Result<std::vector<FunctionConstant>> settle_function_constants(const Code& code,
                                                                const std::vector<Declaration>& declarations,
                                                                const ConstantNames& names,
                                                                const std::map<std::string, std::string>& values,
                                                                Edits& edits) {
  ConstantSettler settler(code, names, values, edits);
  for (const Declaration& declaration : declarations)
    if (declaration.kind == DeclarationKind::Other) settler.declaration(declaration);
  settler.check_all_used();
  settler.questions();
  if (!settler.faults.empty()) return std::unexpected(std::move(settler.faults));
  return std::move(settler.constants);
}

}  // namespace tilewright::msl_emulator
