// The text of one kernel.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/msl/expressions.h"
#include "emit/msl/launch_grid.h"
#include "emit/msl/legality.h"
#include "emit/msl/names.h"

namespace tilewright::emit_msl {

class KernelText {
 public:
  /// coordinates: names for those of the task; as many as there are, or none.
  KernelText(const KernelFacts& facts, const LaunchGrid& grid, std::string entry,
             const std::vector<std::string>& coordinates, Library& library);

  std::string run();

 private:
  // ---- kernel_text.cpp: the function around the body ---------------------------------------------------------------
  void name_things(const std::vector<std::string>& coordinates);
  void signature();
  void task_coordinates();
  void allocations();
  bool asks(kernel::WorkerQuery query) const;

  // ---- statements.cpp: blocks, loops, ifs, memory, arithmetic ------------------------------------------------------
  void block(kernel::BlockId id);
  template <class Payload>
  void statement(const Payload& payload, const kernel::Op& op);
  void statement(const kernel::StoreOp& payload, const kernel::Op& op);
  void statement(const kernel::PrefetchOp&, const kernel::Op&) {}  ///< Metal has no such hint
  void statement(const kernel::LoopOp& payload, const kernel::Op& op);
  void statement(const kernel::IfOp& payload, const kernel::Op& op);
  void statement(const kernel::FoldLanesOp& payload, const kernel::Op& op);
  /// An if that only chooses between two numbers.
  bool is_choice(const kernel::IfOp& payload, const kernel::Op& op) const;
  bool has_statements(kernel::BlockId id) const;
  void branch(kernel::BlockId id, const std::vector<kernel::ValueId>& results);

  // ---- together.cpp: what the workers of a subgroup or group do together -------------------------------------------
  void statement(const kernel::SubgroupReduceOp& payload, const kernel::Op& op);
  void statement(const kernel::ShuffleOp& payload, const kernel::Op& op);
  void statement(const kernel::FragmentFillOp& payload, const kernel::Op& op);
  void statement(const kernel::FragmentLoadOp& payload, const kernel::Op& op);
  void statement(const kernel::FragmentStoreOp& payload, const kernel::Op& op);
  void statement(const kernel::AtomOp& payload, const kernel::Op& op);
  void statement(const kernel::FenceOp& payload, const kernel::Op& op);

  // ---- tensor_text.cpp: tensor operations, and fragments that are cooperative tensors
  // --------------------------------
  struct TensorNames {
    std::string operation;
    std::array<std::string, 2> extents, views;  ///< types of the left and the right operand
  };
  /// A number that is used several times: a name or a literal.
  struct Extents {
    Expr outer, depth;
    bool may_lack_outer = false;  ///< whether it may be 0 or less
  };
  void declare_tensor_operations();
  void tensor_product(const kernel::AtomOp& payload, kernel::ValueId result);
  void run_product(const kernel::AtomOp& payload, kernel::ValueId result, const Extents& a, const Extents& b);
  std::string declare_view(const kernel::AtomOp& payload, bool left, const TensorNames& names, const Extents& extents);
  std::string declare_slice(const kernel::AtomOp& payload, bool left, bool whole_step);
  void absent_product(const kernel::AtomOp& payload, kernel::ValueId result, bool by_row, const Extents& present);
  void load_tensor(const kernel::FragmentLoadOp& payload, kernel::ValueId result);
  void store_tensor(const kernel::FragmentStoreOp& payload);
  bool is_within_reach(kernel::ValueId stride, kernel::ValueType type) const;
  bool is_read_by_element(const kernel::MemoryRef& memory) const;
  void store_whole_tensor(const kernel::FragmentStoreOp& payload);
  void store_elements(const kernel::FragmentStoreOp& payload, const std::string& rows, const std::string& columns);
  /// Guards of the rows and of the columns of a part; empty: all are there.
  std::array<std::string, 2> part_guards(const kernel::FragmentPart& part, kernel::ValueType type);
  std::string whole_view(const kernel::MemoryRef& memory, kernel::ValueId index, kernel::ValueId stride,
                         kernel::ValueType type);
  /// Sets each element of the tensor to a number that may hang on its place.
  void assign_tensor(kernel::ValueId value, const std::string& number);
  /// Without a guard of its own, a statement that asks for the place is for valid elements alone.
  void for_each_slot(const std::string& tensor, std::string guard, const std::string& statement);
  /// The number, under a name unless it is short.
  Expr named(kernel::ValueId value, std::string_view wanted);

  Expr reduced(kernel::LaneFold kind, kernel::ValueId result, kernel::ScalarType scalar, const Expr& operand);
  Expr exchanged(const kernel::ShuffleOp& payload, kernel::ScalarType scalar, const Expr& operand);

  // ---- assignments.cpp: variables ----------------------------------------------------------------------------------
  struct Copy {
    kernel::ValueId target, source;
    std::string ready;  ///< a variable that holds the source already; or empty
  };
  std::string& name(kernel::ValueId value) { return names_.variables[facts_.variables.of(value)]; }
  bool is_declared(kernel::ValueId value) { return !name(value).empty(); }
  std::string base_name(kernel::ValueId value) const;
  /// The type as a declaration names it.
  std::string type_text(kernel::ValueId value) const;
  /// "float x", which gives the variable its name.
  std::string declaration(kernel::ValueId value);
  /// The same for a name that is no variable of the program.
  std::string new_variable(kernel::ValueId like, const std::string& name) const;
  /// "const float x" where the variable is declared by what follows, else "x".
  std::string target(kernel::ValueId value);
  /// Declares without a value what is not declared yet.
  void declare(kernel::ValueId value);
  /// Each number of the value, from its lane.
  template <class Make>
  void assign(kernel::ValueId value, Make&& make);
  /// Of a variable of the type of `like`.
  std::string element_of_lane(kernel::ValueId like, const std::string& variable) const;
  void assign_each_lane(kernel::ValueId value, const std::string& number);
  /// All at once.
  void copy_all(const std::vector<kernel::ValueId>& targets, const std::vector<kernel::ValueId>& sources);
  void copy(const Copy& copy);
  bool reads(kernel::ValueId source, std::uint32_t variable) const;
  /// A new variable of the type of `like` with the source's value.
  void keep(kernel::ValueId like, kernel::ValueId source, const std::string& into);
  std::string filled_matrix(kernel::ValueId value, const Expr& element) const;

  /// The statement for each number of a value, with lane_name_ from `first`.
  void for_each_lane(int first, int lanes, const std::string& statement);
  Expr shortened(const Expr& expr);
  std::string loop_name();

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  const KernelFacts& facts_;
  const kernel::Program& program_;
  const kernel::Kernel& kernel_;
  const LaunchGrid& grid_;
  Library& library_;
  Names names_;
  NameTable table_;
  Expressions expressions_;
  std::vector<TensorNames> tensor_names_;  ///< by operation
  std::string entry_, lane_name_;
  std::vector<std::string> loop_letters_, loop_names_;
  std::size_t loops_ = 0;  ///< around the statement
  int depth_ = 0;
  std::string text_;
};

template <class Make>
void KernelText::assign(kernel::ValueId value, Make&& make) {
  if (form_of(program_.values[value]) != Form::Number) return assign_each_lane(value, make(lane_name_).text);
  const std::string number = make(std::string()).text;
  const std::string left = target(value);
  line("{} = {};", left, number);
}

}  // namespace tilewright::emit_msl
