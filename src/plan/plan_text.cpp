// One description of the fields of a plan serves printing and parsing, so that they are inverse.
#include <algorithm>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "plan/plan.h"

namespace tilewright::plan {

namespace {

constexpr std::string_view kHead = "tilewright plan 2";

/// The values of a choice; their words are those of the folder that has the type.
constexpr LaunchMapping kMappings[] = {LaunchMapping::Scalar, LaunchMapping::Elementwise, LaunchMapping::RowReduction,
                                       LaunchMapping::Cooperative, LaunchMapping::Vector};
constexpr realize::AtomFamily kFamilies[] = {realize::AtomFamily::Simdgroup8x8, realize::AtomFamily::MetalMpp};
constexpr Forwarding kForwardings[] = {Forwarding::None, Forwarding::Strict, Forwarding::Guarded};
constexpr realize::ViewKind kViews[] = {realize::ViewKind::Plain, realize::ViewKind::BoundedK,
                                        realize::ViewKind::BoundedMnk};
constexpr realize::OperationScope kScopes[] = {realize::OperationScope::Subgroup, realize::OperationScope::Group};

template <class E>
using WordOf = std::string_view (*)(E);

/// Writes the fields of a value, a line each.
class Writer {
 public:
  template <class T>
  void field(std::string_view name, const T& value) {
    text_ += fmt::format("{:{}}{} {}\n", "", indent_, name, word(value));
  }
  template <class E, std::size_t N>
  void choice(std::string_view name, E value, const E (&)[N], WordOf<E> word) {
    field(name, std::string(word(value)));
  }
  template <class T, class F>
  void list(std::string_view name, const std::vector<T>& values, F&& each) {
    for (const T& value : values) section(name, value, each);
  }
  template <class T, class F>
  void maybe(std::string_view name, const std::optional<T>& value, F&& each) {
    if (value) section(name, *value, each);
  }
  template <class T, class F>
  void one(std::string_view name, const T& value, F&& each) {
    section(name, value, each);
  }

  std::string take() { return std::move(text_); }

 private:
  template <class T, class F>
  void section(std::string_view name, const T& value, F&& each) {
    text_ += fmt::format("{:{}}{}\n", "", indent_, name);
    indent_ += 2;
    each(*this, value);
    indent_ -= 2;
  }

  static std::string word(bool value) { return value ? "true" : "false"; }
  static std::string word(const std::string& value) { return value; }
  static std::string word(const Hash128& value) { return hash_text(value); }
  static std::string word(double value) { return fmt::format("{}", value); }
  template <class Tag>
  static std::string word(Id<Tag> id) {
    return id.valid() ? fmt::format("{}", id.index) : "none";
  }
  template <class T>
    requires std::is_integral_v<T>
  static std::string word(T value) {
    return fmt::format("{}", value);
  }

  std::string text_;
  int indent_ = 0;
};

struct Fault {
  std::size_t line;
  std::string expected, found;
};

/// Reads the same fields in the same order; throws Fault inside this file alone.
class Reader {
 public:
  explicit Reader(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
  }

  template <class T>
  void field(std::string_view name, T& value) {
    const std::string_view line = here();
    const std::string start = std::string(static_cast<std::size_t>(indent_), ' ') + std::string(name) + " ";
    if (!line.starts_with(start)) fail(fmt::format("'{}' and its value", start.substr(0, start.size() - 1)));
    if (!read(line.substr(start.size()), value)) fail(fmt::format("a value that '{}' can have", name));
    ++at_;
  }
  template <class E, std::size_t N>
  void choice(std::string_view name, E& value, const E (&values)[N], WordOf<E> word) {
    std::string found;
    field(name, found);
    for (const E one : values)
      if (word(one) == found) {
        value = one;
        return;
      }
    --at_;
    fail(fmt::format("a value that '{}' can have", name));
  }
  template <class T, class F>
  void list(std::string_view name, std::vector<T>& values, F&& each) {
    while (at_head(name)) {
      values.emplace_back();
      section(values.back(), each);
    }
  }
  template <class T, class F>
  void maybe(std::string_view name, std::optional<T>& value, F&& each) {
    if (at_head(name)) section(value.emplace(), each);
  }
  template <class T, class F>
  void one(std::string_view name, T& value, F&& each) {
    if (!at_head(name)) fail(fmt::format("the section '{}'", name));
    section(value, each);
  }

  void expect_end() {
    if (at_ != lines_.size()) fail("the end of the plan");
  }

 private:
  std::string_view here() const { return at_ < lines_.size() ? lines_[at_] : std::string_view("the end of the text"); }
  [[noreturn]] void fail(std::string expected) const { throw Fault{at_ + 1, std::move(expected), std::string(here())}; }

