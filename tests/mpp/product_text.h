// Programs of products in every orientation, one launch a product, so that one text of Metal holds many.
#pragma once

#include <string>
#include <vector>

namespace tilewright::mpp {

struct Product {
  int m = 64, n = 64, k = 32;  ///< extents of A and B
  int bm = 32, bn = 32, bk = 16;
  int rows = 0, columns = 0;  ///< of D; 0: m and n
  bool a_by_column = false;   ///< A[K, M]
  bool b_by_column = false;   ///< B[N, K]
  bool c_by_column = false;   ///< C[N, M], and the accumulator acc[n, m]
  bool d_by_column = false;   ///< D[N, M]
  const char* start = "0.0";  ///< of the accumulator: a literal, or "C": a buffer
  const char* type = "f32";   ///< of A and B
  const char* store = "acc";  ///< what D gets

  bool loads_start() const { return start[0] == 'C'; }
  int out_rows() const { return rows == 0 ? m : rows; }
  int out_columns() const { return columns == 0 ? n : columns; }
};

/// Of launch `at`, whose buffers are A<at>, B<at>, C<at> (where it has one) and D<at>.
struct ProductLines {
  std::string buffers, launch;
};

inline ProductLines product_lines(const Product& one, std::size_t at) {
  const std::string t = std::to_string(at), type = one.type;
  const auto text = [](int number) { return std::to_string(number); };
  const auto pair = [](bool swapped, const std::string& first, const std::string& second) {
    return swapped ? "[" + second + ", " + first + "]" : "[" + first + ", " + second + "]";
  };
  const std::string bm = text(one.bm), bn = text(one.bn), bk = text(one.bk);
  const std::string row = "i*" + bm + " + m", column = "j*" + bn + " + n", depth = "s*" + bk + " + k";
  const std::string rows = text(one.out_rows()), columns = text(one.out_columns());
  ProductLines lines;
  lines.buffers = "  in A" + t + ": " + type + pair(one.a_by_column, text(one.m), text(one.k)) + "\n";
  lines.buffers += "  in B" + t + ": " + type + pair(one.b_by_column, text(one.k), text(one.n)) + "\n";
  if (one.loads_start()) lines.buffers += "  in C" + t + ": f32" + pair(one.c_by_column, rows, columns) + "\n";
  lines.buffers += "  out D" + t + ": f32" + pair(one.d_by_column, rows, columns) + "\n";
  std::string& out = lines.launch;
  out = "  parallel i in ceildiv(" + rows + ", " + bm + "), j in ceildiv(" + columns + ", " + bn + ") {\n";
  out += "    axis m: " + bm + ", n: " + bn + ", k: " + bk + "\n";
  out += "    acc" + pair(one.c_by_column, "m", "n") + " = " +
         (one.loads_start() ? "C" + t + pair(one.c_by_column, row, column) : one.start) + "\n";
  out += "    serial s in ceildiv(" + text(one.k) + ", " + bk + ") {\n";
  out += "      a" + pair(one.a_by_column, "m", "k") + " = A" + t + pair(one.a_by_column, row, depth) + "\n";
  out += "      b" + pair(one.b_by_column, "k", "n") + " = B" + t + pair(one.b_by_column, depth, column) + "\n";
  out += "      acc = mma(a, b, acc)\n    }\n";
  out += "    D" + t + pair(one.d_by_column, row, column) + " = " + one.store + "\n  }\n";
  return lines;
}

inline std::string program_of(const std::vector<Product>& products) {
  std::string buffers, launches;
  for (std::size_t at = 0; at < products.size(); ++at) {
    const ProductLines lines = product_lines(products[at], at);
    buffers += lines.buffers;
    launches += lines.launch;
  }
  return "program p() {\n" + buffers + launches + "}\n";
}

}  // namespace tilewright::mpp
