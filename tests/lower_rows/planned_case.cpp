#include "lower_rows/planned_case.h"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "kernel/printer.h"
#include "kernel/verifier.h"
#include "lower/lower_planned.h"
#include "realize/admission.h"
#include "realize/elementwise.h"
#include "realize_rows/row_cases.h"
#include "tile/bind.h"

namespace tilewright::lower::testing {

using tile::testing::Trial;

namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kGuardByte{0xa5};

plan::Plan scalar_plan(const proof::Subject& subject) {
  plan::Plan plan;
  plan.program = subject.hash;
  for (std::uint32_t launch = 0; launch < subject.walk.launches.size(); ++launch) {
    plan::LaunchPlan scalar;
    scalar.launch = launch;
    const auto grid = realize::launch_grid(subject, launch);
    if (!grid) throw std::runtime_error(grid.error().reason);
    scalar.programs = grid->programs;
    scalar.threads = 1;
    plan.launches.push_back(scalar);
  }
  return plan;
}

/// A buffer of the kernels: the elements between two guards.
struct KernelBuffer {
  std::vector<std::byte> bytes;
  std::byte* base() { return bytes.data() + kGuardBytes; }
  bool guards_stand() const {
    const auto is_guard = [](std::byte byte) { return byte == kGuardByte; };
    return std::all_of(bytes.begin(), bytes.begin() + kGuardBytes, is_guard) &&
           std::all_of(bytes.end() - kGuardBytes, bytes.end(), is_guard);
  }
};

class Run {
 public:
  Run(Trial& trial, const kernel::Program& program, double poison) : trial_(trial), program_(program), poison_(poison) {
    for (const kernel::Buffer& buffer : program.buffers) add(buffer);
  }

  std::string run(std::vector<kernel::Counts>* counts) {
    std::vector<std::byte*> bases;
    for (KernelBuffer& buffer : buffers_) bases.push_back(buffer.base());
    auto made = kernel::interpret(program_, bases);
    if (!made) return render(made.error());
    if (counts != nullptr) *counts = *std::move(made);
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (!buffers_[i].guards_stand()) return program_.buffers.begin()[i].name + ": a guard was written";
    return {};
  }

  std::string compare(const std::map<tile::ObjectId, tile::ExactOutput>& exact) {
    std::size_t index = 0;
    for (const kernel::Buffer& buffer : program_.buffers) {
      KernelBuffer& made = buffers_[index++];
      if (buffer.kind == kernel::BufferKind::Temporary) continue;
      const tile::ObjectId id = trial_.id(buffer.name);
      const auto expected = exact.find(id);
      const std::string fault =
          expected == exact.end() ? compare_input(buffer, made) : compare_output(buffer, made, expected->second);
      if (!fault.empty()) return fault;
    }
    return {};
  }

 private:
  void add(const kernel::Buffer& buffer) {
    KernelBuffer made;
    const std::size_t bytes = static_cast<std::size_t>(buffer.count) * kernel::scalar_bytes(buffer.scalar);
    made.bytes.assign(bytes + 2 * kGuardBytes, kGuardByte);
    if (buffer.kind != kernel::BufferKind::Temporary) {
      tile::testing::Buffer& source = trial_.buffer(buffer.name);
      tile::testing::Buffer elements = source;
      if (trial_.program().object(trial_.id(buffer.name)).kind == tile::ObjectKind::Out)
        for (std::int64_t i = 0; i < elements.view.elements; ++i) elements.set(i, poison_);
      if (elements.bytes.size() != bytes) throw std::runtime_error("size of " + buffer.name);
      if (bytes > 0) std::memcpy(made.base(), elements.bytes.data(), bytes);
    }
    buffers_.push_back(std::move(made));
  }

  std::string compare_input(const kernel::Buffer& buffer, KernelBuffer& made) {
    const auto& given = trial_.buffer(buffer.name).bytes;
    const bool same = given.empty() || std::memcmp(made.base(), given.data(), given.size()) == 0;
    return same ? std::string() : buffer.name + " is an input, and changed";
  }

