/* The C interface, used from C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tilewright/c_api.h>

static int failures = 0;
#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

/* The status, and a code that the error must have; none: no error. */
static void expect_end(tilewright_status status, tilewright_status wanted, tilewright_error *error, const char *code,
                       int line) {
  if (status != wanted || (code == NULL) != (error == NULL)) {
    fprintf(stderr, "line %d: status %d, expected %d\n%s\n", line, status, wanted, tilewright_error_text(error));
    ++failures;
  } else if (code != NULL && strcmp(tilewright_error_code(error, 0), code) != 0) {
    fprintf(stderr, "line %d: code %s, expected %s\n", line, tilewright_error_code(error, 0), code);
    ++failures;
  }
  tilewright_error_free(error);
}
/* The call comes first, and then what it made of `error`. */
#define EXPECT_END(call, wanted, code)                        \
  do {                                                        \
    const tilewright_status status_ = (call);                 \
    expect_end(status_, (wanted), error, (code), __LINE__);   \
  } while (0)
#define EXPECT_OK(call) EXPECT_END(call, TILEWRIGHT_OK, NULL)
#define EXPECT_FAULT(call, code) EXPECT_END(call, TILEWRIGHT_INPUT, code)

enum { M = 33, N = 29, K = 17 };
static float a[M * K], b[K * N], c[M * N], expected[M * N];

static void fill(void) {
  for (int i = 0; i < M * K; ++i) a[i] = (float)((i * 7) % 13 - 6);
  for (int i = 0; i < K * N; ++i) b[i] = (float)((i * 5) % 11 - 5);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      expected[i * N + j] = sum;
    }
}
static int result_is_right(void) {
  const int right = memcmp(c, expected, sizeof c) == 0;
  memset(c, 0, sizeof c);
  return right;
}

static tilewright_array array_of(const char *name, float *data, const int64_t *extents) {
  tilewright_array array = {sizeof(tilewright_array), name, TILEWRIGHT_F32, data, extents[0] * extents[1], 0, 2,
                            extents, NULL};
  return array;
}

static int pool_calls = 0;
static void run_pieces(void *pool, int64_t count, void (*piece)(void *context, int64_t index), void *context) {
  ++*(int *)pool;
  for (int64_t i = count; i-- > 0;) piece(context, i);
}

static tilewright_kernel *compiled(tilewright_program *program, tilewright_cache *cache, const char *k_name) {
  const tilewright_number numbers[] = {{"M", M}, {"N", N}, {k_name, K}};
  tilewright_compile_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.numbers = numbers;
  options.number_count = 3;
  options.cache = cache;
  tilewright_kernel *kernel = NULL;
  tilewright_error *error = NULL;
  const tilewright_status status = tilewright_compile(program, &options, &kernel, &error);
  if (strcmp(k_name, "K") == 0)
    expect_end(status, TILEWRIGHT_OK, error, NULL, __LINE__);
  else
    tilewright_error_free(error);
  return kernel;
}

static void test_calls(tilewright_kernel *kernel) {
  tilewright_error *error = NULL;
  const int64_t a_extents[] = {M, K}, b_extents[] = {K, N}, c_extents[] = {M, N};
  tilewright_array arrays[3];
  arrays[0] = array_of("A", a, a_extents);
  arrays[1] = array_of("B", b, b_extents);
  arrays[2] = array_of("C", c, c_extents);
  tilewright_call *call = NULL;
  EXPECT_OK(tilewright_call_bind(kernel, arrays, 3, &call, &error));
  tilewright_call_run(call);
  EXPECT(result_is_right());
  EXPECT_OK(tilewright_call_run_shared(call, NULL, &error));
  EXPECT(result_is_right());
  tilewright_pool pool = {sizeof(tilewright_pool), run_pieces, &pool_calls, 3};
  EXPECT_OK(tilewright_call_run_shared(call, &pool, &error));
  EXPECT(result_is_right());
  pool.workers = 0;
  EXPECT_FAULT(tilewright_call_run_shared(call, &pool, &error), "BadOption");
  pool.struct_size = 3;
  EXPECT_FAULT(tilewright_call_run_shared(call, &pool, &error), "BadOption");

  size_t output = 99;
  for (size_t i = 0; i < tilewright_binding_count(kernel); ++i) {
    tilewright_binding binding;
    binding.struct_size = sizeof binding;
    EXPECT_OK(tilewright_binding_get(kernel, i, &binding, &error));
    if (binding.written) output = i;
    EXPECT(!binding.scalar && !binding.temporary && binding.lowest == 0 && binding.type == TILEWRIGHT_F32);
  }
  static float other[M * N];
  EXPECT_OK(tilewright_call_set_pointer(call, output, other, &error));
  tilewright_call_run(call);
  EXPECT(memcmp(other, expected, sizeof other) == 0);
  EXPECT_FAULT(tilewright_call_set_pointer(call, 3, other, &error), "BadOption");
  tilewright_call_free(call);

  EXPECT_FAULT(tilewright_call_bind(kernel, arrays, 2, &call, &error), "MissingArgument");
  EXPECT(call == NULL);
  arrays[1].name = "A";
  EXPECT_FAULT(tilewright_call_bind(kernel, arrays, 3, &call, &error), "BadOption");
}

