#include "store/artifact_bytes.h"

#include <array>
#include <utility>
#include <vector>

#include "store/byte_stream.h"

namespace tilewright::store {

namespace {

using namespace artifact;

// Each write takes its value apart whole: a field that is added there does not compile here until it is written too.

void write(ByteWriter& out, const std::string& text) { out.text(text); }
void write(ByteWriter& out, std::int64_t value) { out.integer(value); }
void write(ByteWriter& out, std::uint32_t value) { out.number(value); }

template <class T>
void write(ByteWriter& out, const std::vector<T>& items);
template <class T>
void write(ByteWriter& out, const std::optional<T>& value);

void write(ByteWriter& out, const TensorBinding& tensor) {
  const auto& [extents, strides] = tensor;
  write(out, extents);
  write(out, strides);
}

void write(ByteWriter& out, const Binding& binding) {
  const auto& [name, kind, access, type, count, tensor] = binding;
  write(out, name);
  out.number(static_cast<std::uint64_t>(kind));
  out.number(static_cast<std::uint64_t>(access));
  out.number(static_cast<std::uint64_t>(type));
  write(out, count);
  write(out, tensor);
}

void write(ByteWriter& out, const FenceRecord& fences) {
  const auto& [before, after, independent, reason] = fences;
  write(out, before);
  write(out, after);
  out.number(independent ? (*independent ? 2 : 1) : 0);
  write(out, reason);
}

void write(ByteWriter& out, const GroupLaunch& group) {
  const auto& [groups, workers, subgroup_size, shared_bytes, bindings, fences] = group;
  for (std::int64_t extent : groups) write(out, extent);
  write(out, workers);
  write(out, subgroup_size);
  write(out, shared_bytes);
  write(out, bindings);
  write(out, fences);
}

void write(ByteWriter& out, const Launch& launch) {
  const auto& [entry, task_extents, task_count, scratch_bytes, work_per_task, group, ranges] = launch;
  write(out, entry);
  write(out, task_extents);
  write(out, task_count);
  write(out, scratch_bytes);
  write(out, work_per_task);
  write(out, group);
  out.number(ranges ? 1 : 0);
}

template <class T>
void write(ByteWriter& out, const std::vector<T>& items) {
  out.number(items.size());
  for (const T& item : items) write(out, item);
}

template <class T>
void write(ByteWriter& out, const std::optional<T>& value) {
  out.number(value ? 1 : 0);
  if (value) write(out, *value);
}

template <class Enum>
Enum read_enum(ByteReader& in, Enum last) {
  return static_cast<Enum>(in.number_below(static_cast<std::uint64_t>(last) + 1));
}

template <class T, class Read>
std::vector<T> read_list(ByteReader& in, Read read) {
  std::vector<T> items;
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count && !in.failed(); ++i) items.push_back(read(in));
  return items;
}

std::vector<std::int64_t> read_integers(ByteReader& in) {
  return read_list<std::int64_t>(in, [](ByteReader& each) { return each.integer(); });
}

std::vector<std::string> read_texts(ByteReader& in) {
  return read_list<std::string>(in, [](ByteReader& each) { return each.text(); });
}

template <class T, class Read>
std::optional<T> read_optional(ByteReader& in, Read read) {
  if (in.number_below(2) == 0) return std::nullopt;
  return read(in);
}

TensorBinding read_tensor(ByteReader& in) {
  TensorBinding tensor;
  tensor.extents = read_integers(in);
  tensor.strides = read_integers(in);
  return tensor;
}

Binding read_binding(ByteReader& in) {
  Binding binding;
  binding.name = in.text();
  binding.kind = read_enum(in, BindingKind::Scalar);
  binding.access = read_enum(in, BindingAccess::ReadWrite);
  binding.type = read_enum(in, DataType::F64);
  binding.count = in.integer();
  binding.tensor = read_optional<TensorBinding>(in, read_tensor);
  return binding;
}

FenceRecord read_fences(ByteReader& in) {
  FenceRecord fences;
  fences.sites_before = in.integer();
  fences.sites_after = in.integer();
  if (const std::uint64_t independent = in.number_below(3); independent != 0)
    fences.independent_subgroups = independent == 2;
  fences.reason = in.text();
  return fences;
}

GroupLaunch read_group(ByteReader& in) {
  GroupLaunch group;
  for (std::int64_t& extent : group.groups) extent = in.integer();
  group.workers = in.integer();
  group.subgroup_size = in.integer();
  group.shared_bytes = in.integer();
  group.bindings = read_list<std::uint32_t>(in, [](ByteReader& each) {
    return static_cast<std::uint32_t>(each.number_below(std::uint64_t{UINT32_MAX} + 1));
  });
  group.fences = read_optional<FenceRecord>(in, read_fences);
  return group;
}

Launch read_launch(ByteReader& in) {
  Launch launch;
  launch.entry = in.text();
  launch.task_extents = read_integers(in);
  launch.task_count = in.integer();
  launch.scratch_bytes = in.integer();
  launch.work_per_task = in.integer();
  launch.group = read_optional<GroupLaunch>(in, read_group);
  launch.ranges = in.number_below(2) == 1;
  return launch;
}

}  // namespace

std::string artifact_to_bytes(const Artifact& artifact) {
  const auto& [program, target, kind, code, bindings, launches, families, language_version, flags, hashes, externals] =
      artifact;
  ByteWriter out;
  write(out, program);
  write(out, target);
  out.number(static_cast<std::uint64_t>(kind));
  write(out, code);
  write(out, bindings);
  write(out, launches);
  write(out, families);
  out.integer(language_version);
  write(out, flags);
  out.number(hashes.size());
  for (const auto& [name, hash] : hashes) {
    write(out, name);
    write(out, hash);
  }
  write(out, externals);
  return out.take();
}

std::optional<Artifact> artifact_from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  Artifact artifact;
  artifact.program = in.text();
  artifact.target = in.text();
  artifact.kind = read_enum(in, CodeKind::Text);
  artifact.code = in.text();
  artifact.bindings = read_list<Binding>(in, read_binding);
  artifact.launches = read_list<Launch>(in, read_launch);
  artifact.families = read_texts(in);
  artifact.language_version = static_cast<int>(in.number_below(INT32_MAX));
  artifact.flags = read_texts(in);
  const std::size_t hashes = in.count();
  for (std::size_t i = 0; i < hashes && !in.failed(); ++i) {
    std::string name = in.text();
    artifact.hashes[std::move(name)] = in.text();
  }
  artifact.externals = read_texts(in);
  if (!in.complete()) return std::nullopt;
  return artifact;
}

}  // namespace tilewright::store
