// Program: text to a verified family, and what can be asked of it.
#include <utility>

#include <tilewright/compile.h>

#include "driver/launch.h"
#include "driver/program_impl.h"
#include "driver/program_library.h"
#include "driver/stage_clock.h"
#include "support/files.h"
#include "support/result.h"
#include "tile/parser.h"
#include "tile/printer.h"
#include "tile/verifier.h"

namespace tilewright {

namespace {

BufferRole role_of(tile::ObjectKind kind) {
  switch (kind) {
    case tile::ObjectKind::In:
      return BufferRole::In;
    case tile::ObjectKind::Out:
      return BufferRole::Out;
    case tile::ObjectKind::InOut:
      return BufferRole::InOut;
    case tile::ObjectKind::Temp:
    case tile::ObjectKind::Memory:
      break;
  }
  return BufferRole::Temp;
}

}  // namespace

Result<Program> Program::parse(std::string_view text, std::string label) {
  auto impl = std::make_shared<Impl>();
  TW_TRY(impl->program,
         driver::timed(impl->stage_times, "parse", [&] { return tile::parse_program(text, std::move(label)); }));
  TW_TRY_VOID(driver::timed(impl->stage_times, "verify", [&] { return tile::verify(impl->program); }));
  return Program(std::move(impl));
}

Result<Program> Program::load(const std::string& path_or_name) {
  TW_TRY(const std::string path, driver::program_path(path_or_name));
  TW_TRY(const std::string text, read_file(path));
  return parse(text, path);
}

const std::string& Program::name() const { return impl_->program.name(); }

std::string Program::summary() const {
  const std::vector<std::string>& comment = impl_->program.comment();
  if (comment.empty()) return {};
  const std::size_t begin = comment.front().find_first_not_of(' ');
  return begin == std::string::npos ? std::string{} : comment.front().substr(begin);
}

std::vector<std::string> Program::symbols() const {
  std::vector<std::string> names;
  for (const tile::Symbol& symbol : impl_->program.symbols()) names.push_back(symbol.name);
  return names;
}

std::vector<ParamInfo> Program::params() const {
  std::vector<ParamInfo> params;
  for (const tile::Param& param : impl_->program.params())
    params.push_back({param.name, param.choices, param.default_value, {}, DataType::F32});
  for (const tile::TypeParam& param : impl_->program.type_params())
    params.push_back({param.name, {}, 0, param.choices, param.default_type});
  return params;
}

std::vector<BufferInfo> Program::buffers() const {
  const tile::Program& program = impl_->program;
  std::vector<BufferInfo> buffers;
  for (const tile::Object& object : program.objects()) {
    if (object.kind == tile::ObjectKind::Memory) continue;
    BufferInfo info;
    info.name = object.name;
    info.role = role_of(object.kind);
    info.element = object.element.symbolic() ? program.type_params()[object.element.param].name
                                             : std::string(data_type_name(object.element.data));
    for (tile::IndexId extent : object.extents) info.extents.push_back(tile::print_index(program, extent));
    info.default_value = object.default_value;
    buffers.push_back(std::move(info));
  }
  return buffers;
}

std::string Program::text() const { return tile::print_program(impl_->program); }

}  // namespace tilewright
