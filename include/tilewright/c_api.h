/* Tilewright for C and for whatever calls C: compile a tile program for the processor that runs, bind buffers, call.
 *
 * Rules for every function here:
 * - Nothing throws. What can fail gives a status, and through `error`, when that is not null, an object that says what
 * was expected, what was found and what to try. It belongs to the caller then: tilewright_error_free().
 * - Every structure that the caller fills or has filled begins with `struct_size`, which the caller sets to its sizeof.
 *   Later versions add members at the end only; a library knows an older caller by the smaller size, and takes members
 *   that are not there as zero. A size that is no version's is TILEWRIGHT_INPUT.
 * - Texts are UTF-8 and end with a zero. Texts that a function gives belong to the object that it was asked of.
 * - Objects may be used by many threads at once, calls by one at a time. Free takes null.
 */
#ifndef TILEWRIGHT_C_API_H
#define TILEWRIGHT_C_API_H

#include <stddef.h>
#include <stdint.h>

/* Names as C has them. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when something here changes its meaning; additions do not count. */
#define TILEWRIGHT_C_API_VERSION 1
/* What the library was built as. */
int tilewright_c_api_version(void);

typedef int tilewright_status;
enum {
  TILEWRIGHT_OK = 0,
  TILEWRIGHT_WRONG_RESULT = 1,
  TILEWRIGHT_INPUT = 2,   /* a text, a value, a file or an argument that does not fit */
  TILEWRIGHT_REFUSED = 3, /* not supported, or not possible within its limits */
  TILEWRIGHT_INTERNAL = 4 /* a fault of the library */
};

typedef struct tilewright_error tilewright_error;
typedef struct tilewright_program tilewright_program;
typedef struct tilewright_cache tilewright_cache;
typedef struct tilewright_kernel tilewright_kernel;
typedef struct tilewright_call tilewright_call;

/* ---- errors ---- */

/* All faults, as the command line prints them. */
const char* tilewright_error_text(const tilewright_error* error);
/* Faults in it, at least 1, and the name of the code of one of them: "MissingSymbol". Null beyond the last. */
size_t tilewright_error_count(const tilewright_error* error);
const char* tilewright_error_code(const tilewright_error* error, size_t fault);
void tilewright_error_free(tilewright_error* error);

/* ---- programs ---- */

/* `text` has `length` bytes; `label` names it in errors, null: "program". */
tilewright_status tilewright_program_parse(const char* text, size_t length, const char* label,
                                           tilewright_program** program, tilewright_error** error);
/* A .tile file, or the name of a program of the library. */
tilewright_status tilewright_program_load(const char* path_or_name, tilewright_program** program,
                                          tilewright_error** error);
const char* tilewright_program_name(const tilewright_program* program);
void tilewright_program_free(tilewright_program* program);

/* ---- caches ---- */

typedef struct tilewright_cache_options {
  size_t struct_size;
  const char* folder;   /* null: memory alone */
  uint64_t limit_bytes; /* of the folder; 0: 256 MiB */
  size_t most_kernels;  /* in memory; 0: 256 */
} tilewright_cache_options;
/* `options` may be null. A cache lives on while kernels are being compiled with it. */
tilewright_status tilewright_cache_open(const tilewright_cache_options* options, tilewright_cache** cache,
                                        tilewright_error** error);
void tilewright_cache_free(tilewright_cache* cache);

/* ---- kernels ---- */

typedef enum tilewright_type {
  TILEWRIGHT_F32 = 0,
  TILEWRIGHT_F16 = 1,
  TILEWRIGHT_BF16 = 2,
  TILEWRIGHT_I32 = 3,
  TILEWRIGHT_BOOL = 5
} tilewright_type;

typedef struct tilewright_number {
  const char* name;
  int64_t value;
} tilewright_number;

typedef struct tilewright_type_value {
  const char* name;
  tilewright_type value;
} tilewright_type_value;

