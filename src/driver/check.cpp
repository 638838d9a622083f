#include "driver/check.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "driver/check_tally.h"
#include "driver/host_memory.h"
#include "driver/kernel_impl.h"
#include "driver/poisoned_copy.h"
#include "driver/view_range.h"
#include "tile/bind.h"
#include "tile/interpreter.h"

namespace tilewright {

namespace driver {

namespace {

constexpr Poison kPoisons[] = {Poison::Nan, Poison::Large};

class Checker {
 public:
  Checker(const tile::Program& bound, const tile::Arguments& arguments, const Launcher& launcher,
          const CheckOptions& options)
      : bound_(bound), arguments_(arguments), launcher_(launcher), options_(options) {}

  Result<CheckReport> run() {
    TW_TRY_VOID(expect_memory(check_memory_bytes(bound_, arguments_), "the check of '" + bound_.name() + "'"));
    TW_TRY(exact_, ask_oracle());
    for (const auto& [id, view] : arguments_) {
      const tile::Object& object = bound_.object(id);
      if (object.scalar_input()) continue;
      if (!is_written(object))
        tally_.add_input(object.name);
      else
        tally_.add_output(object.name, view, object.kind == tile::ObjectKind::InOut, exact_.at(id),
                          sampled_rows(checked_row_count(view.extents), options_.sample_rows));
    }
    for (Poison poison : kPoisons) TW_TRY_VOID(run_poisoned(poison));
    return tally_.report();
  }

 private:
  Result<std::map<tile::ObjectId, tile::ExactOutput>> ask_oracle() const {
    tile::InterpreterOptions options;
    options.progress = options_.progress;
    if (options_.sample_rows > 0) {
      options.rows.emplace();
      for (const auto& [id, view] : arguments_)
        if (is_written(bound_.object(id)))
          (*options.rows)[id] = sampled_rows(checked_row_count(view.extents), options_.sample_rows);
    }
    return tile::interpret_exact(bound_, arguments_, options);
  }

  Result<void> run_poisoned(Poison poison) {
    std::map<tile::ObjectId, PoisonedCopy> copies;
    Arguments arguments;
    for (const auto& [id, view] : arguments_) {
      const tile::Object& object = bound_.object(id);
      if (object.scalar_input()) {
        arguments[object.name] = view;
        continue;
      }
      TW_TRY(PoisonedCopy copy, PoisonedCopy::make(view, poison, object.kind != tile::ObjectKind::Out));
      arguments[object.name] = copy.view();
      copies.emplace(id, std::move(copy));
    }
    TW_TRY_VOID(launcher_(arguments));
    std::size_t index = 0;
    for (auto& [id, copy] : copies) tally_.inspect(index++, copy, poison);
    return {};
  }

  const tile::Program& bound_;
  const tile::Arguments& arguments_;
  const Launcher& launcher_;
  const CheckOptions& options_;
  std::map<tile::ObjectId, tile::ExactOutput> exact_;
  CheckTally tally_;
};

}  // namespace

std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t sample_rows) {
  std::vector<std::int64_t> chosen;
  if (sample_rows <= 0 || sample_rows >= rows) {
    chosen.resize(static_cast<std::size_t>(rows));
    std::iota(chosen.begin(), chosen.end(), std::int64_t{0});
    return chosen;
  }
  std::set<std::int64_t> distinct{0};
  if (sample_rows > 1) distinct.insert(rows - 1);
  std::mt19937_64 generator(static_cast<std::uint64_t>(rows));
  while (static_cast<std::int64_t>(distinct.size()) < sample_rows)
    distinct.insert(static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(rows)));
  return {distinct.begin(), distinct.end()};
}

std::string_view wrong_kind_text(WrongKind kind) {
  switch (kind) {
    case WrongKind::Value:
      return "value";
    case WrongKind::Class:
      return "class";
    case WrongKind::Sign:
      return "sign";
    case WrongKind::Unwritten:
      return "unwritten";
    case WrongKind::Uninvited:
      return "uninvited";
  }
  return "?";
}

__uint128_t check_memory_bytes(const tile::Program& bound, const tile::Arguments& arguments) {
  constexpr unsigned kOracleBytes = 2 * sizeof(double) + 2;
  __uint128_t bytes = 0;
  for (const auto& [id, view] : arguments) {
    bytes += touched_bytes(view);
    if (is_written(bound.object(id)))
      bytes += static_cast<__uint128_t>(point_count(view.extents).value()) * kOracleBytes;
  }
  for (tile::ObjectId id : bound.objects().ids())
    if (bound.object(id).kind == tile::ObjectKind::Temp)
      bytes += static_cast<__uint128_t>(point_count(tile::bound_extents(bound, id)).value()) * kOracleBytes;
  return bytes;
}

Result<CheckReport> check_launcher(const tile::Program& bound, const LaunchRules& rules, const Arguments& arguments,
                                   const Launcher& launcher, const CheckOptions& options) {
  try {
    TW_TRY(const CheckedLaunch launch, check_launch(bound, rules, arguments));
    return Checker(bound, launch.arguments, launcher, options).run();
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, "no memory was left to check '" + bound.name() + "'",
                   "use smaller sizes, or compare sampled rows alone");
  }
}

}  // namespace driver

Result<CheckReport> check(const Kernel& kernel, const Arguments& arguments, const CheckOptions& options) {
  const Kernel::Impl& impl = kernel.impl();
  return driver::check_launcher(
      impl.bound, impl.rules, arguments, [&](const Arguments& copies) { return kernel.run(copies, options.run); },
      options);
}

}  // namespace tilewright
