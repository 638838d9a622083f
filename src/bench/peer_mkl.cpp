// MKL through its one dispatching library, libmkl_rt, whose threading is chosen before the first call.
#include <memory>
#include <utility>

#include "bench/composition.h"
#include "bench/shared_object.h"

namespace tilewright::bench {

namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;
constexpr int kInterface32 = 0;
constexpr int kThreadingIntel = 0, kThreadingSequential = 1;

using CblasSgemm = void(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                        const float* b, int ldb, float beta, float* c, int ldc);

struct MklVersion {
  int major = 0, minor = 0, update = 0;
  const char* status = nullptr;
  const char* build = nullptr;
  const char* processor = nullptr;
  const char* platform = nullptr;
};

class Mkl : public Library {
 public:
  Mkl(CblasSgemm* sgemm, LibraryIdentity identity, int threads)
      : sgemm_(sgemm), identity_(std::move(identity)), threads_(threads) {}

  LibraryIdentity identity() const override { return identity_; }

  Result<BoundCall> bind(std::size_t, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    return compose(problem, operands, threads_, [sgemm = sgemm_](const MatrixProduct& p) -> Result<ProductCall> {
      return [sgemm, p](const float* a, const float* b, float* c) {
        sgemm(kRowMajor, kPlain, p.b_transposed ? kTransposed : kPlain, static_cast<int>(p.m), static_cast<int>(p.n),
              static_cast<int>(p.k), 1.0F, a, static_cast<int>(p.a_stride), b, static_cast<int>(p.b_stride), 0.0F, c,
              static_cast<int>(p.c_stride));
      };
    });
  }

 private:
  CblasSgemm* sgemm_;
  LibraryIdentity identity_;
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_mkl(const LibraryPlace& place) {
  TW_TRY(const auto object, SharedObject::open(place.file));
  auto* const set_interface = object.find<int(int)>("MKL_Set_Interface_Layer");
  auto* const set_threading = object.find<int(int)>("MKL_Set_Threading_Layer");
  auto* const set_threads = object.find<void(int)>("MKL_Set_Num_Threads");
  auto* const sgemm = object.find<CblasSgemm>("cblas_sgemm");
  if (set_interface == nullptr || set_threading == nullptr || set_threads == nullptr)
    return lacks(place.file, "MKL_Set_Threading_Layer");
  if (sgemm == nullptr) return lacks(place.file, "cblas_sgemm");
  set_interface(kInterface32);
  set_threading(place.threads == 1 ? kThreadingSequential : kThreadingIntel);
  set_threads(place.threads);
  LibraryIdentity identity{"", "", {""}};
  if (auto* const version = object.find<void(MklVersion*)>("MKL_Get_Version")) {
    MklVersion facts;
    version(&facts);
    identity.version =
        std::to_string(facts.major) + "." + std::to_string(facts.minor) + "." + std::to_string(facts.update);
    if (facts.processor != nullptr) identity.core = facts.processor;
  }
  return std::make_unique<Mkl>(sgemm, std::move(identity), place.threads);
}

}  // namespace tilewright::bench
