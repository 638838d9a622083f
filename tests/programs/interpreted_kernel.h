// A kernel of the Metal targets on the kernel interpreter, in the memory of arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "driver/kernel_impl.h"
#include "driver/view_range.h"
#include "kernel/interpreter.h"

namespace tilewright::driver {

/// Premise: the arguments fit the kernel; its target is one of Metal.
inline Result<std::vector<kernel::Counts>> interpret_compiled(const Kernel& kernel, const Arguments& arguments) {
  const Kernel::Impl& impl = kernel.impl();
  std::vector<std::byte*> bases;
  for (tile::ObjectId id : impl.bound.objects().ids()) {
    const tile::Object& object = impl.bound.object(id);
    if (object.kind == tile::ObjectKind::Memory) continue;
    if (object.kind == tile::ObjectKind::Temp) {
      bases.push_back(nullptr);
      continue;
    }
    const ArrayView& view = arguments.at(object.name);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
    const std::int64_t low = impl.metal->layout.buffers.at(id).low;
    bases.push_back(element_range(view)->empty() ? view.data : view.data + (view.offset + low) * bytes);
  }
  return kernel::interpret(impl.metal->lowered, bases);
}

}  // namespace tilewright::driver
