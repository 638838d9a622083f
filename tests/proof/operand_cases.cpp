#include <utility>

#include <fmt/format.h>

#include "proof/product_cases.h"

namespace tilewright::proof {

namespace {

/// One operand of the product: how its load is written.
struct Side {
  std::string object, outer_axis, region;  ///< "A", "m", "i"
  std::int64_t rows = 2;                   ///< extent of the outer axis
  std::string coordinates, extents;
  std::string load_axes;  ///< "m, k", or other names that are relabelled
  std::string relabels;   ///< statements behind the load
  std::string loaded;     ///< the name that the load has
};

class OperandWriter {
 public:
  OperandWriter(CaseRandom& random, const OperandProfile& profile) : random_(random), profile_(profile) {}

  ProductCase run() {
    found_.is_open = in(profile_.open);
    found_.size = random_.number(1, 9);
    found_.promised = !in(profile_.unpromised);
    steps_ = random_.number(2, 3);
    trips_ = found_.is_open ? "ceildiv(K, " + std::to_string(steps_) + ")" : std::to_string(random_.number(1, 3));
    step_at_ = fmt::format("s*{}", steps_);
    choose_contraction();
    write(a_, "A", "m", "i", 2);
    write(b_, "B", "n", "j", 3);
    return finish();
  }

 private:
  bool in(int percent) { return random_.chance(percent, 100); }
  const std::string& one_of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(random_.number(0, static_cast<std::int64_t>(texts.size()) - 1))];
  }

  /// What is the same for both operands, unless one of them differs.
  void choose_contraction() {
    const std::int64_t trips = found_.is_open ? 0 : std::stoll(trips_);
    const std::int64_t shift = in(profile_.coordinate) ? random_.number(-1, 2) : 0;
    const std::int64_t last = (trips - 1) * steps_ + shift;
    step_shift_ = shift;
    extent_ = found_.is_open ? one_of({"K", "K", "K + 1"})
                             : std::to_string(std::max<std::int64_t>(1, last + random_.number(1, steps_)));
  }

  void write(Side& side, const std::string& object, const std::string& axis, const std::string& region,
             std::int64_t rows) {
    side = {object, axis, region, rows, {}, {}, {}, {}, {}};
    std::int64_t shift = step_shift_;
    std::string extent = extent_;
    if (in(profile_.coordinate / 3)) shift += random_.number(-1, 1);
    if (in(profile_.coordinate / 3)) extent += one_of({" + 1", " + 0", " + 2"});
    std::string inner = side.object == "A" ? "k" : "k", outer = axis;
    choose_names(side, inner, outer);
    std::string step = fmt::format("{} + {} + {}", step_at_, inner, shift);
    if (in(profile_.coordinate / 6)) step = one_of({inner + "*2", "s + " + inner, inner, step + " + " + outer});
    if (in(profile_.not_affine)) {
      found_.not_affine = true;
      step = one_of({fmt::format("(s*{} ^ {})", steps_, inner), fmt::format("min({}, 20)", step)});
    }
    std::string place = fmt::format("{}*{} + {}", region, rows, outer);
    if (in(profile_.coordinate / 4)) place += one_of({" - 1", " + 1"});
    const std::string room =
        std::to_string(2 * rows + (in(profile_.outer) ? random_.number(-1, 1) : random_.number(1, 2)));
    const bool turned = in(30);
    side.coordinates = turned ? step + ", " + place : place + ", " + step;
    side.extents = turned ? extent + ", " + room : room + ", " + extent;
    if (in(15)) {
      side.coordinates = one_of({"i", "j", "1", "i + 1"}) + ", " + side.coordinates;
      side.extents = one_of({"2", "3"}) + ", " + side.extents;
    }
  }

