#include "emit/msl/header.h"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::emit_msl {

namespace {

std::string_view access_word(const artifact::Binding& binding) {
  if (binding.kind == artifact::BindingKind::Temporary) return "temporary";
  if (binding.kind == artifact::BindingKind::Scalar) return "by value";
  switch (binding.access) {
    case artifact::BindingAccess::Read:
      return "read";
    case artifact::BindingAccess::Write:
      return "write";
    case artifact::BindingAccess::ReadWrite:
      return "read and write";
  }
  return {};
}

/// Text of others: no line of it may end the comment.
std::string quoted(const std::string& text, std::string_view indent) {
  std::string lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\\') line += '.';
    lines += fmt::format("//{}{}\n", line.empty() ? "" : indent, line);
  }
  return lines;
}

std::string launch_line(const artifact::Launch& launch) {
  const artifact::GroupLaunch& group = *launch.group;
  if (launch.task_count == 0) return fmt::format("//   {}: no tasks, not launched\n", launch.entry);
  std::string line = fmt::format("//   {}: grid {} x {} x {}, {} threads a group", launch.entry, group.groups[0],
                                 group.groups[1], group.groups[2], group.workers);
  if (group.shared_bytes != 0) line += fmt::format(", {} bytes of threadgroup memory", group.shared_bytes);
  line += "\n";
  if (!group.fences || group.fences->sites_before == 0) return line;
  line += fmt::format("//     fences: {} of {} places", group.fences->sites_after, group.fences->sites_before);
  if (group.fences->independent_subgroups)
    line += *group.fences->independent_subgroups
                ? ", independent subgroups proved"
                : fmt::format(", independent subgroups not proved ({})", group.fences->reason);
  return line + "\n";
}

}  // namespace

std::string header(const artifact::Artifact& artifact, const EmitOptions& options) {
  std::string text = quoted(fmt::format("{} for {}{}", artifact.program, artifact.target,
                                        options.device.empty() ? "" : " on " + options.device),
                            " ");
  if (!options.bindings.empty()) text += quoted(options.bindings, " ");
  text += quoted(options.note, " ");
  text += "//\n// buffers\n";
  for (std::size_t i = 0; i < artifact.bindings.size(); ++i) {
    const artifact::Binding& binding = artifact.bindings[i];
    std::string line = fmt::format("{} = {}: {}[{}], {}", i, binding.name, data_type_name(binding.type), binding.count,
                                   access_word(binding));
    if (const auto& tensor = binding.tensor)
      line += fmt::format(", tensor handle of {} with strides {}", fmt::join(tensor->extents, " x "),
                          fmt::join(tensor->strides, ", "));
    text += quoted(line, "   ");
  }
  text += "// launches, in this order\n";
  for (const artifact::Launch& launch : artifact.launches) text += launch_line(launch);
  const std::vector<std::string> scalar{"scalar"};
  text +=
      fmt::format("// atoms: {}; MSL {}.{}\n", fmt::join(artifact.families.empty() ? scalar : artifact.families, ", "),
                  artifact.language_version / 100, artifact.language_version / 10 % 10);
  text += fmt::format("// flags: {}\n", fmt::join(artifact.flags, ", "));
  if (!options.plan.empty()) text += "//\n// plan\n" + quoted(options.plan, "   ") + "//\n";
  for (const auto& [what, hash] : artifact.hashes) text += quoted(fmt::format("{} {}", what, hash), " ");
  return text;
}

std::string prelude(bool tensors) {
  const char* const includes = tensors ? R"(
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;
)"
                                       : R"(
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
)";
  return std::string(includes) + R"(
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
)";
}

}  // namespace tilewright::emit_msl
