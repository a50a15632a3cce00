// sampling/literature/diffusion.cl: what spreads from vertex to vertex (Rozemberczki, Sarkar 2018), as first passage.
//
// A uniform seen vertex picks a uniform neighbour, again and again: the same law as an exponential time of mean d(v) on
// each arc of v; vertices come in order of their distances from the starts. Distances are found by rounds in which each
// vertex looks at its neighbours, until none comes nearer.
//
// length  ulong[runs * arcs]: what passing takes to the row's vertex from the arc's other end, on the arc p of a row
// time, later  ulong[runs * n]: distances so far; NONE: none
// launch  padded range over vertices, by runs, ITEMS consecutive ones per work-item

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef OFFSET
#define OFFSET int
#endif

// What passing from u to v takes, along the copy-th of parallel edges, d = d(u).
static inline ulong passage(ulong seed, int u, int v, int copy, int d, __global const ulong *table)
{
    const philox4x32_ctr_t x = keyed_words(seed, (uint)u, (uint)v, (uint)copy, TAG_ARC);
    return (clock_of(keyed_a(x), table) >> 16) * (ulong)d;
}

static inline ulong sum_of(ulong a, ulong b) { return a + b < a ? NONE - 1 : min(a + b, NONE - 1); }

__kernel void diffusion_begin(const int n, __global const int *restrict root, __global ulong *restrict time)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) time[base + v] = root[base + v] ? 0 : NONE;
}

__kernel void diffusion_lengths(const int n, const ulong seed, __global const ulong *restrict table,
                                __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                __global ulong *restrict length)
{
    const int run = (int)get_global_id(1);
    __global ulong *mine = length + (long)run * row_ptr[n];
    FOR_ITEMS(v, n) {
        int copy = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            copy = p > row_ptr[v] && col_idx[p - 1] == u ? copy + 1 : 0;
            mine[p] = passage(seed + run, u, v, copy, (int)(row_ptr[u + 1] - row_ptr[u]), table);
        }
    }
}

__kernel void diffusion_pass(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const ulong *restrict length, __global const ulong *restrict time,
                             __global ulong *restrict later, volatile __global int *restrict going)
{
    const int run = (int)get_global_id(1);
    const long base = (long)run * n;
    __global const ulong *mine = length + (long)run * row_ptr[n];
    int any = 0;
    FOR_ITEMS(v, n) {
        ulong least = time[base + v];
        const ulong before = least;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const ulong t = time[base + col_idx[p]];
            const ulong s = sum_of(t, mine[p]);
            least = t < NONE && s < least ? s : least;
        }
        later[base + v] = least;
        any |= least < before;
    }
    if (any) atomic_or(going, 1);
}

// The neighbour by which each vertex was reached, the smallest of several; roots: themselves.
__kernel void diffusion_parents(const int n, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const ulong *restrict length,
                                __global const int *restrict root, __global const ulong *restrict time,
                                __global int *restrict parent)
{
    const int run = (int)get_global_id(1);
    const long base = (long)run * n;
    __global const ulong *mine = length + (long)run * row_ptr[n];
    FOR_ITEMS(v, n) {
        int found = root[base + v] ? v : -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1] && found < 0; p++) {
            const int u = col_idx[p];
            if (time[base + u] < NONE && sum_of(time[base + u], mine[p]) == time[base + v]) found = u;
        }
        parent[base + v] = found;
    }
}

// Ranks as keys.
__kernel void diffusion_keys(const int n, __global const int *restrict rank, __global ulong *restrict key)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) key[base + v] = (ulong)rank[base + v];
}
