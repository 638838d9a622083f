// Calls of the C interface.
#include "capi/c_objects.h"

namespace tilewright::capi {

namespace {

Result<ArrayView> read_array(const tilewright_array& given) {
  TW_TRY(const DataType type, data_type(given.type));
  if (given.rank > 0) TW_TRY_VOID(expect_pointer(given.extents, "the extents of an array"));
  ArrayView view{type, static_cast<std::byte*>(given.data), given.elements, given.offset, {}, {}};
  view.extents.assign(given.extents, given.extents + given.rank);
  if (given.strides != nullptr) view.strides.assign(given.strides, given.strides + given.rank);
  return view;
}

Result<Arguments> read_arrays(const tilewright_array* arrays, std::size_t count) {
  Arguments arguments;
  if (count > 0) TW_TRY_VOID(expect_pointer(arrays, "arrays"));
  for (std::size_t i = 0; i < count; ++i) {
    // The caller's version decides how far apart the items are.
    const auto* at = reinterpret_cast<const char*>(arrays) + i * arrays->struct_size;
    TW_TRY(const tilewright_array given,
           versioned(reinterpret_cast<const tilewright_array*>(at), sizeof(tilewright_array), "tilewright_array"));
    TW_TRY_VOID(expect_pointer(given.name, "the name of an array"));
    TW_TRY(ArrayView view, read_array(given));
    if (!arguments.emplace(given.name, std::move(view)).second)
      return failure(DiagCode::BadOption, "'" + std::string(given.name) + "' is given twice", "give it once");
  }
  return arguments;
}

class PoolExecutor final : public Executor {
 public:
  explicit PoolExecutor(const tilewright_pool& pool) : pool_(pool) {}
  int workers() const override { return pool_.workers; }
  void parallel_for(std::int64_t count, Piece piece, void* context) override {
    pool_.for_each(pool_.pool, count, piece, context);
  }

 private:
  tilewright_pool pool_;
};

}  // namespace
}  // namespace tilewright::capi

using namespace tilewright;
using namespace tilewright::capi;

tilewright_status tilewright_call_bind(const tilewright_kernel* kernel, const tilewright_array* arrays, size_t count,
                                       tilewright_call** call, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(call, "call"));
    *call = nullptr;
    TW_TRY_VOID(expect_pointer(kernel, "kernel"));
    TW_TRY(const Arguments arguments, read_arrays(arrays, count));
    TW_TRY(Call bound, Call::bind(kernel->kernel, arguments));
    std::vector<bool> temporary;
    for (const EntryBinding& binding : kernel->bindings) temporary.push_back(binding.temporary);
    *call = new tilewright_call{std::move(bound), std::move(temporary)};
    return {};
  });
}

void tilewright_call_run(const tilewright_call* call) { call->call(); }

tilewright_status tilewright_call_run_shared(tilewright_call* call, const tilewright_pool* pool,
                                             tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(call, "call"));
    if (pool != nullptr) {
      TW_TRY(const tilewright_pool given, versioned(pool, sizeof(tilewright_pool), "tilewright_pool"));
      if (given.for_each == nullptr) return failure(null_fault("for_each"));
      if (given.workers < 1)
        return failure(DiagCode::BadOption, "expected at least 1 worker, found " + std::to_string(given.workers));
      PoolExecutor executor(given);
      return call->call.run(executor);
    }
    if (!call->executor) call->executor = make_default_executor();
    return call->call.run(*call->executor);
  });
}

tilewright_status tilewright_call_set_pointer(tilewright_call* call, size_t binding, void* pointer,
                                              tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(call, "call"));
    if (binding >= call->temporary.size() || call->temporary[binding])
      return failure(DiagCode::BadOption,
                     "expected a binding below " + std::to_string(call->temporary.size()) +
                         " that is no temporary, found " + std::to_string(binding),
                     "see tilewright_binding_get()");
    call->call.set_pointer(binding, pointer);
    return {};
  });
}

void tilewright_call_free(tilewright_call* call) { delete call; }
