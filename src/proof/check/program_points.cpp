#include "proof/check/program_points.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace tilewright::proof::check {

namespace {

constexpr std::int64_t kTrials[] = {1, 2, 3, 4, 7, 8, 31, 32, 33, 64, 65, 100, 129};
constexpr std::size_t kMostCombinations = 400;
constexpr int kCornerDimensions = 8;

}  // namespace

ProgramPoints::ProgramPoints(const tile::Program& program, tile::OpId op) : program_(program) {
  const bool found = find(program.root(), op);
  TW_CHECK(found);
  add_axes(op);
  environment_.symbol = [this](tile::SymbolId id) { return std::optional(sizes_.at(id.index)); };
  environment_.coord = [this](tile::CoordId id) {
    const auto at = coords_.find(id);
    return at == coords_.end() ? std::nullopt : std::optional(at->second);
  };
  environment_.axis = [this](tile::AxisId id) {
    const auto at = axes_.find(id);
    return at == axes_.end() ? std::nullopt : std::optional(at->second);
  };
}

bool ProgramPoints::find(tile::BlockId block, tile::OpId op) {
  for (tile::OpId here : program_.block(block).ops) {
    if (here == op) return true;
    const tile::OpPayload& payload = program_.op(here).payload;
    if (const auto* region = std::get_if<tile::RegionOp>(&payload)) {
      const std::size_t before = dimensions_.size();
      for (tile::CoordId coord : program_.list(region->coords))
        dimensions_.push_back({coord, {}, program_.coords()[coord].extent});
      if (find(region->body, op)) return true;
      dimensions_.resize(before);
    } else if (const auto* branch = std::get_if<tile::IfOp>(&payload)) {
      if (find(branch->then_block, op) || find(branch->else_block, op)) return in_branch_ = true;
    }
  }
  return false;
}

void ProgramPoints::add_axes(tile::OpId op) {
  const tile::Op& here = program_.op(op);
  std::vector<tile::AxisId> axes;
  if (const auto* store = std::get_if<tile::StoreOp>(&here.payload)) {
    for (tile::IndexId coord : program_.list(store->coords))
      for (tile::AxisId axis : program_.index().axes(coord))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  } else {
    axes = program_.list(program_.value(program_.list(here.results)[0]).axes);
  }
  for (tile::AxisId axis : axes) dimensions_.push_back({{}, axis, program_.axes()[axis].extent});
}

std::optional<std::int64_t> ProgramPoints::value(tile::IndexId expr) const {
  return program_.index().evaluate(expr, environment_);
}

std::optional<std::int64_t> ProgramPoints::value(tile::IndexId expr, tile::AxisId axis, std::int64_t number) const {
  tile::IndexEnvironment moved = environment_;
  moved.axis = [&](tile::AxisId id) { return id == axis ? std::optional(number) : environment_.axis(id); };
  return program_.index().evaluate(expr, moved);
}

std::vector<std::int64_t> ProgramPoints::point() const {
  std::vector<std::int64_t> point;
  for (const Dimension& dimension : dimensions_)
    point.push_back(dimension.coord.valid() ? coords_.at(dimension.coord) : axes_.at(dimension.axis));
  return point;
}

std::int64_t& ProgramPoints::at(const Dimension& dimension) {
  return dimension.coord.valid() ? coords_[dimension.coord] : axes_[dimension.axis];
}

ProgramPoints::Coverage ProgramPoints::visit(std::int64_t limit, int samples, const std::function<bool()>& f) {
  left_ = limit;
  const Step last = walk(0, f);
  steps_ = limit - std::max<std::int64_t>(left_, 0);
  switch (last) {
    case Step::On:
      return Coverage::Complete;
    case Step::Stop:
      return Coverage::Stopped;
    case Step::Valueless:
      return Coverage::Valueless;
    case Step::Full:
      break;
  }
  return samples == 0 ? Coverage::Sampled : sample(samples, f);
}

std::optional<std::int64_t> ProgramPoints::extent(std::size_t dimension) const {
  const auto extent = value(dimensions_[dimension].extent);
  return extent ? std::optional(std::max(*extent, least_extent_)) : std::nullopt;
}

ProgramPoints::Step ProgramPoints::walk(std::size_t depth, const std::function<bool()>& f) {
  if (left_-- <= 0) return Step::Full;
  if (depth == dimensions_.size()) return f() ? Step::On : Step::Stop;
  const auto count = extent(depth);
  if (!count) return Step::Valueless;
  for (std::int64_t i = 0; i < *count; ++i) {
    at(dimensions_[depth]) = i;
    if (const Step step = walk(depth + 1, f); step != Step::On) return step;
  }
  return Step::On;
}

