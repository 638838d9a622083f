#include "kernel/parser.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kernel/constants.h"
#include "kernel/lexer.h"
#include "kernel/names.h"
#include "kernel/op_rules.h"
#include "kernel/verifier.h"
#include "support/number_text.h"
#include "support/result.h"

namespace tilewright::kernel {

namespace {

constexpr std::size_t kMaxDiags = 50;

/// Leaves a faulty statement, which is then skipped.
struct SyntaxFault {};
/// Leaves the text: going on would make no sense.
struct GivingUp {};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file)
      : file_(file), lines_(split_lines(text)), tokens_(tokenize(text)) {}

  Result<Program> run() {
    try {
      header();
      recovering([this] { declaration(); });
      expect("}");
      if (peek().kind != TokenKind::End) fail(peek(), "expected the end of the text");
    } catch (const SyntaxFault&) {
    } catch (const GivingUp&) {
    }
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    return std::move(program_);
  }

 private:
  // ---- Tokens ------------------------------------------------------------------------------------------------------

  const Token& peek() const { return tokens_[at_]; }
  Token next() {
    const Token& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool accept(std::string_view mark) {
    if (!peek().punct(mark)) return false;
    next();
    return true;
  }
  void expect(std::string_view mark) {
    if (!accept(mark)) unexpected(fmt::format("'{}'", mark));
  }
  void expect_word(std::string_view word) {
    if (!peek().word(word)) unexpected(fmt::format("'{}'", word));
    next();
  }

  void report(const Token& at, DiagCode code, std::string message) {
    if (diags_.size() >= kMaxDiags) return;
    Diag diag{code, std::move(message), {file_, at.line, at.column, at.length, ""}, {}, {}};
    if (at.line >= 1 && at.line <= lines_.size()) diag.place.source_line = lines_[at.line - 1];
    diags_.push_back(std::move(diag));
  }
  [[noreturn]] void fail(const Token& at, std::string message) {
    report(at, DiagCode::SyntaxError, std::move(message));
    throw SyntaxFault{};
  }
  [[noreturn]] void unexpected(std::string_view expected) {
    const Token& token = peek();
    if (token.kind == TokenKind::Bad) fail(token, token.text);
    if (token.kind == TokenKind::End) fail(token, fmt::format("expected {}, found the end of the text", expected));
    const std::string_view sigil = token.kind == TokenKind::Value ? "%" : "";
    fail(token, fmt::format("expected {}, found '{}{}'", expected, sigil, token.text));
  }

  std::string name(std::string_view what) {
    if (peek().kind != TokenKind::Word && peek().kind != TokenKind::Quoted) unexpected(what);
    return next().text;
  }

  std::int64_t integer(std::string_view what) {
    const Token token = peek();
    if (token.kind != TokenKind::Number) unexpected(what);
    next();
    const NumberResult<std::int64_t> value = parse_int64(token.text);
    if (!value && value.error() == NumberFault::Malformed)
      fail(token, fmt::format("expected {}, found '{}'", what, token.text));
    if (!value) report(token, DiagCode::LiteralOutOfRange, fmt::format("{} does not fit 64 bits", token.text));
    return value.value_or(0);
  }

  std::int64_t size(std::string_view what) {
    const Token token = peek();
    const std::int64_t value = integer(what);
    if (value >= 0) return value;
    report(token, DiagCode::NegativeSize, fmt::format("{} is {}; it cannot be negative", what, value));
    return 0;
  }

  // ---- Recovery ----------------------------------------------------------------------------------------------------

  /// Calls statement() until a '}' or the end comes; a faulty one is skipped.
  template <class Statement>
  void recovering(Statement&& statement) {
    while (peek().kind != TokenKind::End && !peek().punct("}")) {
      if (accept(";")) continue;
      const std::size_t begin = at_;
      const std::size_t scopes = scopes_.size();
      try {
        statement();
        const bool ended =
            peek().first_on_line || peek().punct(";") || peek().punct("}") || tokens_[at_ - 1].punct("}");
        if (!ended && peek().kind != TokenKind::End) unexpected("a new line or ';'");
      } catch (const SyntaxFault&) {
        scopes_.resize(std::min(scopes, scopes_.size()));
        skip_statement(begin);
      }
    }
  }

  /// To the next statement: the first word of a later line, behind a ';', or a '}' that closes the block around.
  void skip_statement(std::size_t begin) {
    if (at_ == begin && !peek().punct("}")) next();
    for (int depth = 0; peek().kind != TokenKind::End; next()) {
      if (depth == 0 && (peek().punct("}") || peek().punct(";"))) return;
      if (depth == 0 && peek().first_on_line && !peek().punct("{")) return;
      if (peek().punct("{")) ++depth;
      if (!peek().punct("}")) continue;
      --depth;
      // "} else {" goes on with the statement that is skipped.
      if (depth == 0 && at_ + 1 < tokens_.size() && tokens_[at_ + 1].word("else")) next();
    }
  }

  // ---- Declarations ------------------------------------------------------------------------------------------------

  void header() {
    expect_word("kernel");
    expect_word("program");
    program_.name = name("the name of the program");
    expect("{");
  }

  void declaration() {
    const Token token = peek();
    if (token.word("buffer"))
      buffer(BufferKind::Argument);
    else if (token.word("temporary"))
      buffer(BufferKind::Temporary);
    else if (token.word("scalar"))
      buffer(BufferKind::Scalar);
    else if (token.word("kernel"))
      kernel();
    else
      unexpected("buffer, temporary, scalar, kernel or '}'");
  }

  ScalarType scalar_type() {
    const auto type = scalar_from_name(peek().text);
    if (peek().kind != TokenKind::Word || !type) unexpected("an element type");
    next();
    return *type;
  }

  void buffer(BufferKind kind) {
    next();
    const Token at = peek();
    Buffer buffer{name("the name of the buffer"), kind, ScalarType::F32, Access::Read, 1};
    expect(":");
    buffer.scalar = scalar_type();
    if (kind != BufferKind::Scalar) {
      expect("[");
      buffer.count = size("the number of elements");
      expect("]");
      const auto access = access_from_name(peek().text);
      if (!access) unexpected("read, write or readwrite");
      next();
      buffer.access = *access;
    }
    if (!buffers_.emplace(buffer.name, program_.buffers.push_back(buffer)).second)
      report(at, DiagCode::Redefinition, fmt::format("there is a buffer {} already", buffer.name));
  }

  void kernel() {
    next();
    Kernel kernel;
    kernel.name = name("the name of the kernel");
    kernel.body = program_.blocks.push_back({});
    allocations_.clear();
    scopes_.assign(1, {});
    expect_word("tasks");
    expect("(");
    std::vector<ValueId> coordinates;
    while (!accept(")")) {
      if (!coordinates.empty()) expect(",");
      coordinates.push_back(definition({ScalarType::I64, 1}));
      expect(":");
      kernel.task_extents.push_back(size("the number of tasks"));
    }
    program_.blocks[kernel.body].args = std::move(coordinates);
    expect("{");
    block_statements(kernel.body, &kernel, nullptr);
    expect("}");
    program_.kernels.push_back(std::move(kernel));
  }

  void allocation(Kernel& kernel) {
    next();
    const Token at = peek();
    Allocation made;
    made.name = name("the name of the allocation");
    expect(":");
    made.scalar = scalar_type();
    expect("[");
    made.count = size("the number of elements");
    expect("]");
    const auto space = space_from_name(peek().text);
    if (!space) unexpected("private or shared");
    next();
    made.space = *space;
    const AllocationId id = program_.allocations.push_back(made);
    kernel.allocations.push_back(id);
    if (buffers_.contains(made.name) || !allocations_.emplace(made.name, id).second)
      report(at, DiagCode::Redefinition, fmt::format("there is a {} already", made.name));
  }

  // ---- Values ------------------------------------------------------------------------------------------------------

  /// An operand; none when its name is unknown (reported, once a name).
  ValueId operand() {
    // A ':' behind it means that the next statement has begun.
    if (peek().kind != TokenKind::Value || tokens_[at_ + 1].punct(":")) unexpected("a value");
    const Token token = next();
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(token.text); found != scope->end()) return found->second;
    report(token, DiagCode::UnknownName, fmt::format("nothing defines %{} here", token.text));
    scopes_.front().emplace(token.text, ValueId{});
    return {};
  }

