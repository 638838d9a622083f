#include "driver/kit_data.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/view_range.h"
#include "support/npy.h"
#include "support/npy_raw.h"

namespace tilewright::driver {

namespace {

std::unexpected<Diags> other_content(const std::string& path, const std::string& expected, const std::string& found) {
  return failure(DiagCode::KitDamaged, fmt::format("'{}': expected {}, found {}", path, expected, found),
                 "make the kit again with the command in its README.md");
}

std::string array_text(std::string_view element, const std::vector<std::int64_t>& shape) {
  return fmt::format("{}[{}]", element, fmt::join(shape, ", "));
}

/// The numbers of a listed file, dense row-major.
Result<std::vector<std::byte>> read_array(const KitArray& array, const std::string& folder, std::string_view element,
                                          const std::vector<std::int64_t>& extents) {
  const std::string path = folder + "/" + array.file;
  TW_TRY(RawArray found, read_raw_npy(path));
  if (found.element->name != element || found.shape != extents)
    return other_content(path, array_text(element, extents), array_text(found.element->name, found.shape));
  return std::move(found.data);
}

template <class T>
Result<std::vector<T>> read_image(const KitArray& array, const std::string& folder, std::string_view element,
                                  const std::vector<std::int64_t>& extents) {
  TW_TRY(const std::vector<std::byte> bytes, read_array(array, folder, element, extents));
  std::vector<T> image(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(image.data(), bytes.data(), bytes.size());
  return image;
}

Result<tile::ExactOutput> read_expected(const KitExpected& images, const std::string& folder,
                                        const std::vector<std::int64_t>& extents) {
  tile::ExactOutput exact;
  TW_TRY(exact.value, read_image<double>(images.value, folder, "f64", extents));
  TW_TRY(exact.bound, read_image<double>(images.bound, folder, "f64", extents));
  TW_TRY(exact.written, read_image<std::uint8_t>(images.stored, folder, "u8", extents));
  if (const auto bad = std::ranges::find_if(exact.bound, [](double bound) { return !(bound >= 0); });
      bad != exact.bound.end())
    return other_content(folder + "/" + images.bound.file, "bounds from 0 on", fmt::format("{}", *bad));
  if (const auto bad = std::ranges::find_if(exact.written, [](std::uint8_t mark) { return mark > 1; });
      bad != exact.written.end())
    return other_content(folder + "/" + images.stored.file, "marks 0 and 1", fmt::format("{}", *bad));
  return exact;
}

}  // namespace

Result<KitData> load_kit_case(const Kit& kit, const KitCase& one, const std::string& folder) {
  KitData data;
  for (std::uint32_t i = 0; i < kit.buffers.size(); ++i) {
    const KitBuffer& buffer = kit.buffers[i];
    ArrayView view{buffer.type, nullptr, buffer.elements, buffer.offset, buffer.extents, buffer.strides};
    if (buffer.role != KitRole::Scalar && buffer.role != KitRole::Temporary) {
      TW_TRY(GuardedBuffer memory, GuardedBuffer::make(buffer.type, buffer.elements));
      data.memory.push_back(std::move(memory));
      view.data = data.memory.back().data();
    }
    if (const auto input = one.inputs.find(buffer.name); input != one.inputs.end()) {
      TW_TRY(const std::vector<std::byte> dense,
             read_array(input->second, folder, data_type_name(buffer.type), buffer.extents));
      const auto bytes = static_cast<std::int64_t>(data_type_bytes(buffer.type));
      for_each_element(view, [&](std::int64_t ordinal, std::int64_t position) {
        std::memcpy(view.data + position * bytes, dense.data() + ordinal * bytes, static_cast<std::size_t>(bytes));
      });
    }
    if (const auto expected = one.expected.find(buffer.name); expected != one.expected.end()) {
      TW_TRY(data.exact[i], read_expected(expected->second, folder, buffer.extents));
    }
    data.views.push_back(std::move(view));
  }
  return data;
}

}  // namespace tilewright::driver
