// sampling/contract_pairs.cl: which edges of the original join which groups, once a contraction is over.
//
// place      int[n]          number of the group of each original vertex, -1 outside
// the original   row_ptr OFFSET, col_idx; may contain parallel edges
// the contracted small_ptr SMALL_OFFSET, small_col: simple, symmetric
// count      int[small arcs]   for each pair, at its arc in the shorter of the two rows: how many edges join it
// first      uint[small arcs]  at the same position: the smallest arc, in the row of its smaller end, that joins it
// launch     padded range, RUN consecutive arcs per work-item (csr/arcs.h)

#include "csr/arcs.h"

#ifndef SMALL_OFFSET
#define SMALL_OFFSET int
#endif

// The first position of `wanted` in an ascending row that contains it.
static inline long find(long low, long high, const int wanted, __global const int *restrict col)
{
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (col[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The row of the contracted graph that holds arc q, by bisection.
static inline int small_row_of(const long q, const int n, __global const SMALL_OFFSET *restrict small_ptr)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (small_ptr[middle + 1] <= q)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Whether the pair (a, b) is kept in the row of a.
static inline int is_kept_by(const int a, const int b, __global const SMALL_OFFSET *restrict small_ptr)
{
    const SMALL_OFFSET here = small_ptr[a + 1] - small_ptr[a], there = small_ptr[b + 1] - small_ptr[b];
    return here < there || (here == there && a < b);
}

__kernel void pairs_count(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const int *restrict multiplicity,
                          __global const int *restrict place, __global const SMALL_OFFSET *restrict small_ptr,
                          __global const int *restrict small_col, volatile __global int *count,
                          volatile __global uint *first)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int u = col_idx[p];
        const int a = place[v], b = place[u];
        if (v < u && a >= 0 && a != b) {
            const int by_a = is_kept_by(a, b, small_ptr);
            const int row = by_a ? a : b;
            const long q = find(small_ptr[row], small_ptr[row + 1], by_a ? b : a, small_col);
            atomic_add(&count[q], multiplicity ? multiplicity[p] : 1);
            atomic_min(&first[q], (uint)p);
        }
    }
}

// Marks both arcs of each smallest edge (the others are 0 already), and gives both arcs of a pair its count; several[0]
// says whether a pair has more than one edge.
__kernel void pairs_mark(const int n, const int small_n, const long small_arcs, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const SMALL_OFFSET *restrict small_ptr,
                         __global const int *restrict small_col, __global const int *restrict count,
                         __global const uint *restrict first, __global int *restrict many,
                         __global uchar *restrict kept, volatile __global uint *several)
{
    int a = -1;
    uint more = 0;
    FOR_RUN(q, small_arcs) {
        if (a < 0)
            a = small_row_of(q, small_n, small_ptr);
        else if (q >= small_ptr[a + 1])
            a++;   // a contracted graph is connected: no row is empty
        const int b = small_col[q];
        if (is_kept_by(a, b, small_ptr)) {
            const long p = first[q];
            const int v = row_of(p, 0, n, row_ptr), u = col_idx[p];
            many[q] = count[q];
            kept[p] = 1;
            kept[find(row_ptr[u], row_ptr[u + 1], v, col_idx)] = 1;
        } else {
            many[q] = count[find(small_ptr[b], small_ptr[b + 1], a, small_col)];
        }
        more |= many[q] > 1;
    }
    if (more)
        atomic_or(several, 1u);
}
