#include "bench/shared_object.h"

#include <dlfcn.h>

#include "bench/library.h"

namespace tilewright::bench {

Result<SharedObject> SharedObject::open(const std::string& file) {
  SharedObject object;
  object.handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object.handle_ == nullptr) {
    const char* const reason = ::dlerror();
    return not_offered("'" + file + "' cannot be loaded: " + (reason == nullptr ? "unknown reason" : reason));
  }
  return object;
}

void* SharedObject::address(const char* name) const { return ::dlsym(handle_, name); }

std::unexpected<Diags> lacks(const std::string& file, const std::string& function) {
  return not_offered("'" + file + "' has no function " + function);
}

}  // namespace tilewright::bench
