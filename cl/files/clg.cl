// files/clg.cl: the arrays of a .clg file checked on the device that they were read to.
//
// binary_offsets and binary_heads come first: what they find no fault with leads no kernel out of bounds. Then
// binary_arcs counts loops and looks at each arc: whether its row ascends, and, where the graph is undirected, whether
// its mirror is there with the same weight and count (of parallel copies the k-th one mirrors the k-th). Mirrors of
// different arcs differ, so those of the arcs to higher vertices are enough, if there are as many to lower ones. Who
// wants to know which arc is wrong asks the host's reader.
//
// row_ptr       OFFSET[n + 1], col_idx  int[arcs]
// weights       ulong[arcs]    the bits of doubles, or null
// multiplicity  int[arcs]      or null
// ids           long[n], place  int[n]   ids, and the same in 32 bits
// found         uint[5]        faults; self-loops; arcs that repeat the one before; arcs to higher vertices less those
//                              to lower ones; ids that do not ascend or need more than 31 bits
// launch        binary_offsets, binary_ids: padded range, ITEMS consecutive vertices per work-item; the others: RUN arcs

#include "csr/arcs.h"

#define INFINITE 0x7FF0000000000000UL

static inline void note(volatile __global uint *where, const uint count)
{
    if (count)
        atomic_add(where, count);
}

__kernel void binary_offsets(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                             volatile __global uint *found)
{
    uint faults = get_global_id(0) == 0 && (row_ptr[0] != 0 || row_ptr[n] != arcs);
    FOR_ITEMS(v, n)
        faults += row_ptr[v] > row_ptr[v + 1];
    note(&found[0], faults);
}

__kernel void binary_heads(const int n, const long arcs, __global const int *restrict col_idx,
                           volatile __global uint *found)
{
    uint faults = 0;
    FOR_RUN(p, arcs)
        faults += col_idx[p] < 0 || col_idx[p] >= n;
    note(&found[0], faults);
}

// The first arc from v whose head is u or more.
static inline long first_arc(const int v, const int u, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx)
{
    long low = row_ptr[v], high = row_ptr[v + 1];
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (col_idx[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// full: whether mirrors (of an undirected graph), weights and counts are looked at.
__kernel void binary_arcs(const int n, const long arcs, const int full, const int directed,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const ulong *restrict weights, __global const int *restrict multiplicity,
                          volatile __global uint *found)
{
    uint faults = 0, loops = 0, copies = 0, upward = 0;
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int u = col_idx[p], before = p > row_ptr[v] ? col_idx[p - 1] : -1;
        loops += u == v;
        copies += u == before;
        if (!full)
            continue;
        faults += u < before;
        if (weights)
            faults += (weights[p] & INFINITE) == INFINITE;
        if (multiplicity)
            faults += multiplicity[p] < 1;
        upward += (u > v) - (u < v);
        if (directed || u <= v)
            continue;
        const long which = u == before ? p - first_arc(v, u, row_ptr, col_idx) : 0;
        const long q = first_arc(u, v, row_ptr, col_idx) + which;
        if (q >= row_ptr[u + 1] || col_idx[q] != v)
            faults++;
        else
            faults += (weights && weights[p] != weights[q]) || (multiplicity && multiplicity[p] != multiplicity[q]);
    }
    note(&found[0], faults);
    note(&found[1], loops);
    note(&found[2], copies);
    note(&found[3], upward);
}

__kernel void binary_ids(const int n, __global const long *restrict ids, __global int *restrict place,
                         volatile __global uint *found)
{
    uint faults = 0;
    FOR_ITEMS(v, n) {
        faults += ids[v] < 0 || ids[v] > INT_MAX || (v > 0 && ids[v] <= ids[v - 1]);
        place[v] = (int)ids[v];
    }
    note(&found[4], faults);
}
