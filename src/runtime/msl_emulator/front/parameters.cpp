#include "runtime/msl_emulator/front/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

/// In the order of enum emu_builtin.
constexpr std::array<std::string_view, 15> kBuiltinInputs{
    "thread_position_in_grid",        "threadgroup_position_in_grid",
    "thread_position_in_threadgroup", "threads_per_grid",
    "threads_per_threadgroup",        "dispatch_threads_per_threadgroup",
    "threadgroups_per_grid",          "thread_index_in_threadgroup",
    "thread_index_in_simdgroup",      "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",     "threads_per_simdgroup",
    "thread_index_in_quadgroup",      "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup"};

struct BuiltinAlias {
  std::string_view name, means;
};
constexpr BuiltinAlias kBuiltinAliases[] = {
    {"thread_execution_width", "threads_per_simdgroup"},
    {"dispatch_simdgroups_per_threadgroup", "simdgroups_per_threadgroup"},
    {"dispatch_quadgroups_per_threadgroup", "quadgroups_per_threadgroup"},
};

constexpr std::string_view kNotModelledAttributes[] = {
    "texture",         "sampler",  "stage_in",    "payload",     "grid_origin", "grid_size",
    "imageblock_data", "color",    "patch_id",    "instance_id", "vertex_id",   "base_vertex",
    "base_instance",   "position", "object_data", "user",        "visible"};
constexpr std::string_view kNotModelledTypes[] = {"sampler",
                                                  "acceleration_structure",
                                                  "instance_acceleration_structure",
                                                  "primitive_acceleration_structure",
                                                  "visible_function_table",
                                                  "intersection_function_table",
                                                  "imageblock",
                                                  "command_buffer",
                                                  "render_command",
                                                  "compute_command"};

/// The tokens of one parameter.
struct ParameterRange {
  std::size_t first, last;
};

std::vector<ParameterRange> split_parameters(const Code& code, std::size_t open) {
  std::vector<ParameterRange> ranges;
  const std::size_t close = code.partner(open);
  std::size_t first = open + 1;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (i == close || code.is(i, ",")) {
      if (i > first) ranges.push_back({first, i});
      first = i + 1;
      continue;
    }
    if (code.is(i, "(") || code.is(i, "[") || code.is(i, "{")) i = code.partner(i);
    if (code.is(i, "<")) i = code.after_angles(i, close).value_or(i + 1) - 1;
  }
  if (ranges.size() == 1 && ranges[0].last == ranges[0].first + 1 && code.is(ranges[0].first, "void")) ranges.clear();
  return ranges;
}

class ParameterReader {
 public:
  ParameterReader(const Code& code, const ConstantNames& names, const std::vector<FunctionConstant>& constants,
                  const std::set<std::string, std::less<>>& argument_buffers)
      : code_(code), names_(names), constants_(constants), argument_buffers_(argument_buffers) {}

  void read(const ParameterRange& range) {
    range_ = range;
    Parameter parameter;
    parameter.name = name();
    if (refuse()) return;
    parameter.is_constant = has_word("constant");
    parameter.read_only = parameter.is_constant || is_const();
    parameter.optional = optional();
    bool numbered = true;
    if (!from_attribute(parameter, numbered)) return;
    if (!numbered) pending_.push_back(parameters.size());
    places_.push_back(range.first);
    parameters.push_back(std::move(parameter));
  }

  void number_the_rest() {
    for (const std::size_t i : pending_) {
      Parameter& parameter = parameters[i];
      std::uint32_t index = 0;
      while (taken(parameter.role, index, i)) ++index;
      parameter.index = index;
      if (index > 30) fault(places_[i], fmt::format("'{}' has no free index from 0 to 30 left", parameter.name));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& parameter = parameters[i];
      if (parameter.role == ParameterRole::Builtin || parameter.optional) continue;
      for (std::size_t j = 0; j < i; ++j)
        if (!parameters[j].optional && same_table(parameters[j].role, parameter.role) &&
            parameters[j].index == parameter.index)
          fault(places_[i], fmt::format("'{}' has index {}, which '{}' has already", parameter.name, parameter.index,
                                        parameters[j].name));
    }
  }

