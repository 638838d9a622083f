#include "bench/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "bench/product_f64.h"

namespace tilewright::bench {

namespace {

constexpr double kUnit = 0x1p-24;
constexpr std::int64_t kProbeWidth = 64;

double norm(const float* values, std::int64_t count, std::int64_t stride) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i * stride]) * values[i * stride];
  return std::sqrt(sum);
}

std::vector<double> column_norms(const float* b, std::int64_t k, std::int64_t n) {
  std::vector<double> squares(static_cast<std::size_t>(n));
  for (std::int64_t p = 0; p < k; ++p)
    for (std::int64_t j = 0; j < n; ++j)
      squares[static_cast<std::size_t>(j)] += static_cast<double>(b[p * n + j]) * b[p * n + j];
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

double gelu(double x) {
  const double c = std::max(x, -30.0);
  return c / (1 + std::exp(-2 * 0.7978845608028654 * (c + 0.044715 * c * c * c)));
}

/// Relative error that the sums and functions of one row of `columns` may make.
double row_tolerance(std::int64_t columns) { return kUnit * (64 + 4 * std::sqrt(static_cast<double>(columns))); }

}  // namespace

/// Fills a Reference, one program each.
class ReferenceMaker {
 public:
  ReferenceMaker(const Problem& problem, const Operands& operands, double budget)
      : problem_(problem), operands_(operands), budget_(budget) {}

  Reference make() {
    const auto [m, n, k] = problem_.shape;
    out_.rows_ = is_attention(problem_.program) ? m * n : m;
    out_.columns_ = is_attention(problem_.program) ? k : n;
    out_.extent_ = "every element";
    switch (problem_.program) {
      case BenchProgram::Gemm:
      case BenchProgram::GemmBiasGelu:
        product();
        break;
      case BenchProgram::Softmax:
        softmax();
        break;
      case BenchProgram::Rmsnorm:
        rmsnorm();
        break;
      case BenchProgram::Attention:
      case BenchProgram::AttentionCausal:
        attention();
        break;
    }
    return std::move(out_);
  }

 private:
  void reserve(std::int64_t probes) {
    out_.expected_.resize(static_cast<std::size_t>(probes));
    out_.tolerance_.resize(static_cast<std::size_t>(probes));
  }

  void product() {
    const bool plain = problem_.program == BenchProgram::Gemm;
    const bool whole = multiply_adds(problem_) <= budget_;
    if (!whole && plain) return summed_product();
    const auto [m, n, k] = problem_.shape;
    // A nonlinear epilogue admits no sums of elements: then one row in several is computed.
    if (!whole) sample_rows(static_cast<std::int64_t>(std::ceil(multiply_adds(problem_) / budget_)));
    const float* b = operands_.input(1);
    const std::vector<double> wide(b, b + k * n);
    const std::int64_t count = (m + out_.row_step_ - 1) / out_.row_step_;
    reserve(count * n);
    product_f64(count, n, k, operands_.input(0), k * out_.row_step_, wide.data(), out_.expected_.data());
    const std::vector<double> norms = column_norms(b, k, n);
    for (std::int64_t i = 0; i < count; ++i) {
      const double scale = 16 * kUnit * norm(operands_.input(0) + i * out_.row_step_ * k, k, 1);
      for (std::int64_t j = 0; j < n; ++j)
        out_.tolerance_[static_cast<std::size_t>(i * n + j)] =
            static_cast<float>(scale * norms[static_cast<std::size_t>(j)]);
    }
    if (!plain) bias_gelu(count, n);
  }

  void bias_gelu(std::int64_t rows, std::int64_t n) {
    for (std::int64_t i = 0; i < rows * n; ++i) {
      double& value = out_.expected_[static_cast<std::size_t>(i)];
      float& tolerance = out_.tolerance_[static_cast<std::size_t>(i)];
      value = gelu(value + operands_.input(2)[i % n]);
      tolerance = static_cast<float>(1.2 * tolerance + 1e-6 * std::max(1.0, std::fabs(value)));
    }
  }

