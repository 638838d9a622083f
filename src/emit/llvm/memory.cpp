// Addresses, loads and stores, and what LLVM may know about overlap.
#include <algorithm>

#include <llvm/IR/MDBuilder.h>

#include "emit/llvm/emit_internal.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::emit_llvm {

namespace {

constexpr std::int64_t kScratchAlignment = 64;

}  // namespace

Result<ScratchLayout> layout_scratch(const kernel::Program& program, const kernel::Kernel& kernel) {
  ScratchLayout layout;
  for (kernel::AllocationId id : kernel.allocations) {
    const kernel::Allocation& allocation = program.allocations[id];
    const auto bytes = static_cast<std::int64_t>(kernel::scalar_bytes(allocation.scalar));
    std::optional<std::int64_t> end = checked_mul(allocation.count, bytes);
    if (end) end = checked_add(*end, layout.bytes);
    if (end) end = checked_add(*end, kScratchAlignment - 1);
    if (!end || allocation.count < 0) {
      return failure(DiagCode::TileTooLarge, "the tiles of kernel '" + kernel.name + "' do not fit 64-bit sizes");
    }
    layout.offsets.push_back(layout.bytes);
    layout.bytes = *end / kScratchAlignment * kScratchAlignment;
  }
  return layout;
}

Memory::Memory(Emission& emission, const kernel::Kernel& kernel, const ScratchLayout& layout, llvm::Value* bindings,
               llvm::Value* scratch, bool noalias)
    : emission_(emission),
      buffers_(emission.program.buffers.size()),
      allocations_(emission.program.allocations.size()) {
  llvm::IRBuilder<>& b = emission.builder;
  llvm::MDNode* empty = llvm::MDNode::get(b.getContext(), {});
  for (kernel::BufferId id : emission.program.buffers.ids()) {
    const kernel::Buffer& buffer = emission.program.buffers[id];
    Place& place = buffers_[id.index];
    place.scalar = buffer.scalar;
    if (buffer.kind == kernel::BufferKind::Temporary)
      place.alignment = llvm::Align(kernel::scalar_bytes(buffer.scalar));
    llvm::Value* slot = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), bindings, id.index);
    llvm::LoadInst* pointer = b.CreateLoad(b.getPtrTy(), slot);
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
    place.base = pointer;
    if (buffer.kind != kernel::BufferKind::Scalar) continue;
    llvm::Type* element = type_of_element(emission, buffer.scalar);
    place.preloaded = b.CreateAlignedLoad(element, pointer, place.alignment);
  }
  for (std::size_t i = 0; i < kernel.allocations.size(); ++i) {
    const kernel::AllocationId id = kernel.allocations[i];
    Place& place = allocations_[id.index];
    place.scalar = emission.program.allocations[id].scalar;
    place.alignment = llvm::Align(kernel::scalar_bytes(place.scalar));
    place.base = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scratch, layout.offsets[i]);
  }
  make_scopes(noalias);
}

void Memory::make_scopes(bool noalias) {
  llvm::LLVMContext& context = emission_.builder.getContext();
  llvm::MDBuilder metadata(context);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("memory");
  std::vector<Place*> with_scope;
  for (kernel::BufferId id : emission_.program.buffers.ids()) {
    const kernel::BufferKind kind = emission_.program.buffers[id].kind;
    const bool apart = kind == kernel::BufferKind::Temporary || (noalias && kind == kernel::BufferKind::Argument);
    if (apart) with_scope.push_back(&buffers_[id.index]);
  }
  for (Place& place : allocations_) {
    if (place.base != nullptr) with_scope.push_back(&place);
  }
  std::vector<llvm::Metadata*> scopes;
  for (std::size_t i = 0; i < with_scope.size(); ++i) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain, "object"));
    with_scope[i]->scope = llvm::MDNode::get(context, {scopes.back()});
  }
  const auto all_scopes_but = [&](std::size_t own) {
    std::vector<llvm::Metadata*> others = scopes;
    if (own < others.size()) others.erase(others.begin() + static_cast<std::ptrdiff_t>(own));
    return others.empty() ? nullptr : llvm::MDNode::get(context, others);
  };
  for (std::size_t i = 0; i < with_scope.size(); ++i) with_scope[i]->apart = all_scopes_but(i);
  for (Place& place : buffers_) {
    if (place.scope == nullptr) place.apart = all_scopes_but(scopes.size());
  }
}

