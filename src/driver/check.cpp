#include "driver/check.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "driver/element.h"
#include "driver/host_memory.h"
#include "driver/kernel_impl.h"
#include "driver/poisoned_copy.h"
#include "driver/view_range.h"
#include "tile/bind.h"
#include "tile/interpreter.h"

namespace tilewright {

namespace driver {

namespace {

constexpr Poison kPoisons[] = {Poison::Nan, Poison::Large};

/// Rows as the oracle counts them (tile::row_count): up to rank 1 every element is a row of its own.
std::int64_t row_length(const std::vector<std::int64_t>& extents) { return extents.size() <= 1 ? 1 : extents.back(); }

std::int64_t row_count(const std::vector<std::int64_t>& extents) {
  const std::int64_t points = point_count(extents).value();
  return points == 0 ? 0 : points / row_length(extents);
}

WrongKind kind_of(tile::Agreement agreement) {
  switch (agreement) {
    case tile::Agreement::WrongClass:
      return WrongKind::Class;
    case tile::Agreement::WrongSign:
      return WrongKind::Sign;
    case tile::Agreement::TooFar:
    case tile::Agreement::Within:
      break;
  }
  return WrongKind::Value;
}

/// One output: the oracle's image and what both poisoned runs made of it.
class OutputCheck {
 public:
  OutputCheck(std::string name, const ArrayView& original, bool has_contents, const tile::ExactOutput& exact,
              std::vector<std::int64_t> rows)
      : name_(std::move(name)),
        original_(original),
        has_contents_(has_contents),
        exact_(exact),
        rows_(std::move(rows)),
        flags_(exact.value.size(), 0) {}

  void compare(const PoisonedCopy& copy, Poison poison) {
    for_each_checked(
        [&](std::int64_t ordinal, std::int64_t position) { compare_one(copy, poison, ordinal, position); });
  }

  void add_to(CheckReport& report) {
    report.rows += row_count(original_.extents);
    report.checked_rows += static_cast<std::int64_t>(rows_.size());
    report.max_abs_error = std::max(report.max_abs_error, max_abs_error_);
    report.max_rel_error = std::max(report.max_rel_error, max_rel_error_);
    for_each_checked([&](std::int64_t ordinal, std::int64_t) {
      const auto i = static_cast<std::size_t>(ordinal);
      ++report.checked_elements;
      if (exact_.written[i] == 0)
        ++report.not_stored_elements;
      else if (std::isinf(exact_.bound[i]))
        ++report.undecided_elements;
      const bool unwritten = (flags_[i] & kKept) == kKept;
      if (!unwritten && (flags_[i] & kBad) == 0) return;
      ++(unwritten ? report.unwritten_elements : report.wrong_elements);
      if (!report.first_wrong) report.first_wrong = describe(ordinal, unwritten);
    });
  }

 private:
  static constexpr std::uint8_t kKeptNan = 1, kKeptLarge = 2, kKept = 3, kBad = 4;

  /// f(ordinal, position) over the compared rows.
  template <class F>
  void for_each_checked(F&& f) const {
    const std::int64_t length = row_length(original_.extents);
    const std::size_t rank = original_.extents.size(), outer = rank <= 1 ? rank : rank - 1;
    const std::vector<std::int64_t> extents(original_.extents.begin(),
                                            original_.extents.begin() + static_cast<std::ptrdiff_t>(outer));
    const std::int64_t stride = length == 1 ? 0 : original_.strides.back();
    for (std::int64_t row : rows_) {
      const std::vector<std::int64_t> point = point_of(row, extents);
      std::int64_t position = original_.offset;
      for (std::size_t d = 0; d < outer; ++d) position += point[d] == 0 ? 0 : point[d] * original_.strides[d];
      for (std::int64_t i = 0; i < length; ++i) f(row * length + i, position + i * stride);
    }
  }