  std::vector<Parameter> parameters;
  Diags faults;

 private:
  void fault(std::size_t token, std::string message, DiagCode code = DiagCode::KernelCompile, std::string hint = {}) {
    faults.push_back(fault_at(code_, token, code, std::move(message), std::move(hint)));
  }

  const AttributeItem* item(std::string_view name) const { return code_.find_item(range_.first, range_.last, name); }

  bool has_word(std::string_view word) const {
    for (std::size_t i = range_.first; i < range_.last; ++i)
      if (code_.is(i, word)) return true;
    return false;
  }

  std::string name() const {
    // `device T (&x)[4]` and `x[4]` end in brackets.
    for (std::size_t i = range_.last; i > range_.first; --i)
      if (code_.is_word(i - 1) && i - 1 > range_.first && !inside_brackets(i - 1))
        return std::string(code_.text(i - 1));
    return "parameter";
  }

  bool inside_brackets(std::size_t token) const {
    for (std::size_t i = range_.first; i < token; ++i)
      if (code_.is(i, "[") && code_.partner(i) > token) return true;
    return false;
  }

  bool is_const() const {
    for (std::size_t i = range_.first; i < range_.last && !code_.is(i, "*") && !code_.is(i, "&"); ++i)
      if (code_.is(i, "const")) return true;
    return false;
  }

  /// Arrays are pointers here.
  bool is_pointer() const { return has_word("*") || has_word("&") || has_word("["); }

  bool refuse() {
    constexpr std::string_view hint = "only buffers, threadgroup memory, tensors and built-in inputs are modelled";
    for (const std::string_view name : kNotModelledAttributes) {
      if (item(name) == nullptr) continue;
      fault(range_.first, fmt::format("[[{}]] is not modelled", name), DiagCode::KernelNotModelled, std::string(hint));
      return true;
    }
    for (std::size_t i = range_.first; i < range_.last; ++i) {
      const std::string_view text = code_.text(i);
      if (argument_buffers_.contains(text)) {
        fault(i, fmt::format("the argument buffer {} is not modelled", text), DiagCode::KernelNotModelled,
              "pass its buffers as parameters");
        return true;
      }
      const bool texture = (text.starts_with("texture") || text.starts_with("depth")) && code_.is(i + 1, "<");
      if (!texture &&
          std::find(std::begin(kNotModelledTypes), std::end(kNotModelledTypes), text) == std::end(kNotModelledTypes))
        continue;
      if (i + 1 == range_.last) continue;  // the parameter's own name
      fault(i, fmt::format("a parameter of type {} is not modelled", text), DiagCode::KernelNotModelled,
            std::string(hint));
      return true;
    }
    return false;
  }

  /// Present or not by a function constant whose value is not known to be true.
  bool optional() const {
    const AttributeItem* condition = item("function_constant");
    if (condition == nullptr) return false;
    const std::string name = code_.joined_source(condition->arguments);
    for (const FunctionConstant& constant : constants_)
      if (constant.name == name) return constant.value.value_or("false") == "false" || constant.value == "0l";
    return true;
  }

  /// Role and index; false when the parameter is at fault.
  bool from_attribute(Parameter& parameter, bool& numbered) {
    if (const AttributeItem* buffer = item("buffer")) {
      parameter.role = is_pointer() ? ParameterRole::Buffer : ParameterRole::Tensor;
      if (parameter.role == ParameterRole::Tensor && !is_tensor()) {
        fault(range_.first,
              fmt::format("'{}' is in a buffer, so it must be a pointer, a reference or a tensor", parameter.name));
        return false;
      }
      return index_of(*buffer, parameter);
    }
    if (const AttributeItem* memory = item("threadgroup")) {
      parameter.role = ParameterRole::Threadgroup;
      return index_of(*memory, parameter);
    }
    if (builtin(parameter)) return true;
    numbered = false;
    if (is_pointer() && has_word("threadgroup")) {
      parameter.role = ParameterRole::Threadgroup;
      return true;
    }
    if (is_pointer() && (has_word("device") || has_word("constant"))) {
      parameter.role = ParameterRole::Buffer;
      return true;
    }
    if (is_tensor() && !is_pointer()) {
      parameter.role = ParameterRole::Tensor;
      return true;
    }
    std::string found;
    for (const Attribute* attribute : code_.attributes_in(range_.first, range_.last))
      for (const AttributeItem& each : attribute->items) found += " [[" + each.name + "]]";
    fault(range_.first,
          fmt::format("expected an address space or a built-in input for the kernel's parameter '{}', found '{}'{}",
                      parameter.name, code_.joined(range_.first, range_.last), found));
    return false;
  }

