#include "kernel/parser.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernel/names.h"
#include "kernel/op_rules.h"
#include "kernel/text_reader.h"
#include "kernel/verifier.h"
#include "support/result.h"

namespace tilewright::kernel {

namespace {

/// Leaves the text: going on would make no sense.
struct GivingUp {};

class Parser : private TextReader {
 public:
  using TextReader::TextReader;

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
      if (!access || peek().kind != TokenKind::Word) unexpected("read, write or readwrite");
      next();
      buffer.access = *access;
      if (accept_word("matrix")) buffer.matrix = matrix();
    }
    if (!buffers_.emplace(buffer.name, program_.buffers.push_back(buffer)).second)
      report(at, DiagCode::Redefinition, fmt::format("there is a buffer {} already", buffer.name));
  }

  BufferMatrix matrix() {
    BufferMatrix matrix;
    matrix.outer = size("the number of rows");
    expect_word("of");
    matrix.inner = size("the length of a row");
    expect_word("stride");
    matrix.stride = size("the distance of the rows");
    return matrix;
  }

  void kernel() {
    next();
    Kernel kernel;
    kernel.name = name("the name of the kernel");
    kernel.body = program_.blocks.push_back({});
    allocations_.clear();
    rings_.clear();
    scopes_.assign(1, {});
    if (accept_word("persistent")) kernel.groups = number("the number of groups", 1, INT32_MAX);
    kernel.ranges = accept_word("ranges");
    expect_word("tasks");
    program_.blocks[kernel.body].args = kernel.ranges ? task_range(kernel) : task_domain(kernel);
    if (accept_word("group")) {
      kernel.group.workers = static_cast<std::int32_t>(number("the number of workers", 1, kMaxWorkers));
      expect_word("of");
      kernel.group.subgroup_size = static_cast<std::int32_t>(number("the subgroup size", 1, kMaxSubgroup));
    }
    expect("{");
    block_statements(kernel.body, &kernel, nullptr);
    expect("}");
    program_.kernels.push_back(std::move(kernel));
  }

  /// "(%begin to %end: tasks)"
  std::vector<ValueId> task_range(Kernel& kernel) {
    expect("(");
    const ValueId begin = definition({ScalarType::I64, 1});
    expect_word("to");
    const ValueId end = definition({ScalarType::I64, 1});
    expect(":");
    kernel.task_extents.push_back(size("the number of tasks"));
    expect(")");
    return {begin, end};
  }

  /// The extents; with the coordinates' names where they are the arguments of the body.
  std::vector<ValueId> task_domain(Kernel& kernel) {
    std::vector<ValueId> coordinates;
    expect("(");
    while (!accept(")")) {
      if (!kernel.task_extents.empty()) expect(",");
      if (kernel.groups == 0) {
        coordinates.push_back(definition({ScalarType::I64, 1}));
        expect(":");
      }
      kernel.task_extents.push_back(size("the number of tasks"));
    }
    return coordinates;
  }

  void ring_declaration(Kernel& kernel) {
    next();
    const Token at = peek();
    Ring made;
    made.name = name("the name of the ring");
    expect_word("versions");
    made.versions = static_cast<std::int32_t>(number("the number of versions", 1, kMaxRingVersions));
    expect_word("producers");
    made.producers = static_cast<std::int32_t>(number("the number of subgroups that produce", 1, kMaxWorkers));
    expect_word("consumers");
    made.consumers = static_cast<std::int32_t>(number("the number of subgroups that consume", 1, kMaxWorkers));
    if (!rings_.emplace(made.name, static_cast<std::uint32_t>(kernel.rings.size())).second)
      report(at, DiagCode::Redefinition, fmt::format("there is a ring {} already", made.name));
    kernel.rings.push_back(std::move(made));
  }

  void layout(AllocationLayout& layout) {
    if (!accept_word("row")) return;
    layout.row = size("the length of a row");
    if (accept_word("pad")) layout.pad = size("the padding of a row");
    if (!accept_word("swizzle")) return;
    layout.swizzle_bits = static_cast<std::int32_t>(number("the bits of the swizzle", 1, 16));
    layout.swizzle_base = static_cast<std::int32_t>(number("the base of the swizzle", 0, 32));
    layout.swizzle_shift = static_cast<std::int32_t>(number("the shift of the swizzle", 0, 32));
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
    if (!space || peek().kind != TokenKind::Word) unexpected("private or shared");
    next();
    made.space = *space;
    layout(made.layout);
    const AllocationId id = program_.allocations.push_back(made);
    kernel.allocations.push_back(id);
    if (buffers_.contains(made.name) || !allocations_.emplace(made.name, id).second)
      report(at, DiagCode::Redefinition, fmt::format("there is a {} already", made.name));
  }

  // ---- Statements --------------------------------------------------------------------------------------------------

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
      if (kernel != nullptr && peek().word("ring")) return ring_declaration(*kernel);
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
    } else if (at.word("tasks")) {
      task_loop(id, results);
    } else if (at.word("roles")) {
      roles(id, results);
    } else {
      OpPayload made = read_payload(*this, results);
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

  void without_results(const Token& at, const char* what, const std::vector<ResultName>& results) {
    if (!results.empty()) report(at, DiagCode::SyntaxError, fmt::format("{} gives no results", what));
  }

  void task_loop(OpId id, const std::vector<ResultName>& results) {
    const Token at = next();
    without_results(at, "a task loop", results);
    TaskLoopOp op{program_.blocks.push_back({})};
    const std::size_t outer = scopes_.size();
    scopes_.emplace_back();
    Block body;
    if (!peek().punct("{")) do {
        body.args.push_back(definition({ScalarType::I64, 1}));
      } while (accept(","));
    expect("{");
    program_.blocks[op.body] = std::move(body);
    program_.ops[id].payload = op;
    block_statements(op.body, nullptr, nullptr);
    expect("}");
    scopes_.resize(outer);
  }

  void roles(OpId id, const std::vector<ResultName>& results) {
    const Token at = next();
    without_results(at, "roles", results);
    program_.ops[id].payload = RolesOp{};
    expect("{");
    while (!peek().punct("}")) {
      Role role;
      role.name = name("the name of a role");
      role.subgroups = static_cast<std::int32_t>(number("the number of subgroups", 1, kMaxWorkers));
      role.block = program_.blocks.push_back({});
      std::get<RolesOp>(program_.ops[id].payload).roles.push_back(role);
      expect("{");
      block_statements(role.block, nullptr, nullptr);
      expect("}");
    }
    expect("}");
    check(at, id);
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

  int depth_ = 0;
};

}  // namespace

Result<Program> parse(std::string_view text, std::string_view file) {
  TW_TRY(Program program, Parser(text, file).run());
  TW_TRY_VOID(verify(program));
  return program;
}

}  // namespace tilewright::kernel
