// Programs and how they become kernels.
//
//   auto program = tilewright::Program::load("gemm");
//   auto kernel = tilewright::compile(*program, {.numbers = {{"M", 512}, {"N", 512}, {"K", 512}}});
//   kernel->run({{"A", a}, {"B", b}, {"C", c}});
//
// Everything here is a value; nothing is global; calls from several threads do not meet.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tilewright/array.h>
#include <tilewright/errors.h>
#include <tilewright/types.h>

namespace tilewright {

class Executor;     // tilewright/run.h
class KernelCache;  // tilewright/cache.h

/// A parameter of a program family: a number or an element type, with the values a planner may choose from.
struct ParamInfo {
  std::string name;
  std::vector<std::int64_t> choices;  ///< of a number
  std::int64_t default_value = 0;
  std::vector<DataType> type_choices;  ///< of an element type; empty for a number
  DataType default_type = DataType::F32;

  bool is_type() const { return !type_choices.empty(); }
};

enum class BufferRole : std::uint8_t { In, Out, InOut, Temp };

/// A buffer or (rank 0, In) a scalar input, as declared.
struct BufferInfo {
  std::string name;
  BufferRole role = BufferRole::In;
  std::string element;                  ///< "f32", or the name of a type parameter
  std::vector<std::string> extents;     ///< as text, for example "ceildiv(M, BM)"
  std::optional<double> default_value;  ///< of a scalar input
};

/// Values of symbols and parameters by name. Every symbol needs one; parameters have defaults.
struct Bindings {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, DataType> types;
};

/// A verified program family.
class Program {
 public:
  /// From the text of a .tile file. `label` names it in diagnostics.
  static Result<Program> parse(std::string_view text, std::string label = "program");
  /// From a file, or by the bare name of a program of the standard library (see find_programs()).
  static Result<Program> load(const std::string& path_or_name);

  const std::string& name() const;
  /// First line of the comment before the program.
  std::string summary() const;
  std::vector<std::string> symbols() const;
  std::vector<ParamInfo> params() const;
  std::vector<BufferInfo> buffers() const;
  /// The canonical text.
  std::string text() const;

  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Folder of the standard library: the environment variable TILEWRIGHT_HOME, else found from the running binary.
/// Gives the paths of its .tile files, sorted by name.
Result<std::vector<std::string>> find_programs();

/// Metal: kernels for Apple GPUs as text, run by the emulator. MetalSimdgroup: matrices of SIMD groups (MSL 3.1);
/// MetalMpp: tensor operations of Metal Performance Primitives (MSL 4.0).
enum class Target : std::uint8_t { Cpu, Interp, MetalSimdgroup, MetalMpp };
constexpr bool is_metal(Target target) { return target == Target::MetalSimdgroup || target == Target::MetalMpp; }
std::string_view target_name(Target target);
std::optional<Target> target_from_name(std::string_view name);

/// How a program becomes kernels for a target with plans. Direct: without a planner, one operation after the other, by
/// one subgroup a program; of MetalMpp. It is the second way of a comparison, not the fast one (docs/direct-route.md).
enum class Route : std::uint8_t { Planned, Direct };
std::string_view route_name(Route route);
std::optional<Route> route_from_name(std::string_view name);

/// How a buffer lies in memory at every launch of one kernel: the strides of its view, in elements.
struct BufferLayout {
  std::vector<std::int64_t> strides;
};

/// How kernels for Metal run where there is no Metal: on the emulator, which needs clang-19 and llvm-19.
struct EmulationOptions {
  bool checks = true;           ///< look for races, accesses out of bounds, divergence; any report makes a run fail
  std::uint32_t schedules = 1;  ///< orders of threads that each launch is run in
  std::uint32_t layouts = 1;    ///< of cooperative tensors, each with all schedules; without tensor operations only one
  double timeout_seconds = 300;  ///< of each launch
};

/// What a kernel of the target metal-mpp takes its operands as. Inline: buffers, of which it makes tensors itself.
/// Handle: inputs that nothing but tensor operations read are tensors that the host makes (MTLTensor), with extents and
/// strides.
enum class TensorBindings : std::uint8_t { Inline, Handle };

struct CompileOptions {
  Target target = Target::Cpu;
  /// Buffers that are not dense row-major, by name.
  std::map<std::string, BufferLayout> layouts;
  /// The caller's promise that distinct buffers never overlap. It is checked at every launch.
  bool noalias = false;

  // Of the CPU.
  std::shared_ptr<KernelCache> cache;  ///< where kernels are looked for and kept; none: each is compiled
  /// What the names of the entries in an object begin with: letters, digits and '_', not a digit first. Objects that go
  /// into one program need one each. Empty: "tw".
  std::string symbol_prefix;

  // Of targets with plans: cpu and those of Metal.
  std::string device;  ///< a device profile, by name or path; empty: the general one of the target
  /// Planner options and compile switches by name, as `tilewright plan --set` takes them.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string plan;                 ///< text of a stored plan, to be verified in place of planning; empty: planned
  std::string plan_label = "plan";  ///< names it in diagnostics
  Route route = Route::Planned;     ///< Direct goes without settings and plan
  EmulationOptions emulation;
  TensorBindings tensor_bindings = TensorBindings::Inline;  ///< of metal-mpp alone
};

/// One argument of a launch by buffer name. Scalars are rank-0 views.
using Arguments = std::map<std::string, ArrayView>;

struct RunOptions {
  int threads = 0;               ///< of the CPU or of the emulator; 0: all cores
  Executor* executor = nullptr;  ///< of the CPU: the caller's threads, in place of the count
};

/// Milliseconds of each stage of one compilation, in order.
struct StageTime {
  std::string stage;
  double milliseconds = 0;
};

/// A program compiled for one binding, target and layout. Running it is thread-safe.
class Kernel {
 public:
  /// Checks every argument (presence, type, shape, strides, range of the view, overlap of what is written with
  /// anything else), then runs. On an error nothing has been written.
  Result<void> run(const Arguments& arguments, const RunOptions& options = {}) const;

  const std::vector<StageTime>& stage_times() const;
  /// The values of symbols and parameters, also of those that a planner chose.
  const Bindings& bindings() const;
  /// The text after a stage: parse, bind, plan, kernel, msl, llvm, assembly; a target has some of them.
  Result<std::string> print_after(std::string_view stage) const;

  struct Impl;
  explicit Kernel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }
  std::shared_ptr<const Impl> shared_impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Metal: parameters without a value are chosen by the planner; on the direct route they are the defaults, or where
/// those do not fit the device the nearest of the declared choices that do. Errors: those of binding, of planning and
/// of each stage; ArgumentStrides when a stored plan does not go with a layout; BadOption and Unsupported for what the
/// route does not go with.
Result<Kernel> compile(const Program& program, const Bindings& bindings, const CompileOptions& options = {});

}  // namespace tilewright
