// Host program of a kit: runs the kernels of kit.json on this Mac, compares every element, measures.
//
//   host FOLDER [--rounds N] [--device N]
//
// run.sh compiles and starts it. Exit status: 0 pass, 1 fail, 2 this Mac or this folder does not fit.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <CommonCrypto/CommonDigest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "check.h"

namespace {

/// Exit status 2: nothing can be said about the kernels.
struct CannotRun {
  std::string why;
};

/// Exit status 1.
struct Failed {
  std::string why;
};

std::string text_of(NSString* text) { return text == nil ? std::string() : std::string(text.UTF8String); }
NSString* ns_text(const std::string& text) { return [NSString stringWithUTF8String:text.c_str()]; }

// ---- The manifest

/// The value of a key, which has to be of a class.
template <class T>
T* field(NSDictionary* object, const char* key, Class kind) {
  id value = object[ns_text(key)];
  if (value == nil || ![value isKindOfClass:kind])
    throw CannotRun{std::string("kit.json: expected a field '") + key + "', found none of its kind"};
  return value;
}
NSDictionary* object_field(NSDictionary* object, const char* key) {
  return field<NSDictionary>(object, key, [NSDictionary class]);
}
std::string text_field(NSDictionary* object, const char* key) {
  return text_of(field<NSString>(object, key, [NSString class]));
}
int64_t number_field(NSDictionary* object, const char* key) {
  return field<NSNumber>(object, key, [NSNumber class]).longLongValue;
}
/// The items of a list, which have to be of a class.
template <class T>
std::vector<T*> items_field(NSDictionary* object, const char* key, Class kind) {
  std::vector<T*> items;
  for (id item in field<NSArray>(object, key, [NSArray class])) {
    if (![item isKindOfClass:kind]) throw CannotRun{std::string("kit.json: ") + key + ": found an item of another kind"};
    items.push_back(item);
  }
  return items;
}
std::vector<NSDictionary*> objects_field(NSDictionary* object, const char* key) {
  return items_field<NSDictionary>(object, key, [NSDictionary class]);
}
std::vector<int64_t> numbers_field(NSDictionary* object, const char* key) {
  std::vector<int64_t> numbers;
  for (NSNumber* number : items_field<NSNumber>(object, key, [NSNumber class])) numbers.push_back(number.longLongValue);
  return numbers;
}

template <class E>
E word_field(NSDictionary* object, const char* key, const std::vector<std::string>& words) {
  const std::string word = text_field(object, key);
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<E>(i);
  throw CannotRun{std::string("kit.json: ") + key + ": found the unknown word '" + word + "'"};
}

struct Launch {
  std::string entry;
  std::vector<int64_t> groups;
  int64_t threads = 0, simd_width = 0, threadgroup_bytes = 0;
  std::vector<int64_t> buffers;

  bool is_empty() const { return groups[0] == 0 || groups[1] == 0 || groups[2] == 0; }
};

/// One case: contents of the inputs, and what the outputs must hold; by number of the buffer.
struct Case {
  std::string contents;
  std::map<size_t, const uint8_t*> inputs;
  std::map<size_t, kit::Expected> expected;
};

struct Kit {
  std::string digest;  ///< of kit.json
  std::string program, source;
  int64_t language_version = 0, guard_bytes = 0;
  std::vector<std::vector<int64_t>> poisons;  ///< by type: of the first run and of the second
  std::vector<kit::Buffer> buffers;
  std::vector<Launch> launches;
  std::vector<Case> cases;
  std::map<std::string, NSData*> files;  ///< the kernels and the data
};

const std::vector<std::string> kRoles = {"input", "output", "inout", "temporary", "scalar"};
const std::vector<std::string> kTypes = {"f32", "f16", "bf16", "i32", "bool"};

std::string sha256_of(NSData* data) {
  unsigned char digest[CC_SHA256_DIGEST_LENGTH];
  CC_SHA256(data.bytes, static_cast<CC_LONG>(data.length), digest);
  std::string text;
  for (unsigned char byte : digest) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    text += hex;
  }
  return text;
}

