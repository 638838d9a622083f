// The entry points: arguments become storage, the program runs, outputs are handed over.
#include "tile/interpreter.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/interpreter_sampling.h"
#include "tile/interpreter_storage.h"

namespace tilewright::tile {

namespace {

bool is_output(const Object& object) { return object.kind == ObjectKind::Out || object.kind == ObjectKind::InOut; }
bool is_argument(const Object& object) { return is_output(object) || object.kind == ObjectKind::In; }

Diag about(const Program& program, const Object& object, DiagCode code, std::string message, std::string hint = {}) {
  return Diag{code, std::move(message), program.place(object.location), std::move(hint), {}};
}

std::string shape_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

template <class A>
bool needs_argument(const Object& object) {
  if (object.kind == ObjectKind::Out) return !A::kBounded;
  return is_argument(object) && !(object.rank() == 0 && object.default_value);
}

template <class A>
void check_argument(const Machine<A>& machine, ObjectId id, const ArrayView* view, Diags& diags) {
  const Object& object = machine.program.object(id);
  const Storage<A>& storage = machine.objects[id.index];
  if (view == nullptr) {
    if (needs_argument<A>(object))
      diags.push_back(about(machine.program, object, DiagCode::MissingArgument,
                            fmt::format("{} has no argument", object.name),
                            fmt::format("pass {}{}", data_type_name(storage.type), shape_text(storage.extents))));
    return;
  }
  if (view->type != storage.type)
    diags.push_back(about(machine.program, object, DiagCode::ArgumentType,
                          fmt::format("{} is {}, its argument is {}", object.name, data_type_name(storage.type),
                                      data_type_name(view->type))));
  if (view->extents != storage.extents || view->strides.size() != storage.extents.size())
    diags.push_back(about(machine.program, object, DiagCode::ArgumentShape,
                          fmt::format("{} is {}, its argument is {} with {} strides", object.name,
                                      shape_text(storage.extents), shape_text(view->extents), view->strides.size())));
}

bool is_loaded(const Program& program, ObjectId object) {
  return std::any_of(program.ops().begin(), program.ops().end(), [&](const Op& op) {
    const auto* load = std::get_if<LoadOp>(&op.payload);
    return load != nullptr && load->object == object;
  });
}

template <class A>
void describe(Machine<A>& machine, ObjectId id) {
  const Object& object = machine.program.object(id);
  Storage<A>& storage = machine.objects[id.index];
  storage.type = object.element.data;
  storage.readable_at_first = object.kind == ObjectKind::In || object.kind == ObjectKind::InOut;
  for (IndexId extent : object.extents)
    storage.extents.push_back(IndexCode(machine.program.index(), extent).run(machine.at).value_or(0));
  storage.strides = row_major(storage.extents);
  storage.elements = 1;
  for (std::int64_t extent : storage.extents) storage.elements *= extent;
}

template <class A>
void use_view(Storage<A>& storage, const ArrayView& view) {
  storage.bytes = view.data;
  storage.offset = view.offset;
  storage.elements = view.elements;
  storage.strides = view.strides;
}

template <class A>
void make_image(Storage<A>& storage, double value) {
  const auto size = static_cast<std::size_t>(storage.elements);
  if (is_float(storage.type))
    storage.image.real.assign(size, Typed::round_to(storage.type, static_cast<float>(value)));
  else
    storage.image.whole.assign(size, static_cast<std::int64_t>(value));
  if (A::kBounded) storage.image.bound.assign(size, 0);
}

/// InOut of exact arithmetic: the caller's elements are the first contents of an image.
void copy_into_image(const Machine<Exact>& machine, ObjectId id, Storage<Exact>& image, const ArrayView& view) {
  Storage<Exact> source = image;
  use_view(source, view);
  const Walk walk(image.extents, {image.strides, view.strides});
  with_source(source, [&](auto, auto read) {
    with_sink(image, [&](auto, auto write) {
      walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
        for (std::int64_t j = 0; j < count; ++j) {
          const std::int64_t address = view.offset + at[1] + j * walk.inner(1);
          if (address < 0 || address >= view.elements) {
            const Object& object = machine.program.object(id);
            throw InterpreterFault{about(machine.program, object, DiagCode::MemoryFault,
                                         fmt::format("the view of {} leads to element {} of a buffer of {} elements",
                                                     object.name, address, view.elements))};
          }
          if constexpr (std::is_invocable_v<decltype(write), std::int64_t, decltype(read(address))>)
            write(at[0] + j, read(address));
        }
      });
    });
  });
}

