/* The same from C: compile, bind, call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tilewright/c_api.h>

enum { ROWS = 5, COLUMNS = 9 };

static void check(tilewright_status status, tilewright_error *error) {
  if (status == TILEWRIGHT_OK) return;
  fputs(tilewright_error_text(error), stderr);
  tilewright_error_free(error);
  exit(1);
}

int main(void) {
  tilewright_error *error = NULL;
  tilewright_program *program = NULL;
  check(tilewright_program_load("softmax", &program, &error), error);

  const tilewright_number sizes[] = {{"N", ROWS}, {"C", COLUMNS}};
  tilewright_compile_options options = {0};
  options.struct_size = sizeof options;
  options.numbers = sizes;
  options.number_count = 2;
  tilewright_kernel *kernel = NULL;
  check(tilewright_compile(program, &options, &kernel, &error), error);
  tilewright_program_free(program);

  float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; ++i) x[i] = (float)(i * 5 % 7);
  const int64_t extents[] = {ROWS, COLUMNS};
  const tilewright_array arrays[] = {
      {sizeof(tilewright_array), "X", TILEWRIGHT_F32, x, ROWS * COLUMNS, 0, 2, extents, NULL},
      {sizeof(tilewright_array), "Y", TILEWRIGHT_F32, y, ROWS * COLUMNS, 0, 2, extents, NULL}};
  tilewright_call *call = NULL;
  check(tilewright_call_bind(kernel, arrays, 2, &call, &error), error);
  tilewright_call_run(call);
  tilewright_call_free(call);
  tilewright_kernel_free(kernel);

  double worst = 0;
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0;
    for (int i = 0; i < COLUMNS; ++i) sum += y[row * COLUMNS + i];
    worst = fmax(worst, fabs(sum - 1));
  }
  printf("softmax of %d rows: their sums are 1 within %.2g\n", ROWS, worst);
  return worst < 1e-5 ? 0 : 1;
}
