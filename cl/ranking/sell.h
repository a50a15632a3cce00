// ranking/sell.h: rows in sliced ELL form (Monakov, Lokhmotov, Avetisyan: HiPEAC 2010), vertices renumbered.
//
// A slice is WIDTH (a power of two) rows side by side, padded to the longest: entry j of its row r is at
// (begin + j) * WIDTH + r. Rows are ordered by class of their own popularity as sources, and by length within a class,
// so that there is little padding.
// An index is the source's number + 1, and contribution[0] is 0: padding reads that zero.
//
// hot_begin, cold_begin int[slices + 1]   a slice's steps; arcs from the hottest sources (hot_index, 16 bits: they
//                                         and the sources' values stay in the caches) separate from the others
// first_piece int[n + 1], piece_sum ACC   rows of more than LONG_ROW arcs are empty in their slice; their sum is that
//                                         of their pieces, which are rows of slices of their own

#ifndef WIDTH
#define WIDTH 8
#endif

#define SLICE_ARGS                                                                                                  \
    __global const int *restrict hot_begin, __global const ushort *restrict hot_index,                              \
        __global const REAL *restrict hot_share, __global const int *restrict cold_begin,                           \
        __global const int *restrict cold_index, __global const REAL *restrict cold_share

// One value out of many. On CPUs the access is volatile, which keeps compilers from combining several into a vector
// gather: gathers are microcoded on many x86 processors (five times slower than scalar loads since the "Downfall"
// fixes), and never much faster.
#ifdef KIND_CPU
#define PICK(type, values, i) (*(const volatile type *)((values) + (i)))
#else
#define PICK(type, values, i) ((values)[i])
#endif

// Indices are read once an iteration: on NVIDIA's devices they bypass the caches, which are kept for the values.
#ifdef HAVE_PTX
static inline ushort stream16(__global const ushort *at)
{
    ushort x;
    __asm__("ld.global.cs.u16 %0, [%1];" : "=h"(x) : "l"(at));
    return x;
}
static inline int stream32(__global const int *at)
{
    int x;
    __asm__("ld.global.cs.s32 %0, [%1];" : "=r"(x) : "l"(at));
    return x;
}
#define HOT_INDEX(e) stream16(hot_index + (e))
#define COLD_INDEX(e) stream32(cold_index + (e))
#else
#define HOT_INDEX(e) hot_index[e]
#define COLD_INDEX(e) cold_index[e]
#endif

#ifdef WEIGHTED
#define HOT_SHARE(e) *(WIDE)hot_share[e]
#define COLD_SHARE(e) *(WIDE)cold_share[e]
#else
#define HOT_SHARE(e)
#define COLD_SHARE(e)
#endif
// what arc e brings from the source of index i
#define HOT_VALUE(type, values, i, e) ((WIDE)PICK(type, values, i) HOT_SHARE(e))
#define COLD_VALUE(i, e) ((WIDE)PICK(__global REAL, contribution, i) COLD_SHARE(e))
#define HOT_ARC(type, values, e) HOT_VALUE(type, values, HOT_INDEX(e), e)
#define COLD_ARC(e) COLD_VALUE(COLD_INDEX(e), e)
