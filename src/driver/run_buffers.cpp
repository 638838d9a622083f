#include "driver/run_buffers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/element.h"
#include "driver/host_memory.h"
#include "driver/kernel_impl.h"
#include "driver/launch.h"
#include "driver/poisoned_copy.h"
#include "driver/program_impl.h"
#include "driver/take.h"
#include "driver/view_range.h"
#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::driver {

namespace {

BufferRole role_of(const tile::Object& object) {
  if (object.kind == tile::ObjectKind::In) return BufferRole::In;
  return object.kind == tile::ObjectKind::Out ? BufferRole::Out : BufferRole::InOut;
}

/// Offset and size default to the smallest that hold the view.
Result<ArrayView> place_view(const std::string& name, DataType type, std::vector<std::int64_t> extents,
                             std::vector<std::int64_t> strides, const ViewRequest& request) {
  ArrayView view{type, nullptr, 0, 0, std::move(extents), std::move(strides)};
  const auto range = element_range(view);
  if (range && !request.offset) view.offset = checked_sub(0, range->begin).value_or(0);
  if (request.offset) view.offset = *request.offset;
  const auto placed = element_range(view);
  if (placed) view.elements = std::max<std::int64_t>(placed->end, 0);
  if (request.elements) view.elements = *request.elements;
  if (auto fault = view_fault(name, view)) return failure(std::move(*fault));
  return view;
}

Result<NpyArray> read_contents(const RunBuffer& buffer, const std::string& path) {
  auto found = read_npy(path, buffer.view.type);
  if (!found) {
    for (Diag& diag : found.error())
      if (diag.code == DiagCode::NpyType) {
        diag.message = fmt::format("'{}' expects {}: {}", buffer.name, data_type_name(buffer.view.type), diag.message);
        diag.hint = npy_save_hint(buffer.view.type);
      }
    return std::unexpected(std::move(found.error()));
  }
  NpyArray array = std::move(*found);
  if (array.shape == buffer.view.extents) return array;
  return failure(
      DiagCode::NpyShape,
      fmt::format("'{}' expects {}, found {} in '{}'", buffer.name, shape_text(buffer.view.type, buffer.view.extents),
                  shape_text(array.type, array.shape), path),
      "bind sizes that fit the file, or give another file");
}

/// Copies dense contents into the view. False when two points of one element have different contents.
bool scatter(const ArrayView& view, const std::vector<std::byte>& dense) {
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
  const auto size = static_cast<std::size_t>(bytes);
  for_each_element(view, [&](std::int64_t ordinal, std::int64_t position) {
    std::memcpy(view.data + position * bytes, dense.data() + ordinal * bytes, size);
  });
  bool faithful = true;
  for_each_element(view, [&](std::int64_t ordinal, std::int64_t position) {
    faithful = faithful && std::memcmp(view.data + position * bytes, dense.data() + ordinal * bytes, size) == 0;
  });
  return faithful;
}

/// Allocates one buffer and reads its file.
Result<RunBuffer> make_buffer(const tile::Object& object, ArrayView view, const RunRequest& request,
                              const Values& values) {
  auto memory = GuardedBuffer::make(view.type, view.elements);
  if (!memory) {
    for (Diag& diag : memory.error()) diag.message = fmt::format("'{}': {}", object.name, diag.message);
    return std::unexpected(std::move(memory.error()));
  }
  view.data = memory->data();
  RunBuffer buffer{object.name, role_of(object), object.scalar_input(), 0, std::move(*memory), view, {}, {}, {}};
  buffer.default_value = object.default_value;
  if (const auto value = values.scalars.find(object.name); value != values.scalars.end()) buffer.value = value->second;
  const auto path = request.inputs.find(object.name);
  if (path == request.inputs.end()) return buffer;
  TW_TRY(buffer.file, read_contents(buffer, path->second));
  if (scatter(buffer.view, buffer.file->data)) return buffer;
  return failure(DiagCode::ArgumentStrides,
                 fmt::format("the strides {} of '{}' give several elements one place, but '{}' holds different values "
                             "for them",
                             list_text(view.strides), object.name, path->second),
                 "use strides that keep the elements apart");
}

void set_scalar(RunBuffer& buffer) {
  const DataType type = buffer.view.type;
  std::uint32_t bits = unset_scalar_bits(type);
  if (buffer.default_value) bits = number_to_bits(type, *buffer.default_value);
  if (buffer.value) bits = *buffer.value;
  store_bits(type, buffer.view.data, bits);
}

void set_one(RunBuffer& buffer, const Fill& fill) {
  if (buffer.scalar)
    set_scalar(buffer);
  else if (buffer.file)
    scatter(buffer.view, buffer.file->data);
  else if (buffer.role != BufferRole::Out)
    fill_view(buffer.view, fill, buffer.input);
}

}  // namespace

