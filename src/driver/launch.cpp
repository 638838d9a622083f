#include "driver/launch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/element.h"
#include "driver/take.h"
#include "support/checked_math.h"
#include "support/spelling.h"
#include "tile/bind.h"

namespace tilewright::driver {

namespace {

constexpr std::int64_t kAddressableBytes = std::int64_t{1} << 47;

bool same_layout(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& a,
                 const std::vector<std::int64_t>& b) {
  if (std::count(extents.begin(), extents.end(), 0) != 0) return true;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (extents[d] != 1 && a[d] != b[d]) return false;
  return true;
}

std::vector<std::int64_t> declared_strides(const tile::Program& bound, const tile::Object& object) {
  std::vector<std::int64_t> strides;
  strides.reserve(object.strides.size());
  for (tile::IndexId id : object.strides) strides.push_back(bound.index().as_constant(id).value());
  return strides;
}

std::string range_text(ElementRange range, std::int64_t element_bytes) {
  return fmt::format("elements {} to {} (bytes {} to {})", range.begin, range.end - 1,
                     static_cast<__int128_t>(range.begin) * element_bytes,
                     static_cast<__int128_t>(range.end) * element_bytes - 1);
}

/// OutOfMemory when no process has an address range of that size.
Result<void> expect_addressable(const tile::Object& object, __int128_t elements) {
  const __int128_t bytes = elements * static_cast<__int128_t>(data_type_bytes(object.element.data));
  if (bytes <= kAddressableBytes) return {};
  return failure(DiagCode::OutOfMemory,
                 fmt::format("'{}' needs {} elements ({} bytes), more than the {} bytes that can be addressed",
                             object.name, elements, bytes, kAddressableBytes),
                 "use smaller sizes");
}

/// Strides of one buffer; `layout` may be null.
Result<std::vector<std::int64_t>> strides_of(const tile::Program& bound, tile::ObjectId id,
                                             const BufferLayout* layout) {
  const tile::Object& object = bound.object(id);
  const std::vector<std::int64_t> extents = tile::bound_extents(bound, id);
  const std::vector<std::int64_t> declared = declared_strides(bound, object);
  std::vector<std::int64_t> strides = object.strides.empty() ? tile::dense_strides(extents) : declared;
  if (layout != nullptr) {
    if (layout->strides.size() != extents.size())
      return failure(DiagCode::ArgumentStrides,
                     fmt::format("'{}' has {} dimensions and expects as many strides, found {}", object.name,
                                 extents.size(), list_text(layout->strides)));
    if (!object.strides.empty() && !same_layout(extents, declared, layout->strides))
      return failure(DiagCode::ArgumentStrides,
                     fmt::format("'{}' declares strides {}, found {}", object.name, list_text(declared),
                                 list_text(layout->strides)),
                     "these strides are part of the program");
    strides = layout->strides;
  }
  const ArrayView view{object.element.data, nullptr, 0, 0, extents, strides};
  const auto range = element_range(view);
  if (!range) return failure(view_fault(object.name, view).value());
  TW_TRY_VOID(expect_addressable(object, static_cast<__int128_t>(range->end) - range->begin));
  return strides;
}

/// Why a written view may not have these strides.
std::optional<Diag> self_overlap_fault(const std::string& name, const std::vector<std::int64_t>& extents,
                                       const std::vector<std::int64_t>& strides) {
  const SelfOverlapVerdict verdict = find_self_overlap(extents, strides);
  if (verdict.kind == SelfOverlap::None) return std::nullopt;
  if (verdict.kind == SelfOverlap::Certain)
    return Diag{DiagCode::ViewSelfOverlap,
                fmt::format("'{}' is written, but its view with strides {} puts {} and {} into one element", name,
                            list_text(strides), list_text(verdict.first), list_text(verdict.second)),
                {},
                "use strides that keep the elements apart",
                {}};
  return Diag{DiagCode::ViewSelfOverlap,
              fmt::format("'{}' is written, but its view of {} points with interleaved strides {} is too large to make "
                          "sure that no element is addressed twice",
                          name, list_text(extents), list_text(strides)),
              {},
              "use strides of which each is larger than what the smaller ones span",
              {}};
}

class LaunchCheck {
 public:
  LaunchCheck(const tile::Program& bound, const LaunchRules& rules, const Arguments& arguments)
      : bound_(bound), rules_(rules), arguments_(arguments) {}

  Result<CheckedLaunch> run() {
    for (const auto& [name, view] : arguments_)
      if (!find_buffer(bound_, name).valid()) faults_.push_back(unknown_buffer(bound_, name));
    for (tile::ObjectId id : bound_.objects().ids())
      if (is_interface(bound_.object(id))) check_object(id);
    check_overlaps();
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return std::move(result_);
  }

