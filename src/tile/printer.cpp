#include "tile/printer.h"

#include "support/number_text.h"
#include "tile/printer_blocks.h"
#include "tile/syntax.h"

namespace tilewright::tile {

namespace {

using namespace printing;

std::string_view object_word(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::In:
      return "in";
    case ObjectKind::Out:
      return "out";
    case ObjectKind::InOut:
      return "inout";
    case ObjectKind::Temp:
      return "temp";
    case ObjectKind::Memory:
      return "memory";
  }
  return "?";
}

/// Without control characters, which would end the comment, and without blanks at its end, which are not read back.
std::string comment_text(std::string comment) {
  for (char& c : comment)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  const std::string text = "// " + comment;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string param_text(const Param& param) {
  std::vector<std::string> choices;
  for (std::int64_t choice : param.choices) choices.push_back(std::to_string(choice));
  return param.name + ": {" + comma_list(choices) + "} = " + std::to_string(param.default_value);
}

std::string type_param_text(const TypeParam& param) {
  std::vector<std::string> choices;
  for (DataType choice : param.choices) choices.emplace_back(data_type_name(choice));
  return param.name + ": type {" + comma_list(choices) + "} = " + std::string(data_type_name(param.default_type));
}

std::string header_text(const Program& program) {
  std::string text;
  for (const std::string& comment : program.comment()) text += comment_text(comment) + "\n";
  std::vector<std::string> symbols, params;
  for (const Symbol& symbol : program.symbols())
    symbols.push_back(symbol.name + (symbol.default_value ? " = " + std::to_string(*symbol.default_value) : ""));
  for (const Param& param : program.params()) params.push_back(param_text(param));
  for (const TypeParam& param : program.type_params()) params.push_back(type_param_text(param));
  text += "program " + program.name() + "(" + comma_list(symbols);
  if (!params.empty()) text += "; " + comma_list(params);
  return text + ") {\n";
}

std::string index_list(const Program& program, const std::vector<IndexId>& ids) {
  std::vector<std::string> texts;
  for (IndexId id : ids) texts.push_back(print_index(program, id));
  return comma_list(texts);
}

std::string object_text(const Program& program, const Object& object) {
  std::string text =
      std::string(object_word(object.kind)) + " " + object.name + ": " + element_text(program, object.element);
  if (!object.extents.empty()) text += "[" + index_list(program, object.extents) + "]";
  if (!object.strides.empty()) text += " strides(" + index_list(program, object.strides) + ")";
  if (object.default_value)
    text += " = " + number_text(program, Literal::of(*object.default_value), object.element).text;
  return text;
}

std::string requirement_text(const Program& program, const Requirement& requirement) {
  std::string text = "require " + print_index(program, requirement.lhs) + " " +
                     std::string(comparison_text(requirement.comparison)) + " " + print_index(program, requirement.rhs);
  if (!requirement.message.empty()) text += ", " + quoted(requirement.message);
  return text;
}

}  // namespace

std::string print_program(const Program& program) {
  std::string text = header_text(program);
  for (const Object& object : program.objects())
    if (object.kind != ObjectKind::Memory) text += "  " + object_text(program, object) + "\n";
  for (const Requirement& requirement : program.requirements())
    text += "  " + requirement_text(program, requirement) + "\n";
  return text + BlockPrinter(program).run() + "}\n";
}

}  // namespace tilewright::tile
