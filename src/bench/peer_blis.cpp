// BLIS through its own interface, which takes row and column strides; its integers have 64 bits.
#include <memory>
#include <utility>

#include "bench/composition.h"
#include "bench/shared_object.h"

namespace tilewright::bench {

namespace {

constexpr int kNoTranspose = 0;

using BliSgemm = void(int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* alpha,
                      const float* a, std::int64_t a_row, std::int64_t a_column, const float* b, std::int64_t b_row,
                      std::int64_t b_column, const float* beta, float* c, std::int64_t c_row, std::int64_t c_column);

class Blis : public Library {
 public:
  Blis(BliSgemm* sgemm, LibraryIdentity identity, int threads)
      : sgemm_(sgemm), identity_(std::move(identity)), threads_(threads) {}

  LibraryIdentity identity() const override { return identity_; }

  Result<BoundCall> bind(std::size_t, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    return compose(problem, operands, threads_, [sgemm = sgemm_](const MatrixProduct& p) -> Result<ProductCall> {
      return [sgemm, p](const float* a, const float* b, float* c) {
        const float one = 1, zero = 0;
        sgemm(kNoTranspose, kNoTranspose, p.m, p.n, p.k, &one, a, p.a_stride, 1, b, p.b_transposed ? 1 : p.b_stride,
              p.b_transposed ? p.b_stride : 1, &zero, c, p.c_stride, 1);
      };
    });
  }

 private:
  BliSgemm* sgemm_;
  LibraryIdentity identity_;
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_blis(const LibraryPlace& place) {
  TW_TRY(const auto object, SharedObject::open(place.file));
  auto* const sgemm = object.find<BliSgemm>("bli_sgemm");
  if (sgemm == nullptr) return lacks(place.file, "bli_sgemm");
  if (auto* const start = object.find<void()>("bli_init")) start();
  auto* const set_threads = object.find<void(std::int64_t)>("bli_thread_set_num_threads");
  if (set_threads == nullptr) return lacks(place.file, "bli_thread_set_num_threads");
  set_threads(place.threads);
  LibraryIdentity identity{"", "", {""}};
  if (auto* const version = object.find<const char*()>("bli_info_get_version_str")) identity.version = version();
  auto* const id = object.find<int()>("bli_arch_query_id");
  auto* const name = object.find<const char*(int)>("bli_arch_string");
  if (id != nullptr && name != nullptr) identity.core = name(id());
  return std::make_unique<Blis>(sgemm, std::move(identity), place.threads);
}

}  // namespace tilewright::bench
