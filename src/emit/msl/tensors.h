// Tensor operations of a kernel: which one each cooperative tensor of the text belongs to.
//
// A fragment that is no 8x8 matrix is a cooperative tensor, whose type follows from the descriptor and from the operand
// types of the operation that it is a destination of. Fragments that flow into each other (an accumulator and its sum,
// the carries of a loop, operands of arithmetic) are therefore of one operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/msl/placement.h"
#include "emit/msl/variables.h"

namespace tilewright::emit_msl {

/// As kernel IR names it.
inline constexpr const char* kTensorAtom = "metal.mpp";

/// A or B of a tensor operation, as far as the type of its view goes.
struct TensorOperand {
  bool is_device = false;  ///< else in threadgroup memory
  bool is_handle = false;  ///< slices of a tensor that is bound; else views of memory
  kernel::ScalarType scalar{};
  bool transposed = false;
  bool is_whole = false;  ///< of a view: all rows of A, or columns of B, are surely there, their number is static
  bool operator==(const TensorOperand&) const = default;
};

struct TensorOperation {
  std::int64_t m = 0, n = 0;
  TensorOperand a, b;
  bool accumulates = false;
  std::int64_t subgroups = 1;  ///< that make it together
  bool relaxed = false;        ///< operands of f32 may be rounded
  bool operator==(const TensorOperation&) const = default;
};

/// The view's extent along m or n, that of k, and the steps between the elements along both, in terms of the view.
struct TensorSide {
  kernel::ValueId outer, depth;
  std::int64_t extent = 0;      ///< m or n
  bool depth_is_inner = false;  ///< elements along k follow each other
};
TensorSide side_of(const kernel::AtomOp& atom, bool left);

/// "tensor<device float, dextents<int32_t, 2>, tensor_handle>"
std::string handle_type(kernel::ScalarType scalar);

class Tensors {
 public:
  Tensors(const kernel::Program& program, const kernel::Kernel& kernel, const Placement& placement,
          const Variables& variables, const kernel::IndexRanges& ranges);

  /// Every different one, with an atom that is such an operation.
  struct Used {
    TensorOperation operation;
    kernel::OpId atom;
  };
  const std::vector<Used>& operations() const { return operations_; }
  /// Index of the operation of a fragment; nothing: of none, or of several.
  std::optional<std::uint32_t> of(kernel::ValueId fragment) const;
  /// A fragment in a cooperative tensor that the expression of a fragment reads; none.
  std::optional<kernel::ValueId> behind(kernel::ValueId fragment) const;
  /// Whether an operand of the tensor operation may have no element.
  bool may_lack_operands(kernel::OpId atom) const;
  /// Fragments of different operations flow into each other here.
  bool is_of_several(kernel::ValueId fragment) const;

 private:
  void visit(kernel::BlockId block);
  void visit(const kernel::Op& op);
  void unite(kernel::ValueId a, kernel::ValueId b);
  std::uint32_t root(std::uint32_t value) const;
  TensorOperation operation_of(const kernel::AtomOp& atom) const;

  const kernel::Program& program_;
  const kernel::Kernel& kernel_;
  const Placement& placement_;
  const kernel::IndexRanges& ranges_;
  std::vector<std::uint32_t> parents_;                     ///< by value
  std::vector<std::vector<std::uint32_t>> operations_of_;  ///< by root
  std::vector<Used> operations_;
};

}  // namespace tilewright::emit_msl
