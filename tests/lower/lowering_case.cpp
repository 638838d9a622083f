#include "lower/lowering_case.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/interpreter.h"
#include "kernel/printer.h"
#include "kernel/verifier.h"
#include "support/half.h"
#include "tile/array_view.h"
#include "tile/interpreter.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::lower::testing {

namespace {

constexpr std::int64_t kGuard = 16;

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  float number(Fill fill) {
    static constexpr float kSpecial[] = {0.0f,
                                         -0.0f,
                                         std::numeric_limits<float>::infinity(),
                                         -std::numeric_limits<float>::infinity(),
                                         std::numeric_limits<float>::quiet_NaN(),
                                         1e-40f,
                                         3e38f,
                                         -7.0f};
    if (fill == Fill::Special && next() % 4 == 0) return kSpecial[next() % 8];
    return static_cast<float>(static_cast<std::int32_t>(next() % 2001) - 1000) / 333.0f;
  }

 private:
  std::uint32_t state_;
};

void put(std::byte* to, DataType type, float number) {
  if (type == DataType::F32) {
    std::memcpy(to, &number, 4);
  } else if (type == DataType::F16 || type == DataType::BF16) {
    const std::uint16_t bits = type == DataType::F16 ? f32_to_f16(number) : f32_to_bf16(number);
    std::memcpy(to, &bits, 2);
  } else if (type == DataType::I32) {
    const auto whole = std::isfinite(number) && std::abs(number) < 1e9f ? static_cast<std::int32_t>(number * 3.0f)
                                                                        : std::numeric_limits<std::int32_t>::min();
    std::memcpy(to, &whole, 4);
  } else {
    *to = static_cast<std::byte>(number > 0 ? 1 : 0);
  }
}

/// Bits of an element, all NaNs of a type alike.
std::uint64_t bits_of(const std::byte* from, DataType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, data_type_bytes(type));
  const bool nan = (type == DataType::F32 && (bits & 0x7fffffff) > 0x7f800000) ||
                   (type == DataType::F16 && (bits & 0x7fff) > 0x7c00) ||
                   (type == DataType::BF16 && (bits & 0x7fff) > 0x7f80);
  return nan ? ~std::uint64_t{0} : bits;
}

struct TestBuffer {
  tile::ObjectId object;
  DataType type{};
  BufferLayout layout;
  std::vector<std::byte> for_tiles, for_kernels;
};

BufferLayout layout_of(const tile::Program& bound, tile::ObjectId id, const CaseOptions& options) {
  const auto given = options.strides.find(bound.object(id).name);
  if (given == options.strides.end()) return default_buffer_layout(bound, id).value();
  return make_buffer_layout(tile::bound_extents(bound, id), given->second).value();
}

std::vector<TestBuffer> make_buffers(const tile::Program& bound, const CaseOptions& options) {
  std::vector<TestBuffer> buffers;
  Random random(options.seed);
  for (tile::ObjectId id : bound.objects().ids()) {
    const tile::Object& object = bound.object(id);
    if (object.kind == tile::ObjectKind::Memory) continue;
    TestBuffer buffer{id, object.element.data, layout_of(bound, id, options), {}, {}};
    const std::size_t bytes = data_type_bytes(buffer.type);
    const auto elements = static_cast<std::size_t>(buffer.layout.count + 2 * kGuard);
    buffer.for_tiles.resize(elements * bytes);
    for (std::size_t i = 0; i < elements; ++i)
      put(buffer.for_tiles.data() + i * bytes, buffer.type, random.number(options.fill));
    buffer.for_kernels = buffer.for_tiles;
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

tile::Arguments arguments_of(const tile::Program& bound, std::vector<TestBuffer>& buffers) {
  tile::Arguments arguments;
  for (TestBuffer& buffer : buffers) {
    if (bound.object(buffer.object).kind == tile::ObjectKind::Temp) continue;
    arguments[buffer.object] = tile::ArrayView{buffer.type,
                                               buffer.for_tiles.data(),
                                               buffer.layout.count + 2 * kGuard,
                                               kGuard - buffer.layout.low,
                                               tile::bound_extents(bound, buffer.object),
                                               buffer.layout.strides};
  }
  return arguments;
}

Result<void> run_tiles(const tile::Program& bound, std::vector<TestBuffer>& buffers) {
  return tile::interpret_typed(bound, arguments_of(bound, buffers));
}

void run_kernels(const kernel::Program& program, std::vector<TestBuffer>& buffers, std::int64_t range_length) {
  std::vector<std::byte*> bases;
  for (TestBuffer& buffer : buffers)
    bases.push_back(buffer.for_kernels.data() + kGuard * static_cast<std::int64_t>(data_type_bytes(buffer.type)));
  const auto counts = kernel::interpret(program, bases, range_length);
  if (!counts) ADD_FAILURE() << render(counts.error());
}

void compare(const tile::Program& bound, const std::vector<TestBuffer>& buffers) {
  for (const TestBuffer& buffer : buffers) {
    if (bound.object(buffer.object).kind == tile::ObjectKind::Temp) continue;
    const std::size_t bytes = data_type_bytes(buffer.type);
    int shown = 0;
    for (std::size_t i = 0; i * bytes < buffer.for_tiles.size() && shown < 4; ++i) {
      const std::uint64_t expected = bits_of(buffer.for_tiles.data() + i * bytes, buffer.type);
      const std::uint64_t found = bits_of(buffer.for_kernels.data() + i * bytes, buffer.type);
      if (expected == found) continue;
      ++shown;
      ADD_FAILURE() << bound.object(buffer.object).name << ", element " << static_cast<std::int64_t>(i) - kGuard
                    << " from its lowest: bits " << std::hex << found << ", expected " << expected;
    }
  }
}

double number_at(const std::byte* from, DataType type) {
  if (type == DataType::F32) {
    float number = 0;
    std::memcpy(&number, from, 4);
    return number;
  }
  if (type == DataType::I32) {
    std::int32_t number = 0;
    std::memcpy(&number, from, 4);
    return number;
  }
  if (type == DataType::Bool) return *from == std::byte{0} ? 0 : 1;
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, 2);
  return type == DataType::F16 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

/// One output: `buffer.for_tiles` is what it held before.
void compare_with_oracle(const tile::Program& bound, const TestBuffer& buffer, const tile::ExactOutput& oracle) {
  const std::vector<std::int64_t> extents = tile::bound_extents(bound, buffer.object);
  const std::size_t bytes = data_type_bytes(buffer.type);
  std::vector<std::byte> expected = buffer.for_tiles;
  int shown = 0;
  for (std::size_t ordinal = 0; ordinal < oracle.value.size(); ++ordinal) {
    if (oracle.written[ordinal] == 0) continue;
    std::int64_t at = kGuard - buffer.layout.low;
    auto rest = static_cast<std::int64_t>(ordinal);
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d])
      at += rest % extents[d] * buffer.layout.strides[d];
    const std::size_t place = static_cast<std::size_t>(at) * bytes;
    const double found = number_at(buffer.for_kernels.data() + place, buffer.type);
    std::memcpy(expected.data() + place, buffer.for_kernels.data() + place, bytes);
    const bool whole = buffer.type == DataType::I32 || buffer.type == DataType::Bool;
    const double wanted = oracle.value[ordinal], error = oracle.bound[ordinal];
    if (std::isinf(error) || (whole ? found == wanted : tile::agree(found, wanted, error) == tile::Agreement::Within))
      continue;
    if (++shown > 4) return;
    ADD_FAILURE() << bound.object(buffer.object).name << ", element " << ordinal << ": " << found << ", expected "
                  << wanted << " within " << error;
  }
  EXPECT_TRUE(expected == buffer.for_kernels) << bound.object(buffer.object).name << ": more was written";
}

}  // namespace