NSData* read_file(const std::string& path) {
  NSData* data = [NSData dataWithContentsOfFile:ns_text(path)];
  if (data == nil) throw CannotRun{path + ": expected a file, found none that can be read"};
  return data;
}

/// The files that the numbers depend on, held against their digests.
void read_files(NSDictionary* manifest, const std::string& folder, Kit& kit) {
  NSDictionary* files = object_field(manifest, "files");
  for (NSString* name in files) {
    NSDictionary* listed = object_field(files, name.UTF8String);
    if (text_field(listed, "part") == "host") continue;
    const std::string path = folder + "/" + text_of(name);
    NSData* data = read_file(path);
    const std::string expected = text_field(listed, "sha256"), found = sha256_of(data);
    if (found != expected) throw CannotRun{path + ": expected the SHA-256 " + expected + ", found " + found};
    kit.files[text_of(name)] = data;
  }
}

/// Where the numbers of an array begin, of which there are `count` of `size` bytes.
const uint8_t* array_of(const Kit& kit, NSDictionary* array, int64_t count, int64_t size) {
  const std::string name = text_field(array, "file");
  const int64_t offset = number_field(array, "data_offset");
  const auto file = kit.files.find(name);
  if (file == kit.files.end()) throw CannotRun{"kit.json: the file '" + name + "' is not listed"};
  if (offset < 0 || static_cast<int64_t>(file->second.length) != offset + count * size)
    throw CannotRun{name + ": expected " + std::to_string(offset + count * size) + " bytes, found " +
                    std::to_string(file->second.length)};
  return static_cast<const uint8_t*>(file->second.bytes) + offset;
}

kit::Buffer read_buffer(NSDictionary* listed) {
  kit::Buffer buffer;
  buffer.name = text_field(listed, "name");
  buffer.role = word_field<kit::Role>(listed, "role", kRoles);
  buffer.type = word_field<kit::Type>(listed, "type", kTypes);
  buffer.extents = numbers_field(listed, "extents");
  buffer.strides = numbers_field(listed, "strides");
  buffer.offset = number_field(listed, "offset");
  buffer.elements = number_field(listed, "elements");
  buffer.bound_at = number_field(listed, "bound_at");
  if (buffer.role == kit::Role::Scalar) buffer.bits = static_cast<uint32_t>(number_field(listed, "bits"));
  return buffer;
}

Launch read_launch(NSDictionary* listed, size_t buffers) {
  Launch launch;
  launch.entry = text_field(listed, "entry");
  launch.groups = numbers_field(listed, "groups");
  launch.threads = number_field(listed, "threads");
  launch.simd_width = number_field(listed, "simd_width");
  launch.threadgroup_bytes = number_field(listed, "threadgroup_bytes");
  launch.buffers = numbers_field(listed, "buffers");
  if (launch.groups.size() != 3) throw CannotRun{"kit.json: expected three numbers of groups"};
  for (int64_t index : launch.buffers)
    if (index < 0 || static_cast<size_t>(index) >= buffers)
      throw CannotRun{"kit.json: a launch binds a buffer that is not listed"};
  return launch;
}

Case read_case(const Kit& kit, NSDictionary* listed) {
  Case one;
  one.contents = text_field(listed, "contents");
  NSDictionary* inputs = object_field(listed, "inputs");
  NSDictionary* outputs = object_field(listed, "expected");
  for (size_t i = 0; i < kit.buffers.size(); ++i) {
    const kit::Buffer& buffer = kit.buffers[i];
    int64_t count = 1;
    for (int64_t extent : buffer.extents) count *= extent;
    const char* name = buffer.name.c_str();
    if (buffer.has_contents())
      one.inputs[i] = array_of(kit, object_field(inputs, name), count, kit::type_bytes(buffer.type));
    if (!buffer.is_compared()) continue;
    NSDictionary* images = object_field(outputs, name);
    // Data of a .npy file begins at a multiple of 64 bytes, and the memory of an NSData is aligned.
    one.expected[i] = {
        reinterpret_cast<const double*>(array_of(kit, object_field(images, "value"), count, sizeof(double))),
        reinterpret_cast<const double*>(array_of(kit, object_field(images, "bound"), count, sizeof(double))),
        array_of(kit, object_field(images, "stored"), count, 1)};
  }
  return one;
}

