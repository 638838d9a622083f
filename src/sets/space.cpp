#include "sets/space.h"

#include <algorithm>

#include "sets/access.h"

namespace tilewright::sets {

namespace {

detail::SpaceHandle make_isl_space(const detail::SpaceBody& body) {
  detail::State& state = detail::Access::state(body.context);
  const detail::Unmetered unmetered(state);
  isl_space* space = isl_space_set_alloc(state.ctx, static_cast<unsigned>(body.parameters.size()),
                                         static_cast<unsigned>(body.dimensions.size()));
  unsigned position = 0;
  for (const std::string& name : body.parameters)
    space = isl_space_set_dim_id(space, isl_dim_param, position++, isl_id_alloc(state.ctx, name.c_str(), nullptr));
  position = 0;
  for (const std::string& name : body.dimensions)
    space = isl_space_set_dim_id(space, isl_dim_set, position++, isl_id_alloc(state.ctx, name.c_str(), nullptr));
  TW_CHECK(space != nullptr);
  return detail::SpaceHandle(space);
}

}  // namespace

Space::Space(const Context& context, std::vector<std::string> parameters, std::vector<std::string> dimensions) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    TW_CHECK(std::find(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(i), parameters[i]) ==
             parameters.begin() + static_cast<std::ptrdiff_t>(i));
  detail::SpaceBody body{context, std::move(parameters), std::move(dimensions), {}};
  body.space = make_isl_space(body);
  body_ = std::make_shared<const detail::SpaceBody>(std::move(body));
}

const Context& Space::context() const { return body_->context; }
const std::vector<std::string>& Space::parameters() const { return body_->parameters; }
const std::vector<std::string>& Space::dimensions() const { return body_->dimensions; }

std::optional<std::size_t> Space::find_parameter(std::string_view name) const {
  const auto& names = parameters();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Space Space::with_dimensions(std::vector<std::string> dimensions) const {
  return Space(context(), parameters(), std::move(dimensions));
}

Space Space::with_parameters_of(const Space& other) const {
  TW_CHECK(detail::Access::same_context(*this, other));
  if (parameters() == other.parameters()) return *this;
  std::vector<std::string> all = parameters();
  for (const std::string& name : other.parameters())
    if (!find_parameter(name)) all.push_back(name);
  if (all.size() == parameters().size()) return *this;
  return Space(context(), std::move(all), dimensions());
}

bool Space::operator==(const Space& other) const {
  if (body_ == other.body_) return true;
  return detail::Access::same_context(*this, other) && parameters() == other.parameters() &&
         dimensions() == other.dimensions();
}

}  // namespace tilewright::sets
