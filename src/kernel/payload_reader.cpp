#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernel/constants.h"
#include "kernel/names.h"
#include "kernel/text_reader.h"
#include "support/number_text.h"

namespace tilewright::kernel {

namespace {

class PayloadReader {
 public:
  explicit PayloadReader(TextReader& in) : in_(in) {}

  OpPayload payload(const std::vector<ResultName>& results) {
    if (in_.peek().kind != TokenKind::Word) in_.unexpected("an operation");
    const std::string word = in_.peek().text;
    if (word == "const") return constant(results);
    if (word == "iota") return in_.next(), OpPayload(IotaOp{});
    if (word == "load") return load();
    if (word == "store") return store();
    if (word == "prefetch") return prefetch();
    if (const auto kind = unary_from_name(word)) return in_.next(), OpPayload(UnaryOp{*kind, in_.operand()});
    if (const auto kind = fold_from_name(word)) return in_.next(), OpPayload(FoldLanesOp{*kind, in_.operand()});
    if (word == "cast") return in_.next(), OpPayload(CastOp{in_.operand()});
    if (word == "splat") return in_.next(), OpPayload(SplatOp{in_.operand()});
    if (const auto kind = binary_from_name(word)) {
      const auto [lhs, rhs] = two_operands();
      return BinaryOp{*kind, lhs, rhs};
    }
    if (const auto kind = compare_from_name(word)) {
      const auto [lhs, rhs] = two_operands();
      return CompareOp{*kind, lhs, rhs};
    }
    if (word == "zip_low" || word == "zip_high") {
      const auto [lhs, rhs] = two_operands();
      return ZipOp{lhs, rhs, word == "zip_high"};
    }
    if (word == "select" || word == "fma") {
      const auto [a, b] = two_operands();
      const ValueId c = (in_.expect(","), in_.operand());
      return word == "fma" ? OpPayload(FmaOp{a, b, c}) : OpPayload(SelectOp{a, b, c});
    }
    if (word == "extract") return extract();
    return group_payload(word);
  }

 private:
  /// What the workers of a group do together (kernel/group_ops.h).
  OpPayload group_payload(const std::string& word) {
    if (word == "group") return in_.next(), OpPayload(GroupOrdinalOp{});
    if (const auto query = worker_query_from_name(word)) return in_.next(), OpPayload(WorkerOp{*query});
    if (const auto kind = subgroup_reduce_from_name(word))
      return in_.next(), OpPayload(SubgroupReduceOp{*kind, in_.operand()});
    if (const auto kind = shuffle_from_name(word)) return shuffle(*kind);
    if (word == "fragment_fill") return in_.next(), OpPayload(FragmentFillOp{in_.operand()});
    if (word == "fragment_load") return fragment_load();
    if (word == "fragment_store") return fragment_store();
    if (const auto axis = fragment_axis_from_name(word)) return in_.next(), OpPayload(FragmentCoordinateOp{*axis});
    if (word == "atom") return atom();
    if (word == "fence") return fence();
    if (word == "async_copy") return async_copy();
    if (word == "wait") return wait();
    if (const auto action = ring_action_from_name(word)) return ring(*action);
    in_.unexpected("an operation");
  }

  ValueId index() {
    in_.expect("[");
    const ValueId at = in_.operand();
    in_.expect("]");
    return at;
  }
  ValueId after_word(std::string_view word) {
    in_.expect_word(word);
    return in_.operand();
  }
  Participants participants() {
    const auto who = participants_from_name(in_.peek().text);
    if (!who || in_.peek().kind != TokenKind::Word) in_.unexpected("subgroup or group");
    in_.next();
    return *who;
  }

  OpPayload shuffle(ShuffleKind kind) {
    in_.next();
    const ValueId operand = in_.operand();
    in_.expect(",");
    return ShuffleOp{kind, operand, static_cast<std::uint16_t>(in_.number("the lane", 0, kMaxSubgroup - 1))};
  }

  FragmentPart part() {
    FragmentPart part;
    if (!in_.accept_word("rows")) return part;
    part.rows = in_.operand();
    part.columns = after_word("columns");
    return part;
  }

  OpPayload fragment_load() {
    in_.next();
    FragmentLoadOp op;
    if (in_.accept_word("together")) op.participants = Participants::Group;
    op.memory = in_.memory();
    op.index = index();
    op.row_stride = after_word("stride");
    op.part = part();
    op.transposed = in_.accept_word("transposed");
    return op;
  }

  OpPayload fragment_store() {
    in_.next();
    FragmentStoreOp op;
    if (in_.accept_word("together")) op.participants = Participants::Group;
    op.memory = in_.memory();
    op.index = index();
    op.row_stride = after_word("stride");
    op.part = part();
    op.transposed = in_.accept_word("transposed");
    in_.expect("=");
    op.fragment = in_.operand();
    return op;
  }

  AtomOperand atom_operand() {
    AtomOperand operand;
    if (!in_.accept_word("view")) {
      operand.fragment = in_.operand();
      return operand;
    }
    operand.view.memory = in_.memory();
    operand.view.index = index();
    operand.view.row_stride = after_word("stride");
    operand.view.rows = after_word("rows");
    operand.view.columns = after_word("columns");
    operand.view.transposed = in_.accept_word("transposed");
    if (!in_.accept_word("inner")) return operand;
    operand.view.origin.inner = in_.operand();
    operand.view.origin.outer = after_word("outer");
    in_.expect_word("step");
    operand.view.origin.step = in_.number("the most of k", 1, kMaxAtomDepth);
    return operand;
  }

