#include "driver/kit_check.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/host_memory.h"
#include "driver/view_range.h"
#include "support/files.h"
#include "support/json_fields.h"
#include "support/sha256.h"

namespace tilewright::driver {

namespace {

bool has_input_image(KitRole role) { return role == KitRole::Input || role == KitRole::InOut; }
bool has_output_image(KitRole role) { return role == KitRole::Output || role == KitRole::InOut; }

class KitChecker {
 public:
  KitChecker(const Kit& kit, std::string file) : kit_(kit), root_{std::move(file), ""} {}

  Diags run() {
    check_sizes();
    std::set<std::string> names;
    for (std::size_t i = 0; i < kit_.buffers.size(); ++i) {
      const JsonPlace place = root_.field("buffers").item(i);
      if (!names.insert(kit_.buffers[i].name).second)
        fault(place.field("name"), "a name of its own", quoted_briefly(kit_.buffers[i].name));
      check_buffer(kit_.buffers[i], place);
    }
    for (std::size_t i = 0; i < kit_.launches.size(); ++i)
      check_launch(kit_.launches[i], root_.field("launches").item(i));
    if (kit_.cases.empty()) fault(root_.field("cases"), "at least one case", "an empty list");
    for (std::size_t i = 0; faults_.empty() && i < kit_.cases.size(); ++i)
      check_case(kit_.cases[i], root_.field("cases").item(i));
    for (const auto& [name, listed] : kit_.files)
      if (!is_kit_file_name(name))
        fault(root_.field("files"), "names of letters, digits, '.', '_', '-' and '/'", quoted_briefly(name));
    if (!kit_.files.contains(kit_.text_file))
      fault(root_.field("metal").field("file"), "a file of the list 'files'", quoted_briefly(kit_.text_file));
    return std::move(faults_);
  }

 private:
  void fault(const JsonPlace& place, std::string_view expected, std::string_view found) {
    faults_.push_back(json_fault(DiagCode::FieldRange, place, expected, found));
  }

  void check_sizes() {
    __uint128_t listed = 0;
    for (const auto& [name, file] : kit_.files) listed += static_cast<__uint128_t>(file.bytes);
    for (const auto& [what, bytes] : {std::pair{"files", listed}, std::pair{"buffers", kit_memory_bytes(kit_)}})
      if (bytes > static_cast<__uint128_t>(kKitMostBytes))
        faults_.push_back(Diag{DiagCode::KitTooLarge,
                               fmt::format("{}: the {} of a kit may have {} bytes, found {}", root_.file, what,
                                           kKitMostBytes, wide_text(bytes)),
                               {},
                               "make a kit of smaller sizes",
                               {}});
  }

  void check_buffer(const KitBuffer& buffer, const JsonPlace& place) {
    if (buffer.strides.size() != buffer.extents.size())
      return fault(place.field("strides"), fmt::format("{} numbers", buffer.extents.size()),
                   fmt::format("{}", buffer.strides.size()));
    if (!point_count(buffer.extents))
      return fault(place.field("extents"), "a product of 64 bits", fmt::format("{}", fmt::join(buffer.extents, " x ")));
    ArrayView view{buffer.type, nullptr, buffer.elements, buffer.offset, buffer.extents, buffer.strides};
    const auto range = element_range(view);
    if (!range || range->begin < 0 || range->end > buffer.elements)
      fault(place.field("offset"), fmt::format("a view inside of {} elements", buffer.elements),
            range ? fmt::format("elements {} to {}", range->begin, range->end - 1) : "positions beyond 64 bits");
    if (buffer.bound_at > buffer.elements || buffer.bound_elements > buffer.elements - buffer.bound_at)
      fault(place.field("bound_elements"),
            fmt::format("at most {}", std::max<std::int64_t>(buffer.elements - buffer.bound_at, 0)),
            fmt::format("{}", buffer.bound_elements));
    const bool may_be_written = has_output_image(buffer.role) || buffer.role == KitRole::Temporary;
    if (!may_be_written && buffer.access != artifact::BindingAccess::Read)
      fault(place.field("access"), "read", "another access to what is only read");
    if (buffer.role == KitRole::Scalar && buffer.elements != 1)
      fault(place.field("elements"), "1 for a scalar", fmt::format("{}", buffer.elements));
  }

  void check_launch(const KitLaunch& launch, const JsonPlace& place) {
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      const std::uint32_t index = launch.buffers[i];
      if (index >= kit_.buffers.size() || (i > 0 && index <= launch.buffers[i - 1]))
        fault(place.field("buffers").item(i), fmt::format("ascending numbers below {}", kit_.buffers.size()),
              fmt::format("{}", index));
    }
  }

