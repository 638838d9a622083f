// What each parameter of a kernel is bound to.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"
#include "runtime/msl_emulator/front/function_constants.h"
#include "runtime/msl_emulator/front/integer_expression.h"

namespace tilewright::msl_emulator {

/// Names of the classes that are argument buffers: a member has an index `[[id(n)]]`.
std::set<std::string, std::less<>> argument_buffers(const Code& code, const std::vector<Declaration>& declarations);

/// By attribute; buffers and threadgroup memory without one are numbered in order, from the lowest free index.
/// KernelCompile: an index that is no integer, out of range or used twice, a value that nothing provides.
/// KernelNotModelled: textures, samplers, stage inputs, acceleration structures, argument buffers.
Result<std::vector<Parameter>> kernel_parameters(const Code& code, const FunctionHead& head, const ConstantNames& names,
                                                 const std::vector<FunctionConstant>& constants,
                                                 const std::set<std::string, std::less<>>& argument_buffers);

/// EMU_PARAMETER(role, index) of abi.h.
std::uint32_t parameter_code(const Parameter& parameter);

}  // namespace tilewright::msl_emulator
