#include "driver/check_tally.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "driver/element.h"
#include "driver/view_range.h"

namespace tilewright::driver {

namespace {

std::int64_t row_length(const std::vector<std::int64_t>& extents) { return extents.size() <= 1 ? 1 : extents.back(); }

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

}  // namespace

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

  void add_to(CheckReport& report) const {
    report.rows += checked_row_count(original_.extents);
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

std::int64_t checked_row_count(const std::vector<std::int64_t>& extents) {
  const std::int64_t points = point_count(extents).value();
  return points == 0 ? 0 : points / row_length(extents);
}

CheckTally::CheckTally() = default;
CheckTally::~CheckTally() = default;

void CheckTally::add_input(std::string name) { entries_.push_back({std::move(name), nullptr}); }

void CheckTally::add_output(std::string name, const ArrayView& original, bool has_contents,
                            const tile::ExactOutput& exact, std::vector<std::int64_t> rows) {
  auto output = std::make_unique<OutputCheck>(name, original, has_contents, exact, std::move(rows));
  entries_.push_back({std::move(name), std::move(output)});
}

void CheckTally::inspect(std::size_t index, PoisonedCopy& copy, Poison poison) {
  Entry& entry = entries_[index];
  if (entry.output != nullptr) entry.output->compare(copy, poison);
  entry.changed = std::max(entry.changed, entry.output == nullptr ? copy.changed_elements() : 0);
  entry.outside = std::max(entry.outside, copy.count_outside_writes());
}

CheckReport CheckTally::report() const {
  CheckReport report;
  for (const Entry& entry : entries_) {
    if (entry.output != nullptr) entry.output->add_to(report);
    report.changed_inputs += entry.changed;
    report.out_of_bounds_writes += entry.outside;
    if (entry.changed + entry.outside > 0) report.harmed.push_back(entry.name);
  }
  return report;
}

}  // namespace tilewright::driver
