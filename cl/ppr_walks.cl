// ppr_walks.cl: personalized PageRank by random walks (Avrachenkov et al. 2007: Monte Carlo, complete path), unbiased.
//
// A walk counts a visit wherever it stands; it goes on with probability d, along an out-arc in proportion to its weight,
// and ends where there is none (then it counts as lost). The first step is taken for all walks together: walk i starts
// at an out-neighbour of the source at the quantile (i + U) / walks of the arcs' weights, U uniform and its own (strata
// of equal size: never a larger variance than independent starts). Exactly `walks` walks are made, of any length.
//
// All draws are integers, keyed (seed, source, walk, step): the counts are the same on every device, whatever the launch.
//
// layout      start, until [starts]: a vertex to start from, and the position (walk << 32 | U) where its share ends
//             limit ulong[arcs]: WEIGHTED: where an arc's share of its row ends, in 2^-62; 0 at the end of a dangling row
//             visits uint[n], totals uint[2]: all visits, walks that were lost
// launch      walk: each work-item owns EACH consecutive walks (an argument) and takes the next when one ends
//             score: padded range, ITEMS vertices each
// variants    WEIGHTED, POLICY (ppr.h; 3 as 1: what is lost goes to `store`), P_VECTOR (p is a vector, not one vertex)

#include "keyed.h"
#include "pagerank.h"

#ifndef POLICY
#define POLICY 1
#endif

// Number of the first of `count` ascending bounds from `low` on that is above x.
static inline long first_above(__global const ulong *restrict bound, long low, long high, ulong x)
{
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (bound[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

static inline ulong start_position(ulong seed, uint source, uint walk)
{
    return ((ulong)walk << 32) | keyed_words(seed, source, walk, 0, TAG_WALK).v[0];
}

__kernel void ppr_walk(const uint walks, const uint each, const ulong seed, const uint source, const ulong go_on,
                       const int starts, __global const ulong *restrict until, __global const int *restrict start,
                       __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                       __global const ulong *restrict limit, __global uint *visits, __global uint *totals)
{
    uint walk = (uint)min((ulong)get_global_id(0) * each, (ulong)walks);
    const uint end = (uint)min((ulong)walk + each, (ulong)walks);
    if (walk >= end) return;
    long at = first_above(until, 0, starts - 1, start_position(seed, source, walk));
    int v = start[at];
    uint step = 1, steps = 0, lost = 0;
    while (1) {
        atomic_inc(visits + v);
        steps++;
        const philox4x32_ctr_t x = keyed_words(seed, source, walk, step++, TAG_WALK);
        int goes = keyed_join(x.v[0], x.v[1]) < go_on;
        if (goes) {
            const OFFSET begin = row_ptr[v], past = row_ptr[v + 1];
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
        if (!goes) {
            if (++walk >= end) break;
            const ulong position = start_position(seed, source, walk);
            while (at < starts - 1 && until[at] <= position)   // positions ascend: on from the last one's start
                at++;
            v = start[at];
            step = 1;
        }
    }
    atomic_add(totals, steps);
    atomic_add(totals + 1, lost);
}

// Estimates from counts: unit * visits and what stands at the source, and the lost part as far as it comes back.
__kernel void ppr_score(const int n, const int source, const WIDE stay, const WIDE unit, const WIDE lost_before,
                        const WIDE lost_unit, __global const uint *restrict visits, __global const uint *restrict totals,
                        __global const REAL *restrict p, __global const REAL *restrict store, __global REAL *restrict score)
{
    const WIDE lost = lost_before + lost_unit * totals[1];
    const WIDE whole = POLICY == 2 ? 1 / (stay + unit * totals[0]) : 1;
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

// The visits of some vertices.
__kernel void ppr_visits_of(const int count, __global const int *restrict index, __global const uint *restrict visits,
                            __global uint *restrict out)
{
    FOR_ITEMS(i, count) out[i] = visits[index[i]];
}
