// The tile interpreter: what a program means, in two arithmetics.
//
// Exact arithmetic computes every float element in FP64 together with a running bound: any permitted execution in the
// declared types (any permitted order, round to nearest even, library functions within kFunctionUlps) differs from the
// FP64 value by at most the bound. It is the oracle of every check. Typed arithmetic computes in the declared types, in
// the reference order (ascending; mma as a chain of fused multiply-adds), and is the `interp` target.
//
// Rules of the bound (docs/error-bounds.md derives them). u = unit roundoff of the type (f32 2^-24, f16 2^-11, bf16
// 2^-8), eta = half of its smallest subnormal; x ~ value, ex ~ its bound.
//   - a value beyond the type's largest finite number becomes Inf, as in the type; one that may or may not is given an
//     infinite bound;
//   - an infinite bound accepts any result; a zero bound demands the same bits up to NaN payload, also of a zero;
//   - NaN and Inf of the FP64 value (with a finite bound) demand the same class and sign of Inf;
//   - a comparison whose operands are closer than their bounds is undecided; select then covers both operands; `if`
//     then runs both branches, its results cover both, and what either branch stores is given an infinite bound;
//   - an integer, index or boolean that may differ between executions is undecided: its bound is infinite.
//
// Sums (reduce operations and regions) of f16 and bf16 accumulate in f32 and are rounded once, at their end. FoldRight
// is the one order that is not ascending in typed arithmetic. The identity of a reduce operation is one of the leaves:
// a sum of -0 is +0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "tile/array_view.h"
#include "tile/program.h"

namespace tilewright::tile {

/// Permitted error of Exp, Log, Tanh, Sin, Cos on any target, in units of the result's last place.
inline constexpr double kFunctionUlps = 4.0;

/// Arguments by object: In, Out and InOut buffers; scalar inputs are rank-0 views.
using Arguments = std::map<ObjectId, ArrayView>;

/// FP64 image of one output, dense row-major over its extents.
struct ExactOutput {
  std::vector<double> value;
  std::vector<double> bound;
  std::vector<std::uint8_t> written;  ///< 0: the program stores nothing there (or that row was not sampled)
};

struct InterpreterOptions {
  /// When set: only these rows of the outputs named need values, and all of the others (rows: see row_count). Instances
  /// that cannot store to them are skipped, in every launch whose stores no later launch reads.
  std::optional<std::map<ObjectId, std::vector<std::int64_t>>> rows;
  /// Called now and then with the fraction done, for a progress line.
  std::function<void(double)> progress;
};

/// Rows of an output: a row is all indices but the last (row-major ordinal); each element of a rank-1 output is a row
/// of its own, and a rank-0 output is one row.
std::int64_t row_count(const Program& bound, ObjectId output);

/// The oracle: outputs (Out and InOut) of a bound program. Inputs are read, never written; InOut buffers are copied.
/// Out arguments are not needed here. Premise: the program is bound and verified, the views stay inside their buffers.
/// Errors: MissingArgument, ArgumentType, ArgumentShape, Unsupported (opaque calls), MemoryFault (explicit memory, a
/// temporary or an output read before it is written; an `assume` that does not hold; a view that leaves its buffer),
/// SizeOverflow (an index or extent without a value), IndexOutOfRange, OutOfMemory.
Result<std::map<ObjectId, ExactOutput>> interpret_exact(const Program& bound, const Arguments& arguments,
                                                        const InterpreterOptions& options = {});

/// Runs the program in its declared types, writing Out and InOut views. Errors: as above.
Result<void> interpret_typed(const Program& bound, const Arguments& arguments, const InterpreterOptions& options = {});

/// The verdict on one element of a result against the oracle. WrongClass: NaN, Inf and finite are the classes.
/// WrongSign: an Inf or a demanded zero of the other sign.
enum class Agreement : std::uint8_t { Within, TooFar, WrongClass, WrongSign };
Agreement agree(double found, double expected, double bound);

}  // namespace tilewright::tile
