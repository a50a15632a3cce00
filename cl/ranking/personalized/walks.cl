// ranking/personalized/walks.cl: personalized PageRank by random walks, unbiased (Avrachenkov et al. 2007: Monte Carlo,
// complete path).
//
// A walk counts a visit at every vertex it is at; it goes on with probability d, along an out-arc chosen in proportion
// to its weight, and ends where there is none (then it counts as lost). The first step is taken for all walks together:
// walk i starts at the out-neighbour of the source at the quantile (i + U) / walks of the arcs' weights, with its own
// uniform U (strata of equal size: never a larger variance than independent starts). Exactly `walks` walks are made, of
// any length.
//
// All draws are integers, keyed by (seed, source, walk, step): the counts are the same on every device and launch.
//
// layout      start: vertices to start from, `starts` of them from `base` on; until [starts]: the position
//             (walk << 32 | U) where the share of each ends, NULL if all shares are equal (start is then the source's
//             row of col_idx)
//             limit ulong[arcs]: WEIGHTED: where an arc's share of its row ends, in 2^-62; 0 at the end of a dangling
//             row visits uint[n + 2]: after the vertices come two totals: all visits (POLICY 2), walks that were lost
//             report uint[sources * (2 + 2 k)]: by source: totals, the names of its k best, their visits
// launch      first: padded range, ITEMS starts each; walk: each work-item owns `each` consecutive walks
//             score: padded range, ITEMS vertices each; report: padded range
// variants    GROUPED: work-groups have 2 work-items or more; WEIGHTED; POLICY (ranking/personalized/lanes.h; 3 as 1:
//             what is lost goes to `store`); P_VECTOR (p is a vector, not one vertex)

#include "keyed.h"
#include "ranking/pagerank.h"
#include "ranking/personalized/walks.h"

#ifndef POLICY
#define POLICY 1
#endif

// Index of the first of `count` ascending bounds from `low` on that is above x.
static inline long first_above(__global const ulong *restrict bound, long low, long high, ulong x)
{
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (bound[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The first visits of all walks, counted by vertex: where there are few such vertices, walks that counted their own
// first visits would wait for each other.
__kernel void ppr_first(const uint walks, const ulong seed, const uint source, const uint starts, const long base,
                        __global const ulong *restrict until, __global const int *restrict start, __global uint *visits)
{
    FOR_ITEMS(j, (int)starts) {
        const ulong end = until ? until[j] : even_until(j, starts, walks);
        const ulong begin = j == 0 ? 0 : until ? until[j - 1] : even_until(j - 1, starts, walks);
        const uint count = walks_below(seed, source, walks, end) - walks_below(seed, source, walks, begin);
        if (count) atomic_add(visits + start[base + j], count);   // parallel arcs lead to the same vertex
    }
}

// The visits after the first. One loop for steps and walks: a work-item that has finished a walk starts the next one
// immediately.
__kernel void ppr_walk(const int n, const uint walks, const uint each, const ulong seed, const uint source,
                       const ulong go_on, const uint starts, const long base, __global const ulong *restrict until,
                       __global const int *restrict start, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const ulong *restrict limit,
                       __global uint *visits)
{
#ifdef GROUPED
    __local uint box[2];   // work-items that add to one word wait for each other: a group's sums are added up first
    if (get_local_id(0) < 2) box[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    uint walk = (uint)min((ulong)get_global_id(0) * each, (ulong)walks);
    const uint end = (uint)min((ulong)walk + each, (ulong)walks);
    uint step = 0, steps = 0, lost = 0;
    int v = 0;
    long at = 0;
    while (walk < end) {
        const OFFSET begin = row_ptr[v], past = row_ptr[v + 1];   // in flight while the numbers are drawn
        const philox4x32_ctr_t x = keyed_words(seed, source, walk, step, TAG_WALK);
        int goes = 1;
        if (step == 0) {
            if (until) at = first_above(until, at, starts - 1, ((ulong)walk << 32) | x.v[0]);   // the bounds ascend
            // position * starts / (walks << 32)
            else at = (long)(((ulong)walk * starts + mul_hi(x.v[0], starts)) / walks);
            v = start[base + at];
        } else {
            if (step > 1) atomic_inc(visits + v);
            steps++;
            goes = keyed_join(x.v[0], x.v[1]) < go_on;
            if (goes) {
                const ulong bits = keyed_join(x.v[2], x.v[3]);
#ifdef WEIGHTED
                goes = begin < past && limit[past - 1] != 0;
                if (goes) v = col_idx[first_above(limit, begin, past - 1, bits >> 2)];
#else
                goes = begin < past;
                if (goes) v = col_idx[begin + keyed_below(bits, (uint)(past - begin))];
#endif
                lost += !goes;
            }
        }
        step++;
        if (!goes) {
            walk++;
            step = 0;
        }
    }
#ifdef GROUPED
    if (POLICY == 2) atomic_add(box, steps);
    if (lost) atomic_add(box + 1, lost);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 2 && box[get_local_id(0)]) atomic_add(visits + n + get_local_id(0), box[get_local_id(0)]);
#else
    if (POLICY == 2) atomic_add(visits + n, steps);
    if (lost) atomic_add(visits + n + 1, lost);
#endif
}

// Estimates from counts: unit * visits, the mass that stays at the source, and the part of the lost mass that returns.
__kernel void ppr_score(const int n, const int source, const WIDE stay, const WIDE unit, const WIDE lost_before,
                        const WIDE lost_unit, __global const uint *restrict visits, __global const REAL *restrict p,
                        __global const REAL *restrict store, __global REAL *restrict score)
{
    const WIDE lost = lost_before + lost_unit * visits[n + 1];
    const WIDE whole = POLICY == 2 ? 1 / (stay + unit * visits[n]) : 1;
    FOR_ITEMS(v, n) {
#ifdef P_VECTOR
        WIDE y = stay * p[v] + unit * visits[v];
#else
        WIDE y = (v == source ? stay : 0) + unit * visits[v];
#endif
#if POLICY == 1 || POLICY == 3
        y += lost * store[v];
#endif
        score[v] = (REAL)(y * whole);
    }
}

// What the host fetches for a source: its totals, and the names, visits and scores of its k best.
__kernel void ppr_report(const int n, const int k, const int place, __global const int *restrict name,
                         __global const REAL *restrict found, __global const uint *restrict visits,
                         __global uint *restrict report, __global REAL *restrict scores)
{
    __global uint *own = report + (size_t)place * (2 + 2 * (size_t)k);
    FOR_ITEMS(i, k) {
        own[2 + i] = name[i];
        own[2 + k + i] = visits[name[i]];
        scores[(size_t)place * k + i] = found[i];
        if (i == 0) {
            own[0] = visits[n];
            own[1] = visits[n + 1];
        }
    }
}
