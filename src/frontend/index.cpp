// Index expressions as C++ values.
#include "frontend/terms.h"
#include "tile/parser.h"

namespace tilewright::dsl {

namespace {

using tile::IndexKind;

std::shared_ptr<const IndexTerm> constant_term(std::int64_t value) {
  IndexTerm term;
  term.value = value;
  return std::make_shared<const IndexTerm>(std::move(term));
}

Index index_op(IndexKind kind, const Index& a, const Index& b) {
  IndexTerm term;
  term.kind = kind;
  const IndexTerm& lhs = *a.term();
  const IndexTerm& rhs = *b.term();
  term.terms = lhs.terms + rhs.terms + 1;
  term.fault = lhs.fault != IndexTerm::Fault::None ? lhs.fault : rhs.fault;
  if (term.terms > tile::kMaxIndexTerms && term.fault == IndexTerm::Fault::None)
    term.fault = IndexTerm::Fault::TooLarge;
  term.session = lhs.session ? lhs.session : rhs.session;
  if (term.fault != IndexTerm::Fault::None) {
    // The operands are dropped, so that no tree grows without bound.
    term.terms = 1;
    return Index(std::make_shared<const IndexTerm>(std::move(term)));
  }
  term.lhs = a.term();
  term.rhs = b.term();
  return Index(std::make_shared<const IndexTerm>(std::move(term)));
}

}  // namespace

Index::Index(std::int64_t value, bool fits) : term_(constant_term(value)) {
  if (fits) return;
  IndexTerm term;
  term.fault = IndexTerm::Fault::OutOfRange;
  term_ = std::make_shared<const IndexTerm>(std::move(term));
}

Index operator+(const Index& a, const Index& b) { return index_op(IndexKind::Add, a, b); }
Index operator-(const Index& a, const Index& b) { return index_op(IndexKind::Sub, a, b); }
Index operator*(const Index& a, const Index& b) { return index_op(IndexKind::Mul, a, b); }
Index operator/(const Index& a, const Index& b) { return index_op(IndexKind::FloorDiv, a, b); }
Index operator%(const Index& a, const Index& b) { return index_op(IndexKind::Mod, a, b); }
Index operator&(const Index& a, const Index& b) { return index_op(IndexKind::BitAnd, a, b); }
Index operator^(const Index& a, const Index& b) { return index_op(IndexKind::BitXor, a, b); }
Index operator<<(const Index& a, const Index& b) { return index_op(IndexKind::ShiftLeft, a, b); }
Index operator>>(const Index& a, const Index& b) { return index_op(IndexKind::ShiftRight, a, b); }
Index operator-(const Index& a) { return index_op(IndexKind::Sub, Index(0), a); }
Index ceildiv(const Index& a, const Index& b) { return index_op(IndexKind::CeilDiv, a, b); }
Index max(const Index& a, const Index& b) { return index_op(IndexKind::Max, a, b); }
Index min(const Index& a, const Index& b) { return index_op(IndexKind::Min, a, b); }

}  // namespace tilewright::dsl
