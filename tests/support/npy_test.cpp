#include "support/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/half.h"
#include "support/temporary_folder.h"

namespace tilewright {
namespace {

using Shape = std::vector<std::int64_t>;

const std::string kCorpus = std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/fuzz/corpus/npy/";

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<std::uint16_t> halves(const std::vector<float>& values, std::uint16_t (*narrow)(float)) {
  std::vector<std::uint16_t> result;
  for (float value : values) result.push_back(narrow(value));
  return result;
}

/// A file of version `major`.0 with this header and these element bytes.
std::string file_of(const std::string& header, const std::string& elements = "", int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file + header + elements;
}

std::string header_of(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

Result<NpyArray> parse(const std::string& file) { return parse_npy(std::as_bytes(std::span(file)), "a.npy"); }

void expect_failure(const Result<NpyArray>& result, DiagCode code, const std::vector<std::string>& words,
                    const std::string& hint) {
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u);
  const Diag& diag = result.error()[0];
  EXPECT_EQ(diag_code_name(diag.code), diag_code_name(code)) << diag.message;
  for (const std::string& word : words) EXPECT_NE(diag.message.find(word), std::string::npos) << diag.message;
  EXPECT_NE(diag.hint.find(hint), std::string::npos) << diag.hint;
}

void expect_malformed(const std::string& header, const std::vector<std::string>& words) {
  SCOPED_TRACE(header);
  expect_failure(parse(file_of(header, std::string(4, '\0'))), DiagCode::NpyFormat, words, "numpy.save");
}

// Files that numpy.save and ml_dtypes wrote.

struct GoodFile {
  std::string name;
  NpyArray array;
};

std::vector<GoodFile> good_files() {
  const std::vector<float> floats = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f};
  const NpyArray f32{DataType::F32, {2, 3}, bytes_of(floats)};
  const NpyArray f16{DataType::F16, {2, 3}, bytes_of(halves({-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f}, f32_to_f16))};
  const NpyArray bf16{DataType::BF16, {2, 3}, bytes_of(halves({0, 1, 2, 3, 4, 5}, f32_to_bf16))};
  const NpyArray i32{DataType::I32, {2, 3}, bytes_of<std::int32_t>({0, -70000, -140000, -210000, -280000, -350000})};
  std::vector<std::int32_t> counting;
  for (int i = 0; i < 24; ++i) counting.push_back(i);
  return {
      {"f32", f32},
      {"f32_version2", f32},
      {"f32_version3", f32},
      {"f32_python2", f32},
      {"f32_big_endian", f32},
      {"f32_fortran", f32},
      {"f32_rank0", {DataType::F32, {}, bytes_of<float>({1.5f})}},
      {"f32_rank1", {DataType::F32, {5}, bytes_of<float>({0, 1, 2, 3, 4})}},
      {"f32_empty", {DataType::F32, {0, 3}, {}}},
      {"f16", f16},
      {"f16_big_endian", f16},
      {"f16_big_endian_fortran", f16},
      {"bf16", bf16},
      {"bf16_big_endian", bf16},
      {"i32", i32},
      {"i32_big_endian", i32},
      {"i32_fortran_rank3", {DataType::I32, {2, 3, 4}, bytes_of(counting)}},
      {"bool", {DataType::Bool, {2, 3}, bytes_of<std::uint8_t>({0, 1, 0, 1, 0, 1})}},
  };
}

TEST(Npy, ReadsWhatNumpyWrote) {
  for (const GoodFile& good : good_files()) {
    SCOPED_TRACE(good.name);
    const auto array = read_npy(kCorpus + good.name + ".npy");
    ASSERT_TRUE(array) << render(array.error());
    EXPECT_EQ(array->type, good.array.type);
    EXPECT_EQ(array->shape, good.array.shape);
    EXPECT_EQ(array->data, good.array.data);
  }
}

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  for (const std::string name : {"f32", "f16", "bf16", "i32", "bool", "f32_rank0", "f32_rank1", "f32_empty"}) {
    const auto file = read_file(kCorpus + name + ".npy");
    const auto array = parse(file.value());
    ASSERT_TRUE(array) << name;
    EXPECT_EQ(format_npy(*array), *file) << name;
  }
}