Kit read_kit(const std::string& folder) {
  Kit kit;
  NSData* text = read_file(folder + "/kit.json");
  kit.digest = sha256_of(text);
  NSError* error = nil;
  id root = [NSJSONSerialization JSONObjectWithData:text options:0 error:&error];
  if (![root isKindOfClass:[NSDictionary class]])
    throw CannotRun{"kit.json: expected a JSON object: " + text_of(error.localizedDescription)};
  NSDictionary* manifest = root;
  if (number_field(manifest, "schema") != 1) throw CannotRun{"kit.json: expected schema 1, found another one"};
  kit.program = text_field(manifest, "program");
  kit.guard_bytes = number_field(manifest, "guard_bytes");
  NSDictionary* poisons = object_field(manifest, "poisons");
  for (const std::string& type : kTypes) {
    kit.poisons.push_back(numbers_field(poisons, type.c_str()));
    if (kit.poisons.back().size() != 2) throw CannotRun{"kit.json: expected two poisons of " + type};
  }
  read_files(manifest, folder, kit);
  NSDictionary* metal = object_field(manifest, "metal");
  kit.language_version = number_field(metal, "language_version");
  if (text_field(metal, "math_mode") != "safe" || text_field(metal, "math_functions") != "precise")
    throw CannotRun{"kit.json: expected math_mode safe and math_functions precise"};
  const auto source = kit.files.find(text_field(metal, "file"));
  if (source == kit.files.end()) throw CannotRun{"kit.json: the file of the kernels is not listed"};
  kit.source.assign(static_cast<const char*>(source->second.bytes), source->second.length);
  for (NSDictionary* listed : objects_field(manifest, "buffers")) kit.buffers.push_back(read_buffer(listed));
  for (NSDictionary* listed : objects_field(manifest, "launches"))
    kit.launches.push_back(read_launch(listed, kit.buffers.size()));
  for (NSDictionary* listed : objects_field(manifest, "cases")) kit.cases.push_back(read_case(kit, listed));
  if (kit.cases.empty()) throw CannotRun{"kit.json: expected at least one case"};
  return kit;
}

// ---- The device

id<MTLDevice> choose_device(int index) {
  if (index < 0) {
    id<MTLDevice> usual = MTLCreateSystemDefaultDevice();
    if (usual != nil) return usual;
  }
  NSArray<id<MTLDevice>>* devices = MTLCopyAllDevices();
  const int wanted = index < 0 ? 0 : index;
  if (wanted >= static_cast<int>(devices.count))
    throw CannotRun{"expected GPU number " + std::to_string(wanted) + ", found " + std::to_string(devices.count) +
                    " GPUs that Metal can use"};
  return devices[static_cast<NSUInteger>(wanted)];
}

void expect_system(int64_t language_version) {
  const int64_t needed = language_version >= 400 ? 26 : language_version >= 320 ? 15 : 14;
  const int64_t found = NSProcessInfo.processInfo.operatingSystemVersion.majorVersion;
  // macOS 26 calls itself 16 towards programs that were built with an older SDK.
  const bool is_renamed = needed == 26 && found == 16;
  if (found < needed && !is_renamed)
    throw CannotRun{"the kernels are MSL " + std::to_string(language_version / 100) + "." +
                    std::to_string(language_version % 100 / 10) + ", for which macOS " + std::to_string(needed) +
                    " is needed; found macOS " + std::to_string(found)};
}

void expect_at_most(const std::string& what, int64_t needed, uint64_t limit) {
  if (static_cast<uint64_t>(needed) > limit)
    throw CannotRun{what + ": the kernels need " + std::to_string(needed) + ", this GPU has " + std::to_string(limit)};
}

