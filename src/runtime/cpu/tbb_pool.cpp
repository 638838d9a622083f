#include "runtime/cpu/tbb_pool.h"

#include <algorithm>

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace tilewright::runtime_cpu {

struct TbbPool::Arena {
  explicit Arena(int threads) : threads(threads), arena(threads) {}
  int threads;
  tbb::task_arena arena;
};

namespace {

int available_threads(int threads) {
  const int available = std::max(1, tbb::info::default_concurrency());
  return threads > 0 ? std::min(threads, available) : available;
}

}  // namespace

TbbPool::TbbPool(int threads) : arena_(std::make_unique<Arena>(available_threads(threads))) {}
TbbPool::TbbPool(TbbPool&&) noexcept = default;
TbbPool& TbbPool::operator=(TbbPool&&) noexcept = default;
TbbPool::~TbbPool() = default;

TaskPool TbbPool::pool() const {
  const auto for_each = [](void* pool, std::int64_t count, TaskPool::Piece piece, void* context) {
    static_cast<Arena*>(pool)->arena.execute(
        [&] { tbb::parallel_for(std::int64_t{0}, count, [&](std::int64_t index) { piece(context, index); }); });
  };
  return {for_each, arena_.get(), arena_->threads};
}

}  // namespace tilewright::runtime_cpu
