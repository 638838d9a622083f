#include "lower/launch_buffers.h"

#include <fmt/format.h>

#include "lower/elements.h"
#include "support/result.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

namespace {

kernel::Buffer buffer_of(const Object& object, std::int64_t count) {
  kernel::Buffer buffer;
  buffer.name = object.name;
  buffer.scalar = scalar_type(object.element.data);
  buffer.count = count;
  switch (object.kind) {
    case ObjectKind::In:
      buffer.access = kernel::Access::Read;
      break;
    case ObjectKind::Out:
      buffer.access = kernel::Access::Write;
      break;
    case ObjectKind::InOut:
    case ObjectKind::Temp:
    case ObjectKind::Memory:
      buffer.access = kernel::Access::ReadWrite;
      break;
  }
  if (object.kind == ObjectKind::Temp) buffer.kind = kernel::BufferKind::Temporary;
  if (object.scalar_input()) buffer.kind = kernel::BufferKind::Scalar;
  return buffer;
}

/// Rows of elements that follow each other, one row behind the other. With one point along an axis there is no step
/// along it, and no matrix.
std::optional<ObjectMatrix> matrix_of(const ObjectPlace& place) {
  if (place.extents.size() != 2 || place.extents[0] < 2 || place.extents[1] < 2) return std::nullopt;
  for (std::size_t inner : {1u, 0u}) {
    const std::size_t outer = 1 - inner;
    if (place.strides[inner] == 1 && place.strides[outer] >= place.extents[inner])
      return ObjectMatrix{{place.extents[inner], place.extents[outer], place.strides[outer]}, inner};
  }
  return std::nullopt;
}

}  // namespace

Result<std::map<ObjectId, ObjectPlace>> declare_buffers(const Program& bound, const LaunchLayout& layout,
                                                        kernel::Builder& builder) {
  std::map<ObjectId, ObjectPlace> places;
  for (ObjectId id : bound.objects().ids()) {
    const Object& object = bound.object(id);
    if (object.kind == ObjectKind::Memory) continue;
    TW_TRY(BufferLayout lies, default_buffer_layout(bound, id));
    if (const auto given = layout.buffers.find(id); given != layout.buffers.end()) lies = given->second;
    ObjectPlace place;
    place.extents = bound_extents(bound, id);
    if (lies.strides.size() != place.extents.size())
      return failure(DiagCode::ArgumentStrides, fmt::format("'{}' has {} dimensions, its layout has {}", object.name,
                                                            place.extents.size(), lies.strides.size()));
    place.strides = lies.strides;
    place.offset = -lies.low;
    kernel::Buffer buffer = buffer_of(object, lies.count);
    if (layout.names_matrices && object.kind == ObjectKind::In) place.matrix = matrix_of(place);
    if (place.matrix) buffer.matrix = place.matrix->shape;
    place.memory = kernel::Memory(builder.buffer(std::move(buffer)));
    places.emplace(id, std::move(place));
  }
  return places;
}

}  // namespace tilewright::lower