  void compare_one(const PoisonedCopy& copy, Poison poison, std::int64_t ordinal, std::int64_t position) {
    const auto i = static_cast<std::size_t>(ordinal);
    const std::uint32_t bits = copy.bits_at(position);
    if (exact_.written[i] == 0) {
      const auto bytes = static_cast<std::int64_t>(data_type_bytes(original_.type));
      const std::uint32_t kept =
          has_contents_ ? load_bits(original_.type, original_.data + position * bytes) : copy.poison_bits();
      if (bits != kept) note_bad(ordinal, bits, WrongKind::Uninvited);
      return;
    }
    if (!has_contents_ && bits == copy.poison_bits()) flags_[i] |= poison == Poison::Nan ? kKeptNan : kKeptLarge;
    const double found = bits_to_number(original_.type, bits);
    const tile::Agreement agreement = tile::agree(found, exact_.value[i], exact_.bound[i]);
    if (agreement != tile::Agreement::Within) return note_bad(ordinal, bits, kind_of(agreement));
    const double error = std::abs(found - exact_.value[i]);
    if (!std::isfinite(error) || !std::isfinite(exact_.bound[i])) return;
    note_error(error, i);
  }

  void note_error(double error, std::size_t i) {
    max_abs_error_ = std::max(max_abs_error_, error);
    const double magnitude = std::abs(exact_.value[i]);
    if (magnitude > exact_.bound[i]) max_rel_error_ = std::max(max_rel_error_, error / magnitude);
  }

  void note_bad(std::int64_t ordinal, std::uint32_t bits, WrongKind kind) {
    const auto i = static_cast<std::size_t>(ordinal);
    flags_[i] |= kBad;
    const double error = std::abs(bits_to_number(original_.type, bits) - exact_.value[i]);
    if (kind == WrongKind::Value && std::isfinite(error)) note_error(error, i);
    if (first_bad_ && first_bad_->ordinal <= ordinal) return;
    first_bad_ = Bad{ordinal, bits, kind};
  }

  WrongElement describe(std::int64_t ordinal, bool unwritten) const {
    const auto i = static_cast<std::size_t>(ordinal);
    WrongElement wrong{name_,          point_of(ordinal, original_.extents), WrongKind::Unwritten, exact_.value[i], 0,
                       exact_.bound[i]};
    if (unwritten) {
      wrong.found = bits_to_number(original_.type, poison_bits(original_.type, Poison::Nan));
    } else {
      wrong.kind = first_bad_->kind;
      wrong.found = bits_to_number(original_.type, first_bad_->bits);
    }
    return wrong;
  }

  struct Bad {
    std::int64_t ordinal = 0;
    std::uint32_t bits = 0;
    WrongKind kind = WrongKind::Value;
  };

  std::string name_;
  ArrayView original_;
  bool has_contents_;
  const tile::ExactOutput& exact_;
  std::vector<std::int64_t> rows_;
  std::vector<std::uint8_t> flags_;
  std::optional<Bad> first_bad_;
  double max_abs_error_ = 0, max_rel_error_ = 0;
};

class Checker {
 public:
  Checker(const tile::Program& bound, const tile::Arguments& arguments, const Launcher& launcher,
          const CheckOptions& options)
      : bound_(bound), arguments_(arguments), launcher_(launcher), options_(options) {}

  Result<CheckReport> run() {
    TW_TRY_VOID(expect_memory(check_memory_bytes(bound_, arguments_), "the check of '" + bound_.name() + "'"));
    TW_TRY(exact_, ask_oracle());
    for (const auto& [id, output] : exact_) {
      const tile::Object& object = bound_.object(id);
      const ArrayView& view = arguments_.at(id);
      outputs_.emplace(std::piecewise_construct, std::forward_as_tuple(id),
                       std::forward_as_tuple(object.name, view, object.kind == tile::ObjectKind::InOut, output,
                                             sampled_rows(row_count(view.extents), options_.sample_rows)));
    }
    for (Poison poison : kPoisons) TW_TRY_VOID(run_poisoned(poison));
    for (auto& [id, output] : outputs_) output.add_to(report_);
    return std::move(report_);
  }

 private:
  Result<std::map<tile::ObjectId, tile::ExactOutput>> ask_oracle() const {
    tile::InterpreterOptions options;
    options.progress = options_.progress;
    if (options_.sample_rows > 0) {
      options.rows.emplace();
      for (const auto& [id, view] : arguments_)
        if (is_written(bound_.object(id)))
          (*options.rows)[id] = sampled_rows(row_count(view.extents), options_.sample_rows);
    }
    return tile::interpret_exact(bound_, arguments_, options);
  }

