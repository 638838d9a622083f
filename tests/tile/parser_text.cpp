#include "parser_text.h"

namespace tilewright::tile {

namespace {

class Lister {
 public:
  explicit Lister(const Program& program) : program_(program) {}

  std::string block(BlockId id) const {
    std::string out;
    for (OpId op : program_.block(id).ops) out += (out.empty() ? "" : "; ") + operation(program_.op(op));
    return out;
  }

 private:
  std::string element(ElementType type) const {
    return type.symbolic() ? program_.type_params()[type.param].name : std::string(data_type_name(type.data));
  }

  std::string result(const Op& op) const {
    const Value& value = program_.value(program_.list(op.results)[0]);
    std::string axes;
    for (AxisId axis : program_.list(value.axes)) axes += (axes.empty() ? "" : ", ") + program_.axes()[axis].label;
    return " " + element(value.element) + "[" + axes + "]";
  }

  std::string region(const Op& op, const RegionOp& region) const {
    static const char* const kNames[] = {"parallel", "serial", "pipeline", "reduce"};
    std::string out = kNames[static_cast<int>(region.kind)];
    out += "(";
    for (CoordId coord : program_.list(region.coords))
      out += (out.ends_with('(') ? "" : ", ") + program_.coords()[coord].name;
    for (ValueId carry : program_.list(op.results)) out += ": " + program_.value(carry).name;
    return out + "){" + block(region.body) + "}";
  }

  std::string operation(const Op& op) const {
    return std::visit(
        Overloaded{
            [&](const RegionOp& o) { return region(op, o); },
            [&](const IfOp& o) { return "if{" + block(o.then_block) + "}else{" + block(o.else_block) + "}"; },
            [&](const auto& o) {
              std::string out = o.kName;
              if (op.results.count > 0) out += result(op);
              return out;
            },
        },
        op.payload);
  }

  const Program& program_;
};

}  // namespace

std::string text_around(const std::string& body, const std::string& functions) {
  return functions +
         "\nprogram test(M, N, K; BM: {32, 64} = 32, T: type {f32, f16} = f32) {\n"
         "  in A: f32[M, K]\n  in B: f32[K, N]\n  in H: f16[M, N]\n  in I: i32[M]\n  in Q: T[M, N]\n"
         "  in eps: f32 = 1e-5\n  in len: i32\n  out C: f32[M, N]\n  out D: T[M, N]\n"
         "  parallel i in M {\n    axis m: 4, n: 8, k: 2\n" +
         body + "\n  }\n}\n";
}

std::string operations(const Program& program) { return Lister(program).block(program.root()); }

std::string body_operations(const Program& program) {
  std::string all = operations(program);
  constexpr std::string_view kLaunch = "parallel(i){";
  if (!all.starts_with(kLaunch)) return all;
  return all.substr(kLaunch.size(), all.size() - kLaunch.size() - 1);
}

}  // namespace tilewright::tile