 private:
  /// The memory that an argument occupies.
  struct Extent {
    std::string name;
    bool written = false;
    std::uintptr_t begin = 0, end = 0;
  };

  void fault(DiagCode code, std::string message, std::string hint = {}) {
    faults_.push_back(Diag{code, std::move(message), {}, std::move(hint), {}});
  }

  void check_object(tile::ObjectId id) {
    const tile::Object& object = bound_.object(id);
    const std::vector<std::int64_t> extents = tile::bound_extents(bound_, id);
    const std::string wanted = shape_text(object.element.data, extents);
    const auto given = arguments_.find(object.name);
    if (given == arguments_.end()) {
      if (object.scalar_input() && object.default_value)
        add_scalar(id, number_to_bits(object.element.data, *object.default_value));
      else
        fault(DiagCode::MissingArgument,
              fmt::format("{} '{}' has no argument; expected {}", object.scalar_input() ? "scalar" : "buffer",
                          object.name, wanted),
              fmt::format("pass {}", object.name));
      return;
    }
    ArrayView view = given->second;
    if (view.type != object.element.data)
      return fault(DiagCode::ArgumentType,
                   fmt::format("'{}' expects {}, found {}", object.name, data_type_name(object.element.data),
                               data_type_name(view.type)),
                   "convert the array, or bind another element type where the program has one");
    if (view.extents != extents)
      return fault(DiagCode::ArgumentShape,
                   fmt::format("'{}' expects {}, found {}", object.name, wanted, shape_text(view.type, view.extents)));
    if (view.strides.empty()) view.strides = tile::dense_strides(extents);
    if (check_strides(id, view) && check_memory(object, view)) accept(id, view);
  }

  bool check_strides(tile::ObjectId id, const ArrayView& view) {
    const std::vector<std::int64_t>& wanted = rules_.strides.at(id);
    if (view.strides.size() == wanted.size() && same_layout(view.extents, view.strides, wanted)) return true;
    const tile::Object& object = bound_.object(id);
    fault(DiagCode::ArgumentStrides,
          fmt::format("'{}' expects strides {}, found {}", object.name, list_text(wanted), list_text(view.strides)),
          object.strides.empty() ? fmt::format("compile with a layout for '{}'", object.name)
                                 : "these strides are part of the program");
    return false;
  }

  bool check_memory(const tile::Object& object, const ArrayView& view) {
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
    if (auto outside = view_fault(object.name, view)) {
      faults_.push_back(std::move(*outside));
      return false;
    }
    if (element_range(view)->empty()) return true;
    if (view.data == nullptr) {
      fault(DiagCode::MissingArgument, fmt::format("'{}' has no memory (a null pointer)", object.name));
      return false;
    }
    if (reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(bytes) != 0) {
      fault(DiagCode::ArgumentType,
            fmt::format("'{}' starts at an address that is not a multiple of {} bytes, the size of {}", object.name,
                        bytes, data_type_name(view.type)),
            "copy the array to aligned memory");
      return false;
    }
    return check_written_once(object, view);
  }

  bool check_written_once(const tile::Object& object, const ArrayView& view) {
    if (!is_written(object)) return true;
    auto fault = self_overlap_fault(object.name, view.extents, view.strides);
    if (!fault) return true;
    faults_.push_back(std::move(*fault));
    return false;
  }

  void add_scalar(tile::ObjectId id, std::uint32_t bits) {
    const DataType type = bound_.object(id).element.data;
    std::uint32_t& slot = result_.scalars.emplace_back(0);
    auto* data = reinterpret_cast<std::byte*>(&slot);
    store_bits(type, data, bits);
    result_.arguments[id] = ArrayView{type, data, 1, 0, {}, {}};
  }

  void accept(tile::ObjectId id, const ArrayView& view) {
    const tile::Object& object = bound_.object(id);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
    if (object.scalar_input()) return add_scalar(id, load_bits(view.type, view.data + view.offset * bytes));
    result_.arguments[id] = view;
    const ElementRange range = element_range(view).value();
    if (range.empty()) return;
    const auto base = reinterpret_cast<std::uintptr_t>(view.data);
    extents_.push_back({object.name, is_written(object), base + static_cast<std::uintptr_t>(range.begin * bytes),
                        base + static_cast<std::uintptr_t>(range.end * bytes)});
  }

  void check_overlaps() {
    for (std::size_t i = 0; i < extents_.size(); ++i)
      for (std::size_t j = i + 1; j < extents_.size(); ++j) {
        const Extent& a = extents_[i];
        const Extent& b = extents_[j];
        if (a.end <= b.begin || b.end <= a.begin) continue;
        if (!a.written && !b.written && !rules_.noalias) continue;
        report_overlap(a, b);
      }
  }

