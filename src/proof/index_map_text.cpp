// The text of index maps: printer and parser.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "proof/index_map.h"
#include "support/number_text.h"

namespace tilewright::proof {

namespace {

using tile::IndexId;
using tile::IndexKind;

struct MapOperator {
  IndexKind kind;
  std::string_view spelling;
};
// Longer spellings first, so that a reader may take the first that fits.
constexpr std::array<MapOperator, 9> kMapOperators = {{{IndexKind::ShiftLeft, "<<"},
                                                       {IndexKind::ShiftRight, ">>"},
                                                       {IndexKind::Add, "+"},
                                                       {IndexKind::Sub, "-"},
                                                       {IndexKind::Mul, "*"},
                                                       {IndexKind::FloorDiv, "/"},
                                                       {IndexKind::Mod, "%"},
                                                       {IndexKind::BitAnd, "&"},
                                                       {IndexKind::BitXor, "^"}}};
constexpr std::array<MapOperator, 3> kMapFunctions = {
    {{IndexKind::CeilDiv, "ceildiv"}, {IndexKind::Min, "min"}, {IndexKind::Max, "max"}}};

std::string map_expression_text(const tile::IndexArena& arena, IndexId id, bool nested) {
  const tile::IndexNode& node = arena[id];
  if (node.kind == IndexKind::Constant) return fmt::format("{}", node.value);
  if (node.kind == IndexKind::Axis) return fmt::format("d{}", node.value);
  for (const MapOperator& function : kMapFunctions)
    if (function.kind == node.kind)
      return fmt::format("{}({}, {})", function.spelling, map_expression_text(arena, node.lhs, false),
                         map_expression_text(arena, node.rhs, false));
  for (const MapOperator& op : kMapOperators)
    if (op.kind == node.kind) {
      const std::string text = fmt::format("{} {} {}", map_expression_text(arena, node.lhs, true), op.spelling,
                                           map_expression_text(arena, node.rhs, true));
      return nested ? "(" + text + ")" : text;
    }
  TW_CHECK(!"every operation has a spelling");
  return {};
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  if (extents.empty()) return "()";
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : ", ") + fmt::format("{}", extent);
  return text;
}

/// Reads one line after its first word. The first fault stays in fault().
class MapLineReader {
 public:
  MapLineReader(std::string_view text, tile::IndexArena& arena) : text_(text), arena_(arena) {}

  std::vector<std::int64_t> extents() {
    std::vector<std::int64_t> list;
    if (take("()")) return list;
    do {
      list.push_back(number());
      if (list.back() < 0) complain("an extent is not negative");
    } while (take(", "));
    return list;
  }

  IndexId expression() {
    const IndexId lhs = primary();
    if (!fault_.empty() || !text_.starts_with(' ') || text_.starts_with(" < ")) return lhs;
    text_.remove_prefix(1);
    for (const MapOperator& op : kMapOperators)
      if (take(op.spelling)) {
        expect(" ");
        const IndexId rhs = primary();
        return make(op.kind, lhs, rhs);
      }
    complain("expected an operator");
    return lhs;
  }

  std::int64_t number() {
    std::size_t length = text_.starts_with('-') ? 1 : 0;
    while (length < text_.size() && text_[length] >= '0' && text_[length] <= '9') ++length;
    const auto value = parse_int64(text_.substr(0, length));
    if (!value) {
      complain("expected an integer of 64 bits");
      return 0;
    }
    text_.remove_prefix(length);
    return *value;
  }

  void expect(std::string_view word) {
    if (!take(word)) complain(fmt::format("expected '{}'", word));
  }

  void finish() {
    if (!text_.empty()) complain("expected the end of the line");
  }

  const std::string& fault() const { return fault_; }

