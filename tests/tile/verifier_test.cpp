// Each rule of the verifier, its place in the text, and several faults at once.
#include "tile/verifier.h"

#include <gtest/gtest.h>

#include "tile/parser.h"

namespace tilewright::tile {
namespace {

struct Fault {
  const char* name;
  DiagCode code;
  std::uint32_t line;
  const char* mentions;
  const char* text;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

Result<void> check(std::string_view text) {
  auto program = parse_program(text, "test.tile");
  if (!program) return std::unexpected(program.error());
  return verify(*program);
}

class VerifierFault : public testing::TestWithParam<Fault> {};

TEST_P(VerifierFault, IsReportedWithItsPlace) {
  const Fault& fault = GetParam();
  auto result = check(fault.text);
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u) << render(result.error());
  const Diag& diag = result.error()[0];
  EXPECT_EQ(diag.code, fault.code) << render(diag);
  EXPECT_EQ(diag.place.line, fault.line) << render(diag);
  EXPECT_NE(diag.message.find(fault.mentions), std::string::npos) << render(diag);
  EXPECT_FALSE(diag.hint.empty()) << render(diag);
}

constexpr Fault kFaults[] = {
    {"top_level", DiagCode::TopLevelForm, 3, "serial", R"(program p(M) {
  out Y: f32[M]
  serial i in M {
    Y[i] = 1.0
  }
  parallel i in M {
    Y[i] = 1.0
  }
})"},
    {"write_to_input", DiagCode::WriteToInput, 5, "'X'", R"(program p(M) {
  in X: f32[M]
  out Y: f32[M]
  parallel i in M {
    X[i] = 1.0
    Y[i] = 1.0
  }
})"},
    {"read_of_output", DiagCode::ReadOfOutput, 4, "'Y'", R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    y = Y[i]
    Y[i] = y + 1.0
  }
})"},
    {"output_never_written", DiagCode::OutputNeverWritten, 3, "'Z'", R"(program p(M) {
  out Y: f32[M]
  out Z: f32[M]
  parallel i in M {
    Y[i] = 1.0
  }
})"},
    {"temp_read_first", DiagCode::TempUninitialized, 5, "'H'", R"(program p(M) {
  out Y: f32[M]
  temp H: f32[M]
  parallel i in M {
    Y[i] = H[i]
    H[i] = 1.0
  }
})"},
    {"memory_in_zero_trip_loop", DiagCode::MemoryUninitialized, 8, "'S'", R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    memory S: f32[4]
    serial t in M {
      S[0] = 1.0
    }
    Y[i] = S[0]
  }
})"},
    {"memory_in_one_branch", DiagCode::MemoryUninitialized, 8, "'S'", R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    memory S: f32[4]
    if i < 2 {
      S[0] = 1.0
    }
    Y[i] = S[0]
  }
})"},
    {"cut_outside_pipeline", DiagCode::StageCutPlacement, 5, "stage cut", R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    serial t in M {
      stage
      Y[i] = 1.0
    }
  }
})"},
    {"statement_before_first_cut", DiagCode::StageCutPlacement, 7, "before the first", R"(program p(M) {
  in X: f32[M]
  out Y: f32[M]
  parallel i in M {
    pipeline t in M {
      x = X[t]
      stage
      Y[i] = x
    }
  }
})"},
    {"scope_nesting", DiagCode::ScopeNesting, 4, "group", R"(program p(M) {
  out Y: f32[M]
  parallel i in M scope subgroup {
    parallel j in 2 scope group {
      Y[i] = 1.0
    }
  }
})"},
    {"interval_zero", DiagCode::PipelinePolicy, 4, "interval", R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    pipeline t in M interval 0 {
      Y[i] = 1.0
    }
  }
})"},
    {"window_of_serial", DiagCode::PipelinePolicy, 4, "window", R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    serial t in M window 2 {
      Y[i] = 1.0
    }
  }
})"},
};

INSTANTIATE_TEST_SUITE_P(Verifier, VerifierFault, testing::ValuesIn(kFaults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Verifier, ReportsAllIndependentFaults) {
  auto result = check(R"(program p(M) {
  in X: f32[M]
  out Y: f32[M]
  out Z: f32[M]
  parallel i in M {
    X[i] = 1.0
    y = Y[i]
    Y[i] = y
  }
})");
  ASSERT_FALSE(result);
  std::vector<DiagCode> codes;
  for (const Diag& diag : result.error()) codes.push_back(diag.code);
  EXPECT_EQ(codes, (std::vector{DiagCode::WriteToInput, DiagCode::ReadOfOutput, DiagCode::OutputNeverWritten}));
}

TEST(Verifier, AcceptsMemoryStoredOnEveryPathAndInALoopThatSurelyRuns) {
  auto result = check(R"(program p(M) {
  out Y: f32[M]
  parallel i in M {
    memory S: f32[4]
    if i < 2 {
      S[0] = 1.0
    } else {
      S[0] = 2.0
    }
    memory R: f32[4]
    serial t in 4 {
      R[t] = S[0]
    }
    Y[i] = R[0]
  }
})");
  EXPECT_TRUE(result) << render(result.error());
}

TEST(Verifier, AcceptsATemporaryOfAnEarlierLaunch) {
  auto result = check(R"(program p(M) {
  out Y: f32[M]
  temp H: f32[M]
  parallel i in M {
    H[i] = 1.0
  }
  parallel i in M {
    Y[i] = H[i]
  }
})");
  EXPECT_TRUE(result) << render(result.error());
}

}  // namespace
}  // namespace tilewright::tile
