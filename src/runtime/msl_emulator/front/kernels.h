// Kernels of a text and the instances that its author named; which of them a request wants.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"

namespace tilewright::msl_emulator {

/// A function with `kernel`, in any of its spellings.
struct KernelFunction {
  std::size_t declaration = 0;  ///< index into the declarations
  std::string name;
  std::string host_name;  ///< of its own attribute, else empty
  bool is_template = false;
  bool is_specialization = false;  ///< `template <> kernel void f<int>(...)`: lives and dies with its template
  FunctionHead head;
};

/// `template [[host_name("x")]] [[kernel]] decltype(f<A>) f<A>;` and its relatives.
struct KernelInstance {
  std::size_t declaration = 0;
  std::string host_name;
  std::string function;    ///< name of the template
  std::string expression;  ///< `f<A>`, or with a cast when the arguments are deduced
};

struct KernelTable {
  std::vector<KernelFunction> functions;
  std::vector<KernelInstance> instances;
  std::vector<std::size_t> stages;  ///< declarations of vertex, fragment and mesh functions
};

/// KernelCompile: a host_name without a text, an instance that names no function.
Result<KernelTable> find_kernels(const Code& code, const std::vector<Declaration>& declarations);

/// One entry point to make.
struct KernelChoice {
  std::string name;
  std::string expression;    ///< what the launcher takes the address of
  std::string scope;         ///< the namespaces in which the expression holds
  std::size_t function = 0;  ///< index into KernelTable::functions
};

/// In the order of the request; without one, all kernels that are no templates, in the order of the text. KernelUnknown
/// with what was probably meant. KernelNotModelled: several kernels of that name, a stage of the graphics pipeline.
Result<std::vector<KernelChoice>> choose_kernels(const Code& code, const std::vector<Declaration>& declarations,
                                                 const KernelTable& table, const std::vector<std::string>& wanted);

}  // namespace tilewright::msl_emulator
