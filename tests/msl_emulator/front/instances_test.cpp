// Which functions are kernels, which instances a text names, and which of them a request gets.
#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

RewriteRequest wanting(std::vector<std::string> kernels) {
  RewriteRequest request = rewrite_request();
  request.kernels = std::move(kernels);
  return request;
}

std::vector<std::string> entry_names(const Result<RewrittenText>& result) {
  std::vector<std::string> names;
  if (!result) return {render(result.error())};
  for (const Entry& entry : result->entries) names.push_back(entry.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Instances, KernelsInEverySpelling) {
  const char* text =
      "kernel void a() {}\n"
      "[[kernel]] void b() {}\n"
      "[[kernel, max_total_threads_per_threadgroup(WM * 32)]] void c() {}\n"
      "[[host_name(\"dd\")]] kernel void d() {}\n"
      "[[host_name(\"e\" \"e\")]] [[kernel]] void e() {}\n"
      "static inline void no() {}\n"
      "kernel void later();\n"
      "namespace n { kernel void g() {} }\n"
      "extern \"C\" { kernel void h() {} }\n";
  EXPECT_EQ(entry_names(rewrite_text(text)), (Names{"a", "b", "c", "dd", "ee", "g", "h"}));
}

TEST(Instances, LauncherNamesFunctionsInTheirScopes) {
  EXPECT_EQ(
      launcher_of(rewrite_text("namespace n { kernel void g(device int* p, uint i [[thread_position_in_grid]]) {} }")),
      "namespace n { extern \"C\" __attribute__((visibility(\"default\"))) void emu_entry_0(void** a) "
      "{ ::emu_invoke<256, 0>(&::n::g, a); }\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) unsigned long emu_element_0(unsigned int p) "
      "{ return ::emu_element<256, 0>(&::n::g, p); }\n}\n");
}

TEST(Instances, ExplicitInstantiationsInEverySpelling) {
  const std::string text =
      "template <class T, int N> [[kernel]] void f(device T* x) {}\n"
      "template [[host_name(\"decl\" \"type\")]] [[kernel]] decltype(f<float, 2>) f<float, 2>;\n"
      "typedef decltype(f<float, 4>) f_t;\n"
      "template [[host_name(\"named\")]] kernel f_t f<half, (4 > 2)>;\n"
      "template [[host_name(\"plain\")]] [[kernel]] void f<int, 8>(device int* x);\n"
      "template [[host_name(\"deduced\")]] kernel void g(device int* x);\n"
      "template <> [[host_name(\"special\")]] [[kernel]] decltype(f<uint, 1>) f<uint, 1>;;\n"
      "template <class T> kernel void g(device T* x) {}\n"
      "namespace n { template <class T> kernel void k() {} template [[host_name(\"inner\")]] kernel decltype(k<S>) "
      "k<S>; }\n";
  const auto expression = [&](const char* name) {
    const std::string launcher = launcher_of(rewrite_text(text, wanting({name})));
    const std::size_t begin = launcher.find("emu_invoke<256>(") + 16;
    return launcher.substr(begin, launcher.find(", a);") - begin);
  };
  EXPECT_EQ(expression("decltype"), "&::f<float,2>");
  EXPECT_EQ(expression("named"), "&::f<half, (4>2) >");
  EXPECT_EQ(expression("plain"), "&::f<int,8>");
  EXPECT_EQ(expression("deduced"), "static_cast<void (*)(device int*x)>(g)");
  EXPECT_EQ(expression("special"), "&::f<uint,1>");
  EXPECT_EQ(expression("f<char, 3>"), "&::f<char, 3>");
  EXPECT_TRUE(launcher_of(rewrite_text(text, wanting({"inner"}))).starts_with("namespace n { "));
}

TEST(Instances, OnlyTheWantedOnesAreKept) {
  const auto result = rewrite_text(
      "template <class T> kernel void f() {}\ntypedef decltype(f<int>) t;\n"
      "template [[host_name(\"a\")]] kernel t f<int>;\ntemplate [[host_name(\"b\")]] kernel t f<char>;\n"
      "template <class T> kernel void g() {}\ntemplate [[host_name(\"c\")]] kernel decltype(g<int>) g<int>;",
      wanting({"c"}));
  std::string body = body_of(result);
  std::erase(body, ' ');
  EXPECT_EQ(body, "\n\n\n\ntemplate<classT>kernelvoidg(){}\n");
}

TEST(Instances, AKernelThatOtherCodeNamesStays) {
  const auto result = rewrite_text("kernel void f() {}\nvoid g() { f(); }\nkernel void h() {}", wanting({"h"}));
  EXPECT_EQ(body_of(result), "kernel void f() {}\nvoid g() { f(); }\nkernel void h() {}");
}

TEST(Instances, UnknownNamesComeWithNearOnes) {
  const char* text = "kernel void gemm_f32() {}\ntemplate <class T> kernel void t() {}";
  expect_fault(rewrite_text(text, wanting({"gemm_f23"})), DiagCode::KernelUnknown, 0, "did you mean 'gemm_f32'?");
  expect_fault(rewrite_text(text, wanting({"softmax"})), DiagCode::KernelUnknown, 0, "the text has gemm_f32");
  expect_fault(rewrite_text(text, wanting({"t"})), DiagCode::KernelUnknown, 0, "is a template");
  expect_fault(rewrite_text(text, wanting({"t<int>; int x"})), DiagCode::KernelUnknown, 0, "no kernel named");
  expect_fault(rewrite_text("int x;"), DiagCode::KernelUnknown, 0, "no kernel that is not a template");
  expect_fault(rewrite_text("vertex void v() {}", wanting({"v"})), DiagCode::KernelNotModelled, 1, "graphics pipeline");
}

TEST(Instances, TwoKernelsOfOneNameAreNotGuessed) {
  const char* text = "kernel void f(device int* x) {}\nkernel void f(device float* x) {}";
  expect_fault(rewrite_text(text, wanting({"f"})), DiagCode::KernelNotModelled, 1, "2 kernels named 'f'");
}

TEST(Instances, TemplatesOfOneNameAreToldApartByTheirArguments) {
  const char* text =
      "template <class T, class U, bool B> kernel void f(device T* two, device U* x) {}\n"
      "template <class T, int N = S<1, 2>::n> kernel void f(device T* one) {}\n"
      "template [[host_name(\"three\")]] kernel decltype(f<int, M<int, 2>, (1 > 2)>) f<int, M<int, 2>, (1 > 2)>;\n"
      "template [[host_name(\"single\")]] kernel decltype(f<int>) f<int>;\n";
  const auto first_parameter = [&](const char* name) {
    const auto result = rewrite_text(text, wanting({name}));
    return result ? result->entries[0].parameters[0].name : render(result.error());
  };
  EXPECT_EQ(first_parameter("three"), "two");
  EXPECT_EQ(first_parameter("single"), "one");
  EXPECT_EQ(first_parameter("f<int, 3>"), "one");
  expect_fault(rewrite_text(text, wanting({"f<int, 3, true, 4>"})), DiagCode::KernelUnknown, 0, "no kernel named");
}

TEST(Instances, HostNamesMustBeTexts) {
  expect_fault(rewrite_text("[[host_name(x)]] kernel void f() {}"), DiagCode::KernelCompile, 1,
               "expected a text as host_name");
}

}  // namespace
}  // namespace tilewright::msl_emulator
