#include "proof/access_cases.h"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {

namespace {

constexpr std::int64_t kMostTrial = 9;

std::string plus(const std::string& text, std::int64_t number) {
  if (number == 0) return text;
  return number > 0 ? fmt::format("{} + {}", text, number) : fmt::format("{} - {}", text, -number);
}

/// The text of a program around one access, and what is random in it.
class AccessWriter {
 public:
  explicit AccessWriter(CaseRandom& random) : random_(random) {
    found_.size = random.chance(1, 3) ? 0 : random.number(4, 12);
    for (std::int64_t& tile : tiles_) tile = random.chance(1, 12) ? 1 : random.number(2, 4);
  }

  std::int64_t pick(std::int64_t low, std::int64_t high) { return random_.number(low, high); }
  bool chance(int parts, int of) { return random_.chance(parts, of); }
  const std::string& one_of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(texts.size()) - 1))];
  }
  std::int64_t tile(std::size_t axis) const { return tiles_[axis]; }
  bool open() const { return found_.size == 0; }
  void leave_open() { found_.size = 0; }
  AccessCase& found() { return found_; }

  void region(const std::string& name, const std::string& extent) {
    regions_ += fmt::format("{}{} in {}", regions_.empty() ? "" : ", ", name, extent);
  }
  void dimension(const std::string& coordinate, const std::string& extent) {
    coords_.push_back(coordinate);
    extents_.push_back(extent);
  }
  void quasi_affine() { found_.quasi_affine = true; }
  void not_affine() { found_.not_affine = true; }

  /// Some of: a loop, a branch, a requirement.
  void surroundings(int loops, int branches) {
    if (chance(loops, 100)) loop_ = fmt::format("serial s in {}", one_of({"2", "3", "i + 1"}));
    if (chance(branches, 100)) {
      condition_ = one_of({"i > 0", "i < 2", "M > 5", "i >= 0"});
      found_.restricted = true;
    }
    if (chance(5, 100)) requirement_ = "M >= 4";
    if (chance(3, 100)) {
      requirement_ = "M * M >= 16";
      found_.restricted = found_.restricted || open();
    }
  }

  /// `inside`: statements before the access, at its place.
  AccessCase finish(const std::string& inside = {}) {
    std::string text = fmt::format("program p(M) {{\n inout Y: f32[{}]\n inout Z: f32[{}]\n", fmt::join(extents_, ", "),
                                   fmt::join(tiles_, ", "));
    if (!requirement_.empty()) text += " require " + requirement_ + "\n";
    text += " parallel " + regions_ + " {\n";
    text += fmt::format(" axis a: {}, b: {}, c: {}\n", tiles_[0], tiles_[1], tiles_[2]);
    if (!loop_.empty()) text += " " + loop_ + " {\n";
    if (!condition_.empty()) text += " if " + condition_ + " {\n";
    text += inside;
    const std::string at = fmt::format("Y[{}]", fmt::join(coords_, ", "));
    text += found_.is_load ? fmt::format(" x[a, b, c] = {}\n Z[a, b, c] = x\n", at) : fmt::format(" {} = 1.0\n", at);
    if (!condition_.empty()) text += " }\n";
    if (!loop_.empty()) text += " }\n";
    found_.text = text + " }\n}\n";
    return std::move(found_);
  }

 private:
  CaseRandom& random_;
  AccessCase found_;
  std::int64_t tiles_[3] = {};
  std::string regions_, loop_, condition_, requirement_;
  std::vector<std::string> coords_, extents_;
};

/// A tile of the axis at multiples of a region, in an extent that fits or nearly fits.
void tiled_dimension(AccessWriter& w, const std::string& region, const std::string& axis, std::int64_t tile) {
  const std::int64_t step = w.chance(4, 5) ? tile : w.pick(0, 5);
  const std::int64_t off = w.chance(3, 4) ? 0 : w.pick(-1, 2);
  const std::string at = plus(fmt::format("{}*{} + {}", region, step, axis), off);
  const std::string whole = fmt::format("ceildiv(M, {0}) * {0}", tile);
  w.dimension(
      at, w.one_of({"M", "M", "M", whole, whole, plus(whole, w.pick(-1, 1)), "M + 7", std::to_string(w.pick(1, 24))}));
}