  void define(const Token& token, ValueId value) {
    for (const auto& scope : scopes_) {
      const auto found = scope.find(token.text);
      if (found == scope.end()) continue;
      if (found->second.valid())
        report(token, DiagCode::Redefinition, fmt::format("%{} is defined already", token.text));
      return;
    }
    scopes_.back().emplace(token.text, value);
  }

  /// Defines the name that stands here as a new value.
  ValueId definition(ValueType type) {
    if (peek().kind != TokenKind::Value) unexpected("the name of a value");
    const Token token = next();
    const ValueId value = program_.values.push_back(type);
    define(token, value);
    return value;
  }

  ValueType value_type() {
    const auto type = type_from_name(peek().text);
    if (peek().kind != TokenKind::Word || !type) unexpected("a type");
    next();
    return *type;
  }

  MemoryRef memory() {
    const Token token = peek();
    const std::string named = name("a buffer or an allocation");
    if (const auto found = allocations_.find(named); found != allocations_.end()) return {{}, found->second};
    if (const auto found = buffers_.find(named); found != buffers_.end()) return {found->second, {}};
    report(token, DiagCode::UnknownName, fmt::format("there is no buffer or allocation {} here", named));
    return {};
  }

  // ---- Statements --------------------------------------------------------------------------------------------------

