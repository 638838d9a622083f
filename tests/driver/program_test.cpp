// Programs as values, the library of programs, stages, and compiling.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include <tilewright/compile.h>

#include "driver/faults.h"
#include "driver/program_library.h"
#include "driver/program_list.h"
#include "driver/small_programs.h"
#include "support/temporary_folder.h"

namespace tilewright {
namespace {

constexpr const char* kFamily = R"(
// First line: what it does.
// Second line.
program family(M, N; BM: {16, 32} = 32, T: type {f32, f16} = f16) {
  in X: T[M, ceildiv(N, BM)]
  in s: f32 = 0.5
  inout Y: i32[M]
  out Z: T[M]
  temp W: f32[M]
  parallel i in M {
    W[i] = 1.0
  }
  parallel i in M {
    Y[i] = Y[i] + 1
    Z[i] = T(f32(X[i, 0]) * s + W[i])
  }
}
)";

/// Sets a variable for one test. The tests of one binary run one after another.
class Home {
 public:
  explicit Home(const std::string& value) { setenv("TILEWRIGHT_HOME", value.c_str(), 1); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() { unsetenv("TILEWRIGHT_HOME"); }
};

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Program, TellsItsInterface) {
  const auto program = Program::parse(kFamily);
  TW_EXPECT_VALUE(program);
  EXPECT_EQ(program->name(), "family");
  EXPECT_EQ(program->summary(), "First line: what it does.");
  EXPECT_EQ(program->symbols(), (std::vector<std::string>{"M", "N"}));
  const std::vector<ParamInfo> params = program->params();
  ASSERT_EQ(params.size(), 2U);
  EXPECT_EQ(params[0].name, "BM");
  EXPECT_EQ(params[0].choices, (std::vector<std::int64_t>{16, 32}));
  EXPECT_EQ(params[0].default_value, 32);
  EXPECT_FALSE(params[0].is_type());
  EXPECT_EQ(params[1].type_choices, (std::vector<DataType>{DataType::F32, DataType::F16}));
  EXPECT_EQ(params[1].default_type, DataType::F16);
  const std::vector<BufferInfo> buffers = program->buffers();
  ASSERT_EQ(buffers.size(), 5U);
  EXPECT_EQ(buffers[0].element, "T");
  EXPECT_EQ(buffers[0].extents, (std::vector<std::string>{"M", "ceildiv(N, BM)"}));
  EXPECT_EQ(buffers[1].default_value, 0.5);
  EXPECT_TRUE(buffers[1].extents.empty());
  EXPECT_EQ(buffers[2].role, BufferRole::InOut);
  EXPECT_EQ(buffers[2].element, "i32");
  EXPECT_EQ(buffers[3].role, BufferRole::Out);
  EXPECT_EQ(buffers[4].role, BufferRole::Temp);
}

TEST(Program, TextParsesToTheSameText) {
  const auto program = Program::parse(kFamily);
  TW_EXPECT_VALUE(program);
  const auto again = Program::parse(program->text());
  TW_EXPECT_VALUE(again);
  EXPECT_EQ(again->text(), program->text());
}

TEST(Program, FaultsOfTheTextHavePlaces) {
  const auto broken = Program::parse(
      "program p(N) {\n  in X: f32[N]\n  out Y: f32[N]\n  parallel i in N {\n    Y[i] = Z[i]\n    X[i] = 1.0\n  }\n}\n",
      "p.tile");
  expect_fault(broken, DiagCode::UnknownName, {"p.tile:5:", "Z"});
}

TEST(Program, LoadsFilesAndNames) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "programs");
  write_text(folder / "programs/twice.tile", kDouble);
  write_text(folder / "programs/notes.txt", "no program");
  write_text(folder / "own.tile", kScale);
  const Home home(folder.path());
  const auto paths = find_programs();
  TW_EXPECT_VALUE(paths);
  EXPECT_EQ(*paths, (std::vector<std::string>{folder / "programs/twice.tile"}));
  EXPECT_EQ(Program::load("twice")->name(), "twice");
  EXPECT_EQ(Program::load(folder / "own.tile")->name(), "scale");
  expect_fault(Program::load("twise"), DiagCode::UnknownProgram,
               {"'twise'", "did you mean 'twice'?", "tilewright list"});
  expect_fault(Program::load(folder / "none.tile"), DiagCode::FileRead, {"none.tile"});
  expect_fault(Program::load("none.tile"), DiagCode::FileRead, {"none.tile"});
  expect_fault(Program::load(""), DiagCode::UnknownProgram);
}