  /// Up to two relabellings between the load and the product; with other axes in the load.
  void choose_names(Side& side, std::string& inner, std::string& outer) {
    const std::string value = side.object == "A" ? "a" : "b";
    const std::string k2 = value + "k", o2 = value + "o";
    side.loaded = value;
    side.load_axes = outer + ", k";
    if (!in(35)) return;
    side.loaded = value + "0";
    axes_ += fmt::format(", {}: {}, {}: {}", k2, steps_, o2, side.rows);
    if (in(40)) {
      inner = k2;
      side.load_axes = one_of({outer + ", " + k2, k2 + ", " + outer});
      side.relabels = fmt::format(" {} = relabel({}, {}: k)\n", value, side.loaded, k2);
    } else if (in(50)) {
      side.relabels =
          fmt::format(" {0}1 = relabel({0}0, {1}: {2})\n {0} = relabel({0}1, {3}: k)\n", value, o2, outer, k2);
      inner = k2;
      outer = o2;
      side.load_axes = o2 + ", " + k2;
    } else {
      side.relabels = fmt::format(" {}[{}, k] = {}[{}, {}]\n", value, side.outer_axis, side.loaded, side.outer_axis,
                                  in(30) ? fmt::format("{} - k", steps_ - 1) : std::string("k"));
    }
  }

  std::string load(const Side& side) {
    std::string policy;
    if (in(profile_.bounds)) policy = one_of({" assume", " else 0.0", " else -0.0", " else 1.0"});
    return fmt::format(" {}[{}] = {}[{}]{}\n", side.loaded, side.load_axes, side.object, side.coordinates, policy) +
           side.relabels;
  }

  /// Statements that use an operand, or its object, in another way.
  void disturb() {
    switch (random_.number(0, 7)) {
      case 0:
        behind_ = fmt::format(" D[i, {}] = {}\n", a_.load_axes, a_.loaded);
        break;
      case 1:
        kind_ = "inout";
        behind_ = fmt::format(" A[{}] = 1.0\n", a_.extents.find(',') != a_.extents.rfind(',') ? "0, 0, 0" : "0, 0");
        break;
      case 2:
        behind_ = " opaque \"f\"(B)\n";
        break;
      case 3:
        behind_ = " barrier group\n";
        break;
      case 4:
        update_ = "acc = mma(a, b, acc, ordered)";
        break;
      case 5:
        update_ = "if i == 0 {\n acc = mma(a, b, acc)\n }";
        break;
      case 6:
        update_ = "acc = mma(a * 2.0, b, acc)";
        break;
      default:
        behind_ = fmt::format(" t = {} + 1.0\n D[i, {}] = t\n", a_.loaded, a_.load_axes);
        break;
    }
  }

  ProductCase finish() {
    if (in(profile_.use)) disturb();
    std::string body = load(a_) + load(b_) + " " + update_ + "\n" + behind_;
    if (in(profile_.branch)) {
      body = " if " + one_of({"s < 1", "i == 0", "j < 2"}) + " {\n" + body + " }\n";
      found_.restricted = true;
    }
    const bool temporary = in(15);
    found_.text = fmt::format("program p(K) {{\n {} A: f32[{}]\n in B: f32[{}]\n {} C: f32[4, 6]\n", kind_, a_.extents,
                              b_.extents, temporary ? "temp" : "out");
    found_.text +=
        fmt::format(" {} D: f32[2, 6, 6]\n", behind_.find("D[") != std::string::npos || temporary ? "inout" : "in");
    found_.text +=
        fmt::format(" parallel i in 2, j in 2 {{\n axis m: 2, n: 3, k: {}{}\n acc[m, n] = 0.0\n", steps_, axes_);
    found_.text += fmt::format(" serial s in {} {{\n{} }}\n C[i*2 + m, j*3 + n] = acc\n }}\n", trips_, body);
    if (temporary) found_.text += " parallel l in 4 {\n axis e: 6\n D[0, l, e] = C[l, e]\n }\n";
    found_.text += "}\n";
    return std::move(found_);
  }

  CaseRandom& random_;
  const OperandProfile& profile_;
  ProductCase found_;
  Side a_, b_;
  std::int64_t steps_ = 2, step_shift_ = 0;
  std::string trips_, step_at_, extent_, axes_, behind_, kind_ = "in", update_ = "acc = mma(a, b, acc)";
};

}  // namespace

ProductCase random_operands(CaseRandom& random, const OperandProfile& profile) {
  return OperandWriter(random, profile).run();
}

}  // namespace tilewright::proof
