// This compiler as a contestant: compile once, bind once, then call without checks, on this thread or on those of
// oneTBB.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <tilewright/compile.h>
#include <tilewright/run.h>

#include "bench/library.h"
#include "bench/problem_bindings.h"
#include "driver/version.h"

namespace tilewright::bench {

std::string program_file(BenchProgram program) {
  if (is_attention(program)) return "attention";
  return std::string(bench_program_name(program));
}

Bindings bindings_of(const Problem& problem) {
  const auto [m, n, k] = problem.shape;
  if (is_row_program(problem.program)) return {{{"N", m}, {"C", n}}, {}};
  if (!is_attention(problem.program)) return {{{"M", m}, {"N", n}, {"K", k}}, {}};
  const std::int64_t causal = problem.program == BenchProgram::AttentionCausal ? 1 : 0;
  return {{{"B", 1}, {"Hq", m}, {"Hkv", m}, {"Lq", n}, {"Lk", n}, {"D", k}, {"Dv", k}, {"causal", causal}}, {}};
}

namespace {

/// What the views of a call point to beside the operands.
struct CallArguments {
  Arguments arguments;
  float scale = 0;
};

ArrayView dense_view(const float* data, const std::vector<std::int64_t>& extents) {
  ArrayView view;
  view.data = reinterpret_cast<std::byte*>(const_cast<float*>(data));
  view.type = DataType::F32;
  view.extents = extents;
  view.strides.resize(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) view.strides[i] = stride;
  view.elements = stride;
  return view;
}

std::shared_ptr<CallArguments> arguments_of(const Problem& problem, const Operands& operands) {
  auto call = std::make_shared<CallArguments>();
  const std::vector<OperandInfo> infos = operand_infos(problem);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const float* const data = i < operands.input_count() ? operands.input(i) : operands.output();
    call->arguments[infos[i].name] = dense_view(data, infos[i].extents);
  }
  if (is_attention(problem.program)) {
    call->scale = 1 / std::sqrt(static_cast<float>(problem.shape.k));
    call->arguments["scale"] = dense_view(&call->scale, {});
  }
  return call;
}

class TilewrightLibrary : public Library {
 public:
  explicit TilewrightLibrary(int threads) : threads_(threads) {}

  LibraryIdentity identity() const override {
    const driver::VersionFacts facts = driver::version_facts();
    return {facts.version, facts.host, {""}};
  }

  Result<BoundCall> bind(std::size_t, const Problem& problem, const Operands& operands,
                         const CandidateSettings& settings) override {
    TW_TRY(const auto program, Program::load(program_file(problem.program)));
    CompileOptions options;
    options.settings = settings.settings;
    options.plan = settings.plan;
    TW_TRY(const auto compiled, compile(program, bindings_of(problem), options));
    const auto arguments = arguments_of(problem, operands);
    TW_TRY_VOID(compiled.run(arguments->arguments, {.threads = threads_}));
    TW_TRY(Call bound, Call::bind(compiled, arguments->arguments));
    const auto call = std::make_shared<Call>(std::move(bound));
    if (threads_ == 1) return BoundCall{[call] { (*call)(); }};
    const std::shared_ptr<Executor> executor = make_default_executor(threads_);
    return BoundCall{[call, executor] { (void)call->run(*executor); }};
  }

 private:
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_tilewright(const LibraryPlace& place) {
  return std::make_unique<TilewrightLibrary>(place.threads);
}

}  // namespace tilewright::bench
