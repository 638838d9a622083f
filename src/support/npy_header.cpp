#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/check.h"
#include "support/npy.h"
#include "support/npy_internal.h"
#include "support/number_text.h"

namespace tilewright::npy {

namespace {

struct StoredType {
  DataType type;
  std::string_view code;  ///< kind and bytes, without the byte order
  std::string_view descr;
  std::string_view numpy_name;
};

// bfloat16 is not NumPy's own: the package ml_dtypes gives it to numpy.save as two opaque bytes.
constexpr StoredType kStoredTypes[] = {
    {DataType::F32, "f4", "<f4", "float32"},   {DataType::F16, "f2", "<f2", "float16"},
    {DataType::BF16, "V2", "<V2", "bfloat16"}, {DataType::I32, "i4", "<i4", "int32"},
    {DataType::Bool, "b1", "|b1", "bool"},
};

const StoredType& stored_type(DataType type) {
  for (const StoredType& stored : kStoredTypes)
    if (stored.type == type) return stored;
  TW_CHECK(!"a .npy file stores this element type");
  return kStoredTypes[0];
}

/// What RawArray adds: numbers that no tile has, and the text of a type.
struct RawType {
  std::string_view code, numpy_name;
};
constexpr RawType kRawTypes[] = {
    {"i1", "int8"},   {"u1", "uint8"}, {"i2", "int16"},  {"u2", "uint16"},
    {"u4", "uint32"}, {"i8", "int64"}, {"u8", "uint64"}, {"f8", "float64"},
};

/// What a type that is refused is called, and what to save instead.
struct ForeignType {
  std::string name;
  std::string hint;
};

ForeignType foreign_number(char kind, std::string_view bytes) {
  const auto width = parse_int32(bytes);
  const std::int32_t bits = width && *width > 0 && *width <= 64 ? *width * 8 : 0;
  if (kind == 'f' && bits) return {fmt::format("float{}", bits), "save it with .astype('float32')"};
  if (kind == 'i' && bits) return {fmt::format("int{}", bits), "save it with .astype('int32')"};
  if (kind == 'u' && bits == 16)
    return {"uint16",
            "for numbers, save it with .astype('int32'); for the bits of bfloat16, with .view(ml_dtypes.bfloat16)"};
  if (kind == 'u' && bits) return {fmt::format("uint{}", bits), "save it with .astype('int32')"};
  if (kind == 'c' && bits)
    return {fmt::format("complex{}", bits), "save the real and the imaginary part, each with .astype('float32')"};
  return {"an element type that is not known", "save it with .astype('float32')"};
}

/// Premise: `code` is not empty.
ForeignType foreign_type(std::string_view code) {
  switch (code.front()) {
    case 'O':
      return {"pickled Python objects",
              "objects are never unpacked: save an array of numbers, with .astype('float32')"};
    case 'S':
    case 'a':
    case 'U':
      return {"text", "save an array of numbers, with .astype('float32')"};
    case 'M':
      return {"dates", "save them as numbers, with .astype('float32')"};
    case 'm':
      return {"durations", "save them as numbers, with .astype('float32')"};
    case 'V':
      return {fmt::format("opaque elements of {} bytes", printable(code.substr(1))),
              "save an array of numbers, with .astype('float32')"};
    default:
      return foreign_number(code.front(), code.substr(1));
  }
}

std::unexpected<Diags> refuse_type(std::string_view label, const ForeignType& foreign, std::string_view descr) {
  return failure(DiagCode::NpyType,
                 fmt::format("'{}' holds {} ({}); float32, float16, bfloat16, int32 or bool is expected", label,
                             foreign.name, descr),
                 foreign.hint);
}

/// NumPy's word for a type that the file may hold.
std::optional<RawType> accepted_type(std::string_view code, Elements elements) {
  for (const StoredType& stored : kStoredTypes)
    if (stored.code == code) return RawType{stored.code, stored.numpy_name};
  if (elements == Elements::Raw)
    for (const RawType& raw : kRawTypes)
      if (raw.code == code) return raw;
  return std::nullopt;
}

/// Type and byte order from the text of 'descr'.
Result<void> interpret_descr(std::string_view descr, std::string_view label, Elements elements, Header& header) {
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const char order = has_order ? descr.front() : '=';
  const std::string_view code = has_order ? descr.substr(1) : descr;
  if (const auto type = accepted_type(code, elements)) {
    header.code = type->code;
    header.numpy_name = type->numpy_name;
    header.width = static_cast<std::size_t>(code[1] - '0');
    // NumPy writes '|' where no order has a meaning: for single bytes and for opaque elements.
    const bool order_matters = header.width > 1 && code.front() != 'V';
    if (order == '=' || (order == '|' && order_matters))
      return malformed(label, fmt::format("its type '{}' does not name a byte order; '{}{}' does", printable(descr),
                                          order_matters || code.front() == 'V' ? '<' : '|', code));
    header.big_endian = order == '>';
    return {};
  }
  if (code.empty()) return malformed(label, "its type is an empty text");
  return refuse_type(label, foreign_type(code), fmt::format("'{}'", printable(descr)));
}

/// A recursive-descent parser of the one Python literal that NumPy writes: {'descr': .., 'fortran_order': .., 'shape':
/// ..}.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view label, Elements elements)
      : text_(text), label_(label), elements_(elements) {}

