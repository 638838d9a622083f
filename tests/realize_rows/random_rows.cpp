#include "realize_rows/random_rows.h"

#include <vector>

#include <fmt/format.h>

#include "proof/case_random.h"

namespace tilewright::realize {

namespace {

class RowsWriter {
 public:
  explicit RowsWriter(std::uint64_t seed) : random_(seed) {}

  std::string run() {
    rows_ = random_.number(1, 5);
    width_ = pick<int>({1, 5, 16, 23, 40});
    row_block_ = pick<int>({1, 2, 3});
    block_ = pick<int>({8, 16, 64});
    in_place_ = random_.chance(1, 3);
    std::string body;
    body += "    t[r: BR] = 0.0\n    u[r] = " + pick<std::string>({"0.0", "1.0", "-inf", "inf", "-0.0"}) + "\n";
    const std::int64_t parts = random_.number(1, 3);
    for (std::int64_t i = 0; i < parts; ++i) body += part();
    body += "    S[i*BR + r] = t\n";
    if (random_.chance(1, 2)) body += "    M[i*BR + r] = u + t[BR - 1 - r]\n";
    std::string text = body;
    for (const auto& [name, value] : {std::pair("BR", row_block_), std::pair("BC", block_), std::pair("CC", width_)})
      text = replaced(text, name, std::to_string(value));
    const std::string y = stored_y_ ? fmt::format("  out Y: f32[{}, {}]\n", rows_, width_) : "";
    const std::string z = stored_z_ ? fmt::format("  out Z: f32[{}, {}]\n", rows_, width_) : "";
    const std::string m = body.find("M[") != std::string::npos ? fmt::format("  out M: f32[{}]\n", rows_) : "";
    return fmt::format(
        "program p() {{\n  {} X: f32[{}, {}]\n  in W: f32[{}]\n  out S: f32[{}]\n{}{}{}  parallel i in ceildiv({}, {}) "
        "{{\n{}  }}\n}}\n",
        in_place_ ? "inout" : "in", rows_, width_, width_, rows_, m, y, z, rows_, row_block_, text);
  }

 private:
  template <class T>
  T pick(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(random_.number(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

  static std::string replaced(std::string text, const std::string& name, const std::string& value) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, name.size(), value);
    return text;
  }

  std::string element() {
    return pick<std::string>({"x", "x * x", "x * w", "abs(x) + w", "exp(x - t)", "e", "e * w", "x - u",
                              "select(AT < CC, x + 1.0, 0.0)", "max(x, w)", "x[r, EXT - 1 - c]", "x * 0.5"});
  }

  std::string fold() {
    const std::string kind = pick<std::string>({"sum", "sum", "max", "min"});
    return fmt::format("{}({}, c)", kind, element());
  }

  std::string update(const std::string& carry) {
    switch (random_.number(0, 6)) {
      case 0:
        return fmt::format("{} = max({}, max({}, c))", carry, carry, element());
      case 1:
        return fmt::format("{} = min(min({}, c), {})", carry, element(), carry);
      case 2:
        return fmt::format("{} = {} * 0.5 + {}", carry, carry, fold());
      case 3:
        return fmt::format("{} = max({}, sum({}, c))", carry, carry, element());
      default:
        return fmt::format("{} = {} + sum({}, c)", carry, carry, element());
    }
  }

  /// Loads and what is often made of them; a store in the same place now and then.
  std::string loads(const std::string& indent, const std::string& at) {
    const std::string outside = pick<std::string>({"", "", " else -inf", " else 1.0"});
    std::string text = fmt::format("{}x[r, c: EXT] = X[i*BR + r, {}]{}\n", indent, at, outside);
    text += fmt::format("{}w[c] = W[{}]\n{}e[r, c] = exp(x * 0.25)\n", indent, at, indent);
    return text;
  }

  std::string stores(const std::string& indent, const std::string& at) {
    std::string text;
    if (!stored_y_ && random_.chance(1, 3)) {
      stored_y_ = true;
      text += fmt::format("{}Y[i*BR + r, {}] = {}\n", indent, at, element());
    }
    if (!stored_z_ && random_.chance(1, 4)) {
      stored_z_ = true;
      text += fmt::format("{}Z[i*BR + r, {}] = {} + t\n", indent, at, element());
    }
    if (in_place_ && !stored_x_ && random_.chance(1, 2)) {
      stored_x_ = true;
      text += fmt::format("{}X[i*BR + r, {}] = {}\n", indent, at, element());
    }
    return text;
  }

  std::string part() {
    switch (random_.number(0, 3)) {
      case 0:
        return whole_rows();
      case 1:
        return reduce_loop();
      default:
        return serial_loop();
    }
  }

  /// The lines, with the place of an element in its row and the extent of its axis written out.
  std::string finished(const std::string& text, const std::string& at, const std::string& extent) {
    return replaced(replaced(text, "AT", at), "EXT", extent);
  }

  std::string whole_rows() {
    // A block of its own, so that its axis may have any name.
    const std::string indent = "      ", at = "c";
    std::string text = "    serial one" + std::to_string(names_) + " in 1 {\n" + loads(indent, "c");
    ++names_;
    if (random_.chance(1, 2)) text += stores(indent, at);
    text += indent + "v = " + fold() + "\n";
    text += indent + pick<std::string>({"t = t + v", "t = v", "u = max(u, v)", "t = t * 0.5 + v"}) + "\n";
    text += stores(indent, at);
    return finished(text + "    }\n", "c", "CC");
  }

  std::string serial_loop() {
    const std::string indent = "      ", s = "s" + std::to_string(names_++), at = s + "*BC + c";
    std::string text = fmt::format("    serial {} in ceildiv(CC, BC) {{\n", s) + loads(indent, at);
    const bool first = random_.chance(1, 2);
    if (first) text += stores(indent, at);
    if (random_.chance(5, 6)) text += indent + update("t") + "\n";
    if (random_.chance(1, 3)) text += indent + update("u") + "\n";
    if (!first) text += stores(indent, at);
    return finished(text + "    }\n", at, "BC");
  }

  std::string reduce_loop() {
    const std::string indent = "      ", s = "s" + std::to_string(names_++);
    if (random_.chance(1, 3))
      return fmt::format("    reduce {} in CC {{\n      u {}= X[i*BR + r, {}] * W[{}]\n    }}\n", s,
                         pick<std::string>({"+", "max", "min"}), s, s);
    const std::string at = s + "*BC + c";
    std::string text = fmt::format("    reduce {} in ceildiv(CC, BC) {{\n", s) + loads(indent, at);
    // A reduce region may not read what it folds into.
    const std::string value = pick<std::string>({"sum(x * w, c)", "sum(e, c)", "max(x, c)", "sum(x, c) * 0.5"});
    text += indent + (value.starts_with("max") ? "t max= " : "t += ") + value + "\n";
    text += random_.chance(1, 3) ? indent + "u += sum(x[r, EXT - 1 - c] + w, c)\n" : "";
    return finished(text + "    }\n", at, "BC");
  }

  proof::CaseRandom random_;
  std::int64_t rows_ = 1;
  int width_ = 1, row_block_ = 1, block_ = 8;
  bool in_place_ = false, stored_x_ = false, stored_y_ = false, stored_z_ = false;
  int names_ = 0;
};

}  // namespace

std::string random_rows(std::uint64_t seed) { return RowsWriter(seed).run(); }

}  // namespace tilewright::realize