const Memory::Place& Memory::place(const kernel::MemoryRef& memory) const {
  TW_CHECK(memory.buffer.valid() != memory.allocation.valid());
  const std::uint32_t index = memory.buffer.valid() ? memory.buffer.index : memory.allocation.index;
  const std::vector<Place>& places = memory.buffer.valid() ? buffers_ : allocations_;
  TW_CHECK(index < places.size() && places[index].base != nullptr);
  return places[index];
}

/// A masked access may start outside of its object, so that its address must not claim to lie inside.
llvm::Value* Memory::address(const Place& place, llvm::Value* index, bool masked) {
  llvm::IRBuilder<>& b = emission_.builder;
  llvm::Type* element = type_of_element(emission_, place.scalar);
  return masked ? b.CreateGEP(element, place.base, index) : b.CreateInBoundsGEP(element, place.base, index);
}

llvm::Instruction* Memory::annotate(llvm::Instruction* access, const Place& place) {
  if (place.scope != nullptr) access->setMetadata(llvm::LLVMContext::MD_alias_scope, place.scope);
  if (place.apart != nullptr) access->setMetadata(llvm::LLVMContext::MD_noalias, place.apart);
  return access;
}

/// Emits `body` under the condition; gives what it returns, or `otherwise` (both may be null).
template <class Body>
llvm::Value* Memory::emit_when(llvm::Value* condition, llvm::Value* otherwise, Body body) {
  llvm::IRBuilder<>& b = emission_.builder;
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* access = llvm::BasicBlock::Create(b.getContext(), "access", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, access, after);
  b.SetInsertPoint(access);
  llvm::Value* value = body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  if (otherwise == nullptr) return nullptr;
  llvm::PHINode* result = b.CreatePHI(otherwise->getType(), 2);
  result->addIncoming(otherwise, before);
  result->addIncoming(value, access);
  return result;
}

llvm::Value* Memory::load(const kernel::MemoryRef& memory, llvm::Value* index, llvm::Value* mask, ValueType type) {
  llvm::IRBuilder<>& b = emission_.builder;
  const Place& from = place(memory);
  TW_CHECK(from.scalar == type.scalar);
  llvm::Type* element = type_of_element(emission_, type.scalar);
  llvm::Type* stored = type.lanes == 1 ? element : llvm::FixedVectorType::get(element, type.lanes);
  llvm::Value* zero = llvm::Constant::getNullValue(stored);

  llvm::Value* value = nullptr;
  if (type.lanes == 1 && from.preloaded != nullptr) {
    value = mask == nullptr ? from.preloaded : b.CreateSelect(mask, from.preloaded, zero);
  } else {
    llvm::Value* pointer = address(from, index, mask != nullptr);
    const auto plain = [&] { return annotate(b.CreateAlignedLoad(stored, pointer, from.alignment), from); };
    if (mask == nullptr) {
      value = plain();
    } else if (type.lanes == 1) {
      value = emit_when(mask, zero, plain);
    } else {
      value = annotate(b.CreateMaskedLoad(stored, pointer, from.alignment, mask, zero), from);
    }
  }
  return type.scalar == ScalarType::I1 ? b.CreateICmpNE(value, zero) : value;
}

void Memory::store(const kernel::MemoryRef& memory, llvm::Value* index, llvm::Value* value, llvm::Value* mask,
                   ValueType type) {
  llvm::IRBuilder<>& b = emission_.builder;
  const Place& to = place(memory);
  TW_CHECK(to.scalar == type.scalar && to.preloaded == nullptr);
  if (type.scalar == ScalarType::I1) value = b.CreateZExt(value, value->getType()->getWithNewBitWidth(8));
  llvm::Value* pointer = address(to, index, mask != nullptr);
  const auto plain = [&] { return annotate(b.CreateAlignedStore(value, pointer, to.alignment), to); };
  if (mask == nullptr) {
    plain();
  } else if (type.lanes == 1) {
    emit_when(mask, nullptr, plain);
  } else {
    annotate(b.CreateMaskedStore(value, pointer, to.alignment, mask), to);
  }
}

void Memory::prefetch(const kernel::MemoryRef& memory, llvm::Value* index, bool near) {
  llvm::IRBuilder<>& b = emission_.builder;
  llvm::Value* pointer = address(place(memory), index, /*masked=*/true);
  // Operands: for reading; 3 is the nearest cache, 2 the next; of data.
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                    {pointer, b.getInt32(0), b.getInt32(near ? 3 : 2), b.getInt32(1)});
}

}  // namespace tilewright::emit_llvm
