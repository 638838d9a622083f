// One LLVM function a kernel: the loop over a range of tasks, around the kernel's body.
#include <array>

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>

#include "emit/llvm/emit_internal.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::emit_llvm {

namespace {

/// The number keeps entries apart from each other and from every name of a library.
std::string entry_name(const std::string& prefix, std::size_t position, const std::string& kernel_name) {
  std::string name = fmt::format("{}{}_", prefix.empty() ? "tw" : prefix + "_", position);
  for (char c : kernel_name) name += llvm::isAlnum(c) ? c : '_';
  return name;
}

Result<std::int64_t> count_tasks(const kernel::Kernel& kernel) {
  std::int64_t count = 1;
  for (std::int64_t extent : kernel.task_extents) {
    const std::optional<std::int64_t> product = checked_mul(count, extent);
    if (extent < 0 || !product) {
      return failure(DiagCode::SizeOverflow,
                     fmt::format("the number of tasks of kernel '{}' does not fit 64 bits", kernel.name));
    }
    count = *product;
  }
  return count;
}

llvm::Function* declare_entry(llvm::Module& module, const std::string& name, const Machine& machine,
                              std::int64_t scratch_bytes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr("target-cpu", machine.target->getTargetCPU());
  function->addFnAttr("target-features", machine.target->getTargetFeatureString());
  if (machine.vector_bits != 0) function->addFnAttr("prefer-vector-width", std::to_string(machine.vector_bits));
  // The pointer table and the scratch block belong to the runtime; no buffer may overlap them.
  for (unsigned argument : {0u, 3u}) {
    function->addParamAttr(argument, llvm::Attribute::NoAlias);
    function->addParamAttr(argument, llvm::Attribute::NoCapture);
  }
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  function->addParamAttr(3, llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
  if (scratch_bytes > 0) {
    const auto bytes = static_cast<std::uint64_t>(scratch_bytes);
    function->addParamAttr(3, llvm::Attribute::getWithDereferenceableBytes(context, bytes));
  }
  return function;
}

/// Coordinates of the row-major ordinal; the last is fastest.
std::vector<llvm::Value*> unflatten(llvm::IRBuilder<>& b, llvm::Value* ordinal,
                                    const std::vector<std::int64_t>& extents) {
  std::vector<llvm::Value*> coordinates(extents.size());
  for (std::size_t d = extents.size(); d-- > 1;) {
    llvm::Value* extent = b.getInt64(static_cast<std::uint64_t>(extents[d]));
    coordinates[d] = b.CreateURem(ordinal, extent);
    ordinal = b.CreateUDiv(ordinal, extent);
  }
  if (!extents.empty()) coordinates[0] = ordinal;
  return coordinates;
}

/// The interval of tasks, and the blocks around the loop over it.
struct TaskLoop {
  llvm::Value *begin, *end;
  llvm::BasicBlock *prepare, *task, *finish;
};

/// The body for one task after the other. The builder stands in loop.task.
void emit_tasks(Emission& emission, Memory& memory, const kernel::Kernel& kernel, const TaskLoop& loop) {
  llvm::IRBuilder<>& b = emission.builder;
  llvm::PHINode* ordinal = b.CreatePHI(b.getInt64Ty(), 2, "ordinal");
  emit_body(emission, memory, kernel.body, unflatten(b, ordinal, kernel.task_extents));
  llvm::Value* next = b.CreateAdd(ordinal, b.getInt64(1), "", true, true);
  ordinal->addIncoming(loop.begin, loop.prepare);
  ordinal->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(next, loop.end), loop.finish, loop.task);
}

void define_entry(llvm::Function& function, const kernel::Program& program, const kernel::Kernel& kernel,
                  const ScratchLayout& layout, const Machine& machine, bool noalias) {
  llvm::LLVMContext& context = function.getContext();
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context, "start", &function);
  llvm::BasicBlock* prepare = llvm::BasicBlock::Create(context, "prepare", &function);
  llvm::BasicBlock* task = llvm::BasicBlock::Create(context, "task", &function);
  llvm::IRBuilder<> b(start);
  llvm::Value* begin = function.getArg(1);
  llvm::Value* end = function.getArg(2);
  llvm::Value* some = b.CreateICmpSLT(begin, end);

  b.SetInsertPoint(prepare);
  Emission emission{program, machine, b};
  Memory memory(emission, kernel, layout, function.getArg(0), function.getArg(3), noalias);
  b.CreateBr(task);

  b.SetInsertPoint(task);
  llvm::BasicBlock* finish = llvm::BasicBlock::Create(context, "finish", &function);
  if (kernel.ranges) {
    emit_body(emission, memory, kernel.body, std::array<llvm::Value*, 2>{begin, end});
    b.CreateBr(finish);
  } else {
    emit_tasks(emission, memory, kernel, {begin, end, prepare, task, finish});
  }
  b.SetInsertPoint(finish);
  b.CreateRetVoid();
  b.SetInsertPoint(start);
  b.CreateCondBr(some, prepare, finish);
}

}  // namespace

Result<Built> build_module(const kernel::Program& program, const EmitOptions& options, const Machine& machine) {
  Built built;
  built.context = std::make_unique<llvm::LLVMContext>();
  built.context->setDiscardValueNames(false);
  built.module = std::make_unique<llvm::Module>("tilewright", *built.context);
  built.module->setTargetTriple(machine.target->getTargetTriple().str());
  built.module->setDataLayout(machine.target->createDataLayout());
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const kernel::Kernel& kernel = program.kernels[i];
    TW_TRY(const std::int64_t tasks, count_tasks(kernel));
    TW_TRY(const ScratchLayout layout, layout_scratch(program, kernel));
    const std::string entry = entry_name(options.symbol_prefix, i, kernel.name);
    llvm::Function* function = declare_entry(*built.module, entry, machine, layout.bytes);
    if (kernel.ranges) function->addFnAttr(kAsWritten);
    if (tasks == 0) {
      // Extents of zero would be divisors.
      llvm::ReturnInst::Create(*built.context, llvm::BasicBlock::Create(*built.context, "start", function));
    } else {
      define_entry(*function, program, kernel, layout, machine, options.noalias);
    }
    built.launches.push_back({entry, kernel.task_extents, tasks, layout.bytes,
                              tasks == 0 ? 0 : estimate_work(program, kernel), std::nullopt, kernel.ranges});
  }
  std::string fault;
  llvm::raw_string_ostream stream(fault);
  if (llvm::verifyModule(*built.module, &stream)) {
    return failure(DiagCode::InternalError, "malformed LLVM IR: " + stream.str());
  }
  return built;
}

}  // namespace tilewright::emit_llvm
