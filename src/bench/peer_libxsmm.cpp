// libxsmm: code generated for one small product. Column-major, so that a row-major product is that of the swapped
// operands.
#include <memory>
#include <utility>

#include "bench/composition.h"
#include "bench/shared_object.h"

namespace tilewright::bench {

namespace {

using Kernel = void(const float* a, const float* b, float* c);
using Dispatch = Kernel*(int m, int n, int k, const int* lda, const int* ldb, const int* ldc, const float* alpha,
                         const float* beta, const int* flags, const int* prefetch);

// Beyond this nobody would call one kernel of it: it does not block for caches.
constexpr double kMaxMultiplyAdds = 0x1p24;

class Libxsmm : public Library {
 public:
  Libxsmm(Dispatch* dispatch, LibraryIdentity identity) : dispatch_(dispatch), identity_(std::move(identity)) {}

  LibraryIdentity identity() const override { return identity_; }

  Result<BoundCall> bind(std::size_t, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    if (multiply_adds(problem) > kMaxMultiplyAdds) return not_offered("it is made for small products");
    return compose(problem, operands, 1, [this](const MatrixProduct& p) { return product(p); });
  }

 private:
  Result<ProductCall> product(const MatrixProduct& p) const {
    if (p.b_transposed) return not_offered("it does not transpose f32 operands");
    const int lda = static_cast<int>(p.b_stride), ldb = static_cast<int>(p.a_stride),
              ldc = static_cast<int>(p.c_stride);
    const float one = 1, zero = 0;
    Kernel* const kernel = dispatch_(static_cast<int>(p.n), static_cast<int>(p.m), static_cast<int>(p.k), &lda, &ldb,
                                     &ldc, &one, &zero, nullptr, nullptr);
    if (kernel == nullptr) return not_offered("it generates no code for this shape");
    return [kernel](const float* a, const float* b, float* c) { kernel(b, a, c); };
  }

  Dispatch* dispatch_;
  LibraryIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_libxsmm(const LibraryPlace& place) {
  if (place.threads > 1) return not_offered("a kernel of libxsmm runs on one thread");
  TW_TRY(const auto object, SharedObject::open(place.file));
  auto* const dispatch = object.find<Dispatch>("libxsmm_smmdispatch");
  if (dispatch == nullptr) return lacks(place.file, "libxsmm_smmdispatch (of version 1)");
  if (auto* const start = object.find<void()>("libxsmm_init")) start();
  LibraryIdentity identity{"1", "", {""}};
  if (auto* const arch = object.find<const char*()>("libxsmm_get_target_arch")) identity.core = arch();
  return std::make_unique<Libxsmm>(dispatch, std::move(identity));
}

}  // namespace tilewright::bench
