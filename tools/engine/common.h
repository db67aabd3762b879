/* What all modules include first, with all that Cython includes later: GCC reads it once for all modules, which takes a
   twelfth of its time off. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <compile.h>
#include <frameobject.h>
#include <pythread.h>
#include <traceback.h>

/* How often a memoryview is referred to is counted by whoever holds Python's lock, so no count needs to be atomic. With
   memoryviews of fewer dimensions (MOST_DIMENSIONS), this took a replay of KTH-SP2 under EASY from 42 to 23 ms. */
#ifndef Py_GIL_DISABLED
#include <stdatomic.h>
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#define atomic_fetch_add_explicit(count, n, order) thinktime_add((int *)(count), n)
#define atomic_fetch_sub_explicit(count, n, order) thinktime_add((int *)(count), -(n))
static inline int thinktime_add(int *count, int n) {
    int before = *count;
    *count = before + n;
    return before;
}
#endif

/* What runs once, when a module is imported, is half of some modules' code; not to optimise it takes a seventh of the
   compiler's time off. */
#if defined(__GNUC__) && !defined(__clang__)
#define CYTHON_SMALL_CODE __attribute__((cold, optimize(0)))
#endif
