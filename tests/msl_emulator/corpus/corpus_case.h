// The cases of a corpus file: kernels of one MSL text, how each is launched and what must be reported. The format is
// described in README.md of this folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus_fill.h"
#include "runtime/msl_emulator/emulator.h"

namespace tilewright::msl_emulator::corpus {

/// One report that must come, or may come. `lines`: where; empty: any place, or none.
struct Expectation {
  ReportKind kind{};
  std::vector<std::uint32_t> lines;
  std::optional<std::string> object;
  std::optional<std::int64_t> byte_offset;
  std::optional<std::int64_t> element;
  std::string text;  ///< found in the message
};

/// compile() or launch() gives a diagnostic.
struct ExpectedError {
  bool by_launch = false;
  std::string code;  ///< of diag_codes.def
  std::vector<std::uint32_t> lines;
  std::string text;  ///< found in the message, the hint or a note
};

struct CaseBuffer {
  std::uint32_t index = 0;
  Element element{};
  std::size_t count = 0;
  bool read_only = false;
  Fill fill;
  std::vector<std::int64_t> tensor_extents;
  std::vector<std::int64_t> tensor_strides;
};

struct CaseResult {
  std::uint32_t index = 0;
  Fill fill;
};

struct Case {
  std::string name;  ///< the kernel's, with "/label" for its further launches
  std::string kernel;
  std::uint32_t line = 0;
  Uint3 groups{1, 1, 1};
  Uint3 threads_per_group{1, 1, 1};
  std::optional<Uint3> grid;
  std::vector<CaseBuffer> buffers;
  std::vector<ThreadgroupBinding> threadgroup_memory;
  DeviceModel device;
  double timeout_seconds = 60;
  bool expects_none = false;
  std::vector<Expectation> expected;
  std::vector<Expectation> allowed;
  std::optional<ExpectedError> error;
  std::vector<CaseResult> results;

  bool expects_compile_error() const { return error && !error->by_launch; }
};

/// Lines of the text that belong to one kernel, counted from 1, both inclusive.
struct Section {
  std::uint32_t first_line = 0, last_line = 0;
  std::vector<std::size_t> cases;
};

struct CaseFile {
  std::string path;
  std::string text;
  std::vector<Dialect> dialects;  ///< OpenCl when the file names none
  int metal_version = 320;
  std::vector<std::string> defines;
  std::map<std::string, std::string> constants;
  bool separate = false;  ///< every section is compiled without the others
  std::vector<Section> sections;
  std::vector<Case> cases;
};

/// Every line of the format that is wrong is a SyntaxError of its own, with its place.
Result<CaseFile> parse_case_file(const std::string& path, std::string text);

/// The text with the lines of all sections but one blanked; line numbers stay.
std::string text_of_section(const CaseFile& file, const Section& section);

}  // namespace tilewright::msl_emulator::corpus
