// sampling/literature/spikyball.cl: a stage of a spikyball (Ricaud, Aspert, Miz 2020): of the arcs from those who act to
// vertices not seen, a share is taken by race, in proportion to d_out^a w^b d_in^c, with degrees within the stage.
//
// Arrays of the search as in stage.cl.
// out, in  int[runs * n]: arcs of the stage that leave and enter each vertex; in is 0 before the stage
// count   int[runs]: arcs of the stage
// key     ulong[runs * arcs]: the key of each arc of the stage, NONE of all others
// weight  ulong[arcs]: integer weights; NULL: all 1
// list    int[offset[runs]]: the arcs taken (smallest.cl)
// launch  count, keys: a work-item per vertex of the longest stage, by runs; take: one per arc taken of the longest list

#include "csr/arcs.h"
#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/spikyball.h"

#ifndef ITEM
#define ITEM int   // the place of an arc
#endif

__kernel void spikyball_count(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global const ulong *restrict weight, __global const int *restrict status,
                              __global const int *restrict from, __global const int *restrict to,
                              __global const int *restrict order, __global const uint *restrict claim,
                              __global int *restrict out, volatile __global int *restrict in,
                              volatile __global int *restrict count)
{
    const int run = (int)get_global_id(1), i = from[run] + (int)get_global_id(0);
    const long base = (long)run * n;
    if (status[run] == CROWDED && i < to[run]) {
        const int v = order[base + i];
        int many = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            if (is_arc(p, row_ptr[v], col_idx, weight, claim + base)) {
                atomic_inc(&in[base + col_idx[p]]);
                many++;
            }
        out[base + v] = many;
        atomic_add(&count[run], many);
    }
}

__kernel void spikyball_keys(const int n, const ulong seed, const int a, const int b, const int c,
                             __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global const ulong *restrict weight,
                             __global const int *restrict status, __global const int *restrict from,
                             __global const int *restrict to, __global const uint *restrict round,
                             __global const int *restrict order, __global const uint *restrict claim,
                             __global const int *restrict out, __global const int *restrict in,
                             __global ulong *restrict key)
{
    const int run = (int)get_global_id(1), i = from[run] + (int)get_global_id(0);
    const long base = (long)run * n;
    if (status[run] == CROWDED && i < to[run]) {
        const int v = order[base + i];
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            if (is_arc(p, row_ptr[v], col_idx, weight, claim + base)) {
                const int u = col_idx[p];
                key[(long)run * row_ptr[n] + p] =
                    key_of_arc(seed + run, v, u, round[run] + 1, (ulong)out[base + v], (ulong)in[base + u],
                               weight ? weight[p] : 0, a, b, c, table);
            }
    }
}

__kernel void spikyball_take(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const long *restrict offset, __global const ITEM *restrict list,
                             __global const uint *restrict round, volatile __global uint *restrict claim,
                             volatile __global int *restrict parent, __global int *restrict order,
                             volatile __global int *restrict seen, __global int *restrict named)
{
    const int run = (int)get_global_id(1);
    const long at = offset[run] + (long)get_global_id(0), base = (long)run * n;
    if (at < offset[run + 1]) {
        const OFFSET p = (OFFSET)list[at];
        const int u = col_idx[p];
        if (named) named[(long)run * row_ptr[n] + p] = 1;
        if (atomic_min(&claim[base + u], round[run] + 1) == UNSEEN) order[base + atomic_inc(&seen[run])] = u;
        if (parent) atomic_min(&parent[base + u], row_of(p, 0, n, row_ptr));
    }
}
