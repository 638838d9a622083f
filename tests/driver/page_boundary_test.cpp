// Nothing outside of a view is read or written on the CPU: each buffer ends where a page ends, and the next page is not
// there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <tilewright/compile.h>

namespace tilewright::driver::page_boundary_test {
namespace {

/// `count` elements in front of, or behind, a page that faults.
class Fenced {
 public:
  Fenced(std::int64_t count, bool at_end) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    const std::size_t inside = (bytes + page - 1) / page * page;
    size_ = inside + 2 * page;
    all_ = static_cast<std::byte*>(::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(all_ + page, inside, PROT_READ | PROT_WRITE);
    data_ = reinterpret_cast<float*>(all_ + page + (at_end ? inside - bytes : 0));
    for (std::int64_t i = 0; i < count; ++i) data_[i] = static_cast<float>(i % 7) - 3;
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { ::munmap(all_, size_); }
  float* data() const { return data_; }

 private:
  std::byte* all_ = nullptr;
  std::size_t size_ = 0;
  float* data_ = nullptr;
};

ArrayView view_of(const Fenced& memory, std::vector<std::int64_t> extents) {
  ArrayView view;
  view.type = DataType::F32;
  view.data = reinterpret_cast<std::byte*>(memory.data());
  view.elements = 1;
  for (const std::int64_t extent : extents) view.elements *= extent;
  view.extents = std::move(extents);
  return view;
}

struct Shape {
  std::int64_t m, n, k;
};

void multiply(const Shape& s, bool at_end, const std::string& name, const std::vector<std::int64_t>& a_extents,
              const std::vector<std::int64_t>& b_extents) {
  SCOPED_TRACE(::testing::Message() << name << " " << s.m << " x " << s.n << " x " << s.k
                                    << (at_end ? ", end" : ", start"));
  const auto program = Program::load(name);
  ASSERT_TRUE(program);
  const auto kernel = compile(*program, {{{"M", s.m}, {"N", s.n}, {"K", s.k}}, {}});
  ASSERT_TRUE(kernel) << render(kernel.error());
  const Fenced a(s.m * s.k, at_end), b(s.k * s.n, at_end), c(s.m * s.n, at_end);
  for (const int threads : {1, 2})
    ASSERT_TRUE(kernel->run({{"A", view_of(a, a_extents)}, {"B", view_of(b, b_extents)}, {"C", view_of(c, {s.m, s.n})}},
                            {.threads = threads}));
  const std::int64_t a_row = a_extents[0] == s.m ? s.k : 1, a_step = a_extents[0] == s.m ? 1 : s.m;
  const std::int64_t b_step = b_extents[0] == s.k ? s.n : 1, b_column = b_extents[0] == s.k ? 1 : s.k;
  for (std::int64_t i : {std::int64_t{0}, s.m - 1})
    for (std::int64_t j : {std::int64_t{0}, s.n - 1}) {
      double sum = 0;
      for (std::int64_t d = 0; d < s.k; ++d)
        sum += static_cast<double>(a.data()[i * a_row + d * a_step]) *
               static_cast<double>(b.data()[d * b_step + j * b_column]);
      EXPECT_EQ(c.data()[i * s.n + j], sum);
    }
}

constexpr Shape kShapes[] = {{1, 1, 1},  {1, 33, 5},    {7, 7, 7},     {13, 17, 19}, {3, 64, 9},
                             {65, 1, 3}, {31, 100, 70}, {5, 530, 600}, {64, 48, 33}};

TEST(PageBoundary, ProductsStayInside) {
  for (const Shape& s : kShapes)
    for (const bool at_end : {true, false}) multiply(s, at_end, "gemm", {s.m, s.k}, {s.k, s.n});
}

TEST(PageBoundary, TransposedProductsStayInside) {
  for (const Shape& s : {Shape{13, 17, 19}, Shape{31, 50, 70}})
    for (const bool at_end : {true, false}) multiply(s, at_end, "gemm_nt", {s.m, s.k}, {s.n, s.k});
}

}  // namespace
}  // namespace tilewright::driver::page_boundary_test
