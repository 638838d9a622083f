#include "driver/compile_key.h"

#include <bit>

#include "driver/program_impl.h"
#include "store/byte_stream.h"
#include "support/sha256.h"
#include "tile/printer.h"

namespace tilewright::driver {

namespace {

using store::ByteWriter;

void add_bindings(ByteWriter& out, const Bindings& bindings) {
  const auto& [numbers, types] = bindings;
  out.number(numbers.size());
  for (const auto& [name, value] : numbers) {
    out.text(name);
    out.integer(value);
  }
  out.number(types.size());
  for (const auto& [name, type] : types) {
    out.text(name);
    out.number(static_cast<std::uint64_t>(type));
  }
}

void add_layouts(ByteWriter& out, const std::map<std::string, BufferLayout>& layouts) {
  out.number(layouts.size());
  for (const auto& [name, layout] : layouts) {
    const auto& [strides] = layout;
    out.text(name);
    out.number(strides.size());
    for (std::int64_t stride : strides) out.integer(stride);
  }
}

void add_emulation(ByteWriter& out, const EmulationOptions& emulation) {
  const auto& [checks, schedules, layouts, timeout_seconds] = emulation;
  out.number(checks ? 1 : 0);
  out.number(schedules);
  out.number(layouts);
  out.number(std::bit_cast<std::uint64_t>(timeout_seconds));
}

}  // namespace

std::string compile_key(const Program& program, const Bindings& bindings, const CompileOptions& options) {
  // Taken apart whole: an option that is added does not compile here until it is part of the key.
  const auto& [target, layouts, noalias, cache, symbol_prefix, device, settings, plan, plan_label, route, emulation,
               tensor_bindings] = options;
  static_cast<void>(cache);
  ByteWriter out;
  out.text(program.impl().digest.get([&] { return sha256_text(tile::print_program(program.impl().program)); }));
  add_bindings(out, bindings);
  out.number(static_cast<std::uint64_t>(target));
  add_layouts(out, layouts);
  out.number(noalias ? 1 : 0);
  out.text(symbol_prefix);
  out.text(device);
  out.number(settings.size());
  for (const auto& [name, value] : settings) {
    out.text(name);
    out.text(value);
  }
  out.text(plan);
  out.text(plan_label);
  out.number(static_cast<std::uint64_t>(route));
  add_emulation(out, emulation);
  out.number(static_cast<std::uint64_t>(tensor_bindings));
  return out.take();
}

}  // namespace tilewright::driver
