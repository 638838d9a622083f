// What passes between a compiled kernel and the runner that executes it.
//
// Read by three compilers: the runner (C++23), the shim as C++20 and the shim as C++ for OpenCL. So: no standard
// header, no namespace, plain C types. Everything here has C linkage. The runner defines the functions; a compiled
// kernel defines the functions at the end of this file and nothing else that is looked up.
//
// The memory hooks are not declared here: they are the entry points of clang's thread-sanitizer instrumentation
// (__tsan_read4, __tsan_write16, __tsan_memcpy, __tsan_atomic32_fetch_add, ...), which the runner defines.
//
// A place in the source is (file, line, column) from __builtin_FILE, __builtin_LINE and __builtin_COLUMN as default
// arguments of the shim's functions: the place of the call in the kernel's text. Two places are the same if all three
// are.
#pragma once

#if defined(EMU_OPENCL)
#define EMU_TEXT const __constant char*
#else
#define EMU_TEXT const char*
#endif

extern "C" {

enum { EMU_SIMD_WIDTH = 32, EMU_MAX_THREADS = 1024, EMU_BUFFER_SLOTS = 31, EMU_THREADGROUP_SLOTS = 31 };

struct emu_uint3 {
  unsigned int x, y, z;
};

/// What the built-in inputs of a kernel are for the lane that asks. Linear index = x + y*sx + z*sx*sy.
struct emu_lane {
  struct emu_uint3 thread_position_in_threadgroup;
  struct emu_uint3 threadgroup_position_in_grid;
  struct emu_uint3 thread_position_in_grid;
  struct emu_uint3 threads_per_threadgroup;
  struct emu_uint3 threadgroups_per_grid;
  struct emu_uint3 threads_per_grid;
  unsigned int thread_index_in_threadgroup;
  unsigned int thread_index_in_simdgroup;
  unsigned int simdgroup_index_in_threadgroup;
  unsigned int simdgroups_per_threadgroup;
  unsigned int lanes_in_simdgroup;  ///< 32, or fewer in the last SIMD group of an odd-sized threadgroup
};

/// The lane that is running. Valid until the lane next waits.
__attribute__((pure)) const struct emu_lane* emu_this_lane();

// --- Collectives: the last lane to arrive does the work of all ---

enum emu_collective_kind {
  EMU_SIMD_OPERATION,     ///< simd_*, quad_*: those lanes take part that arrive at this place; partial is legal, and
                          ///< counted
  EMU_FRAGMENT_LOAD,      ///< simdgroup_load; this and the next two need the whole SIMD group
  EMU_FRAGMENT_STORE,     ///< simdgroup_store
  EMU_FRAGMENT_MULTIPLY,  ///< simdgroup_multiply, simdgroup_multiply_accumulate
  EMU_TENSOR_OPERATION,   ///< an MPP operation or a cooperative load/store; needs every lane of its scope
  EMU_COLLECTIVE_KINDS
};

/// Called once, on the stack of one of the lanes, when the participants have arrived. lanes[i] is the argument of the
/// i-th lane of the scope (SIMD group or threadgroup), null for a lane that does not take part. Accesses to memory made
/// inside must be reported with emu_access: the function must not be instrumented.
typedef void (*emu_collective_body)(void** lanes, unsigned int lane_count);

/// Waits for the lanes of the SIMD group.
void emu_simd_collective(EMU_TEXT file, unsigned int line, unsigned int column, unsigned int kind, void* argument,
                         emu_collective_body body);
/// Waits for the lanes of the threadgroup. `simdgroups` is what the operation's scope was declared with; another number
/// than the launch has is reported as mpp_misuse and ends the launch.
void emu_threadgroup_collective(EMU_TEXT file, unsigned int line, unsigned int column, unsigned int kind,
                                void* argument, emu_collective_body body, unsigned int simdgroups);
/// The same for one lane alone: body(&argument, 1) at once, without waiting. Accesses and faults of the body belong to
/// the lane. For operations whose scope is one thread, and to name a place for a fault outside a collective.
void emu_lane_operation(EMU_TEXT file, unsigned int line, unsigned int column, unsigned int kind, void* argument,
                        emu_collective_body body);

// --- Barriers ---

enum { EMU_MEM_NONE = 0, EMU_MEM_DEVICE = 1, EMU_MEM_THREADGROUP = 2, EMU_MEM_TEXTURE = 4 };
void emu_threadgroup_barrier(EMU_TEXT file, unsigned int line, unsigned int column, unsigned int flags);
void emu_simdgroup_barrier(EMU_TEXT file, unsigned int line, unsigned int column, unsigned int flags);
/// atomic_thread_fence. scope: 0 thread, 1 simdgroup, 2 threadgroup, 3 device.
void emu_fence(EMU_TEXT file, unsigned int line, unsigned int column, unsigned int flags, unsigned int scope);

// --- Memory ---

/// The storage of one `threadgroup` variable of a kernel, the same for all lanes of a group, uninitialised at its
/// start. `key`: an address that identifies the variable.
void* emu_threadgroup_variable(const void* key, unsigned long bytes, unsigned long alignment, EMU_TEXT name);

/// An access of the running collective to memory: `rows` runs of `row_bytes`, each `row_stride_bytes` after the one
/// before. It belongs to the SIMD group or threadgroup as a whole. elements of element_bytes decide the granule and
/// whether an address is misaligned. count_as says which counters grow.
enum { EMU_COUNT_PLAIN, EMU_COUNT_FRAGMENT, EMU_COUNT_TENSOR };
void emu_access(const void* first, unsigned int element_bytes, unsigned int rows, unsigned long row_bytes,
                long row_stride_bytes, unsigned int is_write, unsigned int count_as);

/// Memory of at least that many bytes for the body of a collective, undefined contents; the next call with the same
/// slot (0..7) of the same worker invalidates it.
void* emu_scratch(unsigned int slot, unsigned long bytes);

// --- What the shim finds ---

/// Kinds, as the reports name them.
enum emu_report_kind {
  EMU_OUT_OF_BOUNDS,
  EMU_UNINITIALIZED_READ,
  EMU_RACE,
  EMU_BARRIER_DIVERGENCE,
  EMU_WRONG_FENCE,
  EMU_READONLY_WRITE,
  EMU_MPP_MISUSE,
  EMU_LIMIT,
  EMU_MISALIGNED,
  EMU_WILD_ACCESS,
  EMU_TIMEOUT,
  EMU_COMPILE_ERROR,
  EMU_REPORT_KINDS
};
/// A fault that the shim found, at the place of the running collective (or, outside one, of the last place that the
/// lane named). `text` is a sentence in which %0..%3 stand for the numbers. fatal: the launch ends.
void emu_fault(unsigned int kind, EMU_TEXT text, long n0, long n1, long n2, long n3, unsigned int fatal);

/// Indeterminate register state. A default-constructed fragment or cooperative tensor holds this bit pattern in every
/// element; an operation that reads an element with it (a NaN may have been quieted on the way: the bit of the second
/// mask is ignored) reports uninitialized_read. No arithmetic makes these payloads by itself.
#define EMU_POISON_F32 0x7fa5c3d1u
#define EMU_POISON_F32_QUIET 0x00400000u
#define EMU_POISON_F16 0x7d69u
#define EMU_POISON_F16_QUIET 0x0200u
#define EMU_POISON_BF16 0x7fa9u
#define EMU_POISON_BF16_QUIET 0x0040u
#define EMU_POISON_I32 0xa55a3cc3u

enum emu_counter {
  EMU_COUNTER_MATRIX_8X8,         ///< 8x8 multiply(-accumulate) operations of a SIMD group
  EMU_COUNTER_TENSOR_OPERATIONS,  ///< runs of MPP operations
  EMU_COUNTERS
};
void emu_count(unsigned int counter, unsigned long n);
/// A run of matmul2d: extents of the operation as executed (k after clamping).
void emu_count_matmul(unsigned long m, unsigned long n, unsigned long k);

/// Choices of the launch that the shim asks for.
enum emu_option {
  EMU_OPTION_LAYOUT_SEED,        ///< permutes the opaque layouts of cooperative tensors; 0 is the identity
  EMU_OPTION_M5_LAYOUT,          ///< 1: cooperative tensors have the 16x16 map of M5 (metal.md 2.7)
  EMU_OPTION_ZERO_COOPERATIVE,   ///< 1: destination cooperative tensors start zeroed, not indeterminate
  EMU_OPTION_TRUNCATE_STATIC_K,  ///< 1: a static K that is no multiple of 32 is rounded down
  EMU_OPTION_OVERREAD_STATIC_K,  ///< 1: a static slice past the edge reads what lies there
  EMU_OPTION_ZERO_EXTENT_READ,   ///< 1: a zero-extent operand reads one row
  EMU_OPTION_INF_LOAD_NAN,       ///< 1: simdgroup_load turns -inf into NaN
  EMU_OPTION_RELAXED_F32,        ///< 1: a relaxed matmul2d drops the low 13 bits of float operands
  EMU_OPTIONS
};
unsigned long emu_option(unsigned int which);

// --- Parameters of kernels ---

enum emu_parameter_role {
  EMU_ROLE_BUILTIN,      ///< a built-in input; index: enum emu_builtin
  EMU_ROLE_BUFFER,       ///< device or constant pointer or reference; index 0..30
  EMU_ROLE_THREADGROUP,  ///< host-sized threadgroup memory; index 0..30
  EMU_ROLE_TENSOR        ///< tensor handle; index 0..30 in the table of buffers, bound to an emu_tensor_binding
};
enum emu_builtin {
  EMU_THREAD_POSITION_IN_GRID,
  EMU_THREADGROUP_POSITION_IN_GRID,
  EMU_THREAD_POSITION_IN_THREADGROUP,
  EMU_THREADS_PER_GRID,
  EMU_THREADS_PER_THREADGROUP,
  EMU_DISPATCH_THREADS_PER_THREADGROUP,
  EMU_THREADGROUPS_PER_GRID,
  EMU_THREAD_INDEX_IN_THREADGROUP,
  EMU_THREAD_INDEX_IN_SIMDGROUP,
  EMU_SIMDGROUP_INDEX_IN_THREADGROUP,
  EMU_SIMDGROUPS_PER_THREADGROUP,
  EMU_THREADS_PER_SIMDGROUP,
  EMU_THREAD_INDEX_IN_QUADGROUP,
  EMU_QUADGROUP_INDEX_IN_THREADGROUP,
  EMU_QUADGROUPS_PER_THREADGROUP,
  EMU_BUILTINS
};
/// One number for a parameter: the template argument of emu_invoke and emu_element.
#define EMU_PARAMETER(role, index) ((role) * 256u + (index))

/// What a tensor-handle parameter is bound to: strides in elements, innermost extent first.
struct emu_tensor_binding {
  void* base;
  unsigned long rank;
  long extents[16];
  long strides[16];
};

// --- What a compiled kernel exports, for its i-th entry point ---
//
//   void emu_entry_<i>(void** arguments)
//     Runs one lane. arguments[0..30]: buffers (tensor handles: emu_tensor_binding*), arguments[32..62]: threadgroup
//     memory; null when an optional one is not bound.
//   unsigned long emu_element_<i>(unsigned int parameter)
//     sizeof what the parameter points or refers to, plus its alignment << 48; 0 for a built-in input or void.

}  // extern "C"
