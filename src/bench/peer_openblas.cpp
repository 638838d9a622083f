// OpenBLAS, as a system library or in the packages scipy-openblas32 and scipy-openblas64 (whose names have a prefix
// and, with 64-bit integers, a suffix).
#include <memory>
#include <string>
#include <utility>

#include "bench/composition.h"
#include "bench/shared_object.h"

namespace tilewright::bench {

namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

template <class Int>
using CblasSgemm = void(int order, int trans_a, int trans_b, Int m, Int n, Int k, float alpha, const float* a, Int lda,
                        const float* b, Int ldb, float beta, float* c, Int ldc);

template <class Int>
class OpenBlas : public Library {
 public:
  OpenBlas(CblasSgemm<Int>* sgemm, LibraryIdentity identity, int threads)
      : sgemm_(sgemm), identity_(std::move(identity)), threads_(threads) {}

  LibraryIdentity identity() const override { return identity_; }

  Result<BoundCall> bind(std::size_t, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    return compose(problem, operands, threads_, [sgemm = sgemm_](const MatrixProduct& p) -> Result<ProductCall> {
      return [sgemm, p](const float* a, const float* b, float* c) {
        sgemm(kRowMajor, kPlain, p.b_transposed ? kTransposed : kPlain, static_cast<Int>(p.m), static_cast<Int>(p.n),
              static_cast<Int>(p.k), 1.0F, a, static_cast<Int>(p.a_stride), b, static_cast<Int>(p.b_stride), 0.0F, c,
              static_cast<Int>(p.c_stride));
      };
    });
  }

 private:
  CblasSgemm<Int>* sgemm_;
  LibraryIdentity identity_;
  int threads_;
};

/// The second word of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..".
std::string version_of(const std::string& config) {
  const std::size_t blank = config.find(' ');
  if (blank == std::string::npos) return config;
  return config.substr(blank + 1, config.find(' ', blank + 1) - blank - 1);
}

}  // namespace

Result<std::unique_ptr<Library>> open_openblas(const LibraryPlace& place) {
  TW_TRY(const auto object, SharedObject::open(place.file));
  auto* const set_threads = object.find<void(int)>(
      {"openblas_set_num_threads", "scipy_openblas_set_num_threads", "scipy_openblas_set_num_threads64_"});
  if (set_threads == nullptr) return lacks(place.file, "openblas_set_num_threads");
  set_threads(place.threads);
  LibraryIdentity identity{"", "", {""}};
  if (auto* const config =
          object.find<char*()>({"openblas_get_config", "scipy_openblas_get_config", "scipy_openblas_get_config64_"}))
    identity.version = version_of(config());
  if (auto* const core = object.find<char*()>(
          {"openblas_get_corename", "scipy_openblas_get_corename", "scipy_openblas_get_corename64_"}))
    identity.core = core();
  if (auto* const sgemm = object.find<CblasSgemm<std::int64_t>>("scipy_cblas_sgemm64_")) {
    identity.core += ", 64-bit sizes";
    return std::make_unique<OpenBlas<std::int64_t>>(sgemm, identity, place.threads);
  }
  auto* const sgemm = object.find<CblasSgemm<int>>({"cblas_sgemm", "scipy_cblas_sgemm"});
  if (sgemm == nullptr) return lacks(place.file, "cblas_sgemm");
  return std::make_unique<OpenBlas<int>>(sgemm, identity, place.threads);
}

}  // namespace tilewright::bench
