#include "emit/common/bindings.h"

#include "support/check.h"

namespace tilewright::emit {

namespace {

DataType data_type_of(kernel::ScalarType scalar) {
  switch (scalar) {
    case kernel::ScalarType::I1:
      return DataType::Bool;
    case kernel::ScalarType::I32:
      return DataType::I32;
    case kernel::ScalarType::I64:
      return DataType::Index;
    case kernel::ScalarType::F16:
      return DataType::F16;
    case kernel::ScalarType::BF16:
      return DataType::BF16;
    case kernel::ScalarType::F32:
      return DataType::F32;
  }
  TW_CHECK(false);
}

artifact::BindingKind binding_kind_of(kernel::BufferKind kind) {
  switch (kind) {
    case kernel::BufferKind::Argument:
      return artifact::BindingKind::Argument;
    case kernel::BufferKind::Temporary:
      return artifact::BindingKind::Temporary;
    case kernel::BufferKind::Scalar:
      return artifact::BindingKind::Scalar;
  }
  TW_CHECK(false);
}

artifact::BindingAccess binding_access_of(kernel::Access access) {
  switch (access) {
    case kernel::Access::Read:
      return artifact::BindingAccess::Read;
    case kernel::Access::Write:
      return artifact::BindingAccess::Write;
    case kernel::Access::ReadWrite:
      return artifact::BindingAccess::ReadWrite;
  }
  TW_CHECK(false);
}

}  // namespace

std::vector<artifact::Binding> bindings_of(const kernel::Program& program) {
  std::vector<artifact::Binding> bindings;
  for (const kernel::Buffer& buffer : program.buffers) {
    bindings.push_back({buffer.name, binding_kind_of(buffer.kind), binding_access_of(buffer.access),
                        data_type_of(buffer.scalar), buffer.count});
  }
  return bindings;
}

}  // namespace tilewright::emit