static void test_entry(tilewright_kernel *kernel) {
  tilewright_error *error = NULL;
  tilewright_entry entry;
  entry.struct_size = sizeof entry;
  EXPECT_OK(tilewright_entry_get(kernel, &entry, &error));
  void *block = malloc((size_t)entry.scratch_bytes + 64);
  void *scratch = (char *)block + (64 - (uintptr_t)block % 64) % 64;
  void *bindings[3];
  for (size_t i = 0; i < 3; ++i) {
    tilewright_binding binding;
    binding.struct_size = sizeof binding;
    EXPECT_OK(tilewright_binding_get(kernel, i, &binding, &error));
    bindings[i] = strcmp(binding.name, "A") == 0 ? a : strcmp(binding.name, "B") == 0 ? b : c;
  }
  entry.function(bindings, 0, entry.tasks, scratch);
  EXPECT(result_is_right());
  free(block);
  entry.struct_size = sizeof entry + 1;
  EXPECT_FAULT(tilewright_entry_get(kernel, &entry, &error), "BadOption");
}

static void test_faults(tilewright_program *program) {
  tilewright_error *error = NULL;
  tilewright_program *none = NULL;
  EXPECT_FAULT(tilewright_program_parse("program", 7, NULL, &none, &error), "SyntaxError");
  EXPECT_FAULT(tilewright_program_load("no-such-program", &none, &error), "UnknownProgram");
  EXPECT_FAULT(tilewright_program_load(NULL, &none, &error), "BadOption");
  EXPECT(tilewright_program_load(NULL, NULL, NULL) == TILEWRIGHT_INPUT);
  EXPECT(none == NULL);
  EXPECT(compiled(program, NULL, "X") == NULL);
  tilewright_compile_options options = {0};
  tilewright_kernel *kernel = NULL;
  EXPECT_FAULT(tilewright_compile(program, &options, &kernel, &error), "BadOption");
  EXPECT_FAULT(tilewright_compile(program, NULL, &kernel, &error), "BadOption");
  options.struct_size = sizeof options;
  const tilewright_status status = tilewright_compile(program, &options, &kernel, &error);
  EXPECT(status == TILEWRIGHT_INPUT && tilewright_error_count(error) >= 1);
  EXPECT(tilewright_error_code(error, 1000) == NULL);
  EXPECT(strstr(tilewright_error_text(error), "[MissingSymbol]") != NULL);
  tilewright_error_free(error);
  const tilewright_cache_options folder = {sizeof folder, "/dev/null", 0, 0};
  tilewright_cache *cache = NULL;
  EXPECT_FAULT(tilewright_cache_open(&folder, &cache, &error), "CacheFolder");
}

int main(void) {
  tilewright_error *error = NULL;
  tilewright_program *program = NULL;
  fill();
  EXPECT(tilewright_c_api_version() == TILEWRIGHT_C_API_VERSION);
  EXPECT_OK(tilewright_program_load("gemm", &program, &error));
  EXPECT(strcmp(tilewright_program_name(program), "gemm") == 0);
  tilewright_cache *cache = NULL;
  EXPECT_OK(tilewright_cache_open(NULL, &cache, &error));
  tilewright_kernel *kernel = compiled(program, cache, "K");
  tilewright_kernel *again = compiled(program, cache, "K");
  test_faults(program);
  tilewright_cache_free(cache);
  tilewright_program_free(program);
  tilewright_kernel_free(again);
  if (kernel != NULL) {
    test_calls(kernel);
    test_entry(kernel);
  }
  tilewright_kernel_free(kernel);
  tilewright_kernel_free(NULL);
  if (failures == 0) printf("the C interface does what it says\n");
  return failures == 0 ? 0 : 1;
}
