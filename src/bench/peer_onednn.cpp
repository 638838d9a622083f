// oneDNN: dnnl_sgemm, and the matmul primitive with unpacked operands, with bias and gelu as post-operations where the
// program has them; its softmax and RMS normalization for programs of rows.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bench/composition.h"
#include "bench/onednn_primitive.h"
#include "bench/passes.h"

namespace tilewright::bench {

namespace {

using namespace onednn;

class OneDnn : public Library {
 public:
  OneDnn(const Api& api, LibraryIdentity identity, std::shared_ptr<Session> session, int threads)
      : api_(api), identity_(std::move(identity)), session_(std::move(session)), threads_(threads) {}

  LibraryIdentity identity() const override { return identity_; }

  Result<BoundCall> bind(std::size_t variant, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    if (variant == 0) return compose(problem, operands, threads_, [this](const MatrixProduct& p) { return sgemm(p); });
    switch (problem.program) {
      case BenchProgram::GemmBiasGelu:
        return fused(problem, operands);
      case BenchProgram::Softmax:
        return softmax(problem, operands);
      case BenchProgram::Rmsnorm:
        return rmsnorm(problem, operands);
      case BenchProgram::Gemm:
        return gemm(problem, operands);
      case BenchProgram::Attention:
      case BenchProgram::AttentionCausal:
        break;
    }
    return attention(problem, operands);
  }

 private:
  Result<ProductCall> sgemm(const MatrixProduct& p) const {
    return [call = api_.sgemm, p](const float* a, const float* b, float* c) {
      call('N', p.b_transposed ? 'T' : 'N', p.m, p.n, p.k, 1.0F, a, p.a_stride, b, p.b_stride, 0.0F, c, p.c_stride);
    };
  }

  static int create_matmul(const Api& api, bool bias, void** desc, void* engine, const std::vector<void*>& arrays,
                           const void* attributes) {
    return api.matmul_create(desc, engine, arrays[0], arrays[1], bias ? arrays[3] : nullptr, arrays[2], attributes);
  }

  Recipe matmul_recipe(std::vector<std::pair<int, Array>> arrays, bool bias) const {
    return {std::move(arrays), bias,
            [api = &api_, bias](void** desc, void* engine, const std::vector<void*>& descs, const void* attributes) {
              return create_matmul(*api, bias, desc, engine, descs, attributes);
            }};
  }

  /// Ready with its pointers.
  Result<BoundCall> ready(const Recipe& recipe, const std::string& what, const std::vector<const float*>& pointers) {
    TW_TRY(const auto primitive, Primitive::make(session_, recipe, what));
    primitive->set_pointers(pointers);
    return BoundCall{[primitive] { primitive->execute(); }};
  }

  Result<BoundCall> gemm(const Problem& problem, const Operands& operands) {
    const auto [m, n, k] = problem.shape;
    return ready(
        matmul_recipe(
            {{kSource, Array::dense({m, k})}, {kWeights, Array::dense({k, n})}, {kDestination, Array::dense({m, n})}},
            false),
        "matmul", {operands.input(0), operands.input(1), operands.output()});
  }

  Result<BoundCall> fused(const Problem& problem, const Operands& operands) {
    const auto [m, n, k] = problem.shape;
    return ready(matmul_recipe({{kSource, Array::dense({m, k})},
                                {kWeights, Array::dense({k, n})},
                                {kDestination, Array::dense({m, n})},
                                {kBias, Array::dense({1, n})}},
                               true),
                 "matmul with bias and gelu",
                 {operands.input(0), operands.input(1), operands.output(), operands.input(2)});
  }

  Result<BoundCall> softmax(const Problem& problem, const Operands& operands) {
    const Array rows = Array::dense({problem.shape.m, problem.shape.n});
    const Recipe recipe{
        {{kSource, rows}, {kDestination, rows}},
        false,
        [api = &api_](void** desc, void* engine, const std::vector<void*>& arrays, const void* attributes) {
          return api->softmax_create(desc, engine, kForwardInference, kSoftmaxAccurate, arrays[0], arrays[1], 1,
                                     attributes);
        }};
    return ready(recipe, "softmax", {operands.input(0), operands.output()});
  }

  Result<BoundCall> rmsnorm(const Problem& problem, const Operands& operands) {
    const Array rows = Array::dense({problem.shape.m, problem.shape.n});
    const Recipe recipe{
        {{kSource, rows}, {kDestination, rows}, {kScale, Array::dense({problem.shape.n})}},
        false,
        [api = &api_](void** desc, void* engine, const std::vector<void*>& arrays, const void* attributes) {
          return api->layernorm_create(desc, engine, kForwardInference, arrays[0], arrays[1], nullptr, 1e-5F,
                                       kUseScale | kRmsNorm, attributes);
        }};
    return ready(recipe, "RMS normalization", {operands.input(0), operands.output(), operands.input(1)});
  }

  /// Two batched products, all heads at once, and a pass between them.
  Result<BoundCall> attention(const Problem& problem, const Operands& operands) {
    const auto [heads, length, depth] = problem.shape;
    const Array input = Array::dense({heads, length, depth}), scores = Array::dense({heads, length, length});
    const Array keys{{heads, depth, length}, {length * depth, 1, depth}};
    TW_TRY(const auto first,
           Primitive::make(session_, matmul_recipe({{kSource, input}, {kWeights, keys}, {kDestination, scores}}, false),
                           "batched matmul with transposed weights"));
    TW_TRY(
        const auto second,
        Primitive::make(session_, matmul_recipe({{kSource, scores}, {kWeights, input}, {kDestination, input}}, false),
                        "batched matmul"));
    const auto weights = std::make_shared<std::vector<float>>(static_cast<std::size_t>(heads * length * length));
    first->set_pointers({operands.input(0), operands.input(1), weights->data()});
    second->set_pointers({weights->data(), operands.input(2), operands.output()});
    const bool causal = problem.program == BenchProgram::AttentionCausal;
    const float scale = 1 / std::sqrt(static_cast<float>(depth));
    return BoundCall{[=, threads = threads_, heads = heads, length = length] {
      first->execute();
      for_row_parts(threads, heads * length, [=](RowRange rows) {
        for (std::int64_t row = rows.first; row < rows.end; ++row) {
          float* const at = weights->data() + row * length;
          softmax_rows(at, at, length, scale, causal ? row % length + 1 : length, 0, {0, 1});
        }
      });
      second->execute();
    }};
  }

  Api api_;
  LibraryIdentity identity_;
  std::shared_ptr<Session> session_;  ///< null: only dnnl_sgemm
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_onednn(const LibraryPlace& place) {
  TW_TRY(const auto object, SharedObject::open(place.file));
  const Api api(object);
  if (api.sgemm == nullptr) return lacks(place.file, "dnnl_sgemm");
  LibraryIdentity identity{"", "", {"sgemm"}};
  if (api.version != nullptr) {
    const Version& version = *api.version();
    identity.version =
        std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch);
  }
  if (api.effective_isa != nullptr) identity.core = isa_name(api.effective_isa());
  if (api.version != nullptr) identity.core += std::string(", ") + runtime_name(api.version()->cpu_runtime);
  std::shared_ptr<Session> session;
  if (api.has_primitives()) {
    if (auto made = Session::make(api)) session = *made;
    if (session != nullptr) identity.variants.emplace_back("matmul");
  }
  return std::make_unique<OneDnn>(api, std::move(identity), std::move(session), place.threads);
}

}  // namespace tilewright::bench
