// The operators of a vector, included inside the body of each vec. Friends take their operands by value: a scalar, a
// selection or a packed vector converts on the way, and so does a vector in constant memory.
// (No include guard: the file is read once per width.)
#pragma clang system_header

#define EMU_NATIVE(op) \
  EMU_INLINE friend vec operator op(vec a, vec b) { return vec(emu_from_native{}, a.emu_v op b.emu_v); }
#define EMU_EACH(op)                                                              \
  EMU_INLINE friend vec operator op(vec a, vec b) {                               \
    vec r;                                                                        \
    for (int i = 0; i < emu_width; ++i) r.emu_d[i] = T(a.emu_d[i] op b.emu_d[i]); \
    return r;                                                                     \
  }
// A shift count is taken modulo the width of the element.
#define EMU_SHIFT(op)                                                                             \
  EMU_INLINE friend vec operator op(vec a, vec b) {                                               \
    vec r;                                                                                        \
    for (int i = 0; i < emu_width; ++i)                                                           \
      r.emu_d[i] = T(a.emu_d[i] op(static_cast<unsigned int>(b.emu_d[i]) & (8 * sizeof(T) - 1))); \
    return r;                                                                                     \
  }
#define EMU_COMPARE(op)                                                        \
  EMU_INLINE friend vec<bool, emu_width> operator op(vec a, vec b) {           \
    vec<bool, emu_width> r;                                                    \
    for (int i = 0; i < emu_width; ++i) r.emu_d[i] = a.emu_d[i] op b.emu_d[i]; \
    return r;                                                                  \
  }
#define EMU_COMPOUND(op) \
  EMU_INLINE vec& operator op##=(vec b) { return *this = *this op b; }
#define EMU_UNARY(op)                                                  \
  EMU_INLINE friend vec operator op(vec a) {                           \
    vec r;                                                             \
    for (int i = 0; i < emu_width; ++i) r.emu_d[i] = T(op a.emu_d[i]); \
    return r;                                                          \
  }

EMU_NATIVE(+)
EMU_NATIVE(-)
EMU_NATIVE(*)
EMU_EACH(/)
EMU_EACH(%)
EMU_EACH(&)
EMU_EACH(|)
EMU_EACH(^)
EMU_SHIFT(<<)
EMU_SHIFT(>>)
EMU_COMPARE(==)
EMU_COMPARE(!=)
EMU_COMPARE(<)
EMU_COMPARE(>)
EMU_COMPARE(<=)
EMU_COMPARE(>=)
EMU_COMPARE(&&)
EMU_COMPARE(||)
EMU_UNARY(-)
EMU_UNARY(+)
EMU_UNARY(~)
EMU_INLINE friend vec<bool, emu_width> operator!(vec a) {
  vec<bool, emu_width> r;
  for (int i = 0; i < emu_width; ++i) r.emu_d[i] = !a.emu_d[i];
  return r;
}
EMU_EACH_COMPOUND(EMU_COMPOUND)
EMU_INLINE vec& operator++() { return *this += T(1); }
EMU_INLINE vec& operator--() { return *this -= T(1); }
EMU_INLINE vec operator++(int) {
  vec old = *this;
  *this += T(1);
  return old;
}
EMU_INLINE vec operator--(int) {
  vec old = *this;
  *this -= T(1);
  return old;
}

#undef EMU_NATIVE
#undef EMU_EACH
#undef EMU_SHIFT
#undef EMU_COMPARE
#undef EMU_COMPOUND
#undef EMU_UNARY