  struct ResultName {
    Token token;
    ValueType type;
  };

  /// The statements of one block without its braces. kernel: where allocations go, or null where none may stand.
  /// yields_at: the place of the yield, for messages about it.
  void block_statements(BlockId id, Kernel* kernel, Token* yields_at) {
    if (++depth_ > kMaxNesting) {
      report(peek(), DiagCode::NestingTooDeep, fmt::format("more than {} blocks inside each other", kMaxNesting));
      throw GivingUp{};
    }
    scopes_.emplace_back();
    bool yielded = false;
    recovering([&] {
      if (yielded) fail(peek(), "a yield is the last statement of its block");
      if (kernel != nullptr && peek().word("alloc")) return allocation(*kernel);
      if (yields_at == nullptr || !peek().word("yield")) return statement(id);
      yielded = true;
      *yields_at = next();
      do {
        program_.blocks[id].yields.push_back(operand());
      } while (accept(","));
    });
    if (yields_at != nullptr && !yielded) *yields_at = peek();
    scopes_.pop_back();
    --depth_;
  }

  void statement(BlockId block) {
    std::vector<ResultName> results;
    while (peek().kind == TokenKind::Value) {
      ResultName result{next(), {}};
      expect(":");
      result.type = value_type();
      results.push_back(std::move(result));
      if (!accept(",")) break;
    }
    const std::size_t scopes = scopes_.size();
    // Results exist even when the rest is faulty, so that their uses are not reported too.
    try {
      if (!results.empty()) expect("=");
      operation(block, results);
    } catch (const SyntaxFault&) {
      scopes_.resize(scopes);
      for (const ResultName& result : results) define(result.token, program_.values.push_back(result.type));
      throw;
    }
  }

  void operation(BlockId block, const std::vector<ResultName>& results) {
    const Token at = peek();
    const OpId id = program_.ops.push_back({});
    program_.blocks[block].ops.push_back(id);
    if (at.word("loop")) {
      loop(id, results);
    } else if (at.word("if")) {
      branch(id, results);
    } else {
      OpPayload made = payload(results);
      program_.ops[id] = {std::move(made), define_all(results)};
      check(at, id);
    }
  }

  std::vector<ValueId> define_all(const std::vector<ResultName>& results) {
    std::vector<ValueId> ids;
    for (const ResultName& result : results) {
      ids.push_back(program_.values.push_back(result.type));
      define(result.token, ids.back());
    }
    return ids;
  }

  /// Reports the rules that the operation breaks, unless it uses an unknown name.
  void check(const Token& at, OpId id) {
    const Op& op = program_.ops[id];
    bool complete = true;
    for_each_operand(op.payload, [&](ValueId operand) { complete = complete && operand.valid(); });
    if (!complete) return;
    for (OpFault& fault : op_faults(program_, op))
      if (fault.code != DiagCode::UnknownName) report(at, fault.code, std::move(fault.message));
  }