 private:
  bool take(std::string_view word) {
    if (!fault_.empty() || !text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  void complain(const std::string& message) {
    if (fault_.empty()) fault_ = fmt::format("{}, found '{}'", message, text_.substr(0, 20));
  }

  IndexId make(IndexKind kind, IndexId lhs, IndexId rhs) {
    return fault_.empty() ? arena_.make(kind, lhs, rhs) : arena_.constant(0);
  }

  IndexId primary() {
    if (++nodes_ > kMaxExpressionNodes) complain("the expression is too large");
    if (!fault_.empty()) return arena_.constant(0);
    if (take("(")) {
      const IndexId inside = expression();
      expect(")");
      return inside;
    }
    for (const MapOperator& function : kMapFunctions)
      if (take(function.spelling)) return call(function.kind);
    if (take("d")) {
      const std::int64_t axis = number();
      if (axis < 0 || axis >= INT32_MAX) complain("expected the number of an input");
      return arena_.axis(tile::AxisId{static_cast<std::uint32_t>(axis)});
    }
    return arena_.constant(number());
  }

  IndexId call(IndexKind kind) {
    expect("(");
    const IndexId lhs = expression();
    expect(", ");
    const IndexId rhs = expression();
    expect(")");
    return make(kind, lhs, rhs);
  }

  std::string_view text_;
  tile::IndexArena& arena_;
  std::string fault_;
  std::size_t nodes_ = 0;
};

/// Which line may follow which: in, out, then results, then clauses.
int map_line_rank(std::string_view word) {
  constexpr std::array<std::string_view, 4> kWords = {"in", "out", "to", "if"};
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (kWords[i] == word) return static_cast<int>(i);
  return -1;
}

std::string take_map_line(GuardedMap& guarded, std::string_view word, std::string_view rest, int& last) {
  const int rank = map_line_rank(word);
  if (rank < 0 || rank < last || (rank < 2 && rank != last + 1) || (rank >= 2 && last < 1))
    return fmt::format("'{}' does not belong here; expected in, out, then to and if", word);
  last = rank;
  MapLineReader reader(rest, guarded.map.arena);
  if (rank == 0) guarded.map.inputs = reader.extents();
  if (rank == 1) guarded.map.outputs = reader.extents();
  if (rank == 2) guarded.map.results.push_back(reader.expression());
  if (rank == 3) {
    GuardClause clause{reader.expression(), 0};
    reader.expect(" < ");
    clause.bound = reader.number();
    guarded.guards.push_back(clause);
  }
  reader.finish();
  return reader.fault();
}

}  // namespace

std::vector<Field> index_map_fields(const IndexMap& map) {
  std::vector<Field> fields = {{"in", extents_text(map.inputs)}, {"out", extents_text(map.outputs)}};
  for (const IndexId result : map.results) fields.push_back({"to", map_expression_text(map.arena, result, false)});
  return fields;
}

std::vector<Field> index_map_fields(const GuardedMap& guarded) {
  std::vector<Field> fields = index_map_fields(guarded.map);
  for (const GuardClause& clause : guarded.guards)
    fields.push_back(
        {"if", fmt::format("{} < {}", map_expression_text(guarded.map.arena, clause.value, false), clause.bound)});
  return fields;
}

Result<GuardedMap> parse_guarded_map(std::string_view text) {
  GuardedMap guarded;
  int last = -1;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t space = line.find(' ');
    std::string fault = "expected a line break at the end of each line";
    if (end != std::string_view::npos && space == std::string_view::npos) fault = "expected a word and a value";
    if (end != std::string_view::npos && space != std::string_view::npos)
      fault = take_map_line(guarded, line.substr(0, space), line.substr(space + 1), last);
    if (!fault.empty()) return failure(DiagCode::SyntaxError, fmt::format("line {} of the map: {}", number, fault));
    text.remove_prefix(end + 1);
  }
  if (last < 1) return failure(DiagCode::SyntaxError, "a map has a line 'in ..' and a line 'out ..'");
  if (const auto fault = index_map_fault(guarded)) return failure(DiagCode::SyntaxError, "the map: " + *fault);
  return guarded;
}

Result<IndexMap> parse_index_map(std::string_view text) {
  TW_TRY(GuardedMap guarded, parse_guarded_map(text));
  if (!guarded.guards.empty()) return failure(DiagCode::SyntaxError, "a map without guards has no line 'if ..'");
  return std::move(guarded.map);
}

}  // namespace tilewright::proof
