// measures/compare.cl: whether a sample's vertices and edges are those of a graph.
//
// place              int[k]   the graph's vertex that each vertex of the sample is; -1: none
// row_ptr, col_idx   the sample's rows, of k vertices
// whole_ptr, whole_idx   the graph's rows, of n vertices, ascending
// bad                int[1]   the smallest vertex of the sample at which something is wrong (atomic minimum)
//
// launch     compare_vertices: padded range, ITEMS per work-item; compare_arcs: RUN arcs per work-item (csr/arcs.h).
//            Both graphs have offsets of their own type: OFFSET of the sample, WHOLE of the graph

#include "csr/arcs.h"

#ifndef WHOLE
#define WHOLE int
#endif

__kernel void compare_vertices(const int k, const int n, __global const int *restrict place, volatile __global int *bad)
{
    FOR_ITEMS(v, k)
        if (place[v] < 0 || place[v] >= n) atomic_min(bad, v);
}

static inline int has(const int u, const int v, __global const WHOLE *row_ptr, __global const int *col_idx)
{
    WHOLE low = row_ptr[u], high = row_ptr[u + 1];
    while (low < high) {
        const WHOLE middle = low + (high - low) / 2;
        if (col_idx[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row_ptr[u + 1] && col_idx[low] == v;
}

// bad: the smallest vertex of the sample with an arc, to no smaller one, that the graph has not.
__kernel void compare_arcs(const int k, const long arcs, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const int *restrict place,
                           __global const WHOLE *restrict whole_ptr, __global const int *restrict whole_idx,
                           volatile __global int *bad)
{
    int u = -1;
    FOR_RUN(p, arcs) {
        u = row_after(p, u, k, row_ptr);
        if (col_idx[p] >= u && !has(place[u], place[col_idx[p]], whole_ptr, whole_idx))
            atomic_min(bad, u);
    }
}