template <class A>
void make_storage(Machine<A>& machine, ObjectId id, const ArrayView* view) {
  const Object& object = machine.program.object(id);
  Storage<A>& storage = machine.objects[id.index];
  const bool direct = object.kind == ObjectKind::In || (!A::kBounded && is_output(object));
  if (direct && view != nullptr) {
    use_view(storage, *view);
  } else {
    make_image(storage, object.default_value.value_or(0));
    if constexpr (A::kBounded)
      if (object.kind == ObjectKind::InOut) copy_into_image(machine, id, storage, *view);
  }
  const bool ask_written = !storage.readable_at_first && is_loaded(machine.program, id);
  const bool report_written = A::kBounded && is_output(object);
  if (ask_written || report_written) storage.written.assign(static_cast<std::size_t>(storage.elements), 0);
}

template <class A>
Result<void> make_all_storage(Machine<A>& machine, const Arguments& arguments) {
  Diags diags;
  auto view_of = [&](ObjectId id) -> const ArrayView* {
    const auto found = arguments.find(id);
    return found == arguments.end() ? nullptr : &found->second;
  };
  for (ObjectId id : machine.program.objects().ids()) {
    describe(machine, id);
    if (is_argument(machine.program.object(id))) check_argument(machine, id, view_of(id), diags);
  }
  if (!diags.empty()) return std::unexpected(std::move(diags));
  for (ObjectId id : machine.program.objects().ids()) make_storage(machine, id, view_of(id));
  return {};
}

Result<void> refuse_opaque_calls(const Program& program) {
  Diags diags;
  for (const Op& op : program.ops()) {
    const auto* opaque = std::get_if<OpaqueOp>(&op.payload);
    if (opaque == nullptr) continue;
    diags.push_back(Diag{DiagCode::Unsupported,
                         fmt::format("the interpreter cannot call \"{}\": nobody knows what it does",
                                     program.opaque_symbols()[opaque->symbol]),
                         program.place(op.location),
                         "run this program on a target that provides it",
                         {}});
  }
  if (!diags.empty()) return std::unexpected(std::move(diags));
  return {};
}

template <class A>
Result<void> run(Machine<A>& machine, const Arguments& arguments, const InterpreterOptions& options) {
  TW_TRY_VOID(refuse_opaque_calls(machine.program));
  TW_TRY_VOID(make_all_storage(machine, arguments));
  run_program(machine, options);
  return {};
}

/// f() with the interpreter's ways to fail turned into diagnostics.
template <class F>
auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (InterpreterFault& fault) {
    return failure(std::move(fault.diag));
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, "the interpreter ran out of memory", "use smaller sizes or tiles");
  } catch (const std::length_error&) {
    return failure(DiagCode::OutOfMemory, "a tile or buffer is larger than memory can be",
                   "use smaller sizes or tiles");
  }
}

void forget_rows(const Program& program, ObjectId id, const std::vector<std::int64_t>& rows, ExactOutput& output) {
  const std::int64_t count = row_count(program, id);
  if (count == 0) return;
  const auto length = static_cast<std::int64_t>(output.written.size()) / count;
  std::vector<std::uint8_t> kept(output.written.size(), 0);
  for (std::int64_t row : rows) {
    if (row < 0 || row >= count) continue;
    const auto begin = output.written.begin() + row * length;
    std::copy(begin, begin + length, kept.begin() + row * length);
  }
  output.written = std::move(kept);
}

ExactOutput take_output(Storage<Exact>& storage) {
  ExactOutput output{std::move(storage.image.real), std::move(storage.image.bound), std::move(storage.written)};
  if (!is_float(storage.type)) output.value.assign(storage.image.whole.begin(), storage.image.whole.end());
  return output;
}

}  // namespace

Result<std::map<ObjectId, ExactOutput>> interpret_exact(const Program& bound, const Arguments& arguments,
                                                        const InterpreterOptions& options) {
  TW_CHECK(bound.bound());
  return guarded([&]() -> Result<std::map<ObjectId, ExactOutput>> {
    Machine<Exact> machine(bound);
    TW_TRY_VOID(run(machine, arguments, options));
    std::map<ObjectId, ExactOutput> outputs;
    for (ObjectId id : bound.objects().ids()) {
      if (!is_output(bound.object(id))) continue;
      ExactOutput output = take_output(machine.objects[id.index]);
      if (options.rows && options.rows->contains(id)) forget_rows(bound, id, options.rows->at(id), output);
      outputs.emplace(id, std::move(output));
    }
    return outputs;
  });
}

Result<void> interpret_typed(const Program& bound, const Arguments& arguments, const InterpreterOptions& options) {
  TW_CHECK(bound.bound());
  return guarded([&]() -> Result<void> {
    Machine<Typed> machine(bound);
    return run(machine, arguments, options);
  });
}

}  // namespace tilewright::tile
