// Runs programs given as text in both arithmetics, for the tests of the interpreter.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tile/bind.h"
#include "tile/interpreter.h"

namespace tilewright::tile::testing {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

/// A buffer with a view; numbers go in and come out as doubles.
struct Buffer {
  DataType type = DataType::F32;
  std::vector<std::byte> bytes;
  ArrayView view;

  double get(std::int64_t address) const;
  void set(std::int64_t address, double value);
  /// Address of the element with this row-major ordinal of the view.
  std::int64_t address(std::int64_t ordinal) const;
  std::int64_t size() const;
};

/// One bound program with its buffers: dense and zero at first.
class Trial {
 public:
  explicit Trial(const std::string& text, const std::map<std::string, std::int64_t>& numbers = {},
                 const std::map<std::string, DataType>& types = {});
  explicit Trial(Program bound);

  const Program& program() const { return program_; }
  ObjectId id(const std::string& name) const;
  Buffer& buffer(const std::string& name) { return buffers_.at(id(name)); }

  /// Row-major elements of the view.
  Trial& fill(const std::string& name, const std::vector<double>& values);
  std::vector<double> values(const std::string& name) const;
  /// Another view over a new buffer of `elements`, all of them `background`.
  Trial& view(const std::string& name, std::int64_t elements, std::int64_t offset, std::vector<std::int64_t> strides,
              double background = 0);
  /// Small dyadic or uniform random numbers in every input.
  Trial& fill_random(std::uint64_t seed, double low = -1, double high = 1);

  Result<void> typed(const InterpreterOptions& options = {});
  Result<std::map<ObjectId, ExactOutput>> exact(const InterpreterOptions& options = {});
  ExactOutput exact(const std::string& name, const InterpreterOptions& options = {});

  /// Runs both and returns what is wrong with the typed results, or an empty text.
  std::string disagreement();

 private:
  void make_buffers();
  Arguments arguments();

  Program program_;
  std::map<ObjectId, Buffer> buffers_;
};

/// Equal bits up to the payload of NaN.
bool same(double a, double b);
/// Expects `same` of every element.
void expect_same(const Values& found, const Values& expected);

}  // namespace tilewright::tile::testing
