#include "runtime/msl_emulator/runner/object.h"

#include <cstdio>

#include <dlfcn.h>
#include <link.h>

#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/memory_map.h"

namespace tilewright::msl_emulator::runner {

namespace {

void* find_symbol(void* handle, const char* stem, std::uint32_t number) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "%s_%u", stem, number);
  void* symbol = dlsym(handle, name.data());
  if (symbol == nullptr) end_failed("the compiled kernel does not define %s", name.data());
  return symbol;
}

int note_segments(dl_phdr_info* info, std::size_t bytes, void* data) {
  static_cast<void>(bytes);
  auto& object = *static_cast<LoadedObject*>(data);
  if (info->dlpi_addr != object.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uint64_t begin = object.base + header.p_vaddr;
    const LoadedObject::Range range{begin, begin + header.p_memsz};
    if ((header.p_flags & PF_X) != 0) object.code = range;
    if (object.part_count < object.parts.size()) object.parts[object.part_count++] = range;
  }
  return 1;
}

}  // namespace

LoadedObject load_object(const char* path, std::uint32_t entry) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) end_failed("the compiled kernel cannot be loaded: %s", dlerror());
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) end_failed("the compiled kernel has no link map: %s", dlerror());
  LoadedObject object;
  object.base = map->l_addr;
  object.entry = reinterpret_cast<void (*)(void**)>(find_symbol(handle, "emu_entry", entry));
  object.element = reinterpret_cast<unsigned long (*)(unsigned int)>(find_symbol(handle, "emu_element", entry));
  dl_iterate_phdr(note_segments, &object);
  if (object.code.end == 0) end_failed("the compiled kernel has no code");
  object.code_sites =
      reinterpret_cast<std::atomic<Site>*>(reserve((object.code.end - object.code.begin) * sizeof(Site)));
  return object;
}

}  // namespace tilewright::msl_emulator::runner