void any_dimension(AccessWriter& w) {
  const std::string small = std::to_string(w.pick(1, 9));
  switch (w.pick(0, 9)) {
    case 0:
    case 1:
    case 2:
      return tiled_dimension(w, "i", "a", w.tile(0));
    case 3:
      return tiled_dimension(w, "j", "b", w.tile(1));
    case 4:
      return w.dimension(plus("i", w.chance(1, 4) ? w.pick(-1, 1) : 0), w.one_of({"M", "M", "M + 1", small}));
    case 5:
      return w.dimension(w.one_of({"M - 1 - i", "M - i + a - 1", "M - 2 - i"}), w.one_of({"M", "M + 4", small}));
    case 6:
      w.quasi_affine();
      return w.dimension(w.one_of({"(i*4 + a) / 2", "(i*3 + a) % 5", "min(i + a, 3)", "max(i - 1, 0)", "a + b - a"}),
                         w.one_of({"5", "M * 4", "M", small}));
    case 7:
      return w.dimension(w.one_of({"a*2", "a + b", "b - a + 3"}), w.one_of({"7", "M + 3", small}));
    case 8:
      w.not_affine();
      return w.dimension(w.one_of({"i*j", "(i ^ a)", "i*i + b"}), w.one_of({"M * 12", "M * M + 20", "M", "16"}));
    default:
      return w.dimension(w.one_of({"a", "b", "c"}), w.one_of({"4", "M", small}));
  }
}

std::string region_extent(AccessWriter& w, std::int64_t tile) {
  return w.one_of({fmt::format("ceildiv(M, {})", tile), fmt::format("ceildiv(M, {})", tile),
                   fmt::format("M / {}", tile), "M", std::to_string(w.pick(1, 4))});
}

void cover_dimension(AccessWriter& w, const std::string& region, const std::string& axis, std::int64_t tile,
                     bool exact) {
  const std::int64_t off = exact ? 0 : w.pick(1, 4);
  const std::string extent = w.one_of({"M", "M + 1", std::to_string(w.pick(1, 12)), "M * 2"});
  const std::int64_t count = off == 1 ? (w.chance(1, 2) ? 1 : -1) : 0;
  w.region(region, plus(fmt::format("ceildiv({}, {})", extent, tile), count));
  const std::int64_t step = off == 2 ? (w.chance(1, 2) ? tile - 1 : tile + 1) : tile;
  const std::string at = plus(fmt::format("{}*{} + {}", region, step, axis), off == 3 ? w.pick(-1, 1) : 0);
  const bool reversed = w.chance(1, 5);
  w.dimension(reversed ? fmt::format("{} - 1 - ({})", extent, at) : at, off == 4 ? plus(extent, 1) : extent);
}

/// One ordinal for the tiles of two dimensions.
void cover_by_ordinal(AccessWriter& w, bool exact) {
  const std::int64_t rows = w.pick(1, 3), columns = w.pick(1, 3);
  const std::int64_t divisor = exact || w.chance(1, 2) ? columns : w.pick(1, 3);
  w.region("i", std::to_string(rows * columns + (exact || w.chance(1, 2) ? 0 : 1)));
  w.dimension(fmt::format("i / {} * {} + a", divisor, w.tile(0)), std::to_string(rows * w.tile(0)));
  w.dimension(fmt::format("i % {} * {} + b", divisor, w.tile(1)), std::to_string(columns * w.tile(1)));
}

/// A comparison of `value` with a number, in one of several ways to write it.
std::string below_text(AccessWriter& w, const std::string& value, const std::string& bound) {
  switch (w.pick(0, 4)) {
    case 0:
      return fmt::format("{} <= {} - 1", value, bound);
    case 1:
      return fmt::format("{} > {}", bound, value);
    case 2:
      return fmt::format("{} + 3 < {} + 3", value, bound);
    case 3:
      return fmt::format("({}) * 2 < ({}) * 2", value, bound);
    default:
      return fmt::format("{} < {}", value, bound);
  }
}

using Clauses = std::vector<std::pair<std::string, std::string>>;  // value below bound

std::string guard_of(AccessWriter& w, Clauses clauses) {
  for (std::size_t i = clauses.size(); i > 1; --i)
    std::swap(clauses[i - 1], clauses[static_cast<std::size_t>(w.pick(0, static_cast<std::int64_t>(i) - 1))]);
  if (w.chance(1, 4)) clauses.push_back(clauses[0]);
  std::string text;
  for (const auto& [value, bound] : clauses) text += (text.empty() ? "" : " && ") + below_text(w, value, bound);
  if (w.chance(1, 4)) text += " && i >= 0";
  if (w.chance(1, 6)) text += " && a + 1 > 0";
  return text;
}

}  // namespace

tile::Program AccessCase::program() const {
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error()) << text;
  const auto verified = tile::verify(*family);
  EXPECT_TRUE(verified) << render(verified.error()) << text;
  auto program =
      size == 0 ? tile::choose_params(*family, {}) : tile::bind(*family, {.numbers = {{"M", size}}, .types = {}});
  EXPECT_TRUE(program) << render(program.error()) << text;
  return std::move(*program);
}

tile::OpId AccessCase::op(const tile::Program& program) const {
  for (tile::OpId op : is_load ? operations_of<tile::LoadOp>(program) : operations_of<tile::StoreOp>(program))
    if (program.object(OperationPlace(program, op).object()).name == "Y") return op;
  ADD_FAILURE() << text;
  return {};
}

