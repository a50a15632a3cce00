// sampling/literature/diffusion.cl: what spreads from vertex to vertex (Rozemberczki, Sarkar 2018), as first passage.
//
// A uniform seen vertex picks a uniform neighbour, again and again: the same law as an exponential time of mean d(v) on
// each arc of v; vertices come in order of their distances from the starts. Distances are found by rounds in which each
// vertex looks at its neighbours, until none comes nearer.
//
// wait    uint[runs * arcs]: of an arc of a row the time that passing takes from its other end u to the row's vertex, over d(u)
// time, later  ulong[runs * n]: distances so far; NONE: none
// launch  padded range over vertices, by runs, ITEMS consecutive ones per work-item

#include "keyed.h"
#include "sampling/literature/clock.h"

static inline ulong sum_of(ulong a, ulong b) { return a + b < a ? NONE - 1 : min(a + b, NONE - 1); }

// When v is reached by arc p of its row; NONE where the other end is not.
static inline ulong reached(OFFSET p, __global const OFFSET *row_ptr, __global const int *col_idx,
                            __global const uint *wait, __global const ulong *time)
{
    const int u = col_idx[p];
    const ulong s = sum_of(time[u], (ulong)wait[p] * (ulong)(row_ptr[u + 1] - row_ptr[u]));
    return time[u] < NONE ? s : NONE;
}

__kernel void diffusion_begin(const int n, __global const int *restrict root, __global ulong *restrict time)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) time[base + v] = root[base + v] ? 0 : NONE;
}

// The copy-th of parallel arcs has its own number.
__kernel void diffusion_waits(const int n, const ulong seed, __global const ulong *restrict table,
                              __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global uint *restrict wait)
{
    const int run = (int)get_global_id(1);
    __global uint *mine = wait + (long)run * row_ptr[n];
    FOR_ITEMS(v, n) {
        int copy = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            copy = p > row_ptr[v] && col_idx[p - 1] == u ? copy + 1 : 0;
            const philox4x32_ctr_t x = keyed_words(seed + run, (uint)u, (uint)v, (uint)copy, TAG_ARC);
            mine[p] = (uint)(clock_of(keyed_a(x), table) >> 16);   // a clock is at most 2^46
        }
    }
}

__kernel void diffusion_pass(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const uint *restrict wait, __global const ulong *restrict time,
                             __global ulong *restrict later, volatile __global int *restrict going)
{
    const int run = (int)get_global_id(1);
    const long base = (long)run * n;
    __global const uint *mine = wait + (long)run * row_ptr[n];
    int any = 0;
    FOR_ITEMS(v, n) {
        ulong least = time[base + v];
        const ulong before = least;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            least = min(least, reached(p, row_ptr, col_idx, mine, time + base));
        later[base + v] = least;
        any |= least < before;
    }
    if (any) atomic_or(going, 1);
}

// The neighbour by which each vertex was reached, the smallest of several; roots: themselves.
__kernel void diffusion_parents(const int n, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const uint *restrict wait,
                                __global const int *restrict root, __global const ulong *restrict time,
                                __global int *restrict parent)
{
    const int run = (int)get_global_id(1);
    const long base = (long)run * n;
    __global const uint *mine = wait + (long)run * row_ptr[n];
    FOR_ITEMS(v, n) {
        int found = root[base + v] ? v : -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1] && found < 0; p++)
            if (reached(p, row_ptr, col_idx, mine, time + base) == time[base + v] && time[base + v] < NONE) found = col_idx[p];
        parent[base + v] = found;
    }
}

// Ranks as keys.
__kernel void diffusion_keys(const int n, __global const int *restrict rank, __global ulong *restrict key)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) key[base + v] = (ulong)rank[base + v];
}
