#include "bench/onednn_primitive.h"

#include "bench/library.h"

namespace tilewright::bench::onednn {

Array Array::dense(std::vector<std::int64_t> extents) {
  Array array{std::move(extents), {}};
  array.strides.resize(array.extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = array.extents.size(); i-- > 0; stride *= array.extents[i]) array.strides[i] = stride;
  return array;
}

Result<std::shared_ptr<Session>> Session::make(const Api& api) {
  std::shared_ptr<Session> session(new Session(api));
  if (api.engine_create(&session->engine_, kCpu, 0) != kSuccess)
    return not_offered("oneDNN makes no engine for the processor");
  if (api.stream_create(&session->stream_, session->engine_, kInOrder) != kSuccess)
    return not_offered("oneDNN makes no stream");
  return session;
}

Result<std::shared_ptr<Primitive>> Primitive::make(std::shared_ptr<Session> session, const Recipe& recipe,
                                                   const std::string& what) {
  const Api& api = session->api();
  std::shared_ptr<Primitive> primitive(new Primitive(std::move(session)));
  void *attributes = nullptr, *post_ops = nullptr;
  int status = api.attributes_create(&attributes);
  if (status == kSuccess && recipe.gelu) {
    status = api.post_ops_create(&post_ops);
    if (status == kSuccess) status = api.post_ops_append_eltwise(post_ops, kGeluTanh, 0, 0);
    if (status == kSuccess) status = api.attributes_set_post_ops(attributes, post_ops);
  }
  if (status == kSuccess) status = primitive->create(recipe, attributes);
  if (post_ops != nullptr) api.post_ops_destroy(post_ops);
  if (attributes != nullptr) api.attributes_destroy(attributes);
  if (status != kSuccess) return not_offered("oneDNN refuses " + what + " (status " + std::to_string(status) + ")");
  return primitive;
}

int Primitive::create(const Recipe& recipe, const void* attributes) {
  const Api& api = session_->api();
  for (const auto& [index, array] : recipe.arrays) {
    void* desc = nullptr;
    const int status = api.memory_desc_create(&desc, static_cast<int>(array.extents.size()), array.extents.data(), kF32,
                                              array.strides.data());
    if (status != kSuccess) return status;
    descs_.push_back(desc);
    arguments_.push_back({index, nullptr});
  }
  void* desc = nullptr;
  int status = recipe.create(&desc, session_->engine(), descs_, attributes);
  if (status != kSuccess) return status;
  status = api.primitive_create(&primitive_, desc);
  api.primitive_desc_destroy(desc);
  return status;
}

void Primitive::set_pointers(const std::vector<const float*>& pointers) {
  const Api& api = session_->api();
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].memory != nullptr) api.memory_destroy(arguments_[i].memory);
    api.memory_create(&arguments_[i].memory, descs_[i], session_->engine(), const_cast<float*>(pointers[i]));
  }
}

void Primitive::execute() const {
  const Api& api = session_->api();
  api.primitive_execute(primitive_, session_->stream(), static_cast<int>(arguments_.size()), arguments_.data());
  api.stream_wait(session_->stream());
}

Primitive::~Primitive() {
  const Api& api = session_->api();
  for (const Argument& argument : arguments_)
    if (argument.memory != nullptr) api.memory_destroy(argument.memory);
  for (void* const desc : descs_) api.memory_desc_destroy(desc);
  if (primitive_ != nullptr) api.primitive_destroy(primitive_);
}

}  // namespace tilewright::bench::onednn