typedef struct tilewright_layout {
  const char* name;
  const int64_t* strides; /* in elements, one a dimension */
  size_t rank;
} tilewright_layout;

typedef struct tilewright_compile_options {
  size_t struct_size;
  const tilewright_number* numbers; /* of symbols and parameters */
  size_t number_count;
  const tilewright_type_value* types; /* of type parameters */
  size_t type_count;
  const tilewright_layout* layouts; /* of buffers that are not dense row-major */
  size_t layout_count;
  int noalias;             /* not 0: no two buffers overlap; checked when buffers are bound */
  tilewright_cache* cache; /* null: none */
} tilewright_compile_options;
tilewright_status tilewright_compile(const tilewright_program* program, const tilewright_compile_options* options,
                                     tilewright_kernel** kernel, tilewright_error** error);
void tilewright_kernel_free(tilewright_kernel* kernel);

/* What one pointer of an entry leads to: see tilewright/run.h, EntryBinding. */
typedef struct tilewright_binding {
  size_t struct_size;
  const char* name; /* belongs to the kernel */
  tilewright_type type;
  int scalar, temporary, read, written;
  int64_t lowest;
  int64_t elements;
} tilewright_binding;
size_t tilewright_binding_count(const tilewright_kernel* kernel);
tilewright_status tilewright_binding_get(const tilewright_kernel* kernel, size_t index, tilewright_binding* binding,
                                         tilewright_error** error);

/* A kernel of one launch without temporaries as a plain function; others are REFUSED. function(bindings, 0, tasks,
 * scratch) runs all of it on the calling thread and checks nothing. It is valid as long as the kernel. */
typedef struct tilewright_entry {
  size_t struct_size;
  void (*function)(void* const* bindings, int64_t begin, int64_t end, void* scratch);
  int64_t tasks;
  int64_t scratch_bytes; /* aligned to 64, for each call that runs at the same time */
} tilewright_entry;
tilewright_status tilewright_entry_get(const tilewright_kernel* kernel, tilewright_entry* entry,
                                       tilewright_error** error);

/* ---- calls ---- */

/* Element p lies at data + (offset + sum p[d] * strides[d]) elements; `elements` is the size of the whole buffer. */
typedef struct tilewright_array {
  size_t struct_size;
  const char* name; /* of the buffer or scalar */
  tilewright_type type;
  void* data;
  int64_t elements;
  int64_t offset;
  size_t rank;
  const int64_t* extents;
  const int64_t* strides; /* null: dense row-major */
} tilewright_array;

/* Checks every argument as a run would, once. The call keeps the kernel's code alive, copies scalars, and has the
 * temporaries and the scratch memory. */
tilewright_status tilewright_call_bind(const tilewright_kernel* kernel, const tilewright_array* arrays, size_t count,
                                       tilewright_call** call, tilewright_error** error);
/* All launches on the calling thread, which must round to nearest and keep subnormals: nothing is checked. */
void tilewright_call_run(const tilewright_call* call);

/* Threads of the caller: for_each runs piece(context, i) once for each i in [0, count), on any threads, and returns
 * after the last. workers: how many run at a time at best. */
typedef struct tilewright_pool {
  size_t struct_size;
  void (*for_each)(void* pool, int64_t count, void (*piece)(void* context, int64_t index), void* context);
  void* pool;
  int workers;
} tilewright_pool;
/* The same on many threads, in the IEEE environment, with the same bits for any number of them. Null: the library's own
 * threads. */
tilewright_status tilewright_call_run_shared(tilewright_call* call, const tilewright_pool* pool,
                                             tilewright_error** error);
/* Another pointer for a binding, unchecked. INPUT: no such binding, or a temporary. */
tilewright_status tilewright_call_set_pointer(tilewright_call* call, size_t binding, void* pointer,
                                              tilewright_error** error);
void tilewright_call_free(tilewright_call* call);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif /* TILEWRIGHT_C_API_H */
