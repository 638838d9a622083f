#include "corpus_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "support/number_text.h"

namespace tilewright::msl_emulator::corpus {
namespace {

constexpr std::string_view kMark = "// <- ";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Words apart by blanks; a quoted part may hold blanks, and loses its quotes.
std::optional<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false, quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      in_word = false;
    } else {
      if (!in_word) words.emplace_back();
      in_word = true;
      words.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return words;
}

std::optional<ReportKind> kind_named(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(ReportKind::CompileError); ++i) {
    const auto kind = static_cast<ReportKind>(i);
    if (report_kind_name(kind) == word) return kind;
  }
  return std::nullopt;
}

template <class T>
bool read_list(std::string_view text, std::vector<T>& out) {
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const NumberResult<std::int64_t> number = parse_int64(text.substr(0, comma));
    if (!number) return false;
    out.push_back(static_cast<T>(*number));
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

bool read_uint3(std::string_view text, Uint3& out) {
  std::vector<std::uint32_t> numbers;
  if (!read_list(text, numbers) || numbers.size() != 3) return false;
  std::copy(numbers.begin(), numbers.end(), out.begin());
  return true;
}

struct NamedSwitch {
  std::string_view name;
  bool DeviceModel::* field;
};
constexpr std::array<NamedSwitch, 7> kSwitches{
    {{"m5_layout", &DeviceModel::m5_layout},
     {"zero_cooperative_destinations", &DeviceModel::zero_cooperative_destinations},
     {"truncate_static_k", &DeviceModel::truncate_static_k},
     {"overread_static_k", &DeviceModel::overread_static_k},
     {"zero_extent_reads_row", &DeviceModel::zero_extent_reads_row},
     {"infinity_load_gives_nan", &DeviceModel::infinity_load_gives_nan},
     {"truncate_relaxed_f32", &DeviceModel::truncate_relaxed_f32}}};

/// An expectation whose mark is looked up when its section has been read.
struct OpenMark {
  std::size_t case_index = 0;
  enum class List : std::uint8_t { Expected, Allowed, Error } list{};
  std::size_t index = 0;
  std::string mark;
  std::uint32_t line = 0;
};

class CaseFileParser {
 public:
  CaseFileParser(const std::string& path, std::string text) {
    file_.path = path;
    file_.text = std::move(text);
  }

  Result<CaseFile> parse() {
    const std::vector<std::string_view> lines = lines_of(file_.text);
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
      line_ = i + 1;
      source_ = lines[i];
      const std::string_view text = trimmed(source_);
      if (text.starts_with("//@")) {
        directive(text.substr(3));
      } else {
        note_mark(text);
      }
    }
    line_ = static_cast<std::uint32_t>(lines.size());
    at_end_ = true;
    end_section();
    source_ = {};
    if (file_.dialects.empty()) file_.dialects = {Dialect::OpenCl};
    if (file_.cases.empty()) fault("no line \"//@ kernel NAME\"");
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return std::move(file_);
  }

 private:
  void fault(std::string message) { fault_at(line_, std::move(message)); }
  void fault_at(std::uint32_t line, std::string message) {
    Diag diag{DiagCode::SyntaxError, std::move(message), {}, "README.md beside the corpus describes the format", {}};
    diag.place = {file_.path, line, 1, 0, line == line_ ? std::string(source_) : std::string()};
    faults_.push_back(std::move(diag));
  }

  Case* current() {
    if (file_.cases.empty()) {
      fault("this line belongs behind a line \"//@ kernel NAME\"");
      return nullptr;
    }
    return &file_.cases.back();
  }

  void note_mark(std::string_view text) {
    const std::size_t at = text.find(kMark);
    if (at == std::string_view::npos) {
      if (text.find("//@") != std::string_view::npos) fault("a line \"//@\" stands alone on its line");
      return;
    }
    std::string_view names = text.substr(at + kMark.size());
    while (true) {
      const std::size_t comma = std::min(names.find(','), names.size());
      const std::string_view name = trimmed(names.substr(0, comma));
      if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") != std::string_view::npos) {
        fault(fmt::format("a mark is one word of small letters, found \"{}\"", name));
      }
      marks_[std::string(name)].push_back(line_);
      if (comma == names.size()) return;
      names.remove_prefix(comma + 1);
    }
  }

  void directive(std::string_view text) {
    const std::optional<std::vector<std::string>> words = words_of(text);
    if (!words || words->empty()) return fault("expected a word behind //@, and quotes in pairs");
    const std::string& word = words->front();
    const std::vector<std::string> rest(words->begin() + 1, words->end());
    if (file_directive(word, rest) || begin_directive(word, rest)) return;
    Case* const into = current();
    if (into == nullptr) return;
    if (!launch_directive(word, rest, *into) && !outcome_directive(word, rest, *into)) {
      fault(fmt::format("unknown word \"{}\"", word));
    }
  }

  /// dialect, metal, define, constant, separate.
  bool file_directive(const std::string& word, const std::vector<std::string>& rest) {
    if (word != "dialect" && word != "metal" && word != "define" && word != "constant" && word != "separate")
      return false;
    if (!file_.cases.empty()) fault(fmt::format("\"{}\" belongs in front of the first kernel", word));
    const std::size_t wanted = word == "separate" ? 0 : word == "constant" ? 2 : 1;
    if (word == "dialect") {
      dialects(rest);
    } else if (rest.size() != wanted) {
      fault(fmt::format("\"{}\" takes {} words, found {}", word, wanted, rest.size()));
    } else if (word == "metal") {
      file_.metal_version = parse_int32(rest[0]).value_or(0);
      if (file_.metal_version < 200) fault("expected a version such as 320");
    } else if (word == "define") {
      file_.defines.push_back(rest[0]);
    } else if (word == "constant") {
      file_.constants[rest[0]] = rest[1];
    } else {
      file_.separate = true;
    }
    return true;
  }

  void dialects(const std::vector<std::string>& words) {
    if (words.empty()) fault("a dialect is opencl or c++20");
    for (const std::string& word : words) {
      if (word != "opencl" && word != "c++20") fault("a dialect is opencl or c++20");
      file_.dialects.push_back(word == "opencl" ? Dialect::OpenCl : Dialect::Cpp20);
    }
  }

  /// kernel, case.
  bool begin_directive(const std::string& word, const std::vector<std::string>& rest) {
    if (word != "kernel" && word != "case") return false;
    if (rest.size() != 1) {
      fault(fmt::format("\"{}\" takes one name", word));
      return true;
    }
    Case added;
    added.line = line_;
    if (word == "kernel") {
      end_section();
      added.kernel = rest[0];
      added.name = rest[0];
      file_.sections.push_back({line_, line_, {}});
    } else {
      if (current() == nullptr) return true;
      added.kernel = file_.cases.back().kernel;
      added.name = added.kernel + "/" + rest[0];
    }
    if (!names_.insert(added.name).second) fault(fmt::format("a second case \"{}\"", added.name));
    file_.sections.back().cases.push_back(file_.cases.size());
    file_.cases.push_back(std::move(added));
    return true;
  }

  /// launch, buffer, tensor, threadgroup, device, timeout.
  bool launch_directive(const std::string& word, const std::vector<std::string>& rest, Case& into) {
    if (word == "launch") {
      for (const std::string& item : rest) launch_item(item, into);
    } else if (word == "buffer") {
      buffer(rest, into);
    } else if (word == "tensor") {
      tensor(rest, into);
    } else if (word == "threadgroup") {
      const bool two = rest.size() == 2;
      const NumberResult<std::int32_t> index = parse_int32(two ? rest[0] : "");
      const NumberResult<std::uint64_t> bytes = parse_uint64(two ? rest[1] : "");
      if (!index || !bytes) fault("expected: threadgroup INDEX BYTES");
      into.threadgroup_memory.push_back({static_cast<std::uint32_t>(index.value_or(0)), bytes.value_or(0)});
    } else if (word == "device") {
      for (const std::string& item : rest) device_switch(item, into);
    } else if (word == "timeout") {
      const NumberResult<double> seconds = parse_double(rest.size() == 1 ? rest[0] : "");
      if (!seconds) fault("expected: timeout SECONDS");
      into.timeout_seconds = seconds.value_or(1);
    } else {
      return false;
    }
    return true;
  }

  void launch_item(const std::string& item, Case& into) {
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    Uint3 value{};
    if (equals == std::string::npos || !read_uint3(std::string_view(item).substr(equals + 1), value)) {
      return fault(fmt::format("expected groups=X,Y,Z, grid=X,Y,Z or threads=X,Y,Z, found \"{}\"", item));
    }
    if (key == "groups") {
      into.groups = value;
    } else if (key == "grid") {
      into.grid = value;
    } else if (key == "threads") {
      into.threads_per_group = value;
    } else {
      fault(fmt::format("a launch has groups, grid and threads, not \"{}\"", key));
    }
  }

  void device_switch(const std::string& item, Case& into) {
    for (const NamedSwitch& entry : kSwitches) {
      if (entry.name == item) {
        into.device.*entry.field = true;
        return;
      }
    }
    fault(fmt::format("no switch \"{}\" of DeviceModel", item));
  }

  void buffer(const std::vector<std::string>& words, Case& into) {
    CaseBuffer added;
    const NumberResult<std::int32_t> index = parse_int32(words.empty() ? "" : words[0]);
    const std::optional<Element> element = element_named(words.size() > 1 ? words[1] : "");
    const NumberResult<std::uint64_t> count = parse_uint64(words.size() > 2 ? words[2] : "");
    if (!index || !element || !count) return fault("expected: buffer INDEX TYPE COUNT [read_only] FILL");
    added.index = static_cast<std::uint32_t>(*index);
    added.element = *element;
    added.count = *count;
    std::size_t next = 3;
    if (next < words.size() && words[next] == "read_only") {
      added.read_only = true;
      ++next;
    }
    added.fill = fill({words.begin() + static_cast<std::ptrdiff_t>(next), words.end()}, added.count);
    for (const CaseBuffer& other : into.buffers) {
      if (other.index == added.index) fault(fmt::format("a second buffer {}", added.index));
    }
    into.buffers.push_back(std::move(added));
  }

  CaseBuffer* buffer_of(const std::vector<std::string>& words, Case& into) {
    const NumberResult<std::int32_t> index = parse_int32(words.empty() ? "" : words[0]);
    for (CaseBuffer& other : into.buffers) {
      if (index && other.index == static_cast<std::uint32_t>(*index)) return &other;
    }
    fault("expected the index of a buffer that stands above");
    return nullptr;
  }

  void tensor(const std::vector<std::string>& words, Case& into) {
    CaseBuffer* const buffer = buffer_of(words, into);
    if (buffer == nullptr) return;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string_view word = words[i];
      const bool extents = word.starts_with("extents=");
      if ((!extents && !word.starts_with("strides=")) ||
          !read_list(word.substr(8), extents ? buffer->tensor_extents : buffer->tensor_strides)) {
        fault("expected: tensor INDEX extents=A,B [strides=A,B]");
      }
    }
  }

  Fill fill(const std::vector<std::string>& words, std::size_t count) {
    constexpr std::array<std::pair<std::string_view, Rule>, 6> kRules{{{"zero", Rule::Zero},
                                                                       {"iota", Rule::Iota},
                                                                       {"value", Rule::Value},
                                                                       {"values", Rule::Values},
                                                                       {"mixed", Rule::Mixed},
                                                                       {"uninitialized", Rule::Uninitialized}}};
    Fill result;
    const auto* const found = std::find_if(
        kRules.begin(), kRules.end(), [&](const auto& entry) { return !words.empty() && entry.first == words[0]; });
    if (found == kRules.end()) {
      fault("a fill is zero, iota, value V, values V V .., mixed or uninitialized");
      return result;
    }
    result.rule = found->second;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const NumberResult<double> value = parse_double(words[i]);
      if (!value) fault(fmt::format("\"{}\" is not a number", words[i]));
      result.values.push_back(value.value_or(0));
    }
    const std::size_t wanted = result.rule == Rule::Value ? 1 : result.rule == Rule::Values ? count : 0;
    if (result.values.size() != wanted) {
      fault(fmt::format("this fill takes {} numbers, found {}", wanted, result.values.size()));
      result.values.resize(wanted);
    }
    return result;
  }

  /// expect, allow, result.
  bool outcome_directive(const std::string& word, const std::vector<std::string>& rest, Case& into) {
    if (word == "result") {
      const CaseBuffer* const buffer = buffer_of(rest, into);
      if (buffer != nullptr)
        into.results.push_back({buffer->index, fill({rest.begin() + 1, rest.end()}, buffer->count)});
      return true;
    }
    if (word != "expect" && word != "allow") return false;
    if (rest.empty()) {
      fault(fmt::format("\"{}\" names a kind of report", word));
    } else if (word == "expect" && rest[0] == "none") {
      if (rest.size() != 1) fault("nothing follows \"expect none\"");
      into.expects_none = true;
    } else if (word == "expect" && (rest[0] == "compile_error" || rest[0] == "launch_error")) {
      expected_error(rest, into);
    } else {
      expectation(word == "allow", rest, into);
    }
    return true;
  }

  void expected_error(const std::vector<std::string>& words, Case& into) {
    ExpectedError error;
    error.by_launch = words[0] == "launch_error";
    error.code = error.by_launch ? "LaunchSize" : "KernelCompile";
    std::string mark = error.by_launch ? "nowhere" : "compile_error";
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = std::min(words[i].find('='), words[i].size());
      const std::string key = words[i].substr(0, equals),
                        value = words[i].substr(std::min(equals + 1, words[i].size()));
      if (key == "code") {
        error.code = value;
      } else if (key == "at") {
        mark = value;
      } else if (key == "text") {
        error.text = value;
      } else {
        fault(fmt::format("an error is told by code=, at= and text=, found \"{}\"", words[i]));
      }
    }
    if (into.error) fault("a second error for one case");
    into.error = std::move(error);
    open_marks_.push_back({file_.cases.size() - 1, OpenMark::List::Error, 0, mark, line_});
  }

  void expectation(bool is_allowed, const std::vector<std::string>& words, Case& into) {
    Expectation added;
    const std::optional<ReportKind> kind = kind_named(words[0]);
    if (!kind) return fault(fmt::format("no kind of report \"{}\"", words[0]));
    added.kind = *kind;
    std::string mark = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = std::min(words[i].find('='), words[i].size());
      const std::string key = words[i].substr(0, equals),
                        value = words[i].substr(std::min(equals + 1, words[i].size()));
      if (key == "at") {
        mark = value;
      } else if (key == "object") {
        added.object = value;
      } else if (key == "text") {
        added.text = value;
      } else if (key == "byte" || key == "element") {
        const NumberResult<std::int64_t> number = parse_int64(value);
        if (!number) fault(fmt::format("\"{}\" is not a number", value));
        (key == "byte" ? added.byte_offset : added.element) = number.value_or(0);
      } else {
        fault(fmt::format("a report is told by at=, object=, byte=, element= and text=, found \"{}\"", words[i]));
      }
    }
    std::vector<Expectation>& list = is_allowed ? into.allowed : into.expected;
    const auto kept = is_allowed ? OpenMark::List::Allowed : OpenMark::List::Expected;
    open_marks_.push_back({file_.cases.size() - 1, kept, list.size(), mark, line_});
    list.push_back(std::move(added));
  }

  /// Gives the expectations of the section their lines.
  void end_section() {
    if (file_.sections.empty()) {
      for (const auto& [name, lines] : marks_)
        fault_at(lines.front(), fmt::format("mark \"{}\" outside every kernel", name));
      marks_.clear();
      return;
    }
    Section& section = file_.sections.back();
    section.last_line = at_end_ ? line_ : line_ - 1;
    std::set<std::string> used;
    for (const OpenMark& open : open_marks_) {
      used.insert(open.mark);
      if (open.mark == "nowhere") continue;
      const auto found = marks_.find(open.mark);
      if (found == marks_.end()) {
        fault_at(open.line, fmt::format("no line of the kernel has the mark \"{}{}\"", kMark, open.mark));
        continue;
      }
      Case& owner = file_.cases[open.case_index];
      std::vector<std::uint32_t>& lines = open.list == OpenMark::List::Error     ? owner.error->lines
                                          : open.list == OpenMark::List::Allowed ? owner.allowed[open.index].lines
                                                                                 : owner.expected[open.index].lines;
      lines = found->second;
    }
    for (const auto& [name, lines] : marks_) {
      if (!used.contains(name)) fault_at(lines.front(), fmt::format("no expectation uses the mark \"{}\"", name));
    }
    for (const std::size_t index : section.cases) check_outcome(file_.cases[index]);
    marks_.clear();
    open_marks_.clear();
  }

  void check_outcome(const Case& one) {
    const int outcomes = (one.expects_none ? 1 : 0) + (one.expected.empty() ? 0 : 1) + (one.error ? 1 : 0);
    if (outcomes != 1) {
      fault_at(one.line, fmt::format("case \"{}\" needs either reports, or \"expect none\", or one error", one.name));
    }
    if (one.expects_none && !one.allowed.empty()) {
      fault_at(one.line, fmt::format("case \"{}\" expects no report and allows some", one.name));
    }
  }

  CaseFile file_;
  Diags faults_;
  std::uint32_t line_ = 0;
  std::string_view source_;
  bool at_end_ = false;
  std::map<std::string, std::vector<std::uint32_t>> marks_;
  std::vector<OpenMark> open_marks_;
  std::set<std::string> names_;
};

}  // namespace

Result<CaseFile> parse_case_file(const std::string& path, std::string text) {
  return CaseFileParser(path, std::move(text)).parse();
}

std::string text_of_section(const CaseFile& file, const Section& section) {
  std::string text;
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(file.text)) {
    ++number;
    const bool common = number < file.sections.front().first_line;
    if (common || (number >= section.first_line && number <= section.last_line)) text += line;
    text += '\n';
  }
  return text;
}

}  // namespace tilewright::msl_emulator::corpus