std::optional<tile::Program> bound_program(std::string_view text, const Numbers& numbers,
                                           const std::map<std::string, DataType>& types) {
  const auto report = [](const Diags& diags) {
    ADD_FAILURE() << render(diags);
    return std::nullopt;
  };
  auto family = tile::parse_program(text, "test.tile");
  if (!family) return report(family.error());
  if (auto sound = tile::verify(*family); !sound) return report(sound.error());
  auto bound = tile::bind(*family, tile::Bindings{numbers, types});
  if (!bound) return report(bound.error());
  return std::move(*bound);
}

std::optional<kernel::Program> lowered(const tile::Program& bound, const CaseOptions& options) {
  LaunchLayout layout;
  for (tile::ObjectId id : bound.objects().ids())
    if (bound.object(id).kind != tile::ObjectKind::Memory) layout.buffers[id] = layout_of(bound, id, options);
  auto program = options.lower(bound, layout);
  if (!program) {
    ADD_FAILURE() << render(program.error());
    return std::nullopt;
  }
  if (const auto sound = kernel::verify(*program); !sound) {
    ADD_FAILURE() << render(sound.error()) << kernel::print(*program);
    return std::nullopt;
  }
  return std::move(*program);
}

bool expect_same_results(const tile::Program& bound, const CaseOptions& options, std::string* why_not) {
  const auto program = lowered(bound, options);
  if (!program) return false;
  std::vector<TestBuffer> buffers = make_buffers(bound, options);
  if (const auto ran = run_tiles(bound, buffers); !ran) {
    if (why_not != nullptr) *why_not = render(ran.error());
    return false;
  }
  run_kernels(*program, buffers, options.range_length);
  compare(bound, buffers);
  return true;
}

bool expect_results_within_bounds(const tile::Program& bound, const CaseOptions& options, std::string* why_not) {
  const auto program = lowered(bound, options);
  if (!program) return false;
  std::vector<TestBuffer> buffers = make_buffers(bound, options);
  const auto oracle = tile::interpret_exact(bound, arguments_of(bound, buffers));
  if (!oracle) {
    if (why_not != nullptr) *why_not = render(oracle.error());
    return false;
  }
  run_kernels(*program, buffers, options.range_length);
  for (const TestBuffer& buffer : buffers) {
    const auto found = oracle->find(buffer.object);
    if (found != oracle->end()) {
      compare_with_oracle(bound, buffer, found->second);
    } else if (bound.object(buffer.object).kind != tile::ObjectKind::Temp) {
      EXPECT_TRUE(buffer.for_tiles == buffer.for_kernels) << bound.object(buffer.object).name << ": an input changed";
    }
  }
  return true;
}

void expect_lowers(std::string_view text, const Numbers& numbers, const CaseOptions& options) {
  const auto bound = bound_program(text, numbers, options.types);
  if (!bound) return;
  std::string why_not;
  EXPECT_TRUE(expect_same_results(*bound, options, &why_not)) << why_not;
}

}  // namespace tilewright::lower::testing