  OpPayload atom() {
    in_.next();
    AtomOp op;
    op.atom = in_.name("the name of an atom");
    in_.expect_word("m");
    op.m = in_.number("m", 1, kMaxFragmentExtent);
    in_.expect_word("n");
    op.n = in_.number("n", 1, kMaxFragmentExtent);
    in_.expect_word("k");
    op.k_is_static = !in_.accept_word("dynamic");
    op.k = in_.operand();
    op.participants = participants();
    op.relaxed = in_.accept_word("relaxed");
    in_.expect_word("a");
    op.a = atom_operand();
    in_.expect_word("b");
    op.b = atom_operand();
    if (in_.accept_word("c")) op.c = in_.operand();
    return op;
  }

  OpPayload fence() {
    in_.next();
    FenceOp op;
    op.identity = static_cast<std::uint32_t>(in_.number("the number of the fence", 0, UINT32_MAX));
    const auto origin = fence_origin_from_name(in_.peek().text);
    if (!origin || in_.peek().kind != TokenKind::Word) in_.unexpected("compiler or user");
    in_.next();
    op.origin = *origin;
    op.participants = op.scope = participants();
    if (in_.accept_word("scope")) op.scope = participants();
    if (in_.accept_word("orders")) {
      op.memory.shared = in_.accept_word("shared");
      op.memory.device = in_.accept_word("device");
      if (!op.memory.shared && !op.memory.device) in_.unexpected("shared or device");
    }
    if (in_.accept_word("async")) op.proxy = FenceProxy::Async;
    return op;
  }

  OpPayload async_copy() {
    in_.next();
    AsyncCopyOp op;
    op.destination = in_.memory();
    op.destination_index = index();
    in_.expect("=");
    op.source = in_.memory();
    op.source_index = index();
    op.count = after_word("count");
    op.cooperative = in_.accept_word("together");
    if (op.cooperative) op.participants = participants();
    return op;
  }

  OpPayload wait() {
    in_.next();
    WaitOp op;
    do {
      op.tokens.push_back(in_.operand());
    } while (in_.accept(","));
    return op;
  }

  OpPayload ring(RingAction action) {
    in_.next();
    RingOp op{action, in_.ring(), {}};
    op.step = index();
    return op;
  }

  std::pair<ValueId, ValueId> two_operands() {
    in_.next();
    const ValueId lhs = in_.operand();
    in_.expect(",");
    return {lhs, in_.operand()};
  }

  OpPayload extract() {
    in_.next();
    const ValueId vector = in_.operand();
    in_.expect(",");
    const Token at = in_.peek();
    const std::int64_t lane = in_.integer("a lane");
    if (lane < 0 || lane >= kMaxLanes) {
      in_.report(at, DiagCode::LiteralOutOfRange, fmt::format("lane {} is not in 0..{}", lane, kMaxLanes - 1));
      throw SyntaxFault{};
    }
    return ExtractOp{vector, static_cast<std::uint16_t>(lane)};
  }

  OpPayload load() {
    in_.next();
    LoadOp op{in_.memory(), {}, {}};
    in_.expect("[");
    op.index = in_.operand();
    in_.expect("]");
    op.mask = optional_mask();
    return op;
  }

  OpPayload store() {
    in_.next();
    StoreOp op{in_.memory(), {}, {}, {}};
    in_.expect("[");
    op.index = in_.operand();
    in_.expect("]");
    in_.expect("=");
    op.value = in_.operand();
    op.mask = optional_mask();
    return op;
  }

  OpPayload prefetch() {
    in_.next();
    PrefetchOp op{in_.memory(), {}};
    in_.expect("[");
    op.index = in_.operand();
    in_.expect("]");
    if (in_.peek().word("near")) {
      in_.next();
      op.near = true;
    }
    return op;
  }

  ValueId optional_mask() {
    if (!in_.peek().word("mask")) return {};
    in_.next();
    return in_.operand();
  }

  OpPayload constant(const std::vector<ResultName>& results) {
    in_.next();
    if (results.size() != 1) in_.fail(in_.peek(), "a constant has one result");
    const ScalarType type = results[0].type.scalar;
    if (is_float_scalar(type)) return ConstOp{float_literal(type)};
    if (type == ScalarType::I1 && (in_.peek().word("true") || in_.peek().word("false")))
      return ConstOp{in_.next().word("true")};
    const Token at = in_.peek();
    const std::int64_t value = in_.integer(type == ScalarType::I1 ? "true or false" : "an integer");
    if (constant_fits(type, value)) return ConstOp{value};
    in_.report(at, DiagCode::LiteralOutOfRange, fmt::format("{} does not fit {}", value, scalar_name(type)));
    return ConstOp{0};
  }

  std::int64_t float_literal(ScalarType type) {
    const Token token = in_.peek();
    const bool special = token.word("nan") || token.word("inf");
    if (token.kind != TokenKind::Number && !special) in_.unexpected("a number");
    in_.next();
    // F32 straight from the text: by way of double it would round twice.
    const NumberResult<double> value =
        type == ScalarType::F32 ? NumberResult<double>(parse_float(token.text)) : parse_double(token.text);
    if (!value && value.error() == NumberFault::Malformed)
      in_.fail(token, fmt::format("'{}' is no number", token.text));
    const std::int64_t bits = float_constant(type, value.value_or(0));
    const bool overflows = !value || (std::isfinite(*value) && std::isinf(float_of_constant(bits)));
    if (overflows)
      in_.report(token, DiagCode::LiteralOutOfRange, fmt::format("{} does not fit {}", token.text, scalar_name(type)));
    return bits;
  }

  TextReader& in_;
};

}  // namespace

OpPayload read_payload(TextReader& in, const std::vector<ResultName>& results) {
  return PayloadReader(in).payload(results);
}

}  // namespace tilewright::kernel