  std::string compare_output(const kernel::Buffer& buffer, KernelBuffer& made, const tile::ExactOutput& expected) {
    const tile::testing::Buffer& given = trial_.buffer(buffer.name);
    tile::testing::Buffer found = given;
    if (!found.bytes.empty()) std::memcpy(found.bytes.data(), made.base(), found.bytes.size());
    tile::testing::Buffer poison = given;
    if (trial_.program().object(trial_.id(buffer.name)).kind == tile::ObjectKind::Out)
      for (std::int64_t i = 0; i < poison.view.elements; ++i) poison.set(i, poison_);
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double value = found.get(at);
      const bool right = expected.written[i] != 0
                             ? tile::agree(value, expected.value[i], expected.bound[i]) == tile::Agreement::Within
                             : tile::testing::same(value, poison.get(at));
      if (!right)
        return fmt::format("{}[{}]: found {}, expected {} within {}{}", buffer.name, i, value, expected.value[i],
                           expected.bound[i], expected.written[i] != 0 ? "" : " (nothing is stored there)");
    }
    return {};
  }

  Trial& trial_;
  const kernel::Program& program_;
  double poison_;
  std::vector<KernelBuffer> buffers_;
};

}  // namespace

std::optional<plan::Plan> row_plan(const proof::Subject& subject, const realize::RowMapping& mapping) {
  plan::Plan plan = scalar_plan(subject);
  bool any = false;
  for (plan::LaunchPlan& launch : plan.launches) {
    const realize::RowReductionFacts facts = realize::row_reduction_facts(subject, launch.launch);
    const auto* workload = std::get_if<realize::RowReductionWorkload>(&facts);
    if (workload == nullptr) continue;
    const realize::RowCandidate candidate = realize::row_candidate(*workload, mapping, kRoom);
    if (candidate.refusal) continue;
    any = true;
    launch.mapping = plan::LaunchMapping::RowReduction;
    launch.threads = candidate.threads;
    launch.shared_memory_bytes = candidate.shared_memory_bytes;
    launch.rows = plan::RowPlan{mapping, candidate.striped_scalars_per_worker};
  }
  return any ? std::optional(plan) : std::nullopt;
}

std::optional<plan::Plan> element_plan(const proof::Subject& subject) {
  plan::Plan plan = scalar_plan(subject);
  bool any = false;
  const sets::Context context;
  for (plan::LaunchPlan& launch : plan.launches) {
    const auto facts = realize::elementwise_facts(subject, launch.launch, context);
    if (!facts) continue;
    any = true;
    launch.mapping = plan::LaunchMapping::Elementwise;
    launch.threads = 256;
    launch.elementwise_elements_per_program = facts->elements_per_program;
    launch.elementwise_scalar_temporaries = facts->scalar_temporaries;
  }
  return any ? std::optional(plan) : std::nullopt;
}

kernel::Program lowered_by(const proof::Subject& subject, const plan::Plan& plan) {
  auto program = lower_planned(subject, {}, plan, sets::Context());
  if (!program) throw std::runtime_error(render(program.error()));
  if (const auto sound = kernel::verify(*program); !sound)
    throw std::runtime_error(render(sound.error()) + kernel::print(*program));
  return *std::move(program);
}

std::string kernels_disagree(Trial& trial, const kernel::Program& program, std::vector<kernel::Counts>* counts) {
  const auto exact = trial.exact();
  if (!exact) return render(exact.error());
  for (const double poison : {tile::testing::kNan, 1e30}) {
    Run run(trial, program, poison);
    std::string fault = run.run(counts);
    if (fault.empty()) fault = run.compare(*exact);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string rows_disagree(Trial& trial, const realize::RowMapping& mapping, std::vector<kernel::Counts>* counts) {
  const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
  const auto plan = row_plan(subject, mapping);
  if (!plan) return "not legal";
  const kernel::Program program = lowered_by(subject, *plan);
  std::string fault = kernels_disagree(trial, program, counts);
  if (!fault.empty()) fault += "\n" + kernel::print(program);
  return fault;
}

std::string mapping_text(const realize::RowMapping& mapping) {
  return fmt::format("S {} Q {} V {} U {}{}", mapping.subgroups_per_program, mapping.programs_per_group,
                     mapping.lane_elements, mapping.unroll_factor, mapping.cache_inputs ? " cached" : "");
}

}  // namespace tilewright::lower::testing
