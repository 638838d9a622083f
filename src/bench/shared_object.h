// A library loaded at run time, and its functions by name.
#pragma once

#include <memory>
#include <string>

#include "support/result.h"

namespace tilewright::bench {

class SharedObject {
 public:
  /// Unsupported with what the loader says.
  static Result<SharedObject> open(const std::string& file);

  /// Null when there is none of that name.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  /// The first that there is.
  template <class Function>
  Function* find(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (Function* const found = find<Function>(name)) return found;
    return nullptr;
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;  ///< stays loaded: thread pools of libraries do not survive their unloading
};

/// Unsupported: the library lacks a function.
[[nodiscard]] std::unexpected<Diags> lacks(const std::string& file, const std::string& function);

}  // namespace tilewright::bench
