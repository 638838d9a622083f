// Programs, caches and kernels of the C interface.
#include <cstddef>
#include <span>

#include "capi/c_objects.h"

namespace tilewright::capi {

namespace {

Result<CompileOptions> read_options(const tilewright_compile_options& given, Bindings& bindings) {
  if (given.number_count > 0) TW_TRY_VOID(expect_pointer(given.numbers, "numbers"));
  if (given.type_count > 0) TW_TRY_VOID(expect_pointer(given.types, "types"));
  if (given.layout_count > 0) TW_TRY_VOID(expect_pointer(given.layouts, "layouts"));
  for (const tilewright_number& number : std::span(given.numbers, given.number_count)) {
    TW_TRY_VOID(expect_pointer(number.name, "the name of a number"));
    bindings.numbers[number.name] = number.value;
  }
  for (const tilewright_type_value& type : std::span(given.types, given.type_count)) {
    TW_TRY_VOID(expect_pointer(type.name, "the name of a type"));
    TW_TRY(bindings.types[type.name], data_type(type.value));
  }
  CompileOptions options;
  for (const tilewright_layout& layout : std::span(given.layouts, given.layout_count)) {
    TW_TRY_VOID(expect_pointer(layout.name, "the name of a layout"));
    if (layout.rank > 0) TW_TRY_VOID(expect_pointer(layout.strides, "the strides of a layout"));
    options.layouts[layout.name].strides.assign(layout.strides, layout.strides + layout.rank);
  }
  options.noalias = given.noalias != 0;
  if (given.cache != nullptr) options.cache = given.cache->cache;
  return options;
}

}  // namespace
}  // namespace tilewright::capi

using namespace tilewright;
using namespace tilewright::capi;

tilewright_status tilewright_program_parse(const char* text, size_t length, const char* label,
                                           tilewright_program** program, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(program, "program"));
    *program = nullptr;
    if (length > 0) TW_TRY_VOID(expect_pointer(text, "text"));
    TW_TRY(Program parsed, Program::parse({text, length}, label == nullptr ? "program" : label));
    *program = new tilewright_program{std::move(parsed)};
    return {};
  });
}

tilewright_status tilewright_program_load(const char* path_or_name, tilewright_program** program,
                                          tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(program, "program"));
    *program = nullptr;
    TW_TRY_VOID(expect_pointer(path_or_name, "path_or_name"));
    TW_TRY(Program loaded, Program::load(path_or_name));
    *program = new tilewright_program{std::move(loaded)};
    return {};
  });
}

const char* tilewright_program_name(const tilewright_program* program) {
  return program == nullptr ? "" : program->program.name().c_str();
}
void tilewright_program_free(tilewright_program* program) { delete program; }

tilewright_status tilewright_cache_open(const tilewright_cache_options* options, tilewright_cache** cache,
                                        tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(cache, "cache"));
    *cache = nullptr;
    KernelCacheOptions wanted;
    if (options != nullptr) {
      TW_TRY(const tilewright_cache_options given,
             versioned(options, sizeof(tilewright_cache_options), "tilewright_cache_options"));
      if (given.folder != nullptr) wanted.folder = given.folder;
      if (given.limit_bytes != 0) wanted.limit_bytes = given.limit_bytes;
      if (given.most_kernels != 0) wanted.most_kernels = given.most_kernels;
    }
    TW_TRY(std::shared_ptr<KernelCache> opened, KernelCache::open(std::move(wanted)));
    *cache = new tilewright_cache{std::move(opened)};
    return {};
  });
}
void tilewright_cache_free(tilewright_cache* cache) { delete cache; }

tilewright_status tilewright_compile(const tilewright_program* program, const tilewright_compile_options* options,
                                     tilewright_kernel** kernel, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(kernel, "kernel"));
    *kernel = nullptr;
    TW_TRY_VOID(expect_pointer(program, "program"));
    TW_TRY(const tilewright_compile_options given,
           versioned(options, sizeof(tilewright_compile_options), "tilewright_compile_options"));
    Bindings bindings;
    TW_TRY(const CompileOptions wanted, read_options(given, bindings));
    TW_TRY(Kernel compiled, compile(program->program, bindings, wanted));
    std::vector<EntryBinding> entries = entry_bindings(compiled);
    *kernel = new tilewright_kernel{std::move(compiled), std::move(entries)};
    return {};
  });
}
void tilewright_kernel_free(tilewright_kernel* kernel) { delete kernel; }

size_t tilewright_binding_count(const tilewright_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->bindings.size();
}

tilewright_status tilewright_binding_get(const tilewright_kernel* kernel, size_t index, tilewright_binding* binding,
                                         tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(kernel, "kernel"));
    TW_TRY_VOID(versioned(binding, sizeof(tilewright_binding), "tilewright_binding"));
    if (index >= kernel->bindings.size())
      return failure(DiagCode::BadOption, "expected a binding below " + std::to_string(kernel->bindings.size()) +
                                              ", found " + std::to_string(index));
    const EntryBinding& known = kernel->bindings[index];
    give(binding, tilewright_binding{0, known.name.c_str(), c_type(known.type), known.scalar, known.temporary,
                                     known.read, known.written, known.lowest, known.elements});
    return {};
  });
}

tilewright_status tilewright_entry_get(const tilewright_kernel* kernel, tilewright_entry* entry,
                                       tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    TW_TRY_VOID(expect_pointer(kernel, "kernel"));
    TW_TRY_VOID(versioned(entry, sizeof(tilewright_entry), "tilewright_entry"));
    TW_TRY(const RawEntry raw, raw_entry(kernel->kernel));
    give(entry, tilewright_entry{0, raw.function, raw.tasks, raw.scratch_bytes});
    return {};
  });
}
