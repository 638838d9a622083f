// tilewright emulate: runs a Metal kernel on this machine and checks every access that it makes.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "command.h"
#include "driver/emulate.h"
#include "driver/kit_emulate.h"
#include "report/emulate_report.h"
#include "report/kit_report.h"
#include "support/number_text.h"

namespace tilewright::cli {

namespace {

constexpr const char* kFooter =
    R"(Buffers: I=FILE.npy, I=out:TYPE:SHAPE (reading what the kernel has not written is reported), I=zero:TYPE:SHAPE,
I=random:SEED:TYPE:SHAPE, I=@J (the memory of buffer J); ":ro" at the end makes every write a report. Types: f32 f16 bf16 f64 i8..i64 u8..u64 bool.
--grid counts threadgroups; --threads counts threads in all and may leave partial threadgroups.

  tilewright emulate k.metal --grid 4 --group 64 --buffer 0=random:1:f32:256 --buffer 1=out:f32:256 --out 1=y.npy
  tilewright emulate --kit gemm-kit
  tilewright emulate gemm.metal --kernel gemm --grid 2,4 --group 128 --buffer 0=a.npy --buffer 1=b.npy
      --buffer 2=out:f32:128x128 --bytes 3=u32:128,128,128 --schedules 4

No Apple compiler or GPU has confirmed the emulator: docs/emulator.md says what is modelled and what is chosen.
Exit status: 0 done, 1 a report, 2 bad usage or input, 3 refused or timed out, 4 a fault of this program.)";

struct EmulateTexts {
  std::string path, kit, kernel, grid, threads, group = "1", checks = "all", dialect, metal, device, timeout = "300";
  std::string schedules = "1", seed = "0", workers = "0";
  Words buffers, tensors, bytes, outputs, threadgroup, defines, includes, constants, imitated;
  bool json = false;

  void declare(CLI::App& app) {
    app.add_option("FILE", path, "MSL source")->type_name("");
    app.add_option("--kit", kit, "A folder of `emit --kit`, in place of a file: every launch of every case, compared")
        ->type_name("DIR");
    app.add_option("--kernel", kernel, "Function or host_name; may be left out when there is one")->type_name("NAME");
    app.add_option("--grid", grid, "Threadgroups (1)")->type_name("X,Y,Z");
    app.add_option("--threads", threads, "Threads in all, instead of --grid")->type_name("X,Y,Z");
    app.add_option("--group", group, "Threads of a threadgroup")->type_name("X,Y,Z")->capture_default_str();
    list(app, "--buffer", buffers, "Memory of [[buffer(I)]]", "I=CONTENTS");
    list(app, "--tensor", tensors, "The same for a tensor handle; the last axis is innermost", "I=CONTENTS");
    list(app, "--bytes", bytes, "Values as they follow each other in memory, for a constant struct", "I=TYPE:V,..;..");
    list(app, "--threadgroup", threadgroup, "Memory of [[threadgroup(I)]]", "I=BYTES");
    list(app, "--out", outputs, "Where a buffer goes afterwards", "I=FILE.npy");
    list(app, "--define", defines, "A macro", "NAME[=V]");
    list(app, "--include", includes, "A folder for #include", "DIR");
    list(app, "--constant", constants, "A function constant, by index or name", "ID=V");
    app.add_option("--dialect", dialect, "opencl (address spaces are types) or c++20 (MPP); chosen by the text")
        ->type_name("NAME");
    app.add_option("--metal", metal, "Language version: 3.1, 3.2 or 4.0, which has tensors (3.2)")
        ->type_name("VERSION");
    app.add_option("--checks", checks, "all or none")->type_name("WHICH")->capture_default_str();
    app.add_option("--schedules", schedules, "Orders of lanes, SIMD groups and groups to try")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--seed", seed, "Of those orders and of opaque layouts")->type_name("N")->capture_default_str();
    app.add_option("--workers", workers, "Threads of the emulator (0: all cores)")->type_name("N");
    app.add_option("--device", device, "Profile whose limits, choices and known faults are imitated")
        ->type_name("PROFILE");
    list(app, "--imitate", imitated, "A choice or known fault of devices, beside those of --device: " + imitable(),
         "NAME");
    app.add_option("--timeout", timeout, "Seconds until the launch is ended")->type_name("S")->capture_default_str();
    app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
    app.footer(kFooter);
  }