  bool at_head(std::string_view name) const {
    return at_ < lines_.size() &&
           lines_[at_] == std::string(static_cast<std::size_t>(indent_), ' ') + std::string(name);
  }
  template <class T, class F>
  void section(T& value, F&& each) {
    ++at_;
    indent_ += 2;
    each(*this, value);
    indent_ -= 2;
  }

  static bool read(std::string_view text, std::string& value) {
    value = text;
    return !text.empty();
  }
  static bool read(std::string_view text, bool& value) {
    value = text == "true";
    return value || text == "false";
  }
  static bool read(std::string_view text, Hash128& value) {
    const auto hash = hash_from_text(text);
    if (hash) value = *hash;
    return hash.has_value();
  }
  template <class Tag>
  static bool read(std::string_view text, Id<Tag>& id) {
    id = {};
    return text == "none" || (read(text, id.index) && id.valid());
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  static bool read(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    // One spelling a value: what printing gives back.
    return error == std::errc() && end == text.data() + text.size() && fmt::format("{}", value) == text;
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  int indent_ = 0;
};

// ---- The description -----------------------------------------------------------------------------------------------

constexpr auto kMatrix = [](auto& io, auto& matrix) {
  auto& d = matrix.distribution;
  io.field("op", matrix.op);
  io.choice("scope", d.scope, kScopes, realize::operation_scope_name);
  io.field("subgroups_m", d.subgroups_m);
  io.field("subgroups_n", d.subgroups_n);
  io.field("atom_rows", d.atom_rows);
  io.field("atom_columns", d.atom_columns);
  io.field("persistent_accumulator", d.persistent_accumulator);
  io.field("direct_accumulator_store", d.direct_accumulator_store);
  io.field("a_from_view", matrix.from_view[0]);
  io.field("b_from_view", matrix.from_view[1]);
  io.choice("view", matrix.view, kViews, realize::view_kind_name);
  io.field("overwrites", matrix.overwrites);
  io.field("fuses_epilogue", matrix.fuses_epilogue);
  io.field("stores_a_prefix", matrix.stores_a_prefix);
  io.field("region", matrix.region);
  io.field("sink", matrix.sink);
};

constexpr auto kPipeline = [](auto& io, auto& pipeline) {
  io.field("region", pipeline.region);
  io.field("window", pipeline.window);
  io.field("cut", pipeline.cut);
  io.field("prefetch_scalars_per_lane", pipeline.prefetch_scalars_per_lane);
};

constexpr auto kTile = [](auto& io, auto& tile) {
  io.field("value", tile.value);
  io.field("bytes", tile.bytes);
  io.field("row_padding_elements", tile.row_padding_elements);
};

constexpr auto kRows = [](auto& io, auto& rows) {
  io.field("subgroups_per_program", rows.mapping.subgroups_per_program);
  io.field("programs_per_group", rows.mapping.programs_per_group);
  io.field("lane_elements", rows.mapping.lane_elements);
  io.field("unroll_factor", rows.mapping.unroll_factor);
  io.field("cache_inputs", rows.mapping.cache_inputs);
  io.field("striped_scalars_per_worker", rows.striped_scalars_per_worker);
};

constexpr auto kVectorCost = [](auto& io, auto& cost) {
  for (const VectorCostRow& row : vector_cost_rows()) io.field(row.name, cost.*row.member);
  io.field("score", cost.score);
};

constexpr auto kVector = [](auto& io, auto& vector) {
  auto& mapping = vector.mapping;
  io.field("lanes", mapping.lanes);
  io.field("rows", mapping.rows);
  io.field("vectors", mapping.vectors);
  io.field("unroll", mapping.unroll);
  io.field("swaps", mapping.swaps);
  io.field("depth_lanes", mapping.depth_lanes);
  io.field("packs", mapping.packs);
  io.field("group", mapping.group);
  io.field("pass", mapping.pass);
  io.field("fetch_ahead", mapping.fetch_ahead);
  io.one("cost", vector.cost, kVectorCost);
};

constexpr auto kLanes = [](auto& io, auto& lanes) {
  io.field("lanes", lanes.lanes);
  io.field("registers", lanes.registers);
  io.field("masks", lanes.masks);
};

constexpr auto kProof = [](auto& io, auto& proof) {
  io.field("family", proof.family);
  io.field("op", proof.op);
};

constexpr auto kCost = [](auto& io, auto& cost) {
  for (const CostFeatureRow& row : cost_feature_rows())
    std::visit([&](auto member) { io.field(row.name, cost.*member); }, row.member);
};

constexpr auto kOp = [](auto& io, auto& op) { io.field("op", op); };
constexpr auto kNeed = [](auto& io, auto& need) { io.field("what", need); };

constexpr auto kLaunch = [](auto& io, auto& launch) {
  io.field("number", launch.launch);
  io.choice("mapping", launch.mapping, kMappings, mapping_name);
  io.field("automatic_cooperative", launch.automatic_cooperative);
  io.field("programs", launch.programs);
  io.field("program_grid_rows", launch.program_grid_rows);
  io.field("program_grid_columns", launch.program_grid_columns);
  io.field("program_order_rows", launch.program_order_rows);
  io.field("program_order_columns", launch.program_order_columns);
  io.field("threads", launch.threads);
  io.field("shared_memory_bytes", launch.shared_memory_bytes);
  io.choice("family", launch.family, kFamilies, realize::atom_family_name);
  io.choice("forwarding", launch.forwarding, kForwardings, forwarding_name);
  io.list("view", launch.views, kOp);
  io.list("tile", launch.tiles, kTile);
  io.list("matrix", launch.matrices, kMatrix);
  io.list("pipeline", launch.pipelines, kPipeline);
  io.maybe("rows", launch.rows, kRows);
  io.maybe("vector", launch.vector, kVector);
  io.maybe("lanes", launch.lanes, kLanes);
  io.field("max_copy_batch", launch.max_copy_batch);
  io.field("coalesce_group_barriers", launch.coalesce_group_barriers);
  io.field("elide_independent_subgroup_barriers", launch.elide_independent_subgroup_barriers);
  io.field("elementwise_elements_per_program", launch.elementwise_elements_per_program);
  io.field("elementwise_scalar_temporaries", launch.elementwise_scalar_temporaries);
  io.field("cost_basis", launch.cost_basis);
  io.one("cost", launch.cost, kCost);
  io.field("optimized", launch.optimized);
  io.list("proof", launch.proofs, kProof);
};

constexpr auto kPlan = [](auto& io, auto& plan) {
  io.field("program", plan.program);
  io.field("target", plan.target);
  io.field("device", plan.device);
  io.list("needs", plan.needs, kNeed);
  io.list("launch", plan.launches, kLaunch);
};

std::string body_of(const Plan& plan) {
  Writer writer;
  kPlan(writer, plan);
  return std::string(kHead) + "\n" + writer.take();
}

/// One line of what stands in a file, short and printable.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string line;
  for (const char c : text.substr(0, kMost)) line += c >= ' ' && c <= '~' ? c : c == '\n' ? '/' : '?';
  return text.size() > kMost ? line + ".." : line;
}

Diags invalid(std::string_view label, std::size_t line, const std::string& expected, std::string_view found) {
  Diag diag{
      DiagCode::PlanInvalid,
      fmt::format("this is no plan as `plan --save-plan` writes it: expected {}, found '{}'", expected, shown(found)),
      {},
      "make the plan anew; one that was edited by hand has another digest",
      {}};
  diag.place.file = label;
  diag.place.line = static_cast<std::uint32_t>(line);
  diag.place.column = 1;
  return {std::move(diag)};
}

}  // namespace

std::string_view mapping_name(LaunchMapping mapping) {
  constexpr std::string_view kNames[] = {"scalar", "elementwise", "row_reduction", "cooperative", "vector"};
  return kNames[static_cast<std::size_t>(mapping)];
}

bool uses_proof(const LaunchPlan& launch, const proof::Finding& finding) {
  if (finding.kind != proof::Finding::Kind::Proved) return false;
  return std::any_of(launch.proofs.begin(), launch.proofs.end(), [&](const ProofUse& use) {
    return use.family == finding.family && use.op.index == finding.operation;
  });
}

std::string print_plan(const Plan& plan) {
  const std::string body = body_of(plan);
  return body + "digest " + hash_text(hash128(body)) + "\n";
}

Hash128 plan_digest(const Plan& plan) { return hash128(body_of(plan)); }

Result<Plan> parse_plan(std::string_view text, std::string_view label) {
  const std::size_t first = text.find('\n');
  if (text.substr(0, first) != kHead)
    return std::unexpected(invalid(label, 1, std::string(kHead), std::string(text.substr(0, first))));
  const std::size_t last = text.rfind("digest ");
  if (last == std::string_view::npos || last == 0 || text[last - 1] != '\n')
    return std::unexpected(invalid(label, 1, "a last line with a digest", "none"));
  const std::string_view body = text.substr(0, last);
  const std::string digest = "digest " + hash_text(hash128(body)) + "\n";
  const auto lines = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
  if (text.substr(last) != digest)
    return std::unexpected(
        invalid(label, lines + 1, "'" + digest.substr(0, digest.size() - 1) + "'", text.substr(last)));
  try {
    Plan plan;
    Reader reader(body.substr(first + 1));
    kPlan(reader, plan);
    reader.expect_end();
    // One family a launch: it stands once in the text.
    for (LaunchPlan& launch : plan.launches)
      for (MatrixPlan& matrix : launch.matrices) matrix.distribution.family = launch.family;
    return plan;
  } catch (const Fault& fault) {
    return std::unexpected(invalid(label, fault.line + 1, fault.expected, fault.found));
  }
}

}  // namespace tilewright::plan
