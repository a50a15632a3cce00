// sampling/literature/guides.cl: builds the tables by which weighted walks choose an arc (guides.h).
//
// limit   ulong[arcs], shares ulong[2 * arcs]: see guides.h
// up_to   ulong[arcs + 1]: running sums of the arcs' weights as integers; differences are right even where they overflow
// launch  padded range, RUN consecutive arcs per work-item; each arc's guide is found by bisection, since a row may have
//         most arcs of the graph

#include "csr/arcs.h"
#include "sampling/literature/guides.h"

// floor(2^62 part / whole), 0 <= part <= whole < 2^63, by long division.
static inline ulong share_end(ulong part, const ulong whole)
{
    ulong end = part == whole;
    if (part == whole) part = 0;
    for (int bit = 0; bit < 62; bit++) {
        part <<= 1;
        const ulong one = part >= whole;
        part -= one ? whole : 0;
        end = end << 1 | one;
    }
    return end;
}

__kernel void guides_limits(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                            __global const ulong *restrict up_to, __global ulong *restrict limit)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const ulong before = up_to[row_ptr[v]];
        limit[p] = share_end(up_to[p + 1] - before, up_to[row_ptr[v + 1]] - before);
    }
}

__kernel void guides_build(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const ulong *restrict limit,
                           __global ulong *restrict shares)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const OFFSET begin = row_ptr[v];
        const int d = (int)(row_ptr[v + 1] - begin);
        const int guide = share_of(part_begin((int)(p - begin), d), begin, d, limit);
        shares[2 * p] = limit[p];
        shares[2 * p + 1] = (ulong)(uint)col_idx[p] << 32 | (ulong)(uint)guide;
    }
}
