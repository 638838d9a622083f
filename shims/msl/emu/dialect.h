// What the two dialects of docs/emulator.md spell differently. The shim itself is written once, with MSL's words.
#pragma once
#pragma clang system_header

#if defined(EMU_OPENCL)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable
// `this` of an ordinary member is generic; an object in constant memory needs an overload of its own.
#define EMU_IF_CONSTANT(...) __VA_ARGS__
#else
#define EMU_IF_CONSTANT(...)
#endif

// Everything is inlined before the instrumentation, so that an access is reported at the place of the kernel's text
// and locals of the shim become registers. The Microsoft convention hands a vector over as one object in memory, which
// inlining turns into one access of 16 bytes; the System V convention would split it into two of 8, each with half of
// the alignment.
#if defined(__x86_64__)
#define EMU_INLINE inline __attribute__((always_inline, ms_abi))
#else
#define EMU_INLINE inline __attribute__((always_inline))
#endif
#define EMU_UNCHECKED __attribute__((no_sanitize("thread")))

// The place of the call in the kernel's text: trailing parameters, and how they are handed on.
#define EMU_PLACE                                                                 \
  EMU_TEXT emu_file = __builtin_FILE(), unsigned int emu_line = __builtin_LINE(), \
           unsigned int emu_column = __builtin_COLUMN()
#define EMU_AT emu_file, emu_line, emu_column

#define METAL_FUNC inline __attribute__((always_inline))
#define METAL_CONST __attribute__((const))
#define METAL_PURE __attribute__((pure))
#define METAL_ASM(...)
#define METAL_INTERNAL

// Buffers are coherent anyway.
#define coherent(...)

/// The operators op= of vectors, by a macro of the operator.
#define EMU_EACH_COMPOUND(macro) \
  macro(+) macro(-) macro(*) macro(/) macro(%) macro(&) macro(|) macro(^) macro(<<) macro(>>)
