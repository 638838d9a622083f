// The C header of an object: what is in it, what it needs, and a function that runs all of it.
#pragma once

#include <string>

#include "driver/kernel_impl.h"

namespace tilewright::driver {

/// C99 that is also C++. The names begin with EmitOptions::symbol_prefix, or with "tw". Premise: a kernel of the CPU
/// whose object has been emitted.
std::string c_header(const Kernel::Impl& impl);

/// A name that C and C++ accept, of whatever letters of a text they accept: for symbol prefixes.
std::string c_identifier(std::string_view text);

}  // namespace tilewright::driver
