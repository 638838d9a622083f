#include "cases/case_runner.h"

#include <algorithm>
#include <memory>

#include "driver/element.h"
#include "tile/bind.h"

namespace tilewright::cases {

namespace {

/// The bytes of one buffer, exactly as long as its elements, so that a sanitizer sees every step outside.
struct Storage {
  std::unique_ptr<std::byte[]> bytes;
  ArrayView view;
};

Storage store(const Array& array) {
  Storage storage;
  const std::size_t size = data_type_bytes(array.type);
  const std::size_t count = array.values.size();
  storage.bytes = std::make_unique<std::byte[]>(std::max<std::size_t>(count * size, 1));
  for (std::size_t i = 0; i < count; ++i)
    driver::store_bits(array.type, storage.bytes.get() + i * size, driver::number_to_bits(array.type, array.values[i]));
  storage.view.type = array.type;
  storage.view.data = storage.bytes.get();
  storage.view.elements = static_cast<std::int64_t>(count);
  storage.view.offset = array.offset;
  storage.view.extents = array.extents;
  storage.view.strides = array.strides.empty() ? tile::dense_strides(array.extents) : array.strides;
  return storage;
}

std::vector<double> contents(const Storage& storage) {
  std::vector<double> values;
  const std::size_t size = data_type_bytes(storage.view.type);
  for (std::int64_t i = 0; i < storage.view.elements; ++i) {
    const std::byte* at = storage.bytes.get() + static_cast<std::size_t>(i) * size;
    values.push_back(driver::bits_to_number(storage.view.type, driver::load_bits(storage.view.type, at)));
  }
  return values;
}

bool is_text(const std::string& program) {
  return program.starts_with("program") || program.starts_with("fn") || program.starts_with("//");
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }

Contents all_contents(const std::map<std::string, Storage>& storages) {
  Contents all;
  for (const auto& [name, storage] : storages) all[name] = contents(storage);
  return all;
}

void expect_same(const std::string& buffer, const Contents& before, const Contents& after) {
  const auto &old = before.at(buffer), &now = after.at(buffer);
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_TRUE(same(now[i], old[i])) << buffer << " changed at " << i;
}

void expect_inputs_unchanged(const Program& program, const Contents& before, const Contents& after) {
  for (const BufferInfo& buffer : program.buffers())
    if (buffer.role == BufferRole::In && before.contains(buffer.name)) expect_same(buffer.name, before, after);
}

void expect_agrees(const Kernel& kernel, const Arguments& arguments) {
  auto report = check(kernel, arguments);
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->wrong_elements, 0);
  EXPECT_EQ(report->unwritten_elements, 0);
  EXPECT_EQ(report->out_of_bounds_writes, 0);
  EXPECT_EQ(report->changed_inputs, 0);
  if (report->first_wrong)
    ADD_FAILURE() << report->first_wrong->buffer << ": expected " << report->first_wrong->expected << ", found "
                  << report->first_wrong->found << ", bound " << report->first_wrong->bound;
}

}  // namespace

Array filled(std::vector<std::int64_t> extents, double value, DataType type) {
  return make_array(std::move(extents), [&](std::int64_t) { return value; }, type);
}

Array poisoned(std::vector<std::int64_t> extents, DataType type) {
  return filled(std::move(extents), type == DataType::F16 ? 60000.0 : kPoison, type);
}

Result<Contents> try_run(Target target, const Case& c) {
  auto program = is_text(c.program) ? Program::parse(c.program, "case.tile") : Program::load(c.program);
  if (!program) return std::unexpected(program.error());
  CompileOptions options;
  options.target = target;
  options.device = c.device;
  for (const auto& [name, array] : c.arrays)
    if (!array.strides.empty()) options.layouts[name].strides = array.strides;
  auto kernel = compile(*program, Bindings{c.numbers, c.types}, options);
  if (!kernel) return std::unexpected(kernel.error());

  std::map<std::string, Storage> storages;
  Arguments arguments;
  for (const auto& [name, array] : c.arrays) storages.emplace(name, store(array));
  for (const auto& [name, storage] : storages) arguments[name] = storage.view;
  expect_agrees(*kernel, arguments);
  const Contents before = all_contents(storages);
  auto done = kernel->run(arguments, {.threads = 2});
  Contents after = all_contents(storages);
  if (!done) {
    for (const auto& [name, values] : before) expect_same(name, before, after);
    return std::unexpected(done.error());
  }
  expect_inputs_unchanged(*program, before, after);
  return after;
}

Contents run(Target target, const Case& c) {
  auto result = try_run(target, c);
  if (result) return *result;
  ADD_FAILURE() << render(result.error());
  Contents untouched;
  for (const auto& [name, array] : c.arrays) untouched[name] = array.values;
  return untouched;
}

void expect_refused(const Result<Contents>& result, DiagCode code, const std::vector<std::string>& mentions) {
  ASSERT_FALSE(result) << "expected a refusal";
  EXPECT_EQ(result.error()[0].code, code) << render(result.error());
  const std::string text = render(result.error());
  for (const std::string& word : mentions) EXPECT_NE(text.find(word), std::string::npos) << word << " in:\n" << text;
}

}  // namespace tilewright::cases