  Result<Header> parse() {
    if (!take('{')) return unexpected_here("'{'");
    while (!take('}')) {
      TW_TRY_VOID(parse_entry());
      if (take(',')) continue;
      if (!take('}')) return unexpected_here("',' or '}'");
      break;
    }
    skip_space();
    if (position_ != text_.size()) return unexpected_here("nothing but blanks");
    std::vector<std::string_view> missing;
    if (!descr_) missing.push_back("'descr'");
    if (!fortran_order_) missing.push_back("'fortran_order'");
    if (!shape_) missing.push_back("'shape'");
    if (!missing.empty()) return malformed(label_, fmt::format("its header lacks {}", fmt::join(missing, " and ")));
    Header header;
    TW_TRY_VOID(interpret_descr(*descr_, label_, elements_, header));
    header.fortran_order = *fortran_order_;
    header.shape = std::move(*shape_);
    return header;
  }

 private:
  Result<void> parse_entry() {
    TW_TRY(const std::string_view key, parse_string("a key in quotes"));
    if (!take(':')) return unexpected_here("':'");
    if (key == "descr") return parse_descr();
    if (key == "fortran_order") return parse_fortran_order();
    if (key == "shape") return parse_shape();
    return malformed(label_,
                     fmt::format("its header has the key '{}'; only 'descr', 'fortran_order' and 'shape' belong there",
                                 printable(key)));
  }

  Result<void> parse_descr() {
    if (descr_) return repeated("descr");
    skip_space();
    if (peek() == '[')
      return refuse_type(label_, {"records of several fields", "save one field: numpy.save(path, a['field'])"},
                         "a list of fields");
    TW_TRY(descr_, parse_string("a type in quotes"));
    return {};
  }

  Result<void> parse_fortran_order() {
    if (fortran_order_) return repeated("fortran_order");
    skip_space();
    const std::string_view rest = text_.substr(position_);
    if (rest.starts_with("True")) {
      fortran_order_ = true;
      position_ += 4;
    } else if (rest.starts_with("False")) {
      fortran_order_ = false;
      position_ += 5;
    } else {
      return unexpected_here("True or False");
    }
    return {};
  }

  Result<void> parse_shape() {
    if (shape_) return repeated("shape");
    if (!take('(')) return unexpected_here("'(' of a shape");
    std::vector<std::int64_t> shape;
    bool comma = true;
    while (!take(')')) {
      if (!comma) return unexpected_here("',' or ')'");
      TW_TRY(const std::int64_t extent, parse_extent());
      if (shape.size() == kNpyMaxRank)
        return malformed(label_, fmt::format("its shape has more than {} axes", kNpyMaxRank));
      shape.push_back(extent);
      comma = take(',');
    }
    if (shape.size() == 1 && !comma)
      return malformed(label_, fmt::format("its shape is a number in parentheses, and ({},) is expected", shape[0]));
    shape_ = std::move(shape);
    return {};
  }

  Result<std::int64_t> parse_extent() {
    skip_space();
    const std::size_t start = position_;
    if (peek() == '-') ++position_;
    const std::size_t first = position_;
    while (peek() >= '0' && peek() <= '9') ++position_;
    const std::string_view number = text_.substr(start, position_ - start);
    if (position_ == first || (text_[first] == '0' && position_ - first > 1)) {
      position_ = start;
      return unexpected_here("an extent");
    }
    if (number.starts_with('-'))
      return malformed(label_, fmt::format("its shape has the negative extent {}", printable(number)));
    const auto extent = parse_int64(number);
    if (!extent)
      return failure(DiagCode::SizeOverflow,
                     fmt::format("'{}' has an extent of {}, which does not fit 64 bits", label_, printable(number)),
                     "write the file again with numpy.save");
    // Python 2 wrote long integers so.
    if (peek() == 'L') ++position_;
    return *extent;
  }

  /// The characters between two quotes of one kind.
  Result<std::string_view> parse_string(std::string_view expected) {
    skip_space();
    const char quote = peek();
    if (quote != '\'' && quote != '"') return unexpected_here(expected);
    const std::size_t start = ++position_;
    while (position_ < text_.size() && text_[position_] != quote) {
      const char c = text_[position_];
      if (c < ' ' || c > '~' || c == '\\') return unexpected_here("a printable ASCII character");
      ++position_;
    }
    if (position_ == text_.size()) return unexpected_here("a closing quote");
    return text_.substr(start, position_++ - start);
  }

  std::unexpected<Diags> repeated(std::string_view key) const {
    return malformed(label_, fmt::format("its header has the key '{}' twice", key));
  }

  std::unexpected<Diags> unexpected_here(std::string_view expected) {
    skip_space();
    const std::string found =
        position_ == text_.size() ? std::string("its end") : fmt::format("'{}'", printable(text_.substr(position_, 1)));
    return malformed(label_,
                     fmt::format("at byte {} of its header {} is expected, and {} found", position_, expected, found));
  }

  /// The next character, or NUL at the end.
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool take(char wanted) {
    skip_space();
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  void skip_space() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
      ++position_;
  }

  std::string_view text_;
  std::string_view label_;
  Elements elements_;
  std::size_t position_ = 0;
  std::optional<std::string_view> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

}  // namespace

Result<Header> parse_header(std::string_view text, std::string_view label, Elements elements) {
  return HeaderParser(text, label, elements).parse();
}

DataType type_of(std::string_view code) {
  for (const StoredType& stored : kStoredTypes)
    if (stored.code == code) return stored.type;
  TW_CHECK(!"the header was accepted");
  return DataType::F32;
}

std::string_view descr_of(DataType type) { return stored_type(type).descr; }
std::string_view numpy_name(DataType type) { return stored_type(type).numpy_name; }

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (char c : text.substr(0, kMost)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > kMost) result += "..";
  return result;
}

std::unexpected<Diags> malformed(std::string_view label, std::string_view what) {
  return failure(DiagCode::NpyFormat, fmt::format("'{}' is not a valid .npy file: {}", label, what),
                 "write the file again with numpy.save");
}

}  // namespace tilewright::npy
