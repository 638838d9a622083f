// Regions: entered by the loop, closed by its end, noticed when left another way.
#include "frontend/session.h"

namespace tilewright::dsl {

static_assert(static_cast<int>(RegionKind::Parallel) == static_cast<int>(tile::RegionKind::Parallel) &&
              static_cast<int>(RegionKind::Reduce) == static_cast<int>(tile::RegionKind::Reduce));

struct RegionHandle::State {
  enum class Phase : std::uint8_t { Unused, Running, Left };

  std::shared_ptr<Session> session;
  RegionKind kind;
  std::vector<Domain> domains;
  Options options = {};
  Phase phase = Phase::Unused;
  Session::OpenedRegion opened = {};

  const Place& place() const { return domains.front().place; }

  /// A count of the pipeline as it fits the program; the verifier knows its limits.
  std::uint16_t count(int value, const char* what) const {
    if (value >= 0 && value <= 0xffff) return static_cast<std::uint16_t>(value);
    session->fault(place(), DiagCode::PipelinePolicy,
                   std::string("expected ") + what + " of 0 to 1024, found " + std::to_string(value));
    return 1;
  }

  void open() {
    tile::RegionSpec spec;
    spec.kind = static_cast<tile::RegionKind>(kind);
    spec.scope = static_cast<tile::Scope>(options.scope);
    spec.order = static_cast<tile::FoldOrder>(options.order);
    spec.window = count(options.window, "a window");
    spec.interval = count(options.interval, "an interval");
    for (const Domain& domain : domains) {
      tile::IndexId size = session->size(domain.extent, "the extent of a domain", true, domain.place);
      // The body is worth a look even then; the fault is recorded.
      if (!size.valid()) size = session->builder().index().constant(1);
      spec.domains.emplace_back(domain.name, size);
    }
    session->at(place());
    opened = session->open_region(std::move(spec));
    phase = Phase::Running;
  }
};

RegionHandle::RegionHandle(std::shared_ptr<Session> session, RegionKind kind, std::vector<Domain> domains)
    : state_(std::make_unique<State>(State{std::move(session), kind, std::move(domains)})) {}

RegionHandle::RegionHandle(RegionHandle&&) noexcept = default;

RegionHandle::~RegionHandle() {
  if (!state_ || state_->session->finished() || state_->phase == State::Phase::Left) return;
  Session& session = *state_->session;
  if (state_->phase == State::Phase::Unused) {
    session.fault(state_->place(), DiagCode::RegionBody, "this region has no body",
                  "for (auto [i] : p.serial({\"i\", n})) { .. }");
    return;
  }
  session.fault(state_->place(), DiagCode::RegionBody,
                "the body of this region is left before its end, by break, return or an exception",
                "the body is recorded once, whatever happens when the program runs: p.when(..) chooses then");
  session.close(state_->opened.block, state_->place());
}

RegionHandle::Options& RegionHandle::options() { return state_->options; }

bool RegionHandle::enter() {
  if (!state_ || !state_->session->begin_statement(state_->place())) return false;
  if (state_->phase != State::Phase::Unused) {
    state_->session->fault(state_->place(), DiagCode::RegionBody, "the body of this region is entered twice",
                           "make the region where the loop is: for (auto [i] : p.serial(..))");
    return false;
  }
  state_->open();
  return true;
}

void RegionHandle::leave() {
  if (!state_ || state_->phase != State::Phase::Running) return;
  state_->phase = State::Phase::Left;
  state_->session->close(state_->opened.block, state_->place());
}

Index RegionHandle::coordinate(std::size_t domain) const {
  IndexTerm term;
  if (state_ && domain < state_->opened.coords.size()) {
    term.kind = tile::IndexKind::Coord;
    term.value = state_->opened.coords[domain].index;
    term.session = state_->session;
    term.block = state_->opened.block;
  }
  return Index(std::make_shared<const IndexTerm>(std::move(term)));
}

}  // namespace tilewright::dsl
