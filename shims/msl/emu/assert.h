// assert: a false condition in a kernel is not reported (MSL drops it outside debug builds).
#pragma once
#pragma clang system_header

#if !defined(assert)
#define assert(condition) ((void)0)
#endif