void expect_device(const Kit& kit, id<MTLDevice> device) {
  expect_system(kit.language_version);
  if (![device supportsFamily:MTLGPUFamilyApple7])
    throw CannotRun{"matrices of SIMD groups need a GPU of the family Apple7 (M1) or later, and this GPU is none"};
  for (const Launch& launch : kit.launches) {
    expect_at_most(launch.entry + ": threads of a threadgroup", launch.threads, device.maxThreadsPerThreadgroup.width);
    expect_at_most(launch.entry + ": bytes of threadgroup memory", launch.threadgroup_bytes,
                   device.maxThreadgroupMemoryLength);
  }
  for (const kit::Buffer& buffer : kit.buffers)
    expect_at_most(buffer.name + ": bytes of a buffer",
                   buffer.elements * kit::type_bytes(buffer.type) + 2 * kit.guard_bytes, device.maxBufferLength);
}

MTLCompileOptions* compile_options(int64_t language_version) {
  MTLCompileOptions* options = [[MTLCompileOptions alloc] init];
  options.languageVersion =
      static_cast<MTLLanguageVersion>((language_version / 100 << 16) + language_version % 100 / 10);
#if defined(__MAC_15_0)
  if (@available(macOS 15.0, *)) {
    options.mathMode = MTLMathModeSafe;
    options.mathFloatingPointFunctions = MTLMathFloatingPointFunctionsPrecise;
    return options;
  }
#endif
  // The older switch stands for both.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  options.fastMathEnabled = NO;
#pragma clang diagnostic pop
  return options;
}

using Pipelines = std::vector<id<MTLComputePipelineState>>;

/// One a launch. Metal refusing what a Mac of this kind should take is a failure of the kernels.
Pipelines make_pipelines(const Kit& kit, id<MTLDevice> device) {
  NSError* error = nil;
  id<MTLLibrary> library = [device newLibraryWithSource:ns_text(kit.source)
                                                options:compile_options(kit.language_version)
                                                  error:&error];
  if (library == nil) throw Failed{"Metal does not compile the kernels: " + text_of(error.localizedDescription)};
  Pipelines pipelines;
  for (const Launch& launch : kit.launches) {
    id<MTLFunction> function = [library newFunctionWithName:ns_text(launch.entry)];
    if (function == nil) throw Failed{"the kernels have no function '" + launch.entry + "'"};
    id<MTLComputePipelineState> pipeline = [device newComputePipelineStateWithFunction:function error:&error];
    if (pipeline == nil)
      throw Failed{launch.entry + ": Metal makes no pipeline: " + text_of(error.localizedDescription)};
    expect_at_most(launch.entry + ": threads of a threadgroup", launch.threads,
                   pipeline.maxTotalThreadsPerThreadgroup);
    expect_at_most(launch.entry + ": bytes of threadgroup memory",
                   static_cast<int64_t>(pipeline.staticThreadgroupMemoryLength), device.maxThreadgroupMemoryLength);
    if (static_cast<int64_t>(pipeline.threadExecutionWidth) != launch.simd_width)
      throw CannotRun{launch.entry + ": expected SIMD groups of " + std::to_string(launch.simd_width) +
                      " threads, found " + std::to_string(pipeline.threadExecutionWidth)};
    pipelines.push_back(pipeline);
  }
  return pipelines;
}

// ---- Runs

/// The memory of one run, on this side and on Metal's.
struct Memory {
  std::vector<kit::Image> images;
  std::vector<id<MTLBuffer>> buffers;
};

Memory make_memory(const Kit& kit, const Case& one, size_t run, id<MTLDevice> device) {
  Memory memory;
  for (size_t i = 0; i < kit.buffers.size(); ++i) {
    const kit::Buffer& buffer = kit.buffers[i];
    const auto contents = one.inputs.find(i);
    const auto poison = static_cast<uint32_t>(kit.poisons[static_cast<size_t>(buffer.type)][run]);
    memory.images.push_back(kit::make_image(buffer, contents == one.inputs.end() ? nullptr : contents->second, poison,
                                            kit.guard_bytes));
    const std::vector<uint8_t>& bytes = memory.images.back().bytes;
    id<MTLBuffer> made = [device newBufferWithBytes:bytes.data()
                                             length:bytes.size()
                                            options:MTLResourceStorageModeShared];
    if (made == nil)
      throw CannotRun{buffer.name + ": Metal gives no buffer of " + std::to_string(bytes.size()) + " bytes"};
    memory.buffers.push_back(made);
  }
  return memory;
}

