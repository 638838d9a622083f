// One primitive of oneDNN with its memory, ready to be executed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/onednn_api.h"
#include "support/result.h"

namespace tilewright::bench::onednn {

/// A dense array of the caller, or one with its own strides.
struct Array {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;

  static Array dense(std::vector<std::int64_t> extents);
};

/// What a primitive is made of: descriptors of its arrays, by argument index, and whether gelu follows.
struct Recipe {
  std::vector<std::pair<int, Array>> arrays;
  bool gelu = false;
  /// Makes the primitive's descriptor from those of the arrays, in their order, and the attributes.
  std::function<int(void** desc, void* engine, const std::vector<void*>& arrays, const void* attributes)> create;
};

/// An engine for the processor and a stream on it.
class Session {
 public:
  /// Unsupported: the library has no engine for the processor.
  static Result<std::shared_ptr<Session>> make(const Api& api);

  const Api& api() const { return api_; }
  void* engine() const { return engine_; }
  void* stream() const { return stream_; }

 private:
  explicit Session(const Api& api) : api_(api) {}

  Api api_;
  void* engine_ = nullptr;
  void* stream_ = nullptr;  ///< both live as long as the process
};

class Primitive {
 public:
  /// Unsupported: the library refuses the recipe. `what` names it.
  static Result<std::shared_ptr<Primitive>> make(std::shared_ptr<Session> session, const Recipe& recipe,
                                                 const std::string& what);
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;
  ~Primitive();

  /// The memory of an array moves there. Premise: as many pointers as arrays, in their order.
  void set_pointers(const std::vector<const float*>& pointers);
  void execute() const;

 private:
  explicit Primitive(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  int create(const Recipe& recipe, const void* attributes);

  std::shared_ptr<Session> session_;
  std::vector<void*> descs_;
  std::vector<Argument> arguments_;
  void* primitive_ = nullptr;
};

}  // namespace tilewright::bench::onednn
