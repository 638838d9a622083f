// What the files of this folder share. LLVM's types stay inside the folder: nobody else includes this header.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include "emit/llvm/emit.h"

namespace tilewright::emit_llvm {

using kernel::ScalarType;
using kernel::ValueType;

// ---- machine.cpp ----------------------------------------------------------------------------------------------------

struct Machine {
  std::unique_ptr<llvm::TargetMachine> target;
  bool converts_f16 = false;  ///< has instructions between f16 and f32
  bool fuses = false;         ///< has fused multiply-adds
  bool scales = false;        ///< has an instruction for x * 2^n
  bool ranges = false;        ///< has an instruction for the greater of two numbers that orders zeros
  int vector_bits = 0;        ///< preferred width of vectors; 0: LLVM's own choice
};
Result<Machine> make_machine(const EmitOptions& options);

// ---- conversion.cpp: types, constants, casts ------------------------------------------------------------------------

/// What emitting one kernel needs everywhere. f16 and bf16 values are i16 bit patterns in the emitted code; each
/// operation widens its operands and narrows its result.
struct Emission {
  const kernel::Program& program;
  const Machine& machine;
  llvm::IRBuilder<>& builder;
};

llvm::Type* type_of_value(Emission& emission, ValueType type);
/// One element as memory holds it: I1 takes a byte.
llvm::Type* type_of_element(Emission& emission, ScalarType scalar);
/// All lanes equal to the constant of a ConstOp.
llvm::Value* emit_constant(Emission& emission, ValueType type, std::int64_t integer);
/// Any float type to f32 and back.
llvm::Value* widen(Emission& emission, llvm::Value* value, ScalarType from);
llvm::Value* narrow(Emission& emission, llvm::Value* value, ScalarType to);
llvm::Value* emit_cast(Emission& emission, llvm::Value* value, ValueType from, ValueType to);

// ---- arithmetic.cpp -------------------------------------------------------------------------------------------------

llvm::Value* emit_unary(Emission& emission, kernel::UnaryKind kind, llvm::Value* value, ValueType type);
llvm::Value* emit_binary(Emission& emission, kernel::BinaryKind kind, llvm::Value* lhs, llvm::Value* rhs,
                         ValueType type);
llvm::Value* emit_compare(Emission& emission, kernel::CompareKind kind, llvm::Value* lhs, llvm::Value* rhs,
                          ValueType type);
llvm::Value* emit_fma(Emission& emission, llvm::Value* a, llvm::Value* b, llvm::Value* c, ValueType type);
llvm::Value* emit_fold_lanes(Emission& emission, kernel::LaneFold kind, llvm::Value* value, ValueType type);

// ---- math.cpp: of f32. Errors in units of the last place: docs/kernel-ir.md.
// ---------------------------------------------

llvm::Value* emit_exp(Emission& emission, llvm::Value* value);
llvm::Value* emit_tanh(Emission& emission, llvm::Value* value);
llvm::Value* emit_log(Emission& emission, llvm::Value* value);

// ---- memory.cpp -----------------------------------------------------------------------------------------------------

/// Byte offsets of the kernel's allocations in the scratch block, in the order of Kernel::allocations.
struct ScratchLayout {
  std::vector<std::int64_t> offsets;
  std::int64_t bytes = 0;
};
Result<ScratchLayout> layout_scratch(const kernel::Program& program, const kernel::Kernel& kernel);

/// Addresses and aliasing of everything that a kernel can reach.
class Memory {
 public:
  /// Emits the loads of pointers and scalars at the builder's place, which dominates every later access.
  Memory(Emission& emission, const kernel::Kernel& kernel, const ScratchLayout& layout, llvm::Value* bindings,
         llvm::Value* scratch, bool noalias);

  /// mask: null for "all lanes".
  llvm::Value* load(const kernel::MemoryRef& memory, llvm::Value* index, llvm::Value* mask, ValueType type);
  void store(const kernel::MemoryRef& memory, llvm::Value* index, llvm::Value* value, llvm::Value* mask,
             ValueType type);
  void prefetch(const kernel::MemoryRef& memory, llvm::Value* index, bool near);

 private:
  struct Place {
    ScalarType scalar{};
    llvm::Align alignment;  ///< of an element; 1 for memory of the caller, which may lie anywhere
    llvm::Value* base = nullptr;
    llvm::Value* preloaded = nullptr;  ///< the value of a by-value scalar
    llvm::MDNode* scope = nullptr;     ///< its own alias scope, if it is apart from something
    llvm::MDNode* apart = nullptr;     ///< the scopes that it never overlaps
  };
  void make_scopes(bool noalias);
  const Place& place(const kernel::MemoryRef& memory) const;
  llvm::Value* address(const Place& place, llvm::Value* index, bool masked);
  llvm::Instruction* annotate(llvm::Instruction* access, const Place& place);
  template <class Body>
  llvm::Value* emit_when(llvm::Value* condition, llvm::Value* otherwise, Body body);

  Emission& emission_;
  std::vector<Place> buffers_;
  std::vector<Place> allocations_;  ///< by AllocationId; those of other kernels have no base
};

// ---- operations.cpp -------------------------------------------------------------------------------------------------

/// Emits the body of a kernel at the builder's place; `coordinates` are the block's arguments.
void emit_body(Emission& emission, Memory& memory, kernel::BlockId body, std::span<llvm::Value* const> coordinates);

// ---- module.cpp -----------------------------------------------------------------------------------------------------

/// An LLVM module and the context that must outlive it.
struct Built {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<artifact::Launch> launches;
};
Result<Built> build_module(const kernel::Program& program, const EmitOptions& options, const Machine& machine);

/// Operations that one task executes, roughly; loops of unknown length count as 16 trips. Saturates.
std::int64_t estimate_work(const kernel::Program& program, const kernel::Kernel& kernel);

// ---- loops.cpp ------------------------------------------------------------------------------------------------------

/// Whether some innermost loop works on numbers, not on vectors.
bool has_scalar_loops(const kernel::Program& program);

// ---- optimize.cpp ---------------------------------------------------------------------------------------------------

/// Kernels of ranges are left as they are: whoever writes them has placed every vector, and the passes would only cost
/// time.
void optimize(llvm::Module& module, const Machine& machine, int opt_level);
inline constexpr const char* kAsWritten = "tilewright-as-written";  ///< attribute of functions that no pass looks at
Result<std::string> generate_code(llvm::Module& module, const Machine& machine, llvm::CodeGenFileType kind);

// ---- object_symbols.cpp ---------------------------------------------------------------------------------------------

/// BadOption: not what a name in C begins with.
Result<void> check_symbol_prefix(const std::string& prefix);
/// What an object calls and does not hold, as C spells it, sorted.
Result<std::vector<std::string>> undefined_symbols(const std::string& object);

}  // namespace tilewright::emit_llvm