std::map<std::string, BufferLayout> layouts_of(const RunRequest& request) {
  std::map<std::string, BufferLayout> layouts;
  for (const auto& [name, view] : request.views)
    if (view.strides) layouts[name].strides = *view.strides;
  return layouts;
}

Result<void> check_buffer_names(const Program& program, const RunRequest& request) {
  const tile::Program& family = program.impl().program;
  Diags faults;
  const auto check = [&](const char* option, const std::string& name, auto fits, const char* why, std::string hint) {
    const tile::ObjectId id = find_buffer(family, name);
    if (!id.valid())
      faults.push_back(unknown_buffer(family, name));
    else if (family.object(id).scalar_input())
      faults.push_back(Diag{DiagCode::BadOption,
                            fmt::format("{} expects a buffer, but '{}' is a scalar", option, name),
                            {},
                            fmt::format("write {}=VALUE", name),
                            {}});
    else if (!fits(family.object(id)))
      faults.push_back(Diag{DiagCode::BadOption,
                            fmt::format("{} expects {}, but '{}' is not one", option, why, name),
                            {},
                            std::move(hint),
                            {}});
  };
  for (const auto& [name, path] : request.inputs)
    check(
        "--in", name, [](const tile::Object& o) { return o.kind != tile::ObjectKind::Out; }, "an input",
        fmt::format("--out {}=FILE.npy writes an output", name));
  for (const auto& [name, path] : request.outputs)
    check("--out", name, is_written, "an output", fmt::format("--in {}=FILE.npy gives an input", name));
  for (const auto& [name, view] : request.views) check("--view", name, is_interface, "a buffer", "");
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

Result<RunBuffers> RunBuffers::make(const Kernel& kernel, const RunRequest& request, const Values& values) {
  const Kernel::Impl& impl = kernel.impl();
  std::map<tile::ObjectId, ArrayView> views;
  Diags faults;
  __uint128_t needed = 0;
  for (const auto& [id, strides] : impl.rules.strides) {
    const tile::Object& object = impl.bound.object(id);
    const auto asked = request.views.find(object.name);
    auto view = take(place_view(object.name, object.element.data, tile::bound_extents(impl.bound, id), strides,
                                asked == request.views.end() ? ViewRequest{} : asked->second),
                     faults);
    if (!view) continue;
    needed += touched_bytes(*view);
    views.emplace(id, std::move(*view));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  TW_TRY_VOID(expect_memory(needed, fmt::format("a run of '{}'", impl.bound.name())));

  RunBuffers all;
  int inputs = 0;
  for (const auto& [id, view] : views) {
    auto buffer = take(make_buffer(impl.bound.object(id), view, request, values), faults);
    if (!buffer) continue;
    if (!buffer->scalar && buffer->role != BufferRole::Out) buffer->input = inputs++;
    all.buffers_.push_back(std::move(*buffer));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return all;
}

void RunBuffers::set_contents(const Fill& fill) {
  for (RunBuffer& buffer : buffers_) set_one(buffer, fill);
}

void RunBuffers::restore_inouts(const Fill& fill) {
  for (RunBuffer& buffer : buffers_)
    if (buffer.role == BufferRole::InOut) set_one(buffer, fill);
}

bool RunBuffers::uses_fill() const {
  return std::any_of(buffers_.begin(), buffers_.end(), [](const RunBuffer& buffer) { return buffer.filled(); });
}

Arguments RunBuffers::arguments() const {
  Arguments arguments;
  for (const RunBuffer& buffer : buffers_) arguments[buffer.name] = buffer.view;
  return arguments;
}

std::vector<std::byte> RunBuffers::dense_bytes(const RunBuffer& buffer) {
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(buffer.view.type));
  std::vector<std::byte> dense(static_cast<std::size_t>(point_count(buffer.view.extents).value() * bytes));
  for_each_element(buffer.view, [&](std::int64_t ordinal, std::int64_t position) {
    std::memcpy(dense.data() + ordinal * bytes, buffer.view.data + position * bytes, static_cast<std::size_t>(bytes));
  });
  return dense;
}

}  // namespace tilewright::driver
