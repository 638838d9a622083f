#include "emulated.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "kernel/verifier.h"
#include "runtime/msl_emulator/toolchain.h"
#include "support/half.h"

namespace tilewright::emit_msl {

namespace {

using kernel::ScalarType;
namespace emu = msl_emulator;

/// A number for each float, ascending with it; nothing for a NaN.
std::optional<std::int64_t> rank_of(ScalarType scalar, std::uint64_t bits) {
  const bool wide = scalar == ScalarType::F32;
  const std::uint64_t sign = wide ? 0x80000000u : 0x8000u, infinity = wide                        ? 0x7f800000u
                                                                      : scalar == ScalarType::F16 ? 0x7c00u
                                                                                                  : 0x7f80u;
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  if (static_cast<std::uint64_t>(magnitude) > infinity) return std::nullopt;
  return (bits & sign) != 0 ? -1 - magnitude : magnitude;
}

bool agree(ScalarType scalar, std::uint64_t a, std::uint64_t b, int ulps) {
  if (a == b) return true;
  if (!kernel::is_float_scalar(scalar)) return false;
  const auto x = rank_of(scalar, a), y = rank_of(scalar, b);
  if (!x || !y) return !x && !y;
  return std::abs(*x - *y) <= ulps;
}

std::string reports_text(const emu::LaunchResult& result) {
  std::string text;
  for (const emu::Report& report : result.reports)
    text += fmt::format("{} at line {}: {}\n", emu::report_kind_name(report.kind), report.line, report.message);
  if (!result.finished) text += "the launch did not finish\n";
  return text;
}

std::string with_numbers(const std::string& code) {
  std::string text;
  int number = 0;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    text += fmt::format("{:4} {}\n", ++number, code.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

emu::LaunchRequest request_of(const artifact::Artifact& artifact, const artifact::Launch& launch,
                              std::vector<std::vector<std::byte>>& blocks, std::vector<bool>& written,
                              const Emulation& emulation) {
  emu::LaunchRequest request;
  request.kernel = launch.entry;
  for (std::size_t i = 0; i < 3; ++i) request.threadgroups[i] = static_cast<std::uint32_t>(launch.group->groups[i]);
  request.threads_per_threadgroup = {static_cast<std::uint32_t>(launch.group->workers), 1, 1};
  for (std::uint32_t index : launch.group->bindings) {
    const artifact::Binding& binding = artifact.bindings[index];
    emu::BufferBinding buffer;
    buffer.index = index;
    buffer.label = binding.name;
    buffer.bytes = blocks[index];
    buffer.read_only = binding.access == artifact::BindingAccess::Read;
    if (const auto& tensor = binding.tensor)
      buffer.tensor_extents = tensor->extents, buffer.tensor_strides = tensor->strides;
    buffer.initialized = written[index];
    if (!buffer.read_only) written[index] = true;
    request.buffers.push_back(std::move(buffer));
  }
  request.workers = 1;
  request.schedules = emulation.schedules;
  request.seed = emulation.seed;
  request.device = emulation.device;
  request.timeout_seconds = 60;
  return request;
}

}  // namespace

BufferBytes::BufferBytes(const kernel::Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const kernel::Buffer& buffer : program.buffers) {
    const bool own = buffer.kind != kernel::BufferKind::Temporary;
    const std::size_t size = own ? static_cast<std::size_t>(buffer.count) * kernel::scalar_bytes(buffer.scalar) : 0;
    std::vector<std::byte> block(size);
    for (std::byte& byte : block)
      if (seed != 0) byte = static_cast<std::byte>(random() & (buffer.scalar == ScalarType::I1 ? 1u : 255u));
    blocks_.push_back(std::move(block));
  }
}

std::vector<std::byte*> BufferBytes::bases() {
  std::vector<std::byte*> bases;
  for (std::vector<std::byte>& block : blocks_) bases.push_back(block.data());
  return bases;
}

std::string BufferBytes::difference(const kernel::Program& program, const BufferBytes& other, int ulps) const {
  for (kernel::BufferId id : program.buffers.ids()) {
    const kernel::Buffer& buffer = program.buffers[id];
    const std::vector<std::byte>&a = blocks_[id.index], &b = other.blocks_[id.index];
    const std::size_t size = kernel::scalar_bytes(buffer.scalar);
    for (std::size_t at = 0; at < a.size(); at += size) {
      std::uint64_t left = 0, right = 0;
      std::memcpy(&left, a.data() + at, size);
      std::memcpy(&right, b.data() + at, size);
      if (!agree(buffer.scalar, left, right, ulps))
        return fmt::format("{}[{}] is {:#x} and {:#x}", buffer.name, at / size, left, right);
    }
  }
  return {};
}

namespace {

/// Texts that were compiled before.
const Result<emu::CompiledLibrary>& library_of(const artifact::Artifact& artifact, const emu::Toolchain& tools) {
  static std::map<std::string, Result<emu::CompiledLibrary>> known;
  if (const auto found = known.find(artifact.code); found != known.end()) return found->second;
  emu::CompileRequest compile;
  compile.path = "emitted.metal";
  compile.text = artifact.code;
  compile.metal_version = artifact.language_version;
  // C++ for OpenCL cannot express tensors.
  compile.dialect = artifact.language_version >= 400 ? emu::Dialect::Cpp20 : emu::Dialect::OpenCl;
  return known.emplace(artifact.code, emu::compile(compile, tools)).first->second;
}

}  // namespace

Emulated run_emulated(const artifact::Artifact& artifact, BufferBytes& memory, const Emulation& emulation) {
  Emulated result;
  const auto tools = emu::find_toolchain(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl", TILEWRIGHT_MSL_RUNNER, "");
  if (!tools) return {{}, render(tools.error())};
  const Result<emu::CompiledLibrary>& library = library_of(artifact, *tools);
  if (!library) return {{}, render(library.error())};
  std::vector<std::vector<std::byte>> blocks = memory.blocks();
  std::vector<bool> written;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const artifact::Binding& binding = artifact.bindings[i];
    const bool temporary = binding.kind == artifact::BindingKind::Temporary;
    if (temporary) blocks[i].resize(static_cast<std::size_t>(binding.count) * data_type_bytes(binding.type));
    written.push_back(!temporary && binding.access != artifact::BindingAccess::Write);
  }
  for (const artifact::Launch& launch : artifact.launches) {
    if (launch.task_count == 0) continue;
    const emu::LaunchRequest request = request_of(artifact, launch, blocks, written, emulation);
    Result<emu::LaunchResult> run = emu::launch(*library, request, *tools);
    if (!run) return {{}, render(run.error())};
    result.fault += reports_text(*run);
    if (run->schedules_disagree) result.fault += launch.entry + ": schedules disagree\n";
    result.launches.push_back(std::move(*run));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (artifact.bindings[i].kind != artifact::BindingKind::Temporary) memory.blocks()[i] = blocks[i];
  return result;
}

std::string compare_with_interpreter(const kernel::Program& program, const BufferBytes& initial, int ulps,
                                     std::uint32_t schedules) {
  return compare_with_interpreter(program, initial, ulps, Emulation{.schedules = schedules});
}

std::string compare_with_interpreter(const kernel::Program& program, const BufferBytes& initial, int ulps,
                                     const Emulation& emulation, CountsOfBoth* both) {
  if (const Result<void> verified = kernel::verify(program); !verified) return render(verified.error());
  BufferBytes expected = initial, found = initial;
  auto counts = kernel::interpret(program, expected.bases());
  if (!counts) return "interpreted: " + render(counts.error());
  const Result<artifact::Artifact> emitted = emit(program);
  if (!emitted) return "emitted: " + render(emitted.error());
  Emulated emulated = run_emulated(*emitted, found, emulation);
  std::string fault = emulated.fault;
  if (fault.empty()) fault = expected.difference(program, found, ulps);
  if (both != nullptr) *both = {std::move(*counts), std::move(emulated.launches)};
  return fault.empty() ? fault : fault + " (interpreted and emulated)\n" + with_numbers(emitted->code);
}

}  // namespace tilewright::emit_msl
