// sampling/literature/chordal.cl: a chordal subgraph by an order of the vertices (chordal, mode "ordered"), after
// Halappanavar, Feo, Dempsey, Bhowmick, Tumeo 2012.
//
// Vertices go by falling degree, ties by priority. Each goes through its earlier neighbours w in that order; where its
// clique so far is contained in the clique of w, w joins it, by an edge. A vertex waits until w is complete, so the rounds
// follow the data, and the result does not depend on them.
//
// Vertices of all runs side by side are items (run n + vertex), and an item's place in the order is its position.
//
// item, rank  int[runs n]     the item at each position; the position of each item
// start       long[runs n + 1]   where the row of a position begins in `earlier` and `clique`
// earlier     int[]           positions of its earlier neighbours, ascending, each once
// clique, size  int[], int[runs n]   positions of its clique, ascending, and how many
// at, stamp   int[runs n]     the next entry of `earlier`; the round in which it was completed, 0: not yet
// key         ulong[runs arcs]   0 at the smaller end of an edge that stays, else NONE
// launch      padded range over positions, or over vertices by runs; ITEMS consecutive ones per work-item

#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/chordal.h"

// How many earlier neighbours each position has; with `earlier`, which.
__kernel void chordal_earlier(const long count, const int n, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const int *restrict item,
                              __global const int *restrict rank, __global int *restrict many,
                              __global const long *restrict start, __global int *restrict earlier)
{
    FOR_ITEMS_LONG(i, count) {
        const int x = item[i], first = x / n * n, v = x - first;
        int k = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int w = rank[first + col_idx[p]];
            if (w < (int)i && (p == row_ptr[v] || col_idx[p] != col_idx[p - 1])) {
                if (earlier) earlier[start[i] + k] = w;
                k++;
            }
        }
        if (many) many[i] = k;
    }
}

__kernel void chordal_round(const int count, const int round, __global const int *restrict active,
                            __global const long *restrict start, __global const int *restrict earlier,
                            __global int *restrict clique, __global int *restrict size, __global int *restrict at,
                            volatile __global int *restrict stamp, __global int *restrict next,
                            volatile __global int *restrict going)
{
    FOR_ITEMS(j, count) {
        const int i = active ? active[j] : j;
        const long row = start[i];
        const int all = (int)(start[i + 1] - row);
        int a = at[i], mine = size[i];
        for (; a < all; a++) {
            const int w = earlier[row + a];
            // completed in an earlier launch: a stale stamp only makes this one wait for the next launch
            const int done = SHARED_LOAD(&stamp[w]);
            if (done == 0 || done >= round) break;
            if (contains(clique + start[w], size[w], clique + row, mine)) clique[row + mine++] = w;
        }
        at[i] = a;
        size[i] = mine;
        if (a == all) SHARED_STORE(&stamp[i], round);
        else next[atomic_inc(going)] = i;
    }
}

__kernel void chordal_listed(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global const int *restrict rank,
                             __global const long *restrict start, __global const int *restrict clique,
                             __global const int *restrict size, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            ulong k = NONE;
            if (v < u) {
                const int one = rank[(long)run * n + v], other = rank[(long)run * n + u];
                const int later = max(one, other);
                if (holds(clique + start[later], size[later], min(one, other))) k = 0;
            }
            key[run * arcs + p] = k;
        }
}