  /// The file is listed with the size that the shape asks for.
  void check_array(const KitArray& array, const KitBuffer& buffer, std::size_t element_bytes, const JsonPlace& place) {
    const auto file = kit_.files.find(array.file);
    if (file == kit_.files.end())
      return fault(place.field("file"), "a file of the list 'files'", quoted_briefly(array.file));
    const __uint128_t bytes = static_cast<__uint128_t>(point_count(buffer.extents).value()) * element_bytes +
                              static_cast<__uint128_t>(array.data_offset);
    if (bytes != static_cast<__uint128_t>(file->second.bytes))
      fault(place.field("file"), fmt::format("a file of {} bytes", wide_text(bytes)),
            fmt::format("{} bytes in the list 'files'", file->second.bytes));
  }

  /// Exactly the buffers that have such images are named.
  template <class Map>
  void check_names(const Map& named, bool (*has_image)(KitRole), const JsonPlace& place) {
    std::set<std::string> wanted;
    for (const KitBuffer& buffer : kit_.buffers)
      if (has_image(buffer.role)) wanted.insert(buffer.name);
    std::set<std::string> found;
    for (const auto& [name, images] : named) found.insert(name);
    if (found != wanted)
      fault(place, fmt::format("the buffers ({})", fmt::join(wanted, ", ")),
            fmt::format("({})", fmt::join(found, ", ")));
  }

  void check_case(const KitCase& one, const JsonPlace& place) {
    check_names(one.inputs, has_input_image, place.field("inputs"));
    check_names(one.expected, has_output_image, place.field("expected"));
    for (const KitBuffer& buffer : kit_.buffers) {
      if (const auto input = one.inputs.find(buffer.name); input != one.inputs.end())
        check_array(input->second, buffer, data_type_bytes(buffer.type), place.field("inputs").field(buffer.name));
      const auto expected = one.expected.find(buffer.name);
      if (expected == one.expected.end()) continue;
      const JsonPlace images = place.field("expected").field(buffer.name);
      check_array(expected->second.value, buffer, sizeof(double), images.field("value"));
      check_array(expected->second.bound, buffer, sizeof(double), images.field("bound"));
      check_array(expected->second.stored, buffer, 1, images.field("stored"));
    }
  }

  const Kit& kit_;
  JsonPlace root_;
  Diags faults_;
};

Diag damaged(const std::string& path, const std::string& expected, const std::string& found) {
  return Diag{DiagCode::KitDamaged,
              fmt::format("'{}': expected {}, found {}", path, expected, found),
              {},
              "copy the kit again, or make it again with the command in its README.md",
              {}};
}

/// The content of a listed file.
Result<std::string> read_listed(const std::string& path, const KitFile& listed) {
  auto content = read_file(path, static_cast<std::uint64_t>(listed.bytes) + kTextFileLimitBytes);
  if (!content) {
    Diag diag = damaged(path, fmt::format("a file of {} bytes", listed.bytes), "none that can be read");
    for (const Diag& cause : content.error()) diag.notes.push_back({cause.message, {}});
    return failure(std::move(diag));
  }
  if (static_cast<std::int64_t>(content->size()) != listed.bytes)
    return failure(damaged(path, fmt::format("{} bytes", listed.bytes), fmt::format("{}", content->size())));
  if (const std::string digest = sha256_text(*content); digest != listed.sha256)
    return failure(damaged(path, "the SHA-256 " + listed.sha256, digest));
  return content;
}

}  // namespace

__uint128_t kit_memory_bytes(const Kit& kit) {
  __uint128_t bytes = 0;
  for (const KitBuffer& buffer : kit.buffers)
    bytes += static_cast<__uint128_t>(buffer.elements) * data_type_bytes(buffer.type);
  return bytes;
}

bool is_kit_file_name(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/');
  });
  return plain && !name.empty() && name.front() != '/' && name.find("..") == std::string::npos;
}

Diags kit_faults(const Kit& kit, const std::string& file) { return KitChecker(kit, file).run(); }

Result<std::string> check_kit_files(const Kit& kit, const std::string& folder) {
  Diags faults;
  std::string text;
  for (const auto& [name, listed] : kit.files) {
    auto content = read_listed(folder + "/" + name, listed);
    if (!content)
      faults.insert(faults.end(), content.error().begin(), content.error().end());
    else if (name == kit.text_file)
      text = std::move(*content);
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return text;
}

}  // namespace tilewright::driver