/// Runs one launch to its end. Gives the seconds that the GPU took.
double run_launch(const Kit& kit, const Launch& launch, id<MTLComputePipelineState> pipeline, const Memory& memory,
                  id<MTLCommandQueue> queue) {
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline];
  for (int64_t index : launch.buffers) {
    const kit::Buffer& buffer = kit.buffers[static_cast<size_t>(index)];
    const int64_t offset = kit.guard_bytes + buffer.bound_at * kit::type_bytes(buffer.type);
    [encoder setBuffer:memory.buffers[static_cast<size_t>(index)]
                offset:static_cast<NSUInteger>(offset)
               atIndex:static_cast<NSUInteger>(index)];
  }
  const MTLSize groups = MTLSizeMake(static_cast<NSUInteger>(launch.groups[0]),
                                     static_cast<NSUInteger>(launch.groups[1]),
                                     static_cast<NSUInteger>(launch.groups[2]));
  [encoder dispatchThreadgroups:groups
          threadsPerThreadgroup:MTLSizeMake(static_cast<NSUInteger>(launch.threads), 1, 1)];
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  if (commands.status != MTLCommandBufferStatusCompleted)
    throw Failed{launch.entry + ": the GPU ended the launch: " + text_of(commands.error.localizedDescription)};
  return commands.GPUEndTime - commands.GPUStartTime;
}

/// Seconds of each launch; none for one without groups.
std::vector<double> run_all(const Kit& kit, const Pipelines& pipelines, const Memory& memory,
                            id<MTLCommandQueue> queue) {
  std::vector<double> seconds;
  for (size_t i = 0; i < kit.launches.size(); ++i)
    if (!kit.launches[i].is_empty()) seconds.push_back(run_launch(kit, kit.launches[i], pipelines[i], memory, queue));
  return seconds;
}

/// Prints the line of the case, and of the first wrong element. Whether all is right.
bool report_case(const Kit& kit, const Case& one, const std::vector<kit::Verdict>& verdicts) {
  int64_t elements = 0, wrong = 0, outside = 0;
  double largest_error = 0;
  for (const kit::Verdict& verdict : verdicts) {
    elements += verdict.elements();
    wrong += verdict.wrong();
    outside += verdict.outside();
    largest_error = std::max(largest_error, verdict.largest_error());
  }
  if (wrong == 0 && outside == 0) {
    std::printf("case     %s: ok, %lld elements within their bounds, largest error %.3g\n", one.contents.c_str(),
                static_cast<long long>(elements), largest_error);
    return true;
  }
  std::printf("case     %s: WRONG, %lld of %lld elements, %lld bytes beside the outputs changed\n",
              one.contents.c_str(), static_cast<long long>(wrong), static_cast<long long>(elements),
              static_cast<long long>(outside));
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].outside() > 0)
      std::printf("changed  %s: %lld bytes\n", kit.buffers[i].name.c_str(),
                  static_cast<long long>(verdicts[i].outside()));
    if (verdicts[i].first_wrong().empty()) continue;
    std::printf("first    %s\n", verdicts[i].first_wrong().c_str());
    break;
  }
  return false;
}

bool check_case(const Kit& kit, const Case& one, const Pipelines& pipelines, id<MTLDevice> device,
                id<MTLCommandQueue> queue) {
  std::vector<kit::Verdict> verdicts(kit.buffers.size());
  const auto expected_of = [&](size_t i) {
    const auto found = one.expected.find(i);
    return found == one.expected.end() ? kit::Expected{} : found->second;
  };
  for (size_t run = 0; run < 2; ++run) {
    @autoreleasepool {
      const Memory memory = make_memory(kit, one, run, device);
      run_all(kit, pipelines, memory, queue);
      for (size_t i = 0; i < kit.buffers.size(); ++i) {
        const auto* after = static_cast<const uint8_t*>(memory.buffers[i].contents);
        verdicts[i].add(kit.buffers[i], expected_of(i), memory.images[i],
                        std::vector<uint8_t>(after, after + memory.images[i].bytes.size()), kit.guard_bytes,
                        static_cast<int>(run));
      }
    }
  }
  for (size_t i = 0; i < kit.buffers.size(); ++i) verdicts[i].finish(kit.buffers[i], expected_of(i));
  return report_case(kit, one, verdicts);
}

