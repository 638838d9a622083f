#include "driver/kit_write.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "driver/check.h"
#include "driver/element.h"
#include "driver/host_memory.h"
#include "driver/installed_data.h"
#include "driver/kernel_impl.h"
#include "driver/kit_manifest.h"
#include "driver/kit_readme.h"
#include "driver/new_folder.h"
#include "driver/run.h"
#include "driver/run_buffers.h"
#include "driver/version.h"
#include "driver/view_range.h"
#include "support/files.h"
#include "support/npy.h"
#include "support/npy_raw.h"
#include "support/sha256.h"
#include "tile/interpreter.h"

namespace tilewright::driver {

namespace {

constexpr std::array kKitFills = {Fill{Fill::Kind::Dyadic, 0}, Fill{Fill::Kind::Random, 1}};
constexpr InstalledFolder kHostFolder{"kit", ".mm", "the files of the host program of kits", DiagCode::FileRead};
constexpr std::array<const char*, 3> kHostFiles = {"check.h", "main.mm", "run.sh"};
constexpr const char* kTextFile = "kernels.metal";
/// Of value, bound and mark of one element of an output.
constexpr unsigned kImageBytes = 2 * sizeof(double) + 1;

KitRole role_of(const RunBuffer& buffer) {
  if (buffer.scalar) return KitRole::Scalar;
  if (buffer.role == BufferRole::InOut) return KitRole::InOut;
  return buffer.role == BufferRole::Out ? KitRole::Output : KitRole::Input;
}

/// Where the folder lies on this machine is no business of whoever gets it.
std::string last_part(const std::string& path) {
  const std::filesystem::path whole(path);
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// Everything that a kit is made from, and the folder that it goes to.
class KitWriter {
 public:
  KitWriter(const Kernel& kernel, RunBuffers buffers, NewFolder folder)
      : metal_(*kernel.impl().metal), buffers_(std::move(buffers)), folder_(std::move(folder)) {}

  Result<Kit> run(const RunRequest& request, const std::string& path) {
    describe(request, path);
    TW_TRY_VOID(check_size());
    TW_TRY_VOID(add(kTextFile, KitPart::Kernel, metal_.text.code));
    for (const Fill& fill : kKitFills) {
      TW_TRY_VOID(add_case(fill, request));
      if (!buffers_.uses_fill()) break;
    }
    TW_TRY(const std::string host, find_installed(kHostFolder));
    for (const char* name : kHostFiles) {
      TW_TRY(const std::string content, read_file(host + "/" + name));
      TW_TRY_VOID(add(name, KitPart::Host, content));
    }
    TW_TRY_VOID(add("README.md", KitPart::Host, kit_readme(kit_)));
    TW_TRY_VOID(folder_.add_file(kKitManifest, manifest_text(kit_)));
    TW_TRY_VOID(folder_.commit());
    return std::move(kit_);
  }

 private:
  void describe(const RunRequest& request, const std::string& path) {
    kit_.made_by = version_facts().version;
    kit_.command = kit_command(request, last_part(path));
    kit_.program = metal_.text.program;
    kit_.target = target_name(request.target);
    kit_.device = metal_.planned.device.name;
    for (const std::string& name : metal_.planned.names) {
      const Bindings& values = metal_.planned.bindings;
      if (const auto number = values.numbers.find(name); number != values.numbers.end())
        kit_.bindings.emplace_back(name, std::to_string(number->second));
      else if (const auto type = values.types.find(name); type != values.types.end())
        kit_.bindings.emplace_back(name, data_type_name(type->second));
    }
    kit_.text_file = kTextFile;
    kit_.language_version = metal_.text.language_version;
    buffers_.set_contents(kKitFills.front());
    for (const artifact::Binding& binding : metal_.text.bindings) kit_.buffers.push_back(described(binding));
    for (const artifact::Launch& launch : metal_.text.launches) {
      const artifact::GroupLaunch& group = *launch.group;
      kit_.launches.push_back(
          {launch.entry, group.groups, group.workers, group.subgroup_size, group.shared_bytes, group.bindings});
    }
  }

  KitBuffer described(const artifact::Binding& binding) const {
    KitBuffer found{.name = binding.name, .access = binding.access, .type = binding.type};
    found.bound_elements = binding.count;
    if (binding.kind == artifact::BindingKind::Temporary) {
      found.role = KitRole::Temporary;
      found.extents = {binding.count};
      found.strides = {1};
      found.elements = binding.count;
      return found;
    }
    const RunBuffer& buffer = buffer_of(binding.name);
    const ArrayView& view = buffer.view;
    found.role = role_of(buffer);
    found.extents = view.extents;
    found.strides = view.strides;
    found.offset = view.offset;
    found.elements = view.elements;
    const tile::ObjectId object = find_buffer(metal_.planned.bound, binding.name);
    if (!element_range(view)->empty()) found.bound_at = view.offset + metal_.layout.buffers.at(object).low;
    if (buffer.scalar) found.bits = load_bits(view.type, view.data);
    return found;
  }

  const RunBuffer& buffer_of(const std::string& name) const {
    const auto found = std::ranges::find(buffers_.buffers(), name, &RunBuffer::name);
    TW_CHECK(found != buffers_.buffers().end());
    return *found;
  }

  Result<void> check_size() const {
    const __uint128_t memory = kit_memory_bytes(kit_);
    __uint128_t files = 0;
    for (const KitBuffer& buffer : kit_.buffers) {
      const auto points = static_cast<__uint128_t>(point_count(buffer.extents).value());
      if (buffer.role == KitRole::Input || buffer.role == KitRole::InOut)
        files += points * data_type_bytes(buffer.type);
      if (buffer.role == KitRole::Output || buffer.role == KitRole::InOut) files += points * kImageBytes;
    }
    files *= kKitFills.size();
    if (std::max(memory, files) <= static_cast<__uint128_t>(kKitMostBytes)) return {};
    return failure(DiagCode::KitTooLarge,
                   fmt::format("the kit of '{}' would have {} bytes of files and {} bytes of buffers; expected at most "
                               "{} of each",
                               kit_.program, wide_text(files), wide_text(memory), kKitMostBytes),
                   "use smaller sizes; emit -o FILE writes the kernels alone");
  }

  Result<void> add(const std::string& name, KitPart part, const std::string& content) {
    kit_.files[name] = {part, static_cast<std::int64_t>(content.size()), sha256_text(content)};
    return folder_.add_file(name, content, name.ends_with(".sh"));
  }

  Result<KitArray> add_array(const std::string& name, const std::string& npy, std::size_t data_bytes) {
    TW_TRY_VOID(add(name, KitPart::Data, npy));
    return KitArray{name, static_cast<std::int64_t>(npy.size() - data_bytes)};
  }

  /// One image of an output.
  template <class T>
  Result<KitArray> add_image(const std::string& name, const char* element, const KitBuffer& buffer,
                             const std::vector<T>& image) {
    return add_array(name, format_raw_npy(*raw_element(element), buffer.extents, bytes_of(image)),
                     image.size() * sizeof(T));
  }

  Result<void> add_case(const Fill& fill, const RunRequest& request) {
    buffers_.set_contents(fill);
    const tile::Program& bound = metal_.planned.bound;
    TW_TRY(const CheckedLaunch launch, check_launch(bound, metal_.rules, buffers_.arguments()));
    TW_TRY_VOID(expect_memory(check_memory_bytes(bound, launch.arguments), "the kit of '" + kit_.program + "'"));
    tile::InterpreterOptions options;
    options.progress = request.progress;
    TW_TRY(const auto exact, tile::interpret_exact(bound, launch.arguments, options));
    KitCase one{buffers_.uses_fill() ? fill_text(fill) : std::string("no inputs"), {}, {}};
    std::string folder = one.contents;
    for (char& c : folder)
      if (c == ':' || c == ' ') c = '-';
    for (std::size_t i = 0; i < kit_.buffers.size(); ++i) {
      const KitBuffer& buffer = kit_.buffers[i];
      if (buffer.role == KitRole::Temporary || buffer.role == KitRole::Scalar) continue;
      // Numbered, because names that differ in case alone are one on most Macs.
      const std::string stem = fmt::format("{}/{}-{}", folder, i, buffer.name);
      if (buffer.role != KitRole::Output) {
        const std::vector<std::byte> dense = RunBuffers::dense_bytes(buffer_of(buffer.name));
        TW_TRY(one.inputs[buffer.name],
               add_array(stem + ".npy", format_npy(buffer.type, buffer.extents, dense), dense.size()));
      }
      if (buffer.role == KitRole::Input) continue;
      const tile::ExactOutput& output = exact.at(find_buffer(bound, buffer.name));
      KitExpected& images = one.expected[buffer.name];
      TW_TRY(images.value, add_image(stem + ".value.npy", "f64", buffer, output.value));
      TW_TRY(images.bound, add_image(stem + ".bound.npy", "f64", buffer, output.bound));
      TW_TRY(images.stored, add_image(stem + ".stored.npy", "u8", buffer, output.written));
    }
    kit_.cases.push_back(std::move(one));
    return {};
  }

  const MetalKernel& metal_;
  RunBuffers buffers_;
  NewFolder folder_;
  Kit kit_;
};

Result<KitReport> write_kit_stages(const RunRequest& request, const std::string& path) {
  if (!is_metal(request.target))
    return failure(DiagCode::Unsupported,
                   fmt::format("a kit is for a Mac, and the target {} has no Metal text", target_name(request.target)),
                   "--target metal-simdgroup or metal-mpp");
  if (request.tensor_bindings == TensorBindings::Handle)
    return failure(DiagCode::Unsupported,
                   "the host program of a kit binds buffers, found --set tensor_bindings=handle; expected inline",
                   "leave the setting out, or emit the text without --kit");
  TW_TRY(NewFolder folder, NewFolder::make(path));
  TW_TRY(const Program program, Program::load(request.program));
  TW_TRY(const Kernel kernel, compile_request(program, request, Purpose::Look));
  if (request.on_compiled) request.on_compiled(kernel.stage_times());
  TW_TRY(const Values values, resolve_values(program, request.assignments));
  TW_TRY(RunBuffers buffers, RunBuffers::make(kernel, request, values));
  KitReport report;
  report.folder = path;
  report.emitted = emit_report(program, kernel, request);
  TW_TRY(report.kit, KitWriter(kernel, std::move(buffers), std::move(folder)).run(request, path));
  for (const auto& [name, file] : report.kit.files) report.bytes += file.bytes;
  return report;
}

}  // namespace

Result<KitReport> write_kit(const RunRequest& request, const std::string& folder) {
  try {
    return write_kit_stages(request, folder);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left for the kit of '{}'", request.program),
                   "use smaller sizes");
  }
}

}  // namespace tilewright::driver
