#include "proof/product_cases.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {

namespace {

constexpr std::int64_t kMostTrips = 4;

class CaseWriter {
 public:
  explicit CaseWriter(CaseRandom& random) : random_(random) {}

  bool in(int percent) { return random_.chance(percent, 100); }
  std::int64_t pick(std::int64_t low, std::int64_t high) { return random_.number(low, high); }
  const std::string& one_of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(texts.size()) - 1))];
  }

 private:
  CaseRandom& random_;
};

// Tiles of 2 x 3 elements; three steps of the contraction; q has the length of n and of k, r that of m.
constexpr const char* kProductHead = R"(program p(K) {{
 in A: f32[4, 9]
 in B: f32[9, 6]
 in E: f32[3, 6]
 in bias: f32[6]
 out C: {}
 inout D: f32[4, 6]
 parallel i in 2, j in 2 {{
 axis m: 2, n: 3, k: 3, q: 3, r: 2
)";
constexpr const char* kPlace = "i*2 + m, j*3 + n";

class ProductWriter {
 public:
  ProductWriter(CaseRandom& random, const ProductProfile& profile) : w_(random), profile_(profile) {}

  ProductCase run() {
    found_.is_open = w_.in(profile_.open);
    found_.least = w_.in(profile_.from_zero) ? 0 : 1;
    found_.size = w_.in(profile_.no_trip) ? 0 : w_.in(profile_.one_trip) ? 1 : w_.pick(2, 3);
    choose_place();
    if (w_.in(profile_.init)) init_ = w_.one_of({"-0.0", "1.5", "bias[j*3 + n]", "bias[n] * 0.0"});
    if (w_.in(profile_.others)) add_other();
    if (w_.in(profile_.update)) choose_update();
    if (w_.in(profile_.observer)) add_observer();
    write_after();
    return finish();
  }

 private:
  void choose_place() {
    trips_ = found_.is_open ? w_.one_of({"K", "K", "K + 1", "i + K", "min(K, 3)"}) : w_.one_of({"K", "K", "i + 1"});
    found_.trips_vary = trips_.find('i') == 0;
    if (!w_.in(profile_.place)) return;
    place_ = w_.one_of({"straight", "branch", "outer", "outer carry", "two domains"});
    if (place_ == "two domains") trips_ = "2, t in " + trips_;
  }

  void zero() { inside_ += " zero[m, n] = " + w_.one_of({"0.0", "0.0", "-0.0", "1.5"}) + "\n"; }

  /// Another product in the loop, which the accumulator may or may not depend on.
  void add_other() {
    switch (w_.pick(0, 8)) {
      case 0:
      case 1:
        before_ += " two[m, n] = 0.0\n";
        inside_ += " two = mma(a, b, two)\n";
        after_ += fmt::format(" D[{}] = two\n", kPlace);
        break;
      case 2:
        zero();
        inside_ += fmt::format(" p = mma(a, b, zero)\n D[{}] = p\n", kPlace);
        break;
      case 3:
        before_ += " two[m, n] = 0.0\n";
        inside_ += " x[m, q] = relabel(acc, n: q)\n y[q, n] = E[q, j*3 + n]\n two = mma(x, y, two)\n";
        after_ += fmt::format(" D[{}] = two\n", kPlace);
        break;
      case 4:
        zero();
        inside_ += " p = mma(a, b, zero)\n" +
                   w_.one_of({" pa[m, k] = relabel(p, n: k)\n", " ps = p * 2.0\n pa[m, k] = relabel(ps, n: k)\n",
                              " g[m, n] = 1.0\n if i == 0 {\n g = p\n }\n pa[m, k] = relabel(g, n: k)\n"});
        operand_ = "pa";
        break;
      case 5:
        zero();
        before_ += " memory S: f32[2, 3]\n";
        inside_ += " p = mma(a, b, zero)\n S[m, n] = p\n pa[m, k] = S[m, k]\n";
        operand_ = "pa";
        break;
      case 6:
        zero();
        before_ += " old[m, n] = 0.0\n";
        inside_ += " pa[m, k] = relabel(old, n: k)\n old = mma(a, b, zero)\n";
        operand_ = "pa";
        break;
      case 7:
        zero();
        inside_ += " g[m, n] = 0.5\n serial u in 2 {\n g = mma(a, b, g)\n }\n";
        if (w_.in(50)) {
          inside_ += " pa[m, k] = relabel(g, n: k)\n";
          operand_ = "pa";
        } else {
          inside_ += fmt::format(" D[{}] = g\n", kPlace);
        }
        break;
      default:
        before_ += " scale[m, k] = 1.0\n two[m, n] = 0.0\n";
        inside_ += " two = mma(a, b, two)\n scale = scale * 0.5\n pa = a * scale\n";
        after_ += fmt::format(" D[{}] = two\n", kPlace);
        operand_ = "pa";
        break;
    }
  }

  void choose_update() {
    switch (w_.pick(0, 6)) {
      case 0:
        update_ = "acc = mma(A, b, acc) * 2.0";
        break;
      case 1:
        update_ = "acc = mma(A, b, acc * 2.0)";
        break;
      case 2:
        zero();
        update_ = "acc = acc + mma(A, b, zero)";
        break;
      case 3:
        update_ = "acc = mma(A, b, acc, ordered)";
        break;
      case 4:
        update_ = "acc = mma(A, b, acc)\n acc = mma(a, b, acc)";
        break;
      case 5:
        inside_ += " xa[m, q] = relabel(acc, n: q)\n ya[q, n] = E[q, j*3 + n]\n";
        update_ = "acc = mma(xa, ya, acc)";
        break;
      default:
        update_ = "acc = mma(b, A, acc)";
        break;
    }
  }

  void add_observer() {
    const std::string store = fmt::format(" D[{}] = acc\n", kPlace);
    switch (w_.pick(0, 4)) {
      case 0:
        inside_ += store;
        break;
      case 1:
        behind_ += store;
        break;
      case 2:
        before_ += " seen[m, n] = 0.0\n";
        inside_ += " seen = acc\n";
        after_ += fmt::format(" D[{}] = seen\n", kPlace);
        break;
      case 3:
        behind_ += " u[m] = sum(acc, n)\n";
        break;
      default:
        inside_ += " opaque \"f\"(acc)\n";
        break;
    }
  }

  std::string epilogue() {
    if (!w_.in(profile_.epilogue)) return "acc";
    return w_.one_of({"max(acc, 0.0)", "acc * 2.0 + 1.0", "f32(f16(acc))", "select(acc > 0.0, acc, -acc)", "acc * acc",
                      "acc + bias[j*3 + n]", "acc + f32(i*2 + m)", "acc + acc[m, 2 - n]", "acc - sum(acc, n)"});
  }

  void write_after() {
    const std::string value = epilogue();
    std::string store = fmt::format(" C[{}] = {}\n", kPlace, value);
    if (w_.in(profile_.sink)) store = other_sink(value);
    after_ += store;
    if (!w_.in(profile_.consumer)) return;
    after_ += w_.one_of({fmt::format(" D[{}] = acc\n", kPlace), " opaque \"f\"(acc)\n", " dead[m] = sum(acc, n)\n",
                         " dead[m, n] = -acc\n"});
  }

  std::string other_sink(const std::string& value) {
    const std::string store = fmt::format(" C[{}] = {}\n", kPlace, value);
    switch (w_.pick(0, 10)) {
      case 0:
        output_ = "f32[6, 4]";
        return fmt::format(" C[j*3 + n, i*2 + m] = {}\n", value);
      case 1:
        output_ = "f32[9, 6]";
        return fmt::format(" C[i*4 + m*2, j*3 + n] = {}\n", value);
      case 2:
        return fmt::format(" C[i*2 + m + n, j*3 + n] = {}\n", value);
      case 3:
        found_.not_affine = true;
        return fmt::format(" C[{}, j*3 + n] = {}\n", w_.one_of({"i*2 + (m ^ 1)", "i*2 + (m ^ i)"}), value);
      case 4:
        return " if i == 0 {\n" + store + " }\n";
      case 5:
        return " serial v in 2 {\n" + store + " }\n";
      case 6:
        output_ = "f32[3, 4, 6]";
        return fmt::format(" C[q, {}] = {}\n", kPlace, value);
      case 7:
        before_ += " memory T: f32[2, 3]\n";
        return fmt::format(" T[m, n] = {}\n C[{}] = 1.0\n", value, kPlace);
      case 8:
        return fmt::format(" both = {}\n C[{}] = both\n D[{}] = both\n", value, kPlace, kPlace);
      case 9:
        output_ = "f16[4, 6]";
        return fmt::format(" C[{}] = f16({})\n", kPlace, value);
      default:
        return fmt::format(" C[{}] = 1.0\n", kPlace);
    }
  }

  ProductCase finish() {
    if (const auto at = update_.find('A'); at != std::string::npos) update_.replace(at, 1, operand_);
    const std::string step = place_ == "straight" ? "1" : "s";
    const std::string loads = fmt::format(" a[m, k] = A[i*2 + m, {0}*3 + k]\n b[k, n] = B[{0}*3 + k, j*3 + n]\n", step);
    std::string update = " " + update_ + "\n";
    if (place_ == "branch") update = " if i == 0 {\n" + update + " }\n";
    const std::string body = loads + inside_ + update + behind_;
    const std::string init = " acc[m, n] = " + init_ + "\n";
    const std::string region =
        place_ == "straight" ? body
                             : fmt::format(" {} s in {} {{\n{} }}\n", w_.one_of({"serial", "pipeline"}), trips_, body);
    std::string text = fmt::format(fmt::runtime(kProductHead), output_) + before_;
    if (place_ == "outer")
      text += " serial o in 2 {\n" + init + region + after_ + " }\n";
    else if (place_ == "outer carry")
      text += init + " serial o in 2 {\n" + region + " }\n" + after_;
    else
      text += init + region + after_;
    found_.text = text + " }\n}\n";
    return std::move(found_);
  }

  CaseWriter w_;
  const ProductProfile& profile_;
  ProductCase found_;
  std::string place_ = "loop", trips_, init_ = "0.0", operand_ = "a", update_ = "acc = mma(A, b, acc)";
  std::string output_ = "f32[4, 6]";
  std::string before_, inside_, behind_, after_;  ///< the loop; the update; behind the update; behind the loop
};

}  // namespace

tile::Program ProductCase::program() const {
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error()) << text;
  const auto verified = tile::verify(*family);
  EXPECT_TRUE(verified) << render(verified.error()) << text;
  auto program =
      is_open ? tile::choose_params(*family, {}) : tile::bind(*family, {.numbers = {{"K", size}}, .types = {}});
  EXPECT_TRUE(program) << render(program.error()) << text;
  return std::move(*program);
}

Assumptions ProductCase::assumptions() const {
  if (!promised) return {{}, least};
  return {{true, analysis::AliasPromise::Origin::Caller}, least};
}

std::vector<std::map<std::string, std::int64_t>> ProductCase::trials() const {
  if (!is_open) return {{}};
  std::vector<std::map<std::string, std::int64_t>> all;
  for (std::int64_t trips = least; trips <= kMostTrips; ++trips) all.push_back({{"K", trips}});
  return all;
}

ProductCase random_product(CaseRandom& random, const ProductProfile& profile) {
  return ProductWriter(random, profile).run();
}

}  // namespace tilewright::proof
