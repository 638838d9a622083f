// Random loops and ifs whose bounds, starts, carries and results are each other's: what shares a variable, and when it
// is written, decides what they compute.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_count.h"
#include "emulated.h"
#include "kernel/builder.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

constexpr std::int64_t kSlots = 8;

class CarryKernels {
 public:
  explicit CarryKernels(std::uint64_t seed) : random_(seed), b_("carries") {}

  Program run(int kernels) {
    for (int i = 0; i < kernels; ++i) {
      const BufferId out =
          i % 24 == 0 ? out_ = b_.argument(fmt::format("y{}", i / 24), ScalarType::I64, Access::ReadWrite, 24 * kSlots)
                      : out_;
      const std::int64_t first = i % 24 * kSlots;
      b_.begin_kernel(fmt::format("k{}", i), {});
      values_.clear();
      for (std::int64_t slot = 0; slot < 3; ++slot) values_.push_back(b_.load(out, b_.const_i64(first + slot)));
      block(0);
      for (std::int64_t slot = 0; slot < kSlots; ++slot) {
        const ValueId at = b_.const_i64(first + slot);
        b_.store(out, at, any());
      }
      b_.end_kernel();
    }
    return b_.finish();
  }

 private:
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  ValueId any() { return values_[static_cast<std::size_t>(pick(0, static_cast<int>(values_.size()) - 1))]; }
  std::vector<ValueId> some(std::size_t count) {
    std::vector<ValueId> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(any());
    return chosen;
  }
  /// 0 to count - 1.
  ValueId small(std::int64_t count) {
    const ValueId number = any();
    return b_.binary(BinaryKind::FloorMod, number, b_.const_i64(count));
  }

  void block(int depth) {
    for (int i = pick(2, 4); i > 0; --i) {
      const int choice = pick(0, 5);
      if (choice < 2 && depth < 3)
        loop(depth);
      else if (choice == 2 && depth < 3)
        branch(depth);
      else
        arithmetic();
    }
  }
  void arithmetic() {
    const ValueId left = any();
    const ValueId right = any();
    const BinaryKind kinds[] = {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Xor, BinaryKind::Max};
    values_.push_back(b_.binary(kinds[pick(0, 3)], left, right));
  }
  void loop(int depth) {
    const auto carries = static_cast<std::size_t>(pick(1, 3));
    const bool far = pick(0, 1) == 0;
    const ValueId low = far ? any() : small(4);
    const ValueId high = far ? b_.add(low, pick(0, 4)) : small(5);
    std::vector<ValueId> inits = some(carries);
    const Builder::Loop opened = b_.begin_loop(low, high, 1, std::move(inits));
    const std::size_t outer = values_.size();
    values_.push_back(opened.index);
    values_.insert(values_.end(), opened.carries.begin(), opened.carries.end());
    block(depth + 1);
    std::vector<ValueId> yields = some(carries);
    values_.resize(outer);
    const std::vector<ValueId> results = b_.end_loop(std::move(yields));
    values_.insert(values_.end(), results.begin(), results.end());
  }
  void branch(int depth) {
    const auto count = static_cast<std::size_t>(pick(1, 2));
    const ValueId left = any();
    const ValueId right = any();
    b_.begin_if(b_.compare(CompareKind::Lt, left, right));
    const std::size_t outer = values_.size();
    if (pick(0, 2) != 0) block(depth + 1);
    std::vector<ValueId> yields = some(count);
    values_.resize(outer);
    b_.begin_else(std::move(yields));
    if (pick(0, 2) == 0) block(depth + 1);
    yields = some(count);
    values_.resize(outer);
    const std::vector<ValueId> results = b_.end_if(std::move(yields));
    values_.insert(values_.end(), results.begin(), results.end());
  }

  std::mt19937_64 random_;
  Builder b_;
  BufferId out_;
  std::vector<ValueId> values_;  ///< in scope
};

TEST(MetalCarries, AnyLoopsAndIfs) {
  for (int batch = 0; batch < case_count(2, 2); ++batch) {
    const Program program = CarryKernels(static_cast<std::uint64_t>(batch)).run(120);
    const std::string fault = compare_with_interpreter(program, BufferBytes(program, 9));
    ASSERT_EQ(fault, "") << "batch " << batch;
  }
}

}  // namespace
}  // namespace tilewright::emit_msl
