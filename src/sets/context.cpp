#include "sets/context.h"

#include <isl/options.h>

#include "sets/access.h"
#include "sets/isl_handles.h"
#include "support/check.h"

namespace tilewright::sets {

namespace detail {

State::State() : ctx(isl_ctx_alloc()), quota(Context::kDefaultQuota) {
  TW_CHECK(ctx != nullptr);
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
}

State::~State() { isl_ctx_free(ctx); }

void State::enter() {
  if (depth++ > 0) return;
  overran = false;
  isl_ctx_reset_operations(ctx);
  isl_ctx_set_max_operations(ctx, quota);
}

void State::leave() {
  settle();
  if (--depth > 0) return;
  if (overran) ++overruns;
  isl_ctx_set_max_operations(ctx, 0);
}

bool State::settle() {
  const isl_error error = isl_ctx_last_error(ctx);
  if (error == isl_error_none) return !overran;
  if (error != isl_error_quota) {
    // What an overrun leaves unfinished can trip later steps of isl, whose errors hide the first one. The quota stays
    // used up until the next query, so one more operation tells.
    const char* message = isl_ctx_last_error_msg(ctx);
    const char* file = isl_ctx_last_error_file(ctx);
    const int line = isl_ctx_last_error_line(ctx);
    isl_ctx_reset_error(ctx);
    isl_val_free(isl_val_int_from_si(ctx, 7));
    if (isl_ctx_last_error(ctx) != isl_error_quota) check_failed(message ? message : "isl", file ? file : "isl", line);
  }
  isl_ctx_reset_error(ctx);
  overran = true;
  return false;
}

std::optional<std::int64_t> integer_of(const ValHandle& val) {
  isl_val* v = val.get();
  if (v == nullptr || isl_val_is_int(v) != isl_bool_true) return std::nullopt;
  if (isl_val_cmp_si(v, INT64_MAX) > 0 || isl_val_cmp_si(v, INT64_MIN) < 0) return std::nullopt;
  return isl_val_get_num_si(v);
}

}  // namespace detail

Context::Context() : state_(std::make_shared<detail::State>()) {}

void Context::set_quota(std::uint64_t operations) { state_->quota = operations; }
std::uint64_t Context::quota() const { return state_->quota; }
std::uint64_t Context::overruns() const { return state_->overruns; }

Query::Query(const Context& context) : state_(detail::Access::shared_state(context)) { state_->enter(); }
Query::~Query() { state_->leave(); }
bool Query::overran() const { return state_->overran; }

}  // namespace tilewright::sets