TEST(Npy, RefusesTypesByName) {
  struct Foreign {
    std::string file;
    std::vector<std::string> words;
    std::string hint;
  };
  const std::vector<Foreign> all = {
      {"f64.npy", {"float64", "'<f8'"}, ".astype('float32')"},
      {"i64.npy", {"int64", "'<i8'"}, ".astype('int32')"},
      {"u8.npy", {"uint8", "'|u1'"}, ".astype('int32')"},
      {"u16.npy", {"uint16", "'<u2'"}, ".view(ml_dtypes.bfloat16)"},
      {"complex64.npy", {"complex64", "'<c8'"}, "real and the imaginary"},
      {"object.npy", {"pickled Python objects", "'|O'"}, "never unpacked"},
      {"record.npy", {"records of several fields"}, "a['field']"},
      {"text.npy", {"text", "'<U2'"}, "array of numbers"},
      {"date.npy", {"dates", "'<M8[D]'"}, "as numbers"},
      {"opaque3.npy", {"opaque elements of 3 bytes", "'|V3'"}, "array of numbers"},
  };
  for (const Foreign& foreign : all) {
    SCOPED_TRACE(foreign.file);
    std::vector<std::string> words = foreign.words;
    words.push_back("'" + kCorpus + foreign.file + "'");
    words.push_back("float32, float16, bfloat16, int32 or bool is expected");
    expect_failure(read_npy(kCorpus + foreign.file), DiagCode::NpyType, words, foreign.hint);
  }
}

TEST(Npy, RefusesMoreTypesByName) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"<f16", "float128"}, {"|S3", "text"},          {"|a3", "text"},       {"<m8[s]", "durations"},
      {"<u8", "uint64"},    {"<i2", "int16"},         {"|i1", "int8"},       {"<c16", "complex128"},
      {"<q9", "not known"}, {"float32", "not known"}, {"<f-4", "not known"}, {"<f99999999999", "not known"}};
  for (const auto& [descr, name] : all)
    expect_failure(parse(file_of(header_of(descr, "(1,)"), "1234")), DiagCode::NpyType, {name, "'" + descr + "'"}, "");
}

TEST(Npy, ExpectedTypeIsChecked) {
  EXPECT_TRUE(read_npy(kCorpus + "f16.npy", DataType::F16));
  expect_failure(read_npy(kCorpus + "f16.npy", DataType::F32), DiagCode::NpyType,
                 {"f16.npy", "holds float16", "float32 is expected"}, ".astype('float32')");
  expect_failure(read_npy(kCorpus + "f32.npy", DataType::BF16), DiagCode::NpyType, {"bfloat16 is expected"},
                 ".astype(ml_dtypes.bfloat16)");
}

// Files of our own.

TEST(Npy, OpaquePairsAreBf16InEitherSpelling) {
  for (const std::string descr : {"<V2", "|V2"}) {
    const auto array = parse(file_of(header_of(descr, "(1,)"), std::string("\x80\x3f", 2)));
    ASSERT_TRUE(array) << descr;
    EXPECT_EQ(*array, (NpyArray{DataType::BF16, {1}, bytes_of<std::uint16_t>({0x3f80})}));
  }
}

TEST(Npy, HeaderMayBeSpacedAndOrderedFreely) {
  const auto array =
      parse(file_of("{\"shape\":(2,2,),'fortran_order' : True ,\n\t'descr':\"<i4\"}", std::string(16, '\1'), 2));
  ASSERT_TRUE(array) << render(array.error());
  EXPECT_EQ(array->shape, (Shape{2, 2}));
}

TEST(Npy, EmptyArraysOfAnyShape) {
  for (const std::string order : {"True", "False"}) {
    const auto array = parse(file_of(header_of("<f4", "(0, 1152921504606846976)", order)));
    ASSERT_TRUE(array) << render(array.error());
    EXPECT_EQ(array->shape, (Shape{0, std::int64_t{1} << 60}));
    EXPECT_TRUE(array->data.empty());
  }
}

TEST(Npy, HighestRank) {
  std::string ones;
  for (std::size_t i = 0; i < kNpyMaxRank; ++i) ones += "1, ";
  const auto array = parse(file_of(header_of("<f4", "(" + ones + ")", "True"), "1234"));
  ASSERT_TRUE(array) << render(array.error());
  EXPECT_EQ(parse(format_npy(*array)), *array);
  expect_malformed(header_of("<f4", "(" + ones + "1)"), {"more than 64 axes"});
}

TEST(Npy, DataStartsAtAMultipleOf64) {
  for (std::int64_t extent = 1; extent < 100'000'000; extent *= 10) {
    const NpyArray array{
        DataType::Bool, {extent > 1000 ? 0 : 1, extent}, std::vector<std::byte>(extent > 1000 ? 0 : extent)};
    EXPECT_EQ((format_npy(array).size() - array.data.size()) % 64, 0u);
  }
}

TEST(Npy, WriteThenRead) {
  const TemporaryFolder folder;
  for (const GoodFile& good : good_files()) {
    ASSERT_TRUE(write_npy(folder / "a.npy", good.array));
    EXPECT_EQ(read_npy(folder / "a.npy"), good.array) << good.name;
  }
}

