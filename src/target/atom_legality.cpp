#include "target/atom_legality.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "support/checked_math.h"

namespace tilewright::target {

namespace {

constexpr std::array<std::string_view, 19> kRuleNames = {
    "listed",        "target",         "subgroup_size", "needs",      "positive",     "row_extent", "column_extent",
    "either_extent", "static_k",       "dynamic_k",     "scope",      "participants", "elements",   "operand_storage",
    "load_storage",  "result_storage", "mode",          "group_size", "known_hazard"};

using Refusal = std::optional<AtomRefusal>;

bool follows(const ExtentRule& rule, std::int64_t extent) {
  return extent >= rule.least && extent <= rule.greatest && extent % rule.multiple_of == 0;
}

std::string rule_text(const ExtentRule& rule) {
  if (rule.is_exact()) return fmt::format("exactly {}", rule.least);
  std::string text = rule.multiple_of == 1 ? "any" : fmt::format("multiples of {}", rule.multiple_of);
  if (rule.least > rule.multiple_of) text += fmt::format(" from {}", rule.least);
  if (rule.greatest != ExtentRule::kUnlimited) text += fmt::format(" up to {}", rule.greatest);
  return text;
}

std::vector<NamedNumber> rule_numbers(std::string_view letter, std::int64_t extent, const ExtentRule& rule) {
  std::vector<NamedNumber> numbers = {{letter, extent}, {"multiple_of", rule.multiple_of}, {"least", rule.least}};
  if (rule.greatest != ExtentRule::kUnlimited) numbers.push_back({"greatest", rule.greatest});
  return numbers;
}

Refusal refuse_positive(const AtomShape& shape) {
  const NamedNumber numbers[] = {{"m", shape.m},
                                 {"n", shape.n},
                                 {"k", shape.k},
                                 {"subgroups", shape.subgroups},
                                 {"group_subgroups", shape.group_subgroups}};
  for (const NamedNumber& number : numbers)
    if (number.value < 1)
      return AtomRefusal{
          AtomRule::Positive, fmt::format("{} = {}: at least 1 is needed", number.name, number.value), {number}};
  return std::nullopt;
}

Refusal refuse_extent(const AtomDescriptor& atom, AtomRule which, std::string_view letter, std::int64_t extent,
                      const ExtentRule& rule) {
  if (follows(rule, extent)) return std::nullopt;
  return AtomRefusal{which,
                     fmt::format("{} = {}{}: {} takes {}", letter, extent,
                                 rule.unit == ExtentUnit::Vectors ? " vectors" : "", atom.name, rule_text(rule)),
                     rule_numbers(letter, extent, rule)};
}

Refusal refuse_either(const AtomDescriptor& atom, const AtomShape& shape) {
  const std::int64_t step = atom.extents.m_or_n_multiple_of;
  if (shape.m % step == 0 || shape.n % step == 0) return std::nullopt;
  return AtomRefusal{AtomRule::EitherExtent,
                     fmt::format("m = {} and n = {}: {} takes no pair in which neither is a multiple of {}", shape.m,
                                 shape.n, atom.name, step),
                     {{"m", shape.m}, {"n", shape.n}, {"m_or_n_multiple_of", step}}};
}

Refusal refuse_contraction(const AtomDescriptor& atom, const AtomShape& shape) {
  const ExtentsRule& rule = atom.extents;
  if (!shape.static_k) {
    if (rule.dynamic_k) return std::nullopt;
    return AtomRefusal{
        AtomRule::DynamicK,
        fmt::format("k = {} as an argument: {} takes k only as part of the operation", shape.k, atom.name),
        {{"k", shape.k}}};
  }
  if (!rule.static_k)
    return AtomRefusal{AtomRule::StaticK,
                       fmt::format("static k = {}: {} takes k only as an argument", shape.k, atom.name),
                       {{"k", shape.k}}};
  Refusal refusal = refuse_extent(atom, AtomRule::StaticK, "k", shape.k, *rule.static_k);
  if (refusal) {
    refusal->reason = "static " + refusal->reason;
    if (rule.dynamic_k) refusal->reason += "; as an argument k may be any";
  }
  return refusal;
}

std::string participants_text(const AtomDescriptor& atom) {
  std::string text;
  for (const AtomParticipants& one : atom.participants) {
    if (!text.empty()) text += " or ";
    switch (one.scope) {
      case AtomScope::Worker:
        text += "one worker";
        break;
      case AtomScope::Subgroup:
        text += "one subgroup";
        break;
      case AtomScope::Subgroups:
        text += fmt::format("{} subgroups", one.count);
        break;
      case AtomScope::Group:
        text += "all subgroups of the group";
        break;
    }
  }
  return text;
}

Refusal refuse_participants(const AtomDescriptor& atom, const AtomShape& shape) {
  const auto at = std::find_if(atom.participants.begin(), atom.participants.end(),
                               [&](const AtomParticipants& one) { return one.scope == shape.scope; });
  if (at == atom.participants.end())
    return AtomRefusal{
        AtomRule::Scope,
        fmt::format("scope {}: {} is executed by {}", kAtomScopeNames[static_cast<std::size_t>(shape.scope)], atom.name,
                    participants_text(atom)),
        {}};
  const std::int64_t expected = shape.scope == AtomScope::Group ? shape.group_subgroups : at->count;
  if (shape.subgroups == expected && shape.subgroups <= shape.group_subgroups) return std::nullopt;
  return AtomRefusal{
      AtomRule::Participants,
      fmt::format("{} of the {} subgroups of the group, with scope {}: {} is executed by {}", shape.subgroups,
                  shape.group_subgroups, kAtomScopeNames[static_cast<std::size_t>(shape.scope)], atom.name,
                  participants_text(atom)),
      {{"subgroups", shape.subgroups}, {"group_subgroups", shape.group_subgroups}}};
}

std::string storages_text(const std::vector<AtomStorage>& storages) {
  std::string text;
  for (AtomStorage storage : storages)
    text += (text.empty() ? "" : " or ") + std::string(kAtomStorageNames[static_cast<std::size_t>(storage)]);
  return text.empty() ? "nothing" : text;
}

bool contains(const std::vector<AtomStorage>& storages, AtomStorage storage) {
  return std::find(storages.begin(), storages.end(), storage) != storages.end();
}

Refusal refuse_group_size(const DeviceProfile& device, const AtomDescriptor& atom, const AtomShape& shape) {
  if (!device.limits.subgroup_size || !device.limits.max_threads_per_group) return std::nullopt;
  const std::int64_t size = device.limits.subgroup_size->value, limit = device.limits.max_threads_per_group->value;
  const auto threads = checked_mul(shape.group_subgroups, size);
  if (threads && *threads <= limit) return std::nullopt;
  return AtomRefusal{
      AtomRule::GroupSize,
      fmt::format("a group of {} subgroups of {} for {}: {} takes at most {} workers a group", shape.group_subgroups,
                  size, atom.name, device.name, limit),
      {{"group_subgroups", shape.group_subgroups}, {"subgroup_size", size}, {"max_threads_per_group", limit}}};
}

Refusal refuse_hazard(const DeviceProfile& device, const AtomDescriptor& atom, const AtomShape& shape) {
  const bool tensor = atom.needs && atom.needs->capability == Capability::MetalMpp;
  if (!tensor || !shape.static_k || shape.k % kStaticKStep == 0) return std::nullopt;
  const auto hazard = device.hazards.find(Hazard::StaticKTruncated);
  if (hazard == device.hazards.end()) return std::nullopt;
  return AtomRefusal{
      AtomRule::KnownHazard,
      fmt::format("static k = {} is no multiple of {}, and {} has the hazard {}: {}; as an argument k may "
                  "be any",
                  shape.k, kStaticKStep, device.name, hazard_name(Hazard::StaticKTruncated),
                  hazard->second.explanation),
      {{"k", shape.k}, {"multiple_of", kStaticKStep}}};
}

}  // namespace

std::string_view atom_rule_name(AtomRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

std::optional<AtomRefusal> why_illegal(const AtomDescriptor& atom, const AtomShape& shape) {
  if (Refusal refusal = refuse_positive(shape)) return refusal;
  if (Refusal refusal = refuse_extent(atom, AtomRule::RowExtent, "m", shape.m, atom.extents.m)) return refusal;
  if (Refusal refusal = refuse_extent(atom, AtomRule::ColumnExtent, "n", shape.n, atom.extents.n)) return refusal;
  if (Refusal refusal = refuse_either(atom, shape)) return refusal;
  if (Refusal refusal = refuse_contraction(atom, shape)) return refusal;
  return refuse_participants(atom, shape);
}

std::optional<AtomRefusal> why_elements_illegal(const AtomDescriptor& atom, const AtomElements& elements) {
  if (std::find(atom.elements.begin(), atom.elements.end(), elements) != atom.elements.end()) return std::nullopt;
  const auto text = [](const AtomElements& e) {
    return fmt::format("{} x {} -> {}", data_type_name(e.a), data_type_name(e.b), data_type_name(e.accumulator));
  };
  std::string known;
  for (const AtomElements& one : atom.elements) known += (known.empty() ? "" : ", ") + text(one);
  return AtomRefusal{AtomRule::Elements, fmt::format("{}: {} takes {}", text(elements), atom.name, known), {}};
}

std::optional<AtomRefusal> why_operand_illegal(const AtomDescriptor& atom, AtomStorage storage,
                                               std::optional<AtomStorage> loaded_from) {
  const auto name = [](AtomStorage s) { return kAtomStorageNames[static_cast<std::size_t>(s)]; };
  if (!contains(atom.operands, storage))
    return AtomRefusal{
        AtomRule::OperandStorage,
        fmt::format("an operand in {} storage: {} reads {}", name(storage), atom.name, storages_text(atom.operands)),
        {}};
  if (!loaded_from) return std::nullopt;
  if (!is_register(storage))
    return AtomRefusal{AtomRule::LoadStorage,
                       fmt::format("an operand in {} storage is read in place and not loaded from {}", name(storage),
                                   name(*loaded_from)),
                       {}};
  if (contains(atom.loads_from, *loaded_from)) return std::nullopt;
  return AtomRefusal{AtomRule::LoadStorage,
                     fmt::format("an operand loaded from {} storage: {} loads from {}", name(*loaded_from), atom.name,
                                 storages_text(atom.loads_from)),
                     {}};
}

std::optional<AtomRefusal> why_result_illegal(const AtomDescriptor& atom, AtomStorage storage) {
  if (contains(atom.results, storage)) return std::nullopt;
  return AtomRefusal{
      AtomRule::ResultStorage,
      fmt::format("a result in {} storage: {} gives {}", kAtomStorageNames[static_cast<std::size_t>(storage)],
                  atom.name, storages_text(atom.results)),
      {}};
}

std::optional<AtomRefusal> why_mode_illegal(const AtomDescriptor& atom, AtomMode mode) {
  if (std::find(atom.modes.begin(), atom.modes.end(), mode) != atom.modes.end()) return std::nullopt;
  return AtomRefusal{AtomRule::Mode,
                     fmt::format("{} is no mode of {}", kAtomModeNames[static_cast<std::size_t>(mode)], atom.name),
                     {}};
}

std::optional<AtomRefusal> why_unavailable(const DeviceProfile& device, const AtomDescriptor& atom) {
  if (find_atom(device, atom.name) == nullptr)
    return AtomRefusal{AtomRule::Listed, fmt::format("{} does not list {}", device.name, atom.name), {}};
  if (atom.target && *atom.target != device.kind)
    return AtomRefusal{AtomRule::Target,
                       fmt::format("{} is an atom of {} devices, and {} is a {} device", atom.name,
                                   device_kind_name(*atom.target), device.name, device_kind_name(device.kind)),
                       {}};
  if (atom.subgroup_size) {
    const std::int64_t size = device.limits.subgroup_size ? device.limits.subgroup_size->value : 1;
    if (size != *atom.subgroup_size)
      return AtomRefusal{AtomRule::SubgroupSize,
                         fmt::format("{} needs subgroups of {}, and {} has subgroups of {}", atom.name,
                                     *atom.subgroup_size, device.name, size),
                         {{"needed", *atom.subgroup_size}, {"subgroup_size", size}}};
  }
  if (!atom.needs) return std::nullopt;
  const std::int64_t version = capability_version(device, atom.needs->capability);
  if (version >= atom.needs->version) return std::nullopt;
  return AtomRefusal{
      AtomRule::Needs,
      fmt::format("{} needs {} version {}, and {} has {}", atom.name, capability_name(atom.needs->capability),
                  atom.needs->version, device.name, version == 0 ? "none" : fmt::format("version {}", version)),
      {{"needed", atom.needs->version}, {"version", version}}};
}

std::optional<AtomRefusal> why_illegal_on(const DeviceProfile& device, const AtomDescriptor& atom,
                                          const AtomShape& shape) {
  if (Refusal refusal = why_unavailable(device, atom)) return refusal;
  if (Refusal refusal = why_illegal(atom, shape)) return refusal;
  if (Refusal refusal = refuse_group_size(device, atom, shape)) return refusal;
  return refuse_hazard(device, atom, shape);
}

}  // namespace tilewright::target
