// Values of a kernel as Metal expressions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/msl/expr.h"
#include "emit/msl/placement.h"
#include "emit/msl/tensors.h"
#include "emit/msl/variables.h"

namespace tilewright::emit_msl {

/// What is known about a kernel before its text is written.
struct KernelFacts {
  KernelFacts(const kernel::Program& program, const kernel::Kernel& kernel)
      : program(program),
        kernel(kernel),
        ranges(kernel::index_ranges(program, kernel)),
        placement(program, kernel, ranges),
        variables(program, kernel, placement, ranges),
        tensors(program, kernel, placement, variables, ranges) {}

  const kernel::Program& program;
  const kernel::Kernel& kernel;
  kernel::IndexRanges ranges;
  Placement placement;
  Variables variables;
  Tensors tensors;
};

/// How a value is kept by one thread: a number, several (a vector, or the two elements of a fragment of truth values or
/// integers), its part of a matrix of Metal's, or its part of a cooperative tensor, of any number of elements.
enum class Form : std::uint8_t { Number, Lanes, Matrix, Tensor };
Form form_of(kernel::ValueType type);
/// Numbers that a thread keeps of it; no tensor.
int lanes_of(kernel::ValueType type);

/// Names that the text has given.
struct Names {
  std::vector<std::string> buffers, allocations;  ///< by id; empty: not part of the kernel
  std::vector<std::string> variables;             ///< by variable; empty: not declared yet
  std::string worker, lane, subgroup;
  std::string place;  ///< of an element of a tensor: [0] the column, [1] the row
};

class Expressions {
 public:
  /// `shorten` is asked about each number that is computed by a long expression: it may put that into a variable in
  /// front of the statement that is being written.
  using Shorten = std::function<Expr(const Expr&)>;
  Expressions(const KernelFacts& facts, const Names& names, Library& library, Shorten shorten)
      : facts_(facts), program_(facts.program), names_(names), library_(library), shorten_(std::move(shorten)) {}

  /// The value, or of several numbers the one called `lane` (a variable or a number of the text).
  Expr of(kernel::ValueId value, std::string_view lane = "") const;
  /// What the operation computes that gives the value, whether the value is a variable or not.
  Expr definition(kernel::ValueId value, std::string_view lane = "") const;
  /// The element of an access; `lane` as above.
  std::string element(const kernel::MemoryRef& memory, kernel::ValueId index, std::string_view lane) const;
  /// Pointer to the first element of a fragment.
  std::string address(const kernel::MemoryRef& memory, kernel::ValueId index) const;
  /// The same place as a number, and the memory that it counts from.
  Expr offset(const kernel::MemoryRef& memory, kernel::ValueId index) const;
  std::string_view memory_name(const kernel::MemoryRef& memory) const;
  /// The element of a fragment in memory at names.place; addresses of device memory are counted in 64 bits.
  std::string element_at_place(const kernel::MemoryRef& memory, kernel::ValueId index, kernel::ValueId row_stride,
                               bool transposed) const;
  /// Whether the place is among the first `bound` rows or columns; empty: it surely is.
  std::string place_guard(kernel::ValueId bound, kernel::FragmentAxis axis, std::int64_t extent) const;
  /// The type of one number of the value.
  TextType number_type(kernel::ValueId value) const;
  /// Whether it costs the reader nothing to meet the expression twice.
  static bool is_plain(const Expr& expr) {
    return expr.binding == Binding::Term && expr.text.find('(') == std::string::npos;
  }

 private:
  Expr literal(kernel::ValueId value) const;
  Expr variable(kernel::ValueId value, std::string_view lane) const;
  IntegerFacts integers(kernel::ValueId result) const;
  std::string padded_index(const kernel::AllocationLayout& layout, const Expr& index) const;

  template <class Payload>
  Expr make(const Payload& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::UnaryOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::BinaryOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::CompareOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::SelectOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::CastOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::FmaOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::SplatOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::IotaOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::ExtractOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::ZipOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::WorkerOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::FragmentFillOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::FragmentCoordinateOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::FragmentLoadOp& payload, kernel::ValueId result, std::string_view lane) const;
  Expr make(const kernel::LoadOp& payload, kernel::ValueId result, std::string_view lane) const;

  const KernelFacts& facts_;
  const kernel::Program& program_;
  const Names& names_;
  Library& library_;
  Shorten shorten_;
};

}  // namespace tilewright::emit_msl
