// epilogue.same_owner: proved, refused with each code, and the boundary of the number of operations.
#include <gtest/gtest.h>

#include "proof/epilogue_same_owner.h"
#include "proof/matrix_cases.h"

namespace tilewright::proof {
namespace {

using Epilogue = EpilogueSameOwner;

constexpr const char* kEpilogueStore = "C[i*8 + m, j*8 + n] = acc";

std::string epilogue(Changes changes, const std::string& stored, const Numbers& numbers = kRagged) {
  changes.push_back({kEpilogueStore, stored});
  return answer(matrix_program(product_text(changes), numbers), Epilogue::kId);
}
std::string stored_value(const std::string& expression) { return epilogue({}, "C[i*8 + m, j*8 + n] = " + expression); }

TEST(EpilogueSameOwner, Elementwise) {
  EXPECT_EQ(stored_value("acc"), "proved");
  EXPECT_EQ(stored_value("max(acc, 0.0)"), "proved");
  EXPECT_EQ(stored_value("acc * 0.5 * (1.0 + tanh(0.79 * (acc + 0.044 * acc * acc * acc)))"), "proved");
  EXPECT_EQ(stored_value("select(acc > 0.0, f32(f16(acc)), -acc)"), "proved");
  EXPECT_EQ(answer(matrix_program(product_text({{kEpilogueStore, "C[i*8 + m, j*8 + n] = max(acc, 0.0)"}}), {}),
                   Epilogue::kId),
            "proved");
}

TEST(EpilogueSameOwner, OtherValues) {
  EXPECT_EQ(stored_value("f32(i32(acc))"), Epilogue::kElementType);
  EXPECT_EQ(stored_value("acc + f32(i*8 + m)"), Epilogue::kIndexValue);
  EXPECT_EQ(stored_value("acc + acc[m, 7 - n]"), Epilogue::kMovesElements);
  EXPECT_EQ(stored_value("acc - sum(acc, n)"), Epilogue::kMovesElements);
  EXPECT_EQ(epilogue({{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    t[m, n] = 0.0"},
                      {"acc = mma(a, b, acc)", "acc = mma(a, b, acc)\n      t = t + 1.0"}},
                     "C[i*8 + m, j*8 + n] = acc + t"),
            Epilogue::kOtherValue);
}

TEST(EpilogueSameOwner, Operands) {
  EXPECT_EQ(stored_value("acc + bias[j*8 + n]"), "proved");
  EXPECT_EQ(epilogue({{"in bias: f32[N]", "in bias: f32[N]\n  in alpha: f32"}, {"out C", "inout C"}},
                     "C[i*8 + m, j*8 + n] = alpha * acc + C[i*8 + m, j*8 + n]"),
            "proved");
  EXPECT_EQ(epilogue({{"in bias: f32[N]", "in bias: i32[N]"}}, "C[i*8 + m, j*8 + n] = acc + f32(bias[j*8 + n])"),
            Epilogue::kElementType);
}

/// Memory of truth values is no memory of fragments.
TEST(EpilogueSameOwner, TruthValuesInMemory) {
  EXPECT_EQ(stored_value("select(acc > 0.0, acc, 0.0)"), "proved");
  EXPECT_EQ(
      epilogue({{"in bias: f32[N]", "in bias: bool[N]"}}, "C[i*8 + m, j*8 + n] = select(bias[j*8 + n], acc, 0.0)"),
      Epilogue::kElementType);
  EXPECT_EQ(epilogue({{"out C: f32[M, N]", "out C: bool[M, N]"}}, "C[i*8 + m, j*8 + n] = acc > 0.0"),
            Epilogue::kElementType);
}

/// The contract of seed 1: nothing but the accumulator and literals.
TEST(EpilogueSameOwner, ClosedRefusesOperands) {
  const tile::Program program =
      matrix_program(product_text({{kEpilogueStore, "C[i*8 + m, j*8 + n] = acc + bias[j*8 + n]"}}));
  const Subject subject = make_subject(program, noalias());
  const auto verdict = prove_epilogue_same_owner(subject, subject.accesses.all.back().op, EpilogueOperands::None);
  EXPECT_EQ(std::get<Refuted>(verdict).code, Epilogue::kOtherLoad);
}

TEST(EpilogueSameOwner, TheAccumulator) {
  EXPECT_EQ(epilogue({{"mma(a, b, acc)", "acc + mma(a, b, acc)"}}, "C[i*8 + m, j*8 + n] = acc + 1.0"),
            Epilogue::kNotClosed);
  EXPECT_EQ(epilogue({}, "C[i*8 + m, j*8 + n] = acc + 1.0", {{"M", 8}, {"N", 8}, {"K", 0}}), Epilogue::kNotClosed);
  Assumptions assumptions = noalias();
  assumptions.least_size = 0;
  const auto findings = ask_family(matrix_program(product_text(), {}), Epilogue::kId, assumptions);
  EXPECT_EQ(findings.at(0).kind, Finding::Kind::Unknown);
  const tile::Program program = matrix_program(product_text({{kEpilogueStore, "C[i*8 + m, j*8 + n] = 1.0"}}));
  const Subject subject = make_subject(program);
  const auto verdict = prove_epilogue_same_owner(subject, subject.accesses.all.back().op);
  EXPECT_EQ(std::get<Refuted>(verdict).code, Epilogue::kNoAccumulator);
}

TEST(EpilogueSameOwner, Axes) {
  EXPECT_EQ(epilogue({{"out C: f32[M, N]", "out C: f32[4, M, N]"}}, "C[k, i*8 + m, j*8 + n] = acc"),
            Epilogue::kAxesDiffer);
  EXPECT_EQ(epilogue({{"out C: f32[M, N]", "out C: f32[4, M, N]"}}, "z[k] = 1.0\n    C[k, i*8 + m, j*8 + n] = acc + z"),
            Epilogue::kAxesDiffer);
}

TEST(EpilogueSameOwner, Consumers) {
  EXPECT_EQ(epilogue({}, "C[i*8 + m, j*8 + n] = acc\n    D[i*8 + m, j*8 + n] = acc + 1.0"), Epilogue::kSecondSink);
  EXPECT_EQ(epilogue({}, "y = acc + 1.0\n    C[i*8 + m, j*8 + n] = y\n    D[i*8 + m, j*8 + n] = y"),
            Epilogue::kSecondSink);
  EXPECT_EQ(epilogue({}, "C[i*8 + m, j*8 + n] = acc\n    opaque \"f\"(acc)"), Epilogue::kExtraConsumer);
  EXPECT_EQ(epilogue({}, "C[i*8 + m, j*8 + n] = acc\n    y[m] = sum(acc, n)"), Epilogue::kExtraConsumer);
}

TEST(EpilogueSameOwner, BoundaryOfTheProducers) {
  const auto chain = [](std::size_t count) {
    std::string text = "y = -acc";
    for (std::size_t i = 1; i < count; ++i) text += "\n    y = -y";
    return epilogue({}, text + "\n    C[i*8 + m, j*8 + n] = y");
  };
  EXPECT_EQ(chain(kMostProducers), "proved");
  EXPECT_EQ(chain(kMostProducers + 1), Epilogue::kTooMany);
}

TEST(EpilogueSameOwner, TheSink) {
  EXPECT_EQ(epilogue({}, "if i == 0 {\n      C[i*8 + m, j*8 + n] = acc + 1.0\n    }"), Epilogue::kOtherBlock);
  EXPECT_EQ(epilogue({{"out C", "inout C"}, {"acc[m, n] = 0.0", "memory S: f32[8, 8]\n    acc[m, n] = 0.0"}},
                     "S[m, n] = acc"),
            Epilogue::kMemory);
}

}  // namespace
}  // namespace tilewright::proof