  Result<void> run_poisoned(Poison poison) {
    std::map<tile::ObjectId, PoisonedCopy> copies;
    Arguments arguments;
    for (const auto& [id, view] : arguments_) {
      const tile::Object& object = bound_.object(id);
      if (object.scalar_input()) {
        arguments[object.name] = view;
        continue;
      }
      TW_TRY(PoisonedCopy copy, PoisonedCopy::make(view, poison, object.kind != tile::ObjectKind::Out));
      arguments[object.name] = copy.view();
      copies.emplace(id, std::move(copy));
    }
    TW_TRY_VOID(launcher_(arguments));
    for (auto& [id, copy] : copies) inspect(id, copy, poison);
    return {};
  }

  void inspect(tile::ObjectId id, PoisonedCopy& copy, Poison poison) {
    const tile::Object& object = bound_.object(id);
    const auto output = outputs_.find(id);
    if (output != outputs_.end()) output->second.compare(copy, poison);
    // The same element counts once, whichever of the two runs shows it.
    const std::int64_t changed = object.kind == tile::ObjectKind::In ? copy.changed_elements() : 0;
    const std::int64_t outside = copy.count_outside_writes();
    std::int64_t& most_changed = changed_[id];
    std::int64_t& most_outside = outside_[id];
    if (changed + outside > 0 && std::count(report_.harmed.begin(), report_.harmed.end(), object.name) == 0)
      report_.harmed.push_back(object.name);
    report_.changed_inputs += std::max(changed - most_changed, std::int64_t{0});
    report_.out_of_bounds_writes += std::max(outside - most_outside, std::int64_t{0});
    most_changed = std::max(most_changed, changed);
    most_outside = std::max(most_outside, outside);
  }

  const tile::Program& bound_;
  const tile::Arguments& arguments_;
  const Launcher& launcher_;
  const CheckOptions& options_;
  std::map<tile::ObjectId, tile::ExactOutput> exact_;
  std::map<tile::ObjectId, OutputCheck> outputs_;
  std::map<tile::ObjectId, std::int64_t> changed_, outside_;
  CheckReport report_;
};

}  // namespace

std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t sample_rows) {
  std::vector<std::int64_t> chosen;
  if (sample_rows <= 0 || sample_rows >= rows) {
    chosen.resize(static_cast<std::size_t>(rows));
    std::iota(chosen.begin(), chosen.end(), std::int64_t{0});
    return chosen;
  }
  std::set<std::int64_t> distinct{0};
  if (sample_rows > 1) distinct.insert(rows - 1);
  std::mt19937_64 generator(static_cast<std::uint64_t>(rows));
  while (static_cast<std::int64_t>(distinct.size()) < sample_rows)
    distinct.insert(static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(rows)));
  return {distinct.begin(), distinct.end()};
}

std::string_view wrong_kind_text(WrongKind kind) {
  switch (kind) {
    case WrongKind::Value:
      return "value";
    case WrongKind::Class:
      return "class";
    case WrongKind::Sign:
      return "sign";
    case WrongKind::Unwritten:
      return "unwritten";
    case WrongKind::Uninvited:
      return "uninvited";
  }
  return "?";
}

__uint128_t check_memory_bytes(const tile::Program& bound, const tile::Arguments& arguments) {
  constexpr unsigned kOracleBytes = 2 * sizeof(double) + 2;
  __uint128_t bytes = 0;
  for (const auto& [id, view] : arguments) {
    bytes += touched_bytes(view);
    if (is_written(bound.object(id)))
      bytes += static_cast<__uint128_t>(point_count(view.extents).value()) * kOracleBytes;
  }
  for (tile::ObjectId id : bound.objects().ids())
    if (bound.object(id).kind == tile::ObjectKind::Temp)
      bytes += static_cast<__uint128_t>(point_count(tile::bound_extents(bound, id)).value()) * kOracleBytes;
  return bytes;
}

Result<CheckReport> check_launcher(const tile::Program& bound, const LaunchRules& rules, const Arguments& arguments,
                                   const Launcher& launcher, const CheckOptions& options) {
  try {
    TW_TRY(const CheckedLaunch launch, check_launch(bound, rules, arguments));
    return Checker(bound, launch.arguments, launcher, options).run();
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, "no memory was left to check '" + bound.name() + "'",
                   "use smaller sizes, or compare sampled rows alone");
  }
}

}  // namespace driver

Result<CheckReport> check(const Kernel& kernel, const Arguments& arguments, const CheckOptions& options) {
  const Kernel::Impl& impl = kernel.impl();
  return driver::check_launcher(
      impl.bound, impl.rules, arguments, [&](const Arguments& copies) { return kernel.run(copies, options.run); },
      options);
}

}  // namespace tilewright