  /// The same for a kit, which says itself how it is launched.
  Result<driver::KitEmulateRequest> read_kit(const CLI::App& app) const {
    Diags faults;
    for (const CLI::Option* option : app.get_options())
      if (option->count() > 0 && std::ranges::find(kKitOptions, option->get_single_name()) == std::end(kKitOptions))
        faults.push_back(Diag{DiagCode::Usage,
                              fmt::format("{} and --kit are given both", option->get_name()),
                              {},
                              "a kit says itself what is launched, and how",
                              {}});
    driver::EmulateRequest shared;
    read_sizes(shared, faults);
    read_language(shared, faults);
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return driver::KitEmulateRequest{.folder = kit,
                                     .device = device,
                                     .schedules = shared.schedules,
                                     .seed = shared.seed,
                                     .workers = shared.workers,
                                     .checks = shared.checks,
                                     .timeout_seconds = shared.timeout_seconds};
  }

  Result<driver::EmulateRequest> read() const {
    Diags faults;
    driver::EmulateRequest request;
    if (path.empty())
      faults.push_back(
          Diag{DiagCode::Usage, "expected a .metal file, found none", {}, "tilewright emulate --help", {}});
    request.path = path;
    request.kernel = kernel;
    read_sizes(request, faults);
    read_memory(request, faults);
    read_language(request, faults);
    request.device = device;
    request.imitated = imitated;
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return request;
  }

 private:
  static constexpr std::string_view kKitOptions[] = {"kit",    "schedules", "seed",    "workers",
                                                     "checks", "device",    "timeout", "json"};

  static std::string imitable() { return fmt::format("{}", fmt::join(driver::imitable_behaviours(), ", ")); }

  static void list(CLI::App& app, const char* name, Words& words, const std::string& text, const char* type) {
    app.add_option(name, words, text)->type_name(type)->allow_extra_args(false);
  }

  static void bad(Diags& faults, std::string_view option, std::string_view expected, std::string_view found) {
    faults.push_back(Diag{DiagCode::BadOption,
                          fmt::format("{} expects {}, found '{}'", option, expected, found),
                          {},
                          "tilewright emulate --help",
                          {}});
  }

  template <class T>
  static void read_number(std::string_view option, const std::string& text, std::uint64_t least, T& value,
                          Diags& faults) {
    const auto number = parse_uint64(text);
    if (!number || *number < least || *number > std::numeric_limits<T>::max())
      return bad(faults, option, fmt::format("a number from {}", least), text);
    value = static_cast<T>(*number);
  }

  void read_sizes(driver::EmulateRequest& request, Diags& faults) const {
    if (!grid.empty() && !threads.empty())
      faults.push_back(Diag{DiagCode::Usage, "--grid and --threads are given both", {}, "give one of them", {}});
    if (!grid.empty())
      request.threadgroups = take(driver::parse_extent3("--grid", grid), faults).value_or(request.threadgroups);
    request.threads_per_threadgroup =
        take(driver::parse_extent3("--group", group), faults).value_or(request.threads_per_threadgroup);
    if (!threads.empty()) request.threads = take(driver::parse_extent3("--threads", threads), faults);
    read_number("--schedules", schedules, 1, request.schedules, faults);
    read_number("--seed", seed, 0, request.seed, faults);
    read_number("--workers", workers, 0, request.workers, faults);
    const auto seconds = parse_double(timeout);
    if (!seconds || !(*seconds > 0) || *seconds > 1e6)
      bad(faults, "--timeout", "seconds above 0", timeout);
    else
      request.timeout_seconds = *seconds;
  }

