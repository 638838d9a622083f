// `constant T name [[function_constant(3)]];`: constants whose values come with the compile request.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"
#include "runtime/msl_emulator/front/edits.h"
#include "runtime/msl_emulator/front/integer_expression.h"

namespace tilewright::msl_emulator {

struct FunctionConstant {
  std::string name;
  std::string type;
  std::int64_t id = 0;
  std::optional<std::string> value;  ///< in MSL, checked against the type
};

/// Replaces the declarations and the questions after them. KernelBinding: a value for a constant that the text does not
/// have, or that its type does not hold. KernelCompile: an id that is no integer constant.
Result<std::vector<FunctionConstant>> settle_function_constants(const Code& code,
                                                                const std::vector<Declaration>& declarations,
                                                                const ConstantNames& names,
                                                                const std::map<std::string, std::string>& values,
                                                                Edits& edits);

}  // namespace tilewright::msl_emulator
