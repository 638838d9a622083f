#include "tensor_case.h"

#include <fmt/format.h>

#include <tilewright/check.h>

#include "driver/element.h"
#include "driver/run.h"
#include "driver/view_range.h"
#include "metal/test_cache.h"
#include "programs/request_line.h"

namespace tilewright::mpp {

namespace {

Result<TensorCase> make_case(const std::string& line, const std::string& text) {
  const driver::RunRequest request = driver::request_of_line(line, Target::MetalMpp);
  TW_TRY(const Program program, text.empty() ? Program::load(request.program) : Program::parse(text));
  TW_TRY(Kernel kernel, driver::compile_request(program, request, driver::Purpose::Run));
  TW_TRY(const driver::Values values, driver::resolve_values(program, request.assignments));
  TW_TRY(driver::RunBuffers buffers, driver::RunBuffers::make(kernel, request, values));
  buffers.set_contents({driver::Fill::Kind::Random, 7});
  return TensorCase{std::move(kernel), std::move(buffers)};
}

void store_number(const ArrayView& view, std::int64_t position, double number) {
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
  driver::store_bits(view.type, view.data + position * bytes, driver::number_to_bits(view.type, number));
}

}  // namespace

std::optional<TensorCase> tensor_case(const std::string& line, const std::string& text) {
  use_test_cache();
  auto made = make_case(line, text);
  if (made) return std::move(*made);
  ADD_FAILURE() << line << "\n" << render(made.error()) << text;
  return std::nullopt;
}

void set_numbers(TensorCase& made, const std::string& buffer, const std::function<double(std::int64_t)>& number) {
  const Arguments arguments = made.buffers.arguments();
  const ArrayView& view = arguments.at(buffer);
  driver::for_each_element(
      view, [&](std::int64_t ordinal, std::int64_t position) { store_number(view, position, number(ordinal)); });
}

void set_padding(TensorCase& made, const std::string& buffer, double number) {
  const Arguments arguments = made.buffers.arguments();
  const ArrayView& view = arguments.at(buffer);
  std::vector<bool> inside(static_cast<std::size_t>(view.elements));
  driver::for_each_element(
      view, [&](std::int64_t, std::int64_t position) { inside[static_cast<std::size_t>(position)] = true; });
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (!inside[i]) store_number(view, static_cast<std::int64_t>(i), number);
}

void expect_right(const TensorCase& made, const std::string& what, bool decided) {
  const auto report =
      check(made.kernel, made.buffers.arguments(), {.run = {.threads = 0}, .sample_rows = 0, .progress = {}});
  if (!report) {
    ADD_FAILURE() << what << "\n" << render(report.error());
    return;
  }
  std::string first;
  if (const auto& wrong = report->first_wrong)
    first = fmt::format("{}: kind {}, expected {}, found {}, bound {}", wrong->buffer, static_cast<int>(wrong->kind),
                        wrong->expected, wrong->found, wrong->bound);
  EXPECT_TRUE(report->ok()) << what << ": " << report->wrong_elements << " of " << report->checked_elements
                            << " wrong, first " << first;
  if (decided) {
    EXPECT_EQ(report->undecided_elements, 0) << what;
  }
}

void expect_right_when_filled(TensorCase& made, const std::string& what) {
  for (const driver::Fill& fill : {driver::Fill{}, driver::Fill{driver::Fill::Kind::Random, 7}}) {
    made.buffers.set_contents(fill);
    expect_right(made, what);
  }
}

}  // namespace tilewright::mpp