std::vector<NamedPoint> AccessCase::trials(const tile::Program& program) const {
  if (size != 0) return {NamedPoint{}};
  std::vector<NamedPoint> all;
  for (std::int64_t trial = 1; trial <= kMostTrial; ++trial)
    if (meets_requirements(program, {{"M", trial}})) all.push_back({{"M", trial}});
  return all;
}

AccessCase random_access(CaseRandom& random) {
  AccessWriter w(random);
  w.found().is_load = random.chance(1, 3);
  w.region("i", region_extent(w, w.tile(0)));
  w.region("j", region_extent(w, w.tile(1)));
  for (std::int64_t rank = random.number(1, 2); rank > 0; --rank) any_dimension(w);
  if (random.chance(1, 4)) {
    w.leave_open();
    w.not_affine();
    w.dimension(w.one_of({"i*j", "i*M + j", "(i ^ a)"}), "M * M + 20");
  }
  w.surroundings(20, 25);
  return w.finish();
}

AccessCase random_tile_store(CaseRandom& random) {
  AccessWriter w(random);
  w.region("i", region_extent(w, w.tile(0)));
  w.region("j", region_extent(w, w.tile(1)));
  switch (random.number(0, 9)) {
    case 0:
    case 1:
    case 2:
      w.dimension(w.one_of({"i*4 + a - 1", "a*2 + i", "a + b", "b - a + 3", "M - i + a - 3", "a - j", "3 - a"}),
                  "M + 7");
      break;
    case 3:
      w.dimension(w.one_of({"i", "M - i", "j + 1"}), w.one_of({"M", "M / 2", "3"}));
      break;
    case 4:
    case 5:
    case 6:
      w.quasi_affine();
      w.dimension(w.one_of({"min(i + a, M)", "(i*4 + a) / 2", "(i ^ a) + i", "(i*3 + a) % 5"}), "M + 4");
      break;
    default:
      tiled_dimension(w, "i", "a", w.tile(0));
      break;
  }
  if (random.chance(1, 6)) any_dimension(w);
  if (random.chance(1, 4)) tiled_dimension(w, "j", random.chance(9, 10) ? "b" : "a", w.tile(1));
  w.surroundings(20, 20);
  return w.finish();
}

AccessCase random_cover(CaseRandom& random, bool likely_exact) {
  AccessWriter w(random);
  const bool exact = likely_exact || random.chance(1, 8);
  if (random.chance(1, 6)) {
    cover_by_ordinal(w, exact);
  } else {
    const bool two = random.chance(1, 2);
    cover_dimension(w, "i", "a", w.tile(0), exact || (two && random.chance(1, 2)));
    if (two) cover_dimension(w, "j", "b", w.tile(1), exact);
  }
  if (random.chance(1, 6)) w.dimension("c", std::to_string(w.tile(2) + (exact || random.chance(1, 2) ? 0 : 1)));
  if (random.chance(1, 4)) {
    w.not_affine();
    w.dimension("(i ^ i) * c", "1");
  } else if (random.chance(1, 12)) {
    w.region("l", exact ? "1" : "2");
  }
  w.surroundings(0, 12);
  return w.finish();
}

AccessCase random_guards(CaseRandom& random) {
  AccessWriter w(random);
  w.region("i", region_extent(w, w.tile(0)));
  w.region("j", std::to_string(w.pick(1, 3)));
  w.dimension("i*4 + a", "M * 5");
  w.dimension("j*4 + b", "20");
  Clauses clauses;
  for (std::int64_t n = random.number(1, 2); n > 0; --n)
    clauses.emplace_back(w.one_of({"i*4 + a", "j*4 + b", "i*2 - j + 3", "a + b", "(i*4 + a) / 3", "i*4 + a + j"}),
                         w.one_of({"M", "M - 2", std::to_string(w.pick(2, 6))}));
  if (random.chance(2, 5)) {
    w.not_affine();
    clauses.emplace_back(w.one_of({"i*j + a", "(i ^ a)"}), w.one_of({"M", std::to_string(w.pick(1, 20))}));
  }
  const std::string left = guard_of(w, clauses);
  if (random.chance(4, 5)) {
    auto& [value, bound] = clauses[static_cast<std::size_t>(w.pick(0, static_cast<std::int64_t>(clauses.size()) - 1))];
    bound = plus(bound, random.chance(1, 2) ? 1 : -w.pick(1, 3));
    if (random.chance(1, 4)) value = "i + a";
  }
  const std::string right = guard_of(w, clauses);
  w.surroundings(0, 10);
  return w.finish(fmt::format(" left[a, b] = {}\n right[a, b] = {}\n", left, right));
}

}  // namespace tilewright::proof
