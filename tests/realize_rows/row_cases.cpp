#include "realize_rows/row_cases.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::realize {

tile::Program rows_program(const std::string& text, const Numbers& numbers,
                           const std::map<std::string, DataType>& types) {
  auto program = tile::parse_program(text, "test.tile");
  if (!program) throw std::runtime_error(render(program.error()) + text);
  if (auto sound = tile::verify(*program); !sound) throw std::runtime_error(render(sound.error()) + text);
  auto bound = tile::bind(*program, {numbers, types});
  if (!bound) throw std::runtime_error(render(bound.error()) + text);
  return *std::move(bound);
}

std::string rows_library_text(const std::string& name) {
  std::ifstream file(std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "programs" / (name + ".tile"));
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> rows_library_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "programs"))
    if (entry.path().extension() == ".tile") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

proof::Assumptions apart() {
  proof::Assumptions assumptions;
  assumptions.aliasing = {true, analysis::AliasPromise::Origin::Caller};
  return assumptions;
}

RowReductionFacts facts_of(const tile::Program& program, const proof::Assumptions& assumptions, std::uint32_t launch,
                           const RowReductionRules& rules) {
  return row_reduction_facts(proof::make_subject(program, assumptions), launch, rules);
}

RowReductionWorkload workload_of(const tile::Program& program, const RowReductionRules& rules) {
  RowReductionFacts facts = facts_of(program, apart(), 0, rules);
  if (const auto* refusal = std::get_if<Refusal>(&facts)) throw std::runtime_error(refusal_text(*refusal));
  return std::get<RowReductionWorkload>(std::move(facts));
}

std::string answer_of(const tile::Program& program, const proof::Assumptions& assumptions, std::uint32_t launch) {
  const RowReductionFacts facts = facts_of(program, assumptions, launch);
  const auto* refusal = std::get_if<Refusal>(&facts);
  return refusal == nullptr ? "rows" : std::string(refusal->code);
}

std::string sweeps_of(const RowReductionWorkload& workload) {
  std::string text;
  for (const RowSweep& sweep : workload.sweeps) {
    if (!text.empty()) text += ", ";
    text += sweep.kind == RowSweepKind::Fold ? "fold " : sweep.kind == RowSweepKind::Store ? "store " : "retain ";
    if (sweep.over_rows)
      text += std::to_string(sweep.span.extent) + "r";
    else
      text += std::to_string(sweep.span.iterations) + "x" + std::to_string(sweep.span.extent) + "/" +
              std::to_string(sweep.live_elements);
    if (sweep.rows != 1) text += "*" + std::to_string(sweep.rows);
    if (sweep.executions != 1) text += "@" + std::to_string(sweep.executions);
  }
  return text;
}

}  // namespace tilewright::realize