TEST(Npy, FileFaultsComeThrough) {
  const TemporaryFolder folder;
  expect_failure(read_npy(folder / "none.npy"), DiagCode::FileRead, {folder / "none.npy", "No such file"}, "spelling");
  const auto written = write_npy(folder / "none/a.npy", NpyArray{DataType::F32, {0}, {}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error()[0].code, DiagCode::FileWrite);
}

// Malformed files.

TEST(Npy, WrongMagic) {
  expect_failure(parse("not an array"), DiagCode::NpyFormat, {"'a.npy'", "'not an'", "\\x93NUMPY"}, "numpy.save");
  expect_failure(read_npy(kCorpus + "archive.npz"), DiagCode::NpyFormat, {"archive.npz", "zip archive"}, "numpy.load");
}

TEST(Npy, UnknownVersion) {
  std::string file = file_of(header_of("<f4", "(1,)"), "1234");
  file[6] = 4;
  expect_failure(parse(file), DiagCode::NpyFormat, {"version 4.0", "1.0, 2.0 and 3.0"}, "numpy.save");
  file[6] = 1;
  file[7] = 1;
  expect_failure(parse(file), DiagCode::NpyFormat, {"version 1.1"}, "numpy.save");
  file[6] = 0;
  file[7] = 0;
  expect_failure(parse(file), DiagCode::NpyFormat, {"version 0.0"}, "numpy.save");
}

TEST(Npy, EveryTruncationIsRefused) {
  for (int major : {1, 2, 3}) {
    const std::string file = file_of(header_of("<f4", "(2, 3)"), std::string(24, '\0'), major);
    ASSERT_TRUE(parse(file));
    for (std::size_t size = 0; size < file.size(); ++size)
      expect_failure(parse(file.substr(0, size)), DiagCode::NpyLength, {"'a.npy' ends too early"}, "cut short");
  }
}

TEST(Npy, MissingElementsAreCounted) {
  expect_failure(parse(file_of(header_of("<f4", "(2, 3)"), std::string(20, '\0'))), DiagCode::NpyLength,
                 {"shape (2, 3) of float32 needs 24 bytes, and 20 follow"}, "cut short");
}

TEST(Npy, TrailingBytesAreCounted) {
  expect_failure(parse(file_of(header_of("<f4", "(2,)"), std::string(9, '\0'))), DiagCode::NpyLength,
                 {"goes on after its array", "shape (2,) of float32 needs 8 bytes, and 9 follow"}, "one array");
}

TEST(Npy, HugeHeaderLength) {
  std::string file = file_of(header_of("<f4", "(1,)"), "1234", 2);
  file.replace(8, 4, "\xff\xff\xff\xff");
  expect_failure(parse(file), DiagCode::NpyFormat, {"4294967295 bytes", "65536"}, "numpy.save");
}

TEST(Npy, HugeShapesClaimNoMemory) {
  expect_failure(parse(file_of(header_of("<f4", "(1000000000000,)"), "1234")), DiagCode::NpyLength,
                 {"needs 4000000000000 bytes, and 4 follow"}, "cut short");
  expect_failure(parse(file_of(header_of("<f4", "(4611686018427387904,)"), "1234")), DiagCode::SizeOverflow,
                 {"does not fit 64 bits", "(4611686018427387904,)"}, "numpy.save");
  expect_failure(parse(file_of(header_of("|b1", "(4294967296, 4294967296)"), "1234")), DiagCode::SizeOverflow,
                 {"does not fit 64 bits"}, "numpy.save");
  expect_failure(parse(file_of(header_of("|b1", "(0, 4294967296, 4294967296)"))), DiagCode::SizeOverflow,
                 {"does not fit 64 bits"}, "numpy.save");
  expect_failure(parse(file_of(header_of("<f4", "(9223372036854775808,)"), "1234")), DiagCode::SizeOverflow,
                 {"extent of 9223372036854775808", "64 bits"}, "numpy.save");
}

TEST(Npy, HeaderMustBeTheDictionary) {
  expect_malformed("", {"at byte 0 of its header '{' is expected, and its end found"});
  expect_malformed("[1, 2]", {"'{' is expected, and '[' found"});
  expect_malformed("{", {"a key in quotes is expected, and its end found"});
  expect_malformed("{}", {"lacks 'descr' and 'fortran_order' and 'shape'"});
  expect_malformed("{3: 4}", {"at byte 1", "a key in quotes"});
  expect_malformed("{'descr' '<f4'}", {"':' is expected"});
  expect_malformed("{'descr': '<f4' 'shape': ()}", {"',' or '}' is expected"});
  expect_malformed("{'descr': '<f4', , }", {"a key in quotes is expected, and ',' found"});
  expect_malformed(header_of("<f4", "(1,)") + "x", {"nothing but blanks is expected, and 'x' found"});
  expect_malformed(header_of("<f4", "(1,)") + std::string(1, '\0'), {"nothing but blanks", "'\\x00'"});
}

TEST(Npy, KeysMustBeComplete) {
  expect_malformed("{'fortran_order': False, 'shape': (1,)}", {"lacks 'descr'"});
  expect_malformed("{'descr': '<f4', 'shape': (1,)}", {"lacks 'fortran_order'"});
  expect_malformed("{'descr': '<f4', 'fortran_order': False}", {"lacks 'shape'"});
}

TEST(Npy, KeysMustBeKnownAndUnique) {
  expect_malformed("{'descr': '<f4', 'descr': '<f4'}", {"key 'descr' twice"});
  expect_malformed("{'shape': (), 'shape': ()}", {"key 'shape' twice"});
  expect_malformed("{'fortran_order': True, 'fortran_order': True}", {"key 'fortran_order' twice"});
  expect_malformed("{'order': 1}", {"key 'order'"});
  expect_malformed("{'': 1}", {"key ''"});
  expect_malformed("{'" + std::string(1000, 'k') + "': 1}", {"key '" + std::string(40, 'k') + "..'"});
}

TEST(Npy, ValuesMustHaveTheirKind) {
  expect_malformed("{'descr': 4}", {"a type in quotes is expected, and '4' found"});
  expect_malformed("{'descr': ''", {"',' or '}'"});
  expect_malformed(header_of("", "()"), {"its type is an empty text"});
  expect_malformed(header_of("<", "()"), {"its type is an empty text"});
  expect_malformed("{'fortran_order': 0}", {"True or False is expected, and '0' found"});
  expect_malformed("{'fortran_order': Falsehood}", {"',' or '}' is expected, and 'h' found"});
  expect_malformed("{'shape': 3}", {"'(' of a shape is expected, and '3' found"});
  expect_malformed("{'shape': [3]}", {"'(' of a shape is expected, and '[' found"});
}

TEST(Npy, ByteOrderMustBeNamed) {
  for (const std::string descr : {"f4", "=f4", "|f4"})
    expect_malformed(header_of(descr, "(1,)"), {"'" + descr + "' does not name a byte order; '<f4' does"});
}

TEST(Npy, ShapeMustBeATupleOfExtents) {
  expect_malformed(header_of("<f4", "(1)"), {"a number in parentheses", "(1,) is expected"});
  expect_malformed(header_of("<f4", "(-1,)"), {"negative extent -1"});
  expect_malformed(header_of("<f4", "(,)"), {"an extent is expected, and ',' found"});
  expect_malformed(header_of("<f4", "(1,,)"), {"an extent is expected, and ',' found"});
  expect_malformed(header_of("<f4", "(1 1)"), {"',' or ')' is expected, and '1' found"});
  expect_malformed(header_of("<f4", "(-,)"), {"an extent is expected, and '-' found"});
  expect_malformed(header_of("<f4", "(01,)"), {"an extent is expected, and '0' found"});
  expect_malformed(header_of("<f4", "(1.0,)"), {"',' or ')' is expected, and '.' found"});
  expect_malformed(header_of("<f4", "(True,)"), {"an extent is expected, and 'T' found"});
  expect_malformed(header_of("<f4", "((1,),)"), {"an extent is expected, and '(' found"});
  expect_malformed("{'shape': (" + std::string(60'000, '('), {"an extent is expected, and '(' found"});
  expect_malformed("{'shape': (1", {"',' or ')' is expected, and its end found"});
}

TEST(Npy, TextsMustBePrintableAscii) {
  expect_malformed("{'d\xc3\xa9scr': '<f4'}", {"at byte 3", "printable ASCII", "'\\xc3'"});
  expect_malformed("{'descr': '<f4\n'}", {"printable ASCII", "'"});
  expect_malformed("{'descr': '\\x3cf4'}", {"printable ASCII", "'\\'"});
  expect_malformed("{'descr': '<f4", {"a closing quote"});
  expect_malformed("{'descr': '<f4\"}", {"a closing quote"});
  expect_malformed("\xc3", {"'{' is expected, and '\\xc3' found"});
}

TEST(Npy, BoolsAreZeroOrOne) {
  expect_failure(parse(file_of(header_of("|b1", "(3,)"), std::string("\0\1\2", 3))), DiagCode::NpyFormat,
                 {"element 2 in its order is 2", "a bool is 0 or 1"}, ".view('uint8') != 0");
}

}  // namespace
}  // namespace tilewright
