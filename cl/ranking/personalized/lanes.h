// ranking/personalized/lanes.h: several personalized PageRanks side by side, for all iterative kernels of the family.
//
// LANES sources are interleaved: lane l of vertex v is at v * LANES + l, so that one memory sector holds what an arc
// needs for 8 of them. A lane is given a source, iterates until its own test is met, and is then given the next one.
//
// value REAL[n * LANES]  the contribution, which arcs read: x / W (WEIGHTED: x) where W is above 0; x itself at
//                        dangling vertices, which no arc reads. `next`: the same of the iterate being made
// scale REAL[n]          W (WEIGHTED: 1), 0 at dangling vertices: x = value * scale, or value where scale is 0
// source int[LANES]      the source vertex of each lane, -1 in an empty one; not read with P_VECTOR, which has
// p REAL[n * LANES]      the lane's distribution
// sums ACC[4 * LANES]    by lane: dangling mass (that on dangling vertices), L1 difference, the norm's own sum, the least of
//                        these so far
// parts ACC[3 * LANES * groups]   the same per work-group (or run); the lane varies fastest, then which of the three
// state int[4 * LANES]   by lane STOPPED, ITERATIONS, CONVERGED, STALE
//
// A lane that has stopped keeps its values: they are copied from `value` to `next` until the host has fetched them.
// POLICY      where the dangling mass goes: 0 nowhere, 1 to all alike, 2 to the lane's own p, 3 to q
// NORM        1: L1, 2: L2, 3: the largest difference

#include "ranking/pagerank.h"

#ifndef LANES
#define LANES 8
#endif
#ifndef POLICY
#define POLICY 1
#endif
#ifndef NORM
#define NORM 2
#endif
enum { norm = NORM };   // fixed when a program of this family is built

#define PLACE(v, l) ((size_t)(v) * LANES + (l))
#define EACH_LANE(l) _Pragma("unroll") for (int l = 0; l < LANES; l++)
#define STATE(what, l) state[(what) * LANES + (l)]
#define RUNS_ON(l) (STATE(STOPPED, l) == 0)

#define PPR_VERTEX_ARGS                                                                                             \
    __global const REAL *restrict value, __global REAL *restrict next, __global const REAL *restrict scale,         \
        __global const int *restrict source, __global const REAL *restrict p, __global const REAL *restrict q,      \
        const WIDE damping, const WIDE even, __global const ACC *restrict sums

// The rank that row v has in a lane whose arcs contribute `row`, and whose p is `at` there. `flow`: damping times the
// lane's dangling mass. FAR_RANK: the same where p is 0.
#ifdef P_VECTOR
#define IS_AT(v, l) p[PLACE(v, l)]
#else
#define IS_AT(v, l) (source[l] == (v) ? (WIDE)1 : (WIDE)0)
#endif
#if POLICY == 1
#define FAR_RANK(v, row, flow) (damping * (row) + (flow) * even)
#elif POLICY == 3
#define FAR_RANK(v, row, flow) (damping * (row) + (flow) * (WIDE)q[v])
#else
#define FAR_RANK(v, row, flow) (damping * (row))
#endif
#if POLICY == 2
#define RANK_AT(at, v, row, flow) ((1 - damping + (flow)) * (at) + FAR_RANK(v, row, flow))
#else
#define RANK_AT(at, v, row, flow) ((1 - damping) * (at) + FAR_RANK(v, row, flow))
#endif
#define NEW_RANK(v, l, row, flow) RANK_AT(IS_AT(v, l), v, row, flow)

// Whether any lane needs this iteration's difference, and whether all lanes go on: uniform over the launch.
static inline int any_looks(__global const int *state, int test, int last)
{
    for (int l = 0; l < LANES; l++)
        test |= RUNS_ON(l) && STATE(ITERATIONS, l) + 1 >= last;
    return test;
}
static inline int lanes_running(__global const int *state)
{
    int running = 0;
    for (int l = 0; l < LANES; l++)
        running += RUNS_ON(l);
    return running;
}

// Row v ends in lane l: its stored values, and its part of the tally.
#define PPR_SETTLE(v, l, row, flow, runs, compare, up, down, tally_moved, tally_other)                  \
    do {                                                                                                \
        const REAL fresh_ = (REAL)NEW_RANK(v, l, row, flow) * (down);                                   \
        if (compare) {                                                                                  \
            const REAL old_ = value[PLACE(v, l)];                                                       \
            const WIDE gap_ = ((WIDE)fresh_ - (WIDE)old_) * (up), size_ = gap_ < 0 ? -gap_ : gap_;      \
            next[PLACE(v, l)] = (runs) ? fresh_ : old_;                                                 \
            tally_moved = acc_add(tally_moved, size_);                                                  \
            tally_other = norm_add(norm, tally_other, size_);                                           \
        } else {                                                                                        \
            next[PLACE(v, l)] = fresh_;                                                                 \
        }                                                                                               \
    } while (0)