  void read_memory(driver::EmulateRequest& request, Diags& faults) const {
    const auto add = [&](std::optional<driver::EmulatedBuffer> buffer) {
      if (buffer) request.buffers.push_back(std::move(*buffer));
    };
    for (const std::string& text : buffers) add(take(driver::parse_buffer("--buffer", text), faults));
    for (const std::string& text : tensors) add(take(driver::parse_buffer("--tensor", text), faults));
    for (const std::string& text : bytes) add(take(driver::parse_bytes(text), faults));
    for (const std::string& text : threadgroup)
      if (const auto size = take(driver::parse_indexed_size("--threadgroup", text), faults);
          size && !request.threadgroup_memory.insert(*size).second)
        bad(faults, "--threadgroup", "each index once", text);
    for (const std::string& text : outputs)
      if (const auto file = take(driver::parse_indexed("--out", text), faults);
          file && !request.outputs.insert(*file).second)
        bad(faults, "--out", "each index once", text);
  }

  void read_language(driver::EmulateRequest& request, Diags& faults) const {
    request.defines = defines;
    request.include_paths = includes;
    for (const std::string& text : constants) {
      const std::size_t equals = text.find('=');
      if (equals == 0 || equals == std::string::npos)
        bad(faults, "--constant", "ID=VALUE or NAME=VALUE", text);
      else if (!request.constants.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
        bad(faults, "--constant", "each constant once", text);
    }
    if (dialect == "opencl") request.dialect = msl_emulator::Dialect::OpenCl;
    if (dialect == "c++20") request.dialect = msl_emulator::Dialect::Cpp20;
    if (!dialect.empty() && !request.dialect) bad(faults, "--dialect", "opencl or c++20", dialect);
    if (metal == "3.1") request.metal_version = 310;
    if (metal == "3.2") request.metal_version = 320;
    if (metal == "4.0") request.metal_version = 400;
    if (!metal.empty() && !request.metal_version) bad(faults, "--metal", "3.1, 3.2 or 4.0", metal);
    request.checks = checks == "all";
    if (checks != "all" && checks != "none") bad(faults, "--checks", "all or none", checks);
  }
};

/// A line on a terminal that says how far the launch is; it is wiped at the end.
void show_progress(double fraction, std::uint32_t schedule) {
  std::fprintf(stderr, fraction < 1 ? "\rschedule %u, %3.0f %%" : "\r\033[K", schedule, fraction * 100);
  std::fflush(stderr);
}

/// A launch that did not come to its end by a timeout is refused, with or without other reports.
int status_of(const driver::EmulateReport& report) {
  const auto timed_out = [](const msl_emulator::Report& found) {
    return found.kind == msl_emulator::ReportKind::Timeout;
  };
  if (std::ranges::any_of(report.result.reports, timed_out)) return static_cast<int>(DiagCategory::Refused);
  return report.ok() ? 0 : static_cast<int>(DiagCategory::WrongResult);
}

int emulate_kit(const EmulateTexts& texts, const CLI::App& app) {
  const auto request = texts.read_kit(app);
  if (!request) return fail(request.error(), texts.json);
  const auto done = driver::emulate_kit(*request);
  if (!done) return fail(done.error(), texts.json);
  std::fputs((texts.json ? report::kit_emulation_json(*done) : report::kit_emulation_text(*done)).c_str(), stdout);
  std::fflush(stdout);
  return fail(driver::check_faults(done->cases), false);
}

}  // namespace

int emulate_command(const Words& words) {
  CLI::App app("Runs a Metal kernel without a GPU and checks every access that it makes.", "tilewright emulate");
  EmulateTexts texts;
  texts.declare(app);
  if (const auto status = read_options(app, words)) return *status;

  if (!texts.kit.empty()) return emulate_kit(texts, app);
  auto request = texts.read();
  if (!request) return fail(request.error(), texts.json);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) {
    request->progress = show_progress;
    request->on_start = [](const msl_emulator::MemoryEstimate& memory) {
      std::fprintf(stderr, "%s\n", report::emulate_memory_text(memory).c_str());
    };
  }
  const auto report = driver::emulate(std::move(*request));
  if (terminal) show_progress(1, 0);
  if (!report) {
    if (texts.json) std::fputs(report::emulate_failure_json(report.error()).c_str(), stdout);
    return fail(report.error(), false);
  }
  std::fputs((texts.json ? report::emulate_json(*report) : report::emulate_text(*report)).c_str(), stdout);
  return status_of(*report);
}

}  // namespace tilewright::cli
