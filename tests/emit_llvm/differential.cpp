#include "differential.h"

#include <algorithm>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel/interpreter.h"
#include "kernel/verifier.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/loader.h"
#include "runtime/cpu/run.h"

namespace tilewright::emit_llvm {

namespace {

using kernel::ScalarType;

constexpr std::size_t kGuard = 256;
constexpr std::byte kGuardByte{0xa5};

bool is_nan(ScalarType scalar, std::uint64_t bits) {
  switch (scalar) {
    case ScalarType::F16:
      return (bits & 0x7fff) > 0x7c00;
    case ScalarType::BF16:
      return (bits & 0x7fff) > 0x7f80;
    case ScalarType::F32:
      return (bits & 0x7fffffff) > 0x7f800000;
    case ScalarType::I1:
    case ScalarType::I32:
    case ScalarType::I64:
      return false;
  }
  return false;
}

}  // namespace

Arena::Arena(const kernel::Program& program) {
  for (const kernel::Buffer& buffer : program.buffers) {
    Block block;
    block.scalar = buffer.scalar;
    block.name = buffer.name;
    const bool own = buffer.kind != kernel::BufferKind::Temporary;
    block.size = own ? static_cast<std::size_t>(buffer.count) * kernel::scalar_bytes(buffer.scalar) : 0;
    block.bytes.assign(block.size + 2 * kGuard, kGuardByte);
    std::fill_n(block.bytes.begin() + kGuard, block.size, std::byte{0});
    places_.emplace_back(blocks_.size(), 0);
    blocks_.push_back(std::move(block));
  }
}

void Arena::set_bytes(kernel::BufferId buffer, const void* data, std::size_t size) {
  const auto [block, offset] = places_[buffer.index];
  if (size != 0) std::memcpy(blocks_[block].bytes.data() + kGuard + offset, data, size);
}

void Arena::overlap(kernel::BufferId buffer, kernel::BufferId owner, std::size_t offset_bytes) {
  places_[buffer.index] = {places_[owner.index].first, offset_bytes};
}

void Arena::fill(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Block& block : blocks_) {
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto byte = static_cast<std::byte>(random());
      block.bytes[kGuard + i] = block.scalar == ScalarType::I1 ? byte & std::byte{1} : byte;
    }
  }
}

std::vector<std::byte*> Arena::bases() {
  std::vector<std::byte*> bases;
  for (const auto& [block, offset] : places_) bases.push_back(blocks_[block].bytes.data() + kGuard + offset);
  return bases;
}

std::string Arena::difference(const Arena& other) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block &a = blocks_[i], &b = other.blocks_[i];
    const std::size_t size = kernel::scalar_bytes(a.scalar);
    for (std::size_t at = 0; at < a.size; at += size) {
      std::uint64_t left = 0, right = 0;
      std::memcpy(&left, a.bytes.data() + kGuard + at, size);
      std::memcpy(&right, b.bytes.data() + kGuard + at, size);
      if (left == right || (is_nan(a.scalar, left) && is_nan(a.scalar, right))) continue;
      return fmt::format("{}[{}] is {:#x} and {:#x}", a.name, at / size, left, right);
    }
  }
  return {};
}

std::string Arena::broken_guard() const {
  for (const Block& block : blocks_) {
    const auto intact = [](std::byte byte) { return byte == kGuardByte; };
    if (!std::all_of(block.bytes.begin(), block.bytes.begin() + kGuard, intact)) return block.name + ": bytes before";
    if (!std::all_of(block.bytes.end() - kGuard, block.bytes.end(), intact)) return block.name + ": bytes behind";
  }
  return {};
}

Variant host_variant(int threads) { return {"host", options_for(runtime_cpu::detect_host()), threads}; }

std::vector<Variant> variants() {
  Variant plain = host_variant();
  plain.name = "host, level 0";
  plain.options.opt_level = 0;
  std::vector<Variant> all{host_variant(), plain};
#if defined(__x86_64__)
  // Without f16c and fma; and with them, where the host would take wider vectors.
  all.push_back({"x86-64", {.cpu = "x86-64"}});
  if (__builtin_cpu_supports("avx512f") != 0) all.push_back({"x86-64-v3", {.cpu = "x86-64-v3"}});
#endif
  return all;
}

std::string run_compiled(const kernel::Program& program, Arena& arena, const Variant& variant) {
  const Result<artifact::Artifact> emitted = emit(program, variant.options);
  if (!emitted) return render(emitted.error());
  const Result<runtime_cpu::LoadedArtifact> loaded = runtime_cpu::load(*emitted);
  if (!loaded) return render(loaded.error());
  const std::vector<std::byte*> bases = arena.bases();
  const std::vector<void*> bindings(bases.begin(), bases.end());
  const Result<void> ran = runtime_cpu::run(*loaded, bindings, {.threads = variant.threads});
  if (!ran) return render(ran.error());
  return arena.broken_guard();
}

std::string compare_with_interpreter(const kernel::Program& program, const Arena& initial,
                                     const std::vector<Variant>& variants) {
  if (const Result<void> verified = kernel::verify(program); !verified) return render(verified.error());
  Arena expected = initial;
  const auto counts = kernel::interpret(program, expected.bases());
  if (!counts) return render(counts.error());
  std::string faults;
  for (const Variant& variant : variants) {
    Arena found = initial;
    std::string fault = run_compiled(program, found, variant);
    if (fault.empty()) fault = expected.difference(found);
    if (!fault.empty()) faults += fmt::format("{}: {} (interpreted and compiled)\n", variant.name, fault);
  }
  return faults;
}

void expect_agreement(const kernel::Program& program, const Arena& initial) {
  EXPECT_EQ(compare_with_interpreter(program, initial, variants()), "");
}

}  // namespace tilewright::emit_llvm
