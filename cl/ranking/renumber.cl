// ranking/renumber.cl: new numbers for the vertices, popular sources first and rows of similar length side by side
// (clgraph/ranking/layout.py says which), and the rows in that order.
//
// Sorting is csr/sort.cl's and csr/build_sort.cl's, sums are csr/scan.cl's; here are the keys before them and the
// gathers after them.
//
// row_ptr, col      the reversed graph: row v has the sources of the arcs that arrive at v
// degree_class uchar[n]   by index: how many bounds the rank by descending out-degree reaches; hot sources are in the
//                   classes 0 .. hot_classes - 1
// hot_length int[n] arcs of a row from hot sources
// order, number int[n]    the index at each number, the number of each index
// start OFFSET[n + 1], source HEAD[arcs]   rows by number; a source is its number + 1; if HEAD is long this is in the
//                   upper half, and the arc's position within its row in the lower one
// launch            padded range, each work-item takes ITEMS consecutive vertices or RUN consecutive arcs
// tunables          ITEMS, RUN

#include "csr/arcs.h"

#ifndef HEAD
#define HEAD int
#endif
#ifndef REAL
#define REAL float
#endif

// figures uint[2]: the longest row, and how many have arcs; 0 before.
__kernel void renumber_survey(const int n, __global const OFFSET *restrict row_ptr, volatile __global uint *figures)
{
    __local uint most, filled;
    if (get_local_id(0) == 0)
        most = filled = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint longest = 0, some = 0;
    FOR_ITEMS(v, n) {
        const uint length = (uint)(row_ptr[v + 1] - row_ptr[v]);
        longest = max(longest, length);
        some += length > 0;
    }
    atomic_max(&most, longest);
    atomic_add(&filled, some);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        // stale is harmless: the word only grows, and most groups need not touch it
        if (most > SHARED_LOAD(figures))
            atomic_max(figures, most);
        atomic_add(figures + 1, filled);
    }
}

// Descending out-degree; row_ptr is the graph's own here.
__kernel void renumber_degree_keys(const int n, const uint most, __global const OFFSET *restrict row_ptr,
                                   __global uint *restrict key)
{
    FOR_ITEMS(v, n) key[v] = most - (uint)(row_ptr[v + 1] - row_ptr[v]);
}

__kernel void renumber_classes(const int n, const int bounds, __global const int *restrict bound,
                               __global const int *restrict by_degree, __global uchar *restrict degree_class)
{
    FOR_ITEMS(i, n) {
        int reached = 0;
        for (int k = 0; k < bounds; k++)
            reached += i >= bound[k];
        degree_class[by_degree[i]] = (uchar)reached;
    }
}

__kernel void renumber_hot(const int n, const long arcs, const int hot_classes, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col, __global const uchar *restrict degree_class,
                           volatile __global int *hot_length)
{
    int v = -1, last = -1, hot = 0;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        if (v != last) {
            if (hot)
                atomic_add(&hot_length[last], hot);
            last = v;
            hot = 0;
        }
        hot += degree_class[col[p]] < hot_classes;
    }
    if (hot)
        atomic_add(&hot_length[last], hot);
}

// Rows of more than long_row arcs first, the longest in front; then by arcs from hot sources and from cold ones.
__kernel void renumber_length_keys(const int n, const int long_row, const uint longest,
                                   __global const OFFSET *restrict row_ptr, __global const int *restrict hot_length,
                                   __global uint *restrict key)
{
    const uint shorter = longest > (uint)long_row ? longest - long_row : 0;
    FOR_ITEMS(v, n) {
        const uint length = (uint)(row_ptr[v + 1] - row_ptr[v]), hot = hot_length[v];
        key[v] = length > (uint)long_row ? longest - length
                                         : shorter + (long_row - hot) * (long_row + 1) + (long_row - (length - hot));
    }
}

__kernel void renumber_class_keys(const int n, __global const int *restrict by_length,
                                  __global const uchar *restrict degree_class, __global uint *restrict key)
{
    FOR_ITEMS(i, n) key[i] = degree_class[by_length[i]];
}

// By number: lengths, and whether the row is long.
__kernel void renumber_rows(const int n, const int long_row, __global const int *restrict order,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict hot_by_index,
                            __global int *restrict number, __global int *restrict length,
                            __global int *restrict hot_length, __global int *restrict cold_length,
                            __global int *restrict is_long)
{
    FOR_ITEMS(r, n) {
        const int v = order[r];
        const int arcs = (int)(row_ptr[v + 1] - row_ptr[v]), hot = hot_by_index[v];
        number[v] = r;
        length[r] = arcs;
        hot_length[r] = hot;
        cold_length[r] = arcs - hot;
        is_long[r] = arcs > long_row;
    }
}

__kernel void renumber_arcs(const int n, const long arcs, __global const int *restrict order,
                            __global const OFFSET *restrict start, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col, __global const int *restrict number,
                            __global HEAD *restrict source)
{
    int r = -1;
    FOR_RUN(p, arcs) {
        r = row_after(p, r, n, start);
        const OFFSET j = p - start[r];
        const int u = number[col[row_ptr[order[r]] + j]] + 1;
#ifdef WEIGHTED
        source[p] = (HEAD)u << 32 | (HEAD)j;
#else
        source[p] = u;
#endif
    }
}

// After sorting: sources alone, and the share of each arc; `share` is beside col.
__kernel void renumber_shares(const int n, const long arcs, __global const int *restrict order,
                              __global const OFFSET *restrict start, __global const OFFSET *restrict row_ptr,
                              __global const long *restrict sorted, __global const REAL *restrict share,
                              __global int *restrict source, __global REAL *restrict arc_share)
{
    int r = -1;
    FOR_RUN(p, arcs) {
        r = row_after(p, r, n, start);
        source[p] = (int)(sorted[p] >> 32);
        arc_share[p] = share[row_ptr[order[r]] + (OFFSET)(uint)sorted[p]];
    }
}
