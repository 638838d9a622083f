// Errors of the C interface, and the values that it checks.
#include <algorithm>

#include "capi/c_objects.h"

namespace tilewright::capi {

tilewright_status end_with(Diags faults, tilewright_error** error) noexcept {
  int status = TILEWRIGHT_INTERNAL;
  if (!faults.empty()) status = 0;
  for (const Diag& fault : faults) status = std::max(status, static_cast<int>(diag_code_category(fault.code)));
  if (error == nullptr) return status;
  try {
    auto told = std::make_unique<tilewright_error>();
    told->text = render(faults);
    for (const Diag& fault : faults) told->codes.emplace_back(diag_code_name(fault.code));
    told->faults = std::move(faults);
    *error = told.release();
  } catch (...) {
    // Without memory for an error there is the status.
    *error = nullptr;
  }
  return status;
}

Diag null_fault(const char* what) {
  return Diag{DiagCode::BadOption, std::string(what) + ": expected a pointer, found null", {}, {}, {}};
}

Result<void> expect_pointer(const void* pointer, const char* what) {
  if (pointer == nullptr) return failure(null_fault(what));
  return {};
}

Result<DataType> data_type(tilewright_type type) {
  switch (type) {
    case TILEWRIGHT_F32:
      return DataType::F32;
    case TILEWRIGHT_F16:
      return DataType::F16;
    case TILEWRIGHT_BF16:
      return DataType::BF16;
    case TILEWRIGHT_I32:
      return DataType::I32;
    case TILEWRIGHT_BOOL:
      return DataType::Bool;
  }
  return failure(DiagCode::BadOption, "expected a tilewright_type, found " + std::to_string(static_cast<int>(type)));
}

tilewright_type c_type(DataType type) {
  switch (type) {
    case DataType::F16:
      return TILEWRIGHT_F16;
    case DataType::BF16:
      return TILEWRIGHT_BF16;
    case DataType::I32:
      return TILEWRIGHT_I32;
    case DataType::Bool:
      return TILEWRIGHT_BOOL;
    default:
      return TILEWRIGHT_F32;
  }
}

}  // namespace tilewright::capi

int tilewright_c_api_version(void) { return TILEWRIGHT_C_API_VERSION; }

const char* tilewright_error_text(const tilewright_error* error) { return error == nullptr ? "" : error->text.c_str(); }
size_t tilewright_error_count(const tilewright_error* error) { return error == nullptr ? 0 : error->codes.size(); }
const char* tilewright_error_code(const tilewright_error* error, size_t fault) {
  return error == nullptr || fault >= error->codes.size() ? nullptr : error->codes[fault].c_str();
}
void tilewright_error_free(tilewright_error* error) { delete error; }
