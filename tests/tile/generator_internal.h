// Shared by the files of the program generator.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "generator.h"
#include "tile/builder.h"

namespace tilewright::tile {

using Axes = std::vector<AxisId>;

/// Reproducible on every platform, unlike the distributions of <random>.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool percent(std::size_t chance) { return below(100) < chance; }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  template <class T>
  T one_of(std::initializer_list<T> items) {
    return items.begin()[below(items.size())];
  }
  template <class T>
  std::vector<T> shuffled(std::vector<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    return items;
  }
  template <class T>
  std::vector<T> some_of(const std::vector<T>& items) {
    std::vector<T> some;
    for (const T& item : shuffled(items))
      if (percent(60)) some.push_back(item);
    return some;
  }

 private:
  std::mt19937_64 engine_;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const GeneratorOptions& options);
  GeneratedProgram run();

 private:
  enum class FrameKind : std::uint8_t { Root, Parallel, Serial, Pipeline, Reduce, Branch };
  /// A domain of a parallel region. Where `tile` is valid the coordinate counts tiles of that extent.
  struct ParallelCoord {
    CoordId coord;
    IndexId size;
    IndexId tile;
  };
  struct Frame {
    FrameKind kind{};
    std::vector<CoordId> coords;
    std::vector<ParallelCoord> parallel;
    Scope scope = Scope::Auto;
  };
  struct Variable {
    VariableId id;
    TileType type;
    std::size_t frame = 0;
    std::size_t hidden_from = SIZE_MAX;  ///< frame of the reduce region that folds it
  };
  struct Buffer {
    ObjectId id;
    ElementType element;
    std::vector<IndexId> extents;
    std::size_t frame = 0;  ///< memory: of its declaration
  };

  // Sizes and index expressions (generator_values.cpp).
  IndexId size();
  IndexId constant(std::int64_t value) { return b_.index().constant(value); }
  IndexId index_leaf(const Axes& axes);
  IndexId index_expr(const Axes& axes, int depth);
  IndexId index_op(const Axes& axes, int depth);
  IndexId positive();
  IndexId in_bounds(IndexId extent, const Axes& axes);
  AxisId axis_of(IndexId extent, const Axes& except);
  AxisId other_axis(const Axes& except);
  Axes some_axes(std::size_t most);

  // Values, with axes among those given.
  ElementType float_type();
  ElementType number_type();
  ElementType any_type();
  bool is_integer(ElementType type) const;
  Literal literal(ElementType type);
  ValueId value(ElementType type, const Axes& axes, int depth);
  ValueId unnamed_value(ElementType type, const Axes& axes, int depth);
  ValueId leaf(ElementType type, const Axes& axes);
  ValueId number(ElementType type, const Axes& axes, int depth);
  ValueId truth(const Axes& axes, int depth);
  ValueId position(const Axes& axes, int depth);
  ValueId unary(ElementType type, const Axes& axes, int depth);
  ValueId binary(ElementType type, const Axes& axes, int depth);
  ValueId cast(ElementType type, const Axes& axes, int depth);
  ValueId broadcast(ElementType type, const Axes& axes, int depth);
  ValueId reindex(ElementType type, const Axes& axes, int depth);
  ValueId gather(ElementType type, const Axes& axes, int depth);
  ValueId fold(ElementType type, const Axes& axes, int depth);
  ValueId mma(ElementType type, const Axes& axes, int depth);
  ValueId load(ElementType type, const Axes& axes);
  ValueId exact(ElementType type, const Axes& axes, int depth);
  std::optional<Axes> axis_order(const Axes& named, const Axes& allowed);
  std::optional<Buffer> readable(ElementType type);

  // Statements (generator.cpp).
  void declare_family();
  Buffer new_buffer(ObjectKind kind, ElementType element, std::vector<IndexId> extents);
  std::string name();
  std::string interface_name(const char* prefix) { return prefix + std::to_string(next_name_++); }
  void launch(std::size_t budget);
  void block(std::size_t& budget);
  void statement(std::size_t& budget);
  void declare();
  Variable& declare(std::string name, ValueId value);
  void assign();
  void rotate();
  void loop(std::size_t& budget);
  void reduce(std::size_t& budget);
  void fold_into(std::size_t variable);
  void nested_parallel(std::size_t& budget);
  void branch(std::size_t& budget);
  void store();
  void update_in_place();
  void wild_store();
  void memory();
  void rare();
  bool parallel_domains(RegionSpec& spec, Frame& frame);
  void open(Frame frame, RegionSpec spec);
  void close();
  void leave_frame();
  std::vector<IndexId> place_of_instance(Axes& axes, std::vector<IndexId>& extents, bool& exact);
  bool has_frame(FrameKind kind) const;
  bool may_assign(const Variable& variable) const;
  bool may_read(const Variable& variable) const;
  std::vector<std::size_t> assignable() const;
  std::size_t depth() const { return frames_.size() - 1; }
  bool wild() const { return !options_.legal; }

  GeneratorOptions options_;
  Dice dice_;
  Builder b_;
  Bindings bindings_;
  std::vector<SymbolId> symbols_;
  std::vector<ParamId> params_;
  std::vector<ElementType> type_params_;
  std::vector<IndexId> sizes_;
  std::vector<AxisId> axes_;
  std::vector<Frame> frames_;
  std::vector<Variable> variables_;
  std::vector<Buffer> inputs_, temps_, memories_, new_temps_, written_;
  std::size_t next_name_ = 0;
};

}  // namespace tilewright::tile