  OpPayload payload(const std::vector<ResultName>& results) {
    if (peek().kind != TokenKind::Word) unexpected("an operation");
    const std::string word = peek().text;
    if (word == "const") return constant(results);
    if (word == "iota") return next(), OpPayload(IotaOp{});
    if (word == "load") return load();
    if (word == "store") return store();
    if (const auto kind = unary_from_name(word)) return next(), OpPayload(UnaryOp{*kind, operand()});
    if (const auto kind = fold_from_name(word)) return next(), OpPayload(FoldLanesOp{*kind, operand()});
    if (word == "cast") return next(), OpPayload(CastOp{operand()});
    if (word == "splat") return next(), OpPayload(SplatOp{operand()});
    if (const auto kind = binary_from_name(word)) {
      const auto [lhs, rhs] = two_operands();
      return BinaryOp{*kind, lhs, rhs};
    }
    if (const auto kind = compare_from_name(word)) {
      const auto [lhs, rhs] = two_operands();
      return CompareOp{*kind, lhs, rhs};
    }
    if (word == "select" || word == "fma") {
      const auto [a, b] = two_operands();
      const ValueId c = (expect(","), operand());
      return word == "fma" ? OpPayload(FmaOp{a, b, c}) : OpPayload(SelectOp{a, b, c});
    }
    if (word == "extract") return extract();
    unexpected("an operation");
  }

  std::pair<ValueId, ValueId> two_operands() {
    next();
    const ValueId lhs = operand();
    expect(",");
    return {lhs, operand()};
  }

  OpPayload extract() {
    next();
    const ValueId vector = operand();
    expect(",");
    const Token at = peek();
    const std::int64_t lane = integer("a lane");
    if (lane < 0 || lane >= kMaxLanes) {
      report(at, DiagCode::LiteralOutOfRange, fmt::format("lane {} is not in 0..{}", lane, kMaxLanes - 1));
      throw SyntaxFault{};
    }
    return ExtractOp{vector, static_cast<std::uint16_t>(lane)};
  }

  OpPayload load() {
    next();
    LoadOp op{memory(), {}, {}};
    expect("[");
    op.index = operand();
    expect("]");
    op.mask = optional_mask();
    return op;
  }

  OpPayload store() {
    next();
    StoreOp op{memory(), {}, {}, {}};
    expect("[");
    op.index = operand();
    expect("]");
    expect("=");
    op.value = operand();
    op.mask = optional_mask();
    return op;
  }

  ValueId optional_mask() {
    if (!peek().word("mask")) return {};
    next();
    return operand();
  }

  // ---- Constants ---------------------------------------------------------------------------------------------------

  OpPayload constant(const std::vector<ResultName>& results) {
    next();
    if (results.size() != 1) fail(peek(), "a constant has one result");
    const ScalarType type = results[0].type.scalar;
    if (is_float_scalar(type)) return ConstOp{float_literal(type)};
    if (type == ScalarType::I1 && (peek().word("true") || peek().word("false"))) return ConstOp{next().word("true")};
    const Token at = peek();
    const std::int64_t value = integer(type == ScalarType::I1 ? "true or false" : "an integer");
    if (constant_fits(type, value)) return ConstOp{value};
    report(at, DiagCode::LiteralOutOfRange, fmt::format("{} does not fit {}", value, scalar_name(type)));
    return ConstOp{0};
  }

  std::int64_t float_literal(ScalarType type) {
    const Token token = peek();
    const bool special = token.word("nan") || token.word("inf");
    if (token.kind != TokenKind::Number && !special) unexpected("a number");
    next();
    // F32 straight from the text: by way of double it would round twice.
    const NumberResult<double> value =
        type == ScalarType::F32 ? NumberResult<double>(parse_float(token.text)) : parse_double(token.text);
    if (!value && value.error() == NumberFault::Malformed) fail(token, fmt::format("'{}' is no number", token.text));
    const std::int64_t bits = float_constant(type, value.value_or(0));
    const bool overflows = !value || (std::isfinite(*value) && std::isinf(float_of_constant(bits)));
    if (overflows)
      report(token, DiagCode::LiteralOutOfRange, fmt::format("{} does not fit {}", token.text, scalar_name(type)));
    return bits;
  }