/// Each sample chooses the dimensions in order; the first 2^8 are corners.
ProgramPoints::Coverage ProgramPoints::sample(int samples, const std::function<bool()>& f) {
  std::mt19937_64 generator(dimensions_.size());
  const int corners = 1 << std::min<std::size_t>(dimensions_.size(), kCornerDimensions);
  for (int n = 0; n < corners + samples; ++n) {
    bool some = true;
    for (std::size_t d = 0; some && d < dimensions_.size(); ++d) {
      const auto count = extent(d);
      if (!count) return Coverage::Valueless;
      some = *count > 0;
      if (!some) break;
      const bool high = d < static_cast<std::size_t>(kCornerDimensions) && ((n >> d) & 1) != 0;
      at(dimensions_[d]) = n < corners ? (high ? *count - 1 : 0)
                                       : static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(*count));
    }
    if (some && !f()) return Coverage::Stopped;
  }
  return Coverage::Sampled;
}

namespace {

bool meets_requirements(const tile::Program& program, const std::vector<std::int64_t>& sizes) {
  tile::IndexEnvironment environment;
  environment.symbol = [&](tile::SymbolId id) { return std::optional(sizes.at(id.index)); };
  for (const tile::Requirement& requirement : program.requirements()) {
    const auto a = program.index().evaluate(requirement.lhs, environment);
    const auto b = program.index().evaluate(requirement.rhs, environment);
    if (!a || !b || !holds(requirement.comparison, *a, *b)) return false;
  }
  return true;
}

/// Of one symbol, the least first.
std::vector<std::int64_t> values_from(std::int64_t least) {
  std::vector<std::int64_t> values{least};
  for (std::int64_t value : kTrials)
    if (value > least) values.push_back(value);
  return values;
}

std::vector<std::vector<std::int64_t>> candidate_sizes(const tile::Program& program, const Assumptions& assumptions) {
  std::vector<std::vector<std::int64_t>> values;
  std::vector<std::int64_t> least;
  for (const tile::Symbol& symbol : program.symbols()) {
    least.push_back(assumptions.least_of(symbol));
    values.push_back(values_from(least.back()));
  }
  const std::size_t symbols = program.symbols().size();
  std::vector<std::vector<std::int64_t>> all{{}};
  for (std::size_t s = 0; s < symbols && all.size() <= kMostCombinations; ++s) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& sizes : all)
      for (std::int64_t value : values[s]) {
        longer.push_back(sizes);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  if (all.size() <= kMostCombinations && all.front().size() == symbols) return all;
  std::mt19937_64 generator(symbols);
  all.assign(kMostCombinations, {});
  // Half of the values are small: many sizes make large domains, and requirements like small numbers.
  for (auto& sizes : all)
    for (const std::vector<std::int64_t>& of_symbol : values) {
      const std::size_t small = std::min<std::size_t>(of_symbol.size(), 3);
      sizes.push_back(of_symbol[generator() % (generator() % 2 == 0 ? small : of_symbol.size())]);
    }
  all.front() = least;
  return all;
}

}  // namespace

std::vector<std::vector<std::int64_t>> trial_sizes(const tile::Program& program, const Assumptions& assumptions) {
  std::vector<std::vector<std::int64_t>> sizes = candidate_sizes(program, assumptions);
  std::erase_if(sizes, [&](const auto& one) { return !meets_requirements(program, one); });
  const auto volume = [](const std::vector<std::int64_t>& one) {
    double product = 1;
    for (std::int64_t size : one) product *= static_cast<double>(size);
    return product;
  };
  std::sort(sizes.begin(), sizes.end(),
            [&](const auto& a, const auto& b) { return std::pair(volume(a), a) < std::pair(volume(b), b); });
  return sizes;
}

bool holds(tile::Comparison comparison, std::int64_t a, std::int64_t b) {
  const int order = (a > b) - (a < b);
  switch (comparison) {
    case tile::Comparison::Lt:
      return order < 0;
    case tile::Comparison::Le:
      return order <= 0;
    case tile::Comparison::Gt:
      return order > 0;
    case tile::Comparison::Ge:
      return order >= 0;
    case tile::Comparison::Eq:
      return order == 0;
    case tile::Comparison::Ne:
      return order != 0;
  }
  return false;
}

std::string fault_at_trial_sizes(const tile::Program& program, const Assumptions& assumptions, ProgramPoints& points,
                                 std::int64_t limit, int samples, const std::function<std::string()>& f) {
  const auto trials = trial_sizes(program, assumptions);
  if (trials.empty()) return "no sizes were found that meet the requirements";
  std::string wrong;
  for (const std::vector<std::int64_t>& sizes : trials) {
    points.set_sizes(sizes);
    points.visit(limit, samples, [&] {
      wrong = f();
      return wrong.empty();
    });
    if (!wrong.empty()) break;
  }
  return wrong;
}

}  // namespace tilewright::proof::check