TEST(Program, LibraryIsFoundFromTheBinaryOrTheVariable) {
  {
    const Home home("/nowhere");
    expect_fault(find_programs(), DiagCode::UnknownProgram, {"TILEWRIGHT_HOME", "/nowhere/programs"});
  }
  const Home home(TILEWRIGHT_SOURCE_DIR);
  const auto folder = driver::program_folder();
  TW_EXPECT_VALUE(folder);
  EXPECT_EQ(*folder, TILEWRIGHT_SOURCE_DIR "/programs");
}

TEST(Program, ListNamesTheFilesThatAreNoPrograms) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "programs");
  write_text(folder / "programs/b.tile", kDouble);
  write_text(folder / "programs/a.tile", "program a(");
  const Home home(folder.path());
  const auto list = driver::list_programs();
  TW_EXPECT_VALUE(list);
  ASSERT_EQ(list->programs.size(), 1U);
  EXPECT_EQ(list->programs[0].name, "twice");
  EXPECT_FALSE(list->faults.empty());
}

TEST(Compile, FaultsOfBindings) {
  const auto program = Program::parse(kDouble);
  TW_EXPECT_VALUE(program);
  const auto with = [&](std::map<std::string, std::int64_t> numbers) {
    return compile(*program, {std::move(numbers), {}});
  };
  expect_fault(with({{"M", 1}}), DiagCode::MissingSymbol, {"'N'"});
  expect_fault(with({{"M", 1}, {"N", -1}}), DiagCode::NegativeSize, {"-1"});
  expect_fault(with({{"M", 1}, {"N", 1}, {"K", 1}}), DiagCode::UnknownSymbol, {"'K'"});
  expect_fault(with({{"M", std::int64_t{1} << 32}, {"N", std::int64_t{1} << 31}}), DiagCode::SizeOverflow);
}

TEST(Compile, RecordsStagesInOrder) {
  const auto program = Program::parse(kDouble);
  TW_EXPECT_VALUE(program);
  const Bindings sizes{{{"M", 2}, {"N", 2}}, {}};
  const auto stages = [&](Target target) {
    std::vector<std::string> names;
    const auto kernel = compile(*program, sizes, {target, {}, false});
    for (const StageTime& time : kernel->stage_times()) {
      names.push_back(time.stage);
      EXPECT_GE(time.milliseconds, 0);
    }
    return names;
  };
  EXPECT_EQ(stages(Target::Interp), (std::vector<std::string>{"parse", "verify", "bind", "verify bound"}));
  EXPECT_EQ(stages(Target::Cpu),
            (std::vector<std::string>{"parse", "verify", "plan", "lower", "verify kernel", "emit", "load"}));
}

TEST(Compile, PrintsEveryStage) {
  const auto program = Program::parse(kDouble);
  TW_EXPECT_VALUE(program);
  const Bindings sizes{{{"M", 2}, {"N", 5}}, {}};
  const auto kernel = compile(*program, sizes);
  TW_EXPECT_VALUE(kernel);
  EXPECT_EQ(kernel->print_after("parse"), program->text());
  EXPECT_NE(kernel->print_after("bind")->find("f32[2, 5]"), std::string::npos);
  EXPECT_NE(kernel->print_after("kernel")->find("kernel program"), std::string::npos);
  EXPECT_NE(kernel->print_after("llvm")->find("define"), std::string::npos);
  EXPECT_TRUE(kernel->print_after("assembly").has_value());
  expect_fault(kernel->print_after("kernels"), DiagCode::BadOption,
               {"'kernels'", "did you mean 'kernel'?", "parse, bind"});
  const auto interpreted = compile(*program, sizes, {Target::Interp, {}, false});
  EXPECT_TRUE(interpreted->print_after("bind").has_value());
  expect_fault(interpreted->print_after("llvm"), DiagCode::BadOption, {"interp"});
}

TEST(Compile, NamesOfTargets) {
  EXPECT_EQ(target_from_name("cpu"), Target::Cpu);
  EXPECT_EQ(target_from_name("interp"), Target::Interp);
  EXPECT_FALSE(target_from_name("cuda"));
  EXPECT_EQ(target_name(Target::Interp), "interp");
}

}  // namespace
}  // namespace tilewright