  void summed_product() {
    const auto [m, n, k] = problem_.shape;
    const std::int64_t blocks = (n + kProbeWidth - 1) / kProbeWidth;
    out_.width_ = kProbeWidth;
    out_.extent_ = fmt::format("every element, in signed sums of {}", kProbeWidth);
    for (std::int64_t j = 0; j < n; ++j)
      out_.signs_.push_back(input_element(99, static_cast<std::uint64_t>(j)) < 0 ? -1 : 1);
    const float* b = operands_.input(1);
    std::vector<double> sums(static_cast<std::size_t>(k * blocks));
    std::vector<double> squares(static_cast<std::size_t>(blocks));
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < n; ++j) {
        const double value = b[p * n + j];
        sums[static_cast<std::size_t>(p * blocks + j / kProbeWidth)] +=
            out_.signs_[static_cast<std::size_t>(j)] * value;
        squares[static_cast<std::size_t>(j / kProbeWidth)] += value * value;
      }
    reserve(m * blocks);
    product_f64(m, blocks, k, operands_.input(0), k, sums.data(), out_.expected_.data());
    for (std::int64_t i = 0; i < m; ++i) {
      const double scale = 16 * kUnit * norm(operands_.input(0) + i * k, k, 1);
      for (std::int64_t j = 0; j < blocks; ++j)
        out_.tolerance_[static_cast<std::size_t>(i * blocks + j)] =
            static_cast<float>(scale * std::sqrt(squares[static_cast<std::size_t>(j)]));
    }
  }

  void softmax() {
    const std::int64_t n = out_.columns_;
    reserve(out_.rows_ * n);
    const double relative = row_tolerance(n);
    for (std::int64_t i = 0; i < out_.rows_; ++i) {
      const float* x = operands_.input(0) + i * n;
      double* y = out_.expected_.data() + i * n;
      double total = 0;
      for (std::int64_t j = 0; j < n; ++j) total += y[j] = std::exp(static_cast<double>(x[j]));
      for (std::int64_t j = 0; j < n; ++j) {
        y[j] /= total;
        out_.tolerance_[static_cast<std::size_t>(i * n + j)] = static_cast<float>(relative * y[j]);
      }
    }
  }

  void rmsnorm() {
    const std::int64_t n = out_.columns_;
    reserve(out_.rows_ * n);
    const double relative = row_tolerance(n);
    for (std::int64_t i = 0; i < out_.rows_; ++i) {
      const float* x = operands_.input(0) + i * n;
      const double length = norm(x, n, 1);
      const double scale = 1 / std::sqrt(length * length / static_cast<double>(n) + 1e-5);
      for (std::int64_t j = 0; j < n; ++j) {
        const double value = x[j] * scale * operands_.input(1)[j];
        out_.expected_[static_cast<std::size_t>(i * n + j)] = value;
        out_.tolerance_[static_cast<std::size_t>(i * n + j)] =
            static_cast<float>(relative * std::fabs(value) + std::numeric_limits<float>::min());
      }
    }
  }

  void sample_rows(std::int64_t step) {
    out_.row_step_ = std::max<std::int64_t>(step, 1);
    if (out_.row_step_ > 1) out_.extent_ = fmt::format("one row in {}, of the others that they were written", step);
  }

  void attention() {
    const auto [heads, length, depth] = problem_.shape;
    // Scalar FP64: a tenth of the speed of product_f64.
    sample_rows(static_cast<std::int64_t>(std::ceil(multiply_adds(problem_) * 10 / budget_)));
    const std::int64_t probes = (out_.rows_ + out_.row_step_ - 1) / out_.row_step_;
    reserve(probes * depth);
    const double tolerance =
        kUnit * (96 + 4 * std::sqrt(static_cast<double>(length)) + 6 * std::sqrt(static_cast<double>(depth)));
    std::fill(out_.tolerance_.begin(), out_.tolerance_.end(), static_cast<float>(tolerance));
    std::vector<double> weights(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < probes; ++i) {
      const std::int64_t row = i * out_.row_step_;
      attention_row(row / length, row % length, weights, out_.expected_.data() + i * depth);
    }
  }

  void attention_row(std::int64_t head, std::int64_t query, std::vector<double>& weights, double* out) const {
    const auto [heads, length, depth] = problem_.shape;
    const float* q = operands_.input(0) + (head * length + query) * depth;
    const std::int64_t seen = problem_.program == BenchProgram::AttentionCausal ? query + 1 : length;
    const double scale = static_cast<double>(1 / std::sqrt(static_cast<float>(depth)));
    double best = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t j = 0; j < seen; ++j) {
      const float* key = operands_.input(1) + (head * length + j) * depth;
      double score = 0;
      for (std::int64_t d = 0; d < depth; ++d) score += static_cast<double>(q[d]) * key[d];
      best = std::max(best, weights[static_cast<std::size_t>(j)] = score * scale);
    }
    std::fill_n(out, depth, 0.0);
    for (std::int64_t j = 0; j < seen; ++j) {
      const double weight = std::exp(weights[static_cast<std::size_t>(j)] - best);
      const float* value = operands_.input(2) + (head * length + j) * depth;
      total += weight;
      for (std::int64_t d = 0; d < depth; ++d) out[d] += weight * value[d];
    }
    for (std::int64_t d = 0; d < depth; ++d) out[d] /= total;
  }

  const Problem& problem_;
  const Operands& operands_;
  double budget_;
  Reference out_;
};

Reference Reference::make(const Problem& problem, const Operands& operands, double budget) {
  return ReferenceMaker(problem, operands, budget).make();
}

Verdict Reference::check(std::span<const float> output) const {
  for (std::int64_t row = 0; row < rows_; ++row) {
    const auto values = output.subspan(static_cast<std::size_t>(row * columns_), static_cast<std::size_t>(columns_));
    const Verdict verdict = row % row_step_ == 0 ? check_row(row, values) : check_unsampled(row, values);
    if (!verdict.ok) return verdict;
  }
  return {};
}

Verdict Reference::check_row(std::int64_t row, std::span<const float> values) const {
  const std::int64_t probes = (columns_ + width_ - 1) / width_;
  for (std::int64_t probe = 0; probe < probes; ++probe) {
    double found = 0;
    const std::int64_t first = probe * width_, end = std::min(first + width_, columns_);
    for (std::int64_t j = first; j < end; ++j) {
      const auto at = static_cast<std::size_t>(j);
      found += signs_.empty() ? values[at] : signs_[at] * values[at];
    }
    const auto at = static_cast<std::size_t>(row / row_step_ * probes + probe);
    if (std::fabs(found - expected_[at]) <= tolerance_[at]) continue;
    return {false, fmt::format("row {}, column{} {}: expected {:.9g}, found {:.9g}, tolerance {:.3g}", row,
                               width_ == 1 ? "" : "s from", first, expected_[at], found, tolerance_[at])};
  }
  return {};
}

Verdict Reference::check_unsampled(std::int64_t row, std::span<const float> values) const {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!std::isfinite(values[j])) return {false, fmt::format("row {}, column {}: found {}", row, j, values[j])};
  return {};
}

}  // namespace tilewright::bench