// ---- Times

constexpr int kWarmUpRounds = 3, kLeastRounds = 20, kMostRounds = 1000;
constexpr double kMeasuredSeconds = 0.5;

void measure(const Kit& kit, const Pipelines& pipelines, id<MTLDevice> device, id<MTLCommandQueue> queue,
             int wanted_rounds) {
  const Memory memory = make_memory(kit, kit.cases.back(), 0, device);
  std::vector<std::vector<double>> samples(kit.launches.size());
  double total = 0;
  int rounds = -kWarmUpRounds;
  const auto goes_on = [&] {
    if (rounds < (wanted_rounds > 0 ? wanted_rounds : kLeastRounds)) return true;
    return wanted_rounds == 0 && total < kMeasuredSeconds && rounds < kMostRounds;
  };
  for (; goes_on(); ++rounds) {
    @autoreleasepool {
      for (size_t i = 0; i < kit.buffers.size(); ++i)
        if (kit.buffers[i].role == kit::Role::InOut)
          std::memcpy(memory.buffers[i].contents, memory.images[i].bytes.data(), memory.images[i].bytes.size());
      const std::vector<double> seconds = run_all(kit, pipelines, memory, queue);
      for (size_t i = 0; rounds >= 0 && i < seconds.size(); ++i) {
        samples[i].push_back(seconds[i]);
        total += seconds[i];
      }
    }
  }
  size_t next = 0;
  for (const Launch& launch : kit.launches) {
    if (launch.is_empty()) continue;
    const kit::Spread spread = kit::spread_of(samples[next++]);
    std::printf("time     %s: median %.2f us, %.2f to %.2f us, %d rounds\n", launch.entry.c_str(), spread.median * 1e6,
                spread.least * 1e6, spread.most * 1e6, rounds);
  }
}

struct Options {
  std::string folder = ".";
  int rounds = 0, device = -1;  ///< 0: as many as half a second holds; -1: the usual one
};

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word != "--rounds" && word != "--device") {
      options.folder = word;
      continue;
    }
    char* end = nullptr;
    const long number = i + 1 < count ? std::strtol(words[i + 1], &end, 10) : -1;
    const long least = word == "--rounds" ? 1 : 0;
    if (end == nullptr || *end != '\0' || number < least || number > 100000)
      throw CannotRun{word + " expects a number from " + std::to_string(least)};
    (word == "--rounds" ? options.rounds : options.device) = static_cast<int>(number);
    ++i;
  }
  return options;
}

/// Whether every case is right.
bool run_kit(const Options& options) {
  const Kit kit = read_kit(options.folder);
  id<MTLDevice> device = choose_device(options.device);
  std::printf("kit      %s, kit.json %s\n", kit.program.c_str(), kit.digest.c_str());
  std::printf("device   %s\n", device.name.UTF8String);
  std::printf("system   %s\n", NSProcessInfo.processInfo.operatingSystemVersionString.UTF8String);
  expect_device(kit, device);
  const Pipelines pipelines = make_pipelines(kit, device);
  id<MTLCommandQueue> queue = [device newCommandQueue];
  if (queue == nil) throw CannotRun{"Metal gives no command queue"};
  bool ok = true;
  for (const Case& one : kit.cases) ok = check_case(kit, one, pipelines, device, queue) && ok;
  if (ok) measure(kit, pipelines, device, queue, options.rounds);
  return ok;
}

int finish(const char* verdict, int status, const std::string& why = {}) {
  if (!why.empty()) std::printf("%s\n", why.c_str());
  std::printf("%s\n", verdict);
  std::fflush(stdout);
  return status;
}

}  // namespace

int main(int count, char** words) {
  @autoreleasepool {
    try {
      return run_kit(read_options(count, words)) ? finish("PASS", 0) : finish("FAIL", 1);
    } catch (const Failed& failed) {
      return finish("FAIL", 1, failed.why);
    } catch (const CannotRun& cannot) {
      return finish("CANNOT RUN", 2, cannot.why);
    }
  }
}