  void report_overlap(const Extent& a, const Extent& b) {
    const std::uintptr_t base = std::min(a.begin, b.begin);
    const char* why = a.written || b.written ? (a.written ? a.name : b.name).c_str() : nullptr;
    fault(
        DiagCode::BufferOverlap,
        fmt::format("'{}' and '{}' overlap{}: counted from the first of them, '{}' takes bytes {} to {} and '{}' bytes "
                    "{} to {}",
                    a.name, b.name,
                    why != nullptr ? fmt::format(", and '{}' is written", why)
                                   : std::string(", but noalias promises that no two buffers do"),
                    a.name, a.begin - base, a.end - base - 1, b.name, b.begin - base, b.end - base - 1),
        why != nullptr ? fmt::format("give '{}' memory of its own", why) : "compile without noalias");
  }

  const tile::Program& bound_;
  const LaunchRules& rules_;
  const Arguments& arguments_;
  CheckedLaunch result_;
  std::vector<Extent> extents_;
  Diags faults_;
};

}  // namespace

std::optional<Diag> view_fault(const std::string& name, const ArrayView& view) {
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
  const auto range = element_range(view);
  if (!range)
    return Diag{DiagCode::ViewOutOfBuffer,
                fmt::format("the view of '{}' with offset {} and strides {} reaches positions beyond 64 bits", name,
                            view.offset, list_text(view.strides)),
                {},
                "use smaller strides",
                {}};
  if (range->empty() || (range->begin >= 0 && range->end <= view.elements && checked_mul(range->end, bytes)))
    return std::nullopt;
  return Diag{DiagCode::ViewOutOfBuffer,
              fmt::format("the view of '{}' covers {}, but its buffer has {} elements ({} bytes)", name,
                          range_text(*range, bytes), view.elements, static_cast<__int128_t>(view.elements) * bytes),
              {},
              "check offset, strides and the size of the buffer",
              {}};
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("({})", fmt::join(numbers, ", "));
}

std::string shape_text(DataType type, const std::vector<std::int64_t>& extents) {
  if (extents.empty()) return std::string(data_type_name(type));
  return fmt::format("{}[{}]", data_type_name(type), fmt::join(extents, ", "));
}

bool is_interface(const tile::Object& object) { return object.kind == tile::ObjectKind::In || is_written(object); }

bool is_written(const tile::Object& object) {
  return object.kind == tile::ObjectKind::Out || object.kind == tile::ObjectKind::InOut;
}

tile::ObjectId find_buffer(const tile::Program& program, std::string_view name) {
  for (tile::ObjectId id : program.objects().ids())
    if (is_interface(program.object(id)) && program.object(id).name == name) return id;
  return {};
}

Diag unknown_buffer(const tile::Program& program, const std::string& name) {
  std::vector<std::string_view> known;
  for (const tile::Object& object : program.objects())
    if (is_interface(object)) known.push_back(object.name);
  std::string hint = did_you_mean(name, known);
  hint += fmt::format("{}it has {}", hint.empty() ? "" : " ", fmt::join(known, ", "));
  return Diag{DiagCode::UnknownBuffer, fmt::format("'{}' has no buffer '{}'", program.name(), name), {}, hint, {}};
}

Result<void> check_layouts_once(const tile::Program& bound, const LaunchRules& rules) {
  Diags faults;
  for (const auto& [id, strides] : rules.strides) {
    if (!is_written(bound.object(id))) continue;
    const std::vector<std::int64_t> extents = tile::bound_extents(bound, id);
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent == 0; })) continue;
    if (auto fault = self_overlap_fault(bound.object(id).name, extents, strides)) faults.push_back(std::move(*fault));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

Result<LaunchRules> launch_rules(const tile::Program& bound, const std::map<std::string, BufferLayout>& layouts,
                                 bool noalias) {
  Diags faults;
  LaunchRules rules;
  rules.noalias = noalias;
  for (const auto& [name, layout] : layouts)
    if (!find_buffer(bound, name).valid()) faults.push_back(unknown_buffer(bound, name));
  for (tile::ObjectId id : bound.objects().ids()) {
    const tile::Object& object = bound.object(id);
    if (object.kind == tile::ObjectKind::Temp)
      take(expect_addressable(object, point_count(tile::bound_extents(bound, id)).value()), faults);
    if (!is_interface(object)) continue;
    const auto layout = layouts.find(object.name);
    auto strides = take(strides_of(bound, id, layout == layouts.end() ? nullptr : &layout->second), faults);
    if (strides) rules.strides.emplace(id, std::move(*strides));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return rules;
}

Result<CheckedLaunch> check_launch(const tile::Program& bound, const LaunchRules& rules, const Arguments& arguments) {
  return LaunchCheck(bound, rules, arguments).run();
}

}  // namespace tilewright::driver
