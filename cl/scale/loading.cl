// scale/loading.cl: each entry of a shard looked at, or listed, once its offsets and heads are known to lie within bounds
// (which files/clg.cl finds out).
//
// weights   ulong[]   the bits of doubles, or null      multiplicity  int[], way  uchar[]   or null
// found     uint[2]   faults; entries that join a vertex to itself
// launch    a work-item takes RUN consecutive entries
// tunables  RUN; OFFSET: type of row_ptr; PAIRS: no entry is in the row of its larger end

#include "csr/arcs.h"

#define INFINITE 0x7FF0000000000000UL

#ifndef PAIRS
#define PAIRS 1
#endif

__kernel void loading_entries(const int rows, const int first_row, const long entries,
                              __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global const ulong *restrict weights, __global const int *restrict multiplicity,
                              __global const uchar *restrict way, volatile __global uint *found)
{
    uint faults = 0, loops = 0;
    int row = -1;
    FOR_RUN(p, entries) {
        row = row_after(p, row, rows, row_ptr);
        const int head = col_idx[p];
        faults += p > row_ptr[row] && col_idx[p - 1] > head;
        faults += PAIRS && head < first_row + row;
        loops += head == first_row + row;
        if (weights)
            faults += (weights[p] & INFINITE) == INFINITE;
        if (multiplicity)
            faults += multiplicity[p] < 1;
        if (way)
            faults += way[p] < 1 || way[p] > 3;
    }
    if (faults)
        atomic_add(&found[0], faults);
    if (loops)
        atomic_add(&found[1], loops);
}

// Both ends of a shard's entries, from place `at` on.
__kernel void loading_ends(const int rows, const int first_row, const long entries, const long at,
                           __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                           __global int *restrict tail, __global int *restrict head)
{
    int row = -1;
    FOR_RUN(p, entries) {
        row = row_after(p, row, rows, row_ptr);
        tail[at + p] = first_row + row;
        head[at + p] = col_idx[p];
    }
}
