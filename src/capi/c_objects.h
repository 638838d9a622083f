// What the objects of tilewright/c_api.h hold, and how a function of it ends.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/c_api.h>
#include <tilewright/cache.h>
#include <tilewright/compile.h>
#include <tilewright/run.h>

#include "support/result.h"

// NOLINTBEGIN(readability-identifier-naming): names of the C interface
struct tilewright_error {
  tilewright::Diags faults;
  std::string text;
  std::vector<std::string> codes;
};
struct tilewright_program {
  tilewright::Program program;
};
struct tilewright_cache {
  std::shared_ptr<tilewright::KernelCache> cache;
};
struct tilewright_kernel {
  tilewright::Kernel kernel;
  std::vector<tilewright::EntryBinding> bindings;
};
struct tilewright_call {
  tilewright::Call call;
  std::vector<bool> temporary;                          ///< one a binding
  std::unique_ptr<tilewright::Executor> executor = {};  ///< made when it is first needed
};
// NOLINTEND(readability-identifier-naming)

namespace tilewright::capi {

/// Hands faults over and gives their status.
tilewright_status end_with(Diags faults, tilewright_error** error) noexcept;

/// Runs the body of a function, which gives a Result<void>; nothing that it throws comes out.
template <class Body>
tilewright_status guarded(tilewright_error** error, Body body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    Result<void> done = body();
    if (done) return TILEWRIGHT_OK;
    return end_with(std::move(done.error()), error);
  } catch (const std::bad_alloc&) {
    return end_with({Diag{DiagCode::OutOfMemory, "no memory was left", {}, "use smaller sizes", {}}}, error);
  } catch (const std::exception& thrown) {
    return end_with({Diag{DiagCode::InternalError, thrown.what(), {}, {}, {}}}, error);
  } catch (...) {
    return end_with({Diag{DiagCode::InternalError, "an exception of unknown kind", {}, {}, {}}}, error);
  }
}

/// BadOption: what was given is null, or a size is no version's.
Diag null_fault(const char* what);
Result<void> expect_pointer(const void* pointer, const char* what);

/// The structure as this version knows it: members that the caller's version lacks are zero. `least`: of the first
/// version.
template <class Struct>
Result<Struct> versioned(const Struct* given, std::size_t least, const char* what) {
  TW_TRY_VOID(expect_pointer(given, what));
  if (given->struct_size < least || given->struct_size > sizeof(Struct))
    return failure(DiagCode::BadOption,
                   std::string(what) + ": expected a struct_size from " + std::to_string(least) + " to " +
                       std::to_string(sizeof(Struct)) + ", found " + std::to_string(given->struct_size),
                   "set it to sizeof, and use the header that came with the library");
  Struct known{};
  std::memcpy(&known, given, given->struct_size);
  return known;
}

/// Fills what the caller's version knows. Premise: versioned() accepts `into`.
template <class Struct>
void give(Struct* into, Struct value) {
  value.struct_size = into->struct_size;
  std::memcpy(into, &value, into->struct_size);
}

Result<DataType> data_type(tilewright_type type);
tilewright_type c_type(DataType type);

}  // namespace tilewright::capi
