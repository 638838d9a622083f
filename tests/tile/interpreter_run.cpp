#include "tile/interpreter_run.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/half.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::tile::testing {

namespace {

template <class T>
T read(const std::vector<std::byte>& bytes, std::int64_t address) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(address) * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void write(std::vector<std::byte>& bytes, std::int64_t address, T value) {
  std::memcpy(bytes.data() + static_cast<std::size_t>(address) * sizeof(T), &value, sizeof(T));
}

Program parse_and_bind(const std::string& text, const std::map<std::string, std::int64_t>& numbers,
                       const std::map<std::string, DataType>& types) {
  Result<Program> program = parse_program(text, "test.tile");
  if (!program) throw std::runtime_error(render(program.error()));
  if (Result<void> verified = verify(*program); !verified) throw std::runtime_error(render(verified.error()));
  Result<Program> bound = bind(*program, Bindings{numbers, types});
  if (!bound) throw std::runtime_error(render(bound.error()));
  return std::move(*bound);
}

}  // namespace

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

double Buffer::get(std::int64_t address) const {
  switch (type) {
    case DataType::F16:
      return f16_to_f32(read<std::uint16_t>(bytes, address));
    case DataType::BF16:
      return bf16_to_f32(read<std::uint16_t>(bytes, address));
    case DataType::I32:
      return read<std::int32_t>(bytes, address);
    case DataType::Bool:
      return read<std::uint8_t>(bytes, address);
    default:
      return read<float>(bytes, address);
  }
}

void Buffer::set(std::int64_t address, double value) {
  switch (type) {
    case DataType::F16:
      return write(bytes, address, f32_to_f16(static_cast<float>(value)));
    case DataType::BF16:
      return write(bytes, address, f32_to_bf16(static_cast<float>(value)));
    case DataType::I32:
      return write(bytes, address, static_cast<std::int32_t>(value));
    case DataType::Bool:
      return write(bytes, address, static_cast<std::uint8_t>(value));
    default:
      return write(bytes, address, static_cast<float>(value));
  }
}

std::int64_t Buffer::size() const {
  std::int64_t size = 1;
  for (std::int64_t extent : view.extents) size *= extent;
  return size;
}

std::int64_t Buffer::address(std::int64_t ordinal) const {
  std::int64_t address = view.offset;
  for (std::size_t d = view.extents.size(); d > 0; --d) {
    address += ordinal % view.extents[d - 1] * view.strides[d - 1];
    ordinal /= view.extents[d - 1];
  }
  return address;
}

Trial::Trial(const std::string& text, const std::map<std::string, std::int64_t>& numbers,
             const std::map<std::string, DataType>& types)
    : program_(parse_and_bind(text, numbers, types)) {
  make_buffers();
}

Trial::Trial(Program bound) : program_(std::move(bound)) { make_buffers(); }

void Trial::make_buffers() {
  for (ObjectId id : program_.objects().ids()) {
    const Object& object = program_.object(id);
    if (object.kind == ObjectKind::Temp || object.kind == ObjectKind::Memory) continue;
    Buffer buffer;
    buffer.type = buffer.view.type = object.element.data;
    buffer.view.extents = bound_extents(program_, id);
    buffer.view.strides = dense_strides(buffer.view.extents);
    buffer.view.elements = buffer.size();
    buffer.bytes.resize(static_cast<std::size_t>(buffer.view.elements) * data_type_bytes(buffer.type));
    buffers_.emplace(id, std::move(buffer));
  }
}

ObjectId Trial::id(const std::string& name) const {
  for (ObjectId id : program_.objects().ids())
    if (program_.object(id).name == name) return id;
  throw std::runtime_error("no object " + name);
}

Trial& Trial::fill(const std::string& name, const std::vector<double>& values) {
  Buffer& buffer = buffers_.at(id(name));
  if (static_cast<std::int64_t>(values.size()) != buffer.size()) throw std::runtime_error("size of " + name);
  for (std::size_t i = 0; i < values.size(); ++i) buffer.set(buffer.address(static_cast<std::int64_t>(i)), values[i]);
  return *this;
}

std::vector<double> Trial::values(const std::string& name) const {
  const Buffer& buffer = buffers_.at(id(name));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(buffer.size()));
  for (std::int64_t i = 0; i < buffer.size(); ++i) values.push_back(buffer.get(buffer.address(i)));
  return values;
}

Trial& Trial::view(const std::string& name, std::int64_t elements, std::int64_t offset,
                   std::vector<std::int64_t> strides, double background) {
  Buffer& buffer = buffers_.at(id(name));
  buffer.view.elements = elements;
  buffer.view.offset = offset;
  buffer.view.strides = std::move(strides);
  buffer.bytes.resize(static_cast<std::size_t>(elements) * data_type_bytes(buffer.type));
  for (std::int64_t i = 0; i < elements; ++i) buffer.set(i, background);
  return *this;
}

Trial& Trial::fill_random(std::uint64_t seed, double low, double high) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> reals(low, high);
  for (auto& [id, buffer] : buffers_) {
    if (program_.object(id).kind == ObjectKind::Out) continue;
    for (std::int64_t i = 0; i < buffer.view.elements; ++i) {
      const double number = reals(random);
      buffer.set(i, is_float(buffer.type)           ? number
                    : buffer.type == DataType::Bool ? number > 0
                                                    : std::floor(8 * number));
    }
  }
  return *this;
}

Arguments Trial::arguments() {
  Arguments arguments;
  for (auto& [id, buffer] : buffers_) {
    arguments.emplace(id, buffer.view);
    arguments.at(id).data = buffer.bytes.data();
  }
  return arguments;
}

Result<void> Trial::typed(const InterpreterOptions& options) { return interpret_typed(program_, arguments(), options); }

Result<std::map<ObjectId, ExactOutput>> Trial::exact(const InterpreterOptions& options) {
  return interpret_exact(program_, arguments(), options);
}

ExactOutput Trial::exact(const std::string& name, const InterpreterOptions& options) {
  Result<std::map<ObjectId, ExactOutput>> outputs = exact(options);
  if (!outputs) throw std::runtime_error(render(outputs.error()));
  return outputs->at(id(name));
}

std::string Trial::disagreement() {
  const auto outputs = exact();
  if (!outputs) return render(outputs.error());
  if (auto ran = typed(); !ran) return render(ran.error());
  for (const auto& [id, output] : *outputs) {
    const std::vector<double> found = values(program_.object(id).name);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (output.written[i] == 0) continue;
      const Agreement agreement = agree(found[i], output.value[i], output.bound[i]);
      if (agreement != Agreement::Within)
        return fmt::format("{}[{}]: found {}, expected {} within {} ({})", program_.object(id).name, i, found[i],
                           output.value[i], output.bound[i], static_cast<int>(agreement));
    }
  }
  return {};
}

void expect_same(const Values& found, const Values& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(same(found[i], expected[i])) << "[" << i << "]: found " << found[i] << ", expected " << expected[i];
}

}  // namespace tilewright::tile::testing
