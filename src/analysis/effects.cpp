#include "analysis/effects.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace tilewright::analysis {

using tile::ObjectId;
using tile::ObjectKind;
using tile::OpId;

namespace {

/// Objects that an opaque call may touch: every buffer, and memory whose address some opaque call has been given.
std::set<ObjectId> over_opaque_reach(const tile::Program& program) {
  std::set<ObjectId> reach;
  for (ObjectId id : program.objects().ids()) {
    const tile::Object& object = program.object(id);
    if (object.kind != ObjectKind::Memory && !object.scalar_input()) reach.insert(id);
  }
  for (const tile::Op& op : program.ops())
    if (const auto* call = std::get_if<tile::OpaqueOp>(&op.payload))
      for (ObjectId id : program.list(call->objects)) reach.insert(id);
  return reach;
}

class EffectCollector {
 public:
  explicit EffectCollector(const tile::Program& program) : program_(program) {}

  void add(OpId op) {
    std::visit(
        tile::Overloaded{[&](const tile::LoadOp& p) { reads_.insert(p.object); },
                         [&](const tile::StoreOp& p) { writes_.insert(p.object); },
                         [&](const tile::MemoryOp& p) { allocates_.insert(p.object); },
                         [&](const tile::BarrierOp&) { barriers_.push_back(op); },
                         [&](const tile::OpaqueOp&) { opaque_.push_back(op); },
                         [&](const tile::RegionOp& p) { add_block(p.body); },
                         [&](const tile::IfOp& p) {
                           add_block(p.then_block);
                           add_block(p.else_block);
                         },
                         [](const tile::ConstantOp&) {}, [](const tile::IndexValueOp&) {}, [](const tile::UnaryOp&) {},
                         [](const tile::BinaryOp&) {}, [](const tile::SelectOp&) {}, [](const tile::CastOp&) {},
                         [](const tile::BroadcastOp&) {}, [](const tile::ReindexOp&) {}, [](const tile::GatherOp&) {},
                         [](const tile::ReduceOp&) {}, [](const tile::MmaOp&) {}, [](const tile::StageCutOp&) {}},
        program_.op(op).payload);
  }

  Effects take() {
    if (!opaque_.empty()) {
      const auto reach = over_opaque_reach(program_);
      reads_.insert(reach.begin(), reach.end());
      writes_.insert(reach.begin(), reach.end());
    }
    return {{reads_.begin(), reads_.end()},
            {writes_.begin(), writes_.end()},
            {allocates_.begin(), allocates_.end()},
            std::move(opaque_),
            std::move(barriers_)};
  }

 private:
  void add_block(tile::BlockId block) {
    for (OpId op : program_.block(block).ops) add(op);
  }

  const tile::Program& program_;
  std::set<ObjectId> reads_, writes_, allocates_;
  std::vector<OpId> opaque_, barriers_;
};

}  // namespace

Effects effects_of(const tile::Program& program, OpId op) {
  EffectCollector collector(program);
  collector.add(op);
  return collector.take();
}

std::vector<Effects> launch_effects(const tile::Program& program, const Walk& walk) {
  std::vector<Effects> all;
  for (OpId launch : walk.launches) all.push_back(effects_of(program, launch));
  return all;
}

std::string AliasPromise::premise() const {
  if (!holds()) return {};
  return origin == Origin::Caller ? "distinct buffer arguments do not overlap (promised by the caller)"
                                  : "distinct buffer arguments do not overlap (checked at launch)";
}

bool is_external_buffer(const tile::Object& object) {
  return object.kind != ObjectKind::Temp && object.kind != ObjectKind::Memory && !object.scalar_input();
}

bool may_alias(const tile::Program& program, ObjectId a, ObjectId b, const AliasPromise& promise) {
  if (a == b) return true;
  return !promise.holds() && is_external_buffer(program.object(a)) && is_external_buffer(program.object(b));
}

std::vector<std::vector<ObjectId>> alias_classes(const tile::Program& program, const AliasPromise& promise) {
  std::vector<std::vector<ObjectId>> classes;
  for (ObjectId id : program.objects().ids()) {
    const auto same = std::find_if(classes.begin(), classes.end(), [&](const std::vector<ObjectId>& members) {
      return may_alias(program, members[0], id, promise);
    });
    if (same == classes.end())
      classes.push_back({id});
    else
      same->push_back(id);
  }
  return classes;
}

std::optional<MutableReason> why_maybe_mutable(const tile::Program& program, const Walk& walk, ObjectId object,
                                               std::uint32_t launch, const AliasPromise& promise) {
  using Kind = MutableReason::Kind;
  if (program.object(object).kind == ObjectKind::Memory) return MutableReason{Kind::ExplicitMemory, {}, {}};
  for (OpId op : walk.order) {
    if (walk.places[op].launch != launch) continue;
    if (std::holds_alternative<tile::OpaqueOp>(program.op(op).payload)) return MutableReason{Kind::OpaqueCall, op, {}};
    const auto* store = std::get_if<tile::StoreOp>(&program.op(op).payload);
    if (store == nullptr || !may_alias(program, store->object, object, promise)) continue;
    return MutableReason{store->object == object ? Kind::Written : Kind::AliasWritten, op, store->object};
  }
  return std::nullopt;
}

bool surely_immutable(const tile::Program& program, const Walk& walk, ObjectId object, std::uint32_t launch,
                      const AliasPromise& promise) {
  return !why_maybe_mutable(program, walk, object, launch, promise).has_value();
}

std::string to_text(const tile::Program& program, const MutableReason& reason) {
  switch (reason.kind) {
    case MutableReason::Kind::ExplicitMemory:
      return "explicit memory may be written at any time";
    case MutableReason::Kind::Written:
      return fmt::format("'{}' is stored to in this launch", program.object(reason.other).name);
    case MutableReason::Kind::AliasWritten:
      return fmt::format("'{}' is stored to in this launch and may overlap it", program.object(reason.other).name);
    case MutableReason::Kind::OpaqueCall:
      return "an opaque call in this launch may write anything";
  }
  return {};
}

}  // namespace tilewright::analysis