  bool is_tensor() const { return has_word("tensor") || has_word("tensor_handle"); }

  bool builtin(Parameter& parameter) const {
    for (const Attribute* attribute : code_.attributes_in(range_.first, range_.last))
      for (const AttributeItem& each : attribute->items) {
        std::string_view name = each.name;
        for (const BuiltinAlias& alias : kBuiltinAliases)
          if (name == alias.name) name = alias.means;
        const auto at = std::find(kBuiltinInputs.begin(), kBuiltinInputs.end(), name);
        if (at == kBuiltinInputs.end()) continue;
        parameter.role = ParameterRole::Builtin;
        parameter.index = static_cast<std::uint32_t>(at - kBuiltinInputs.begin());
        return true;
      }
    return false;
  }

  bool index_of(const AttributeItem& attribute, Parameter& parameter) {
    const std::optional<std::int64_t> index = evaluate_integer(code_.source(), attribute.arguments, names_);
    if (index && *index >= 0 && *index <= 30) {
      parameter.index = static_cast<std::uint32_t>(*index);
      return true;
    }
    fault(range_.first, fmt::format("expected an index from 0 to 30 in [[{}(...)]] of '{}', found '{}'", attribute.name,
                                    parameter.name, code_.joined_source(attribute.arguments)));
    return false;
  }

  static bool same_table(ParameterRole a, ParameterRole b) {
    const auto buffers = [](ParameterRole role) {
      return role == ParameterRole::Buffer || role == ParameterRole::Tensor;
    };
    return a == b || (buffers(a) && buffers(b));
  }

  bool taken(ParameterRole role, std::uint32_t index, std::size_t self) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool later = std::find(pending_.begin(), pending_.end(), i) != pending_.end() && i >= self;
      if (!later && same_table(parameters[i].role, role) && parameters[i].index == index) return true;
    }
    return false;
  }

  const Code& code_;
  const ConstantNames& names_;
  const std::vector<FunctionConstant>& constants_;
  const std::set<std::string, std::less<>>& argument_buffers_;
  ParameterRange range_{};
  std::vector<std::size_t> pending_;
  std::vector<std::size_t> places_;
};

}  // namespace

std::set<std::string, std::less<>> argument_buffers(const Code& code, const std::vector<Declaration>& declarations) {
  std::set<std::string, std::less<>> names;
  for (const Declaration& member : declarations) {
    if (member.parent == 0 || declarations[member.parent - 1].kind != DeclarationKind::Class) continue;
    if (code.find_item(member.first, member.last - 1, "id") == nullptr) continue;
    const std::size_t qualifier = member.scope.rfind("::");
    names.insert(member.scope.substr(qualifier == std::string::npos ? 0 : qualifier + 2));
  }
  return names;
}

Result<std::vector<Parameter>> kernel_parameters(const Code& code, const FunctionHead& head, const ConstantNames& names,
                                                 const std::vector<FunctionConstant>& constants,
                                                 const std::set<std::string, std::less<>>& argument_buffers) {
  ParameterReader reader(code, names, constants, argument_buffers);
  for (const ParameterRange& range : split_parameters(code, head.open)) reader.read(range);
  if (reader.faults.empty()) reader.number_the_rest();
  if (!reader.faults.empty()) return std::unexpected(std::move(reader.faults));
  return std::move(reader.parameters);
}

std::uint32_t parameter_code(const Parameter& parameter) {
  return static_cast<std::uint32_t>(parameter.role) * 256 + parameter.index;
}

}  // namespace tilewright::msl_emulator
