// sampling/literature/stage_exact.cl: the same searches one vertex after the other, from a queue, each seeing what was
// claimed just before it. A run is a chain: a work-item walks through it.
//
// order   int[runs * n]: vertices in order of arrival: the queue. Other arrays as in stage.cl; claim is the arrival
// head    int[runs]: how many of them have acted
// launch  a run per work-item, `acts` vertices each at most: so that no driver's watchdog ends it
// variants    METHOD as in stage.cl

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef METHOD
#define METHOD 0
#endif

// no restrict on parameters of functions: Oclgrind does not know what LLVM makes of it

#define GOING 0
#define WANTING 1
#define OVER 2
#define UNSEEN 0xFFFFFFFFu

static inline int limits_above(ulong x, int limits, __global const ulong *limit)
{
    int low = 0, high = limits;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (limit[middle] > x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// v takes up to `wanted` names, in their order; returns how many vertices are seen then.
static inline int take_in_order(ulong seed, int v, int wanted, int seen, int target,
                                __global const OFFSET *row_ptr, __global const int *col_idx,
                                __global uint *mine, __global int *parent, __global int *order, __global int *named)
{
    ulong after = 0;
    int first = 1;
    for (int taken = 0; taken < wanted && seen < target; taken++) {
        ulong least = NONE;
        OFFSET best = -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            if (METHOD == 0 || mine[col_idx[p]] == UNSEEN) {
                const ulong x = arc_number(seed, v, col_idx[p]);
                if ((first || x > after) && (best < 0 || x < least)) {
                    least = x;
                    best = p;
                }
            }
        if (best < 0) break;
        const int u = col_idx[best];
        after = least;
        first = 0;
        if (named) named[best] = 1;
        if (mine[u] == UNSEEN) {
            mine[u] = (uint)seen;
            order[seen++] = u;
            if (parent) parent[u] = v;
        }
    }
    return seen;
}

__kernel void stage_queue(const int n, const int runs, const ulong seed, const int acts, const int most, const int limits,
                          const int back_limits, __global const ulong *restrict limit,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const OFFSET *restrict back_ptr, __global const int *restrict back_idx,
                          __global const int *restrict target, __global int *restrict head, __global int *restrict seen,
                          __global int *restrict status, __global uint *restrict claim, __global int *restrict parent,
                          __global int *restrict order, __global int *restrict named,
                          volatile __global int *restrict counts)
{
    FOR_ITEMS(run, runs) {
        int at = head[run], many = seen[run];
        const int until = target[run];
        for (int a = 0; a < acts && status[run] == GOING && at < many && many < until; a++) {
            const int v = order[(long)run * n + at++];
            int wanted = most;
#if METHOD == 1
            const philox4x32_ctr_t coin = keyed_words(seed + run, v, 0, 0, TAG_COIN);
            wanted = limits_above(keyed_a(coin), limits, limit);
#endif
            __global uint *mine = claim + (long)run * n;
            __global int *own = parent ? parent + (long)run * n : 0;
            many = take_in_order(seed + run, v, wanted, many, until, row_ptr, col_idx, mine, own, order + (long)run * n,
                                 named ? named + (long)run * row_ptr[n] : 0);
#if METHOD == 1
            if (back_ptr)
                many = take_in_order(seed + run, v, limits_above(keyed_b(coin), back_limits, limit + limits), many,
                                     until, back_ptr, back_idx, mine, own, order + (long)run * n, 0);
#endif
        }
        head[run] = at;
        seen[run] = many;
        if (status[run] == GOING) {
            const int now = many >= until ? OVER : at < many ? GOING : WANTING;
            status[run] = now;
            if (now != OVER) atomic_inc(&counts[now == WANTING ? 1 : 2]);
        }
    }
}