  // ---- Control -----------------------------------------------------------------------------------------------------

  void loop(OpId id, const std::vector<ResultName>& results) {
    const Token at = next();
    LoopOp op;
    op.body = program_.blocks.push_back({});
    const std::size_t outer = scopes_.size();
    scopes_.emplace_back();
    Block header;
    header.args.push_back(definition({ScalarType::I64, 1}));
    expect("=");
    op.low = operand();
    expect_word("to");
    op.high = operand();
    expect_word("step");
    op.step = integer("the step");
    if (peek().word("carry")) carries(op, header);
    expect("{");
    program_.blocks[op.body] = header;
    program_.ops[id].payload = op;
    check(at, id);
    Token yields_at;
    block_statements(op.body, nullptr, &yields_at);
    expect("}");
    scopes_.resize(outer);
    const std::vector<ValueId> carried(header.args.begin() + 1, header.args.end());
    same_types(yields_at, DiagCode::CarryType, "yields", program_.blocks[op.body].yields, carried);
    program_.ops[id].results = define_all(results);
    same_types(at, DiagCode::TypeMismatch, "results", program_.ops[id].results, carried);
  }

  void carries(LoopOp& op, Block& header) {
    const Token at = next();
    expect("(");
    do {
      if (peek().kind != TokenKind::Value) unexpected("the name of a carry");
      const Token named = next();
      expect(":");
      const ValueId value = program_.values.push_back(value_type());
      define(named, value);
      header.args.push_back(value);
      expect("=");
      op.inits.push_back(operand());
    } while (accept(","));
    expect(")");
    same_types(at, DiagCode::CarryType, "initial values", op.inits, {header.args.begin() + 1, header.args.end()});
  }

  void branch(OpId id, const std::vector<ResultName>& results) {
    const Token at = next();
    IfOp op;
    op.condition = operand();
    expect("{");
    op.then_block = program_.blocks.push_back({});
    program_.ops[id].payload = op;
    check(at, id);
    Token then_at, else_at;
    block_statements(op.then_block, nullptr, &then_at);
    const Token closing = peek();
    expect("}");
    if (peek().word("else")) {
      next();
      expect("{");
      op.else_block = program_.blocks.push_back({});
      program_.ops[id].payload = op;
      block_statements(op.else_block, nullptr, &else_at);
      expect("}");
    } else if (!results.empty()) {
      report(closing, DiagCode::SyntaxError, "an if with results needs an else");
    }
    program_.ops[id].results = define_all(results);
    const std::vector<ValueId>& expected = program_.ops[id].results;
    same_types(then_at, DiagCode::TypeMismatch, "yields", program_.blocks[op.then_block].yields, expected);
    if (op.else_block.valid())
      same_types(else_at, DiagCode::TypeMismatch, "yields", program_.blocks[op.else_block].yields, expected);
  }

  /// Values with unknown names fit everything.
  void same_types(const Token& at, DiagCode code, const char* what, const std::vector<ValueId>& found,
                  const std::vector<ValueId>& expected) {
    if (found.size() != expected.size()) {
      report(at, code, fmt::format("expected {} {}, found {}", expected.size(), what, found.size()));
      return;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i].valid() || !expected[i].valid()) continue;
      const ValueType is = program_.values[found[i]], wanted = program_.values[expected[i]];
      if (is != wanted)
        report(at, code, fmt::format("{} {}: expected {}, found {}", what, i, type_name(wanted), type_name(is)));
    }
  }

  std::string file_;
  std::vector<std::string_view> lines_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Diags diags_;
  Program program_;
  std::map<std::string, BufferId> buffers_;
  std::map<std::string, AllocationId> allocations_;
  std::vector<std::map<std::string, ValueId>> scopes_;
};

}  // namespace

Result<Program> parse(std::string_view text, std::string_view file) {
  TW_TRY(Program program, Parser(text, file).run());
  TW_TRY_VOID(verify(program));
  return program;
}

}  // namespace tilewright::kernel
