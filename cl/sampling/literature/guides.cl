// sampling/literature/guides.cl: builds the tables by which weighted walks choose an arc (guides.h).
//
// limit   ulong[arcs], shares ulong[2 * arcs]: see guides.h
// launch  padded range, RUN consecutive arcs per work-item; each arc's guide is found by bisection, since a row may have
//         most arcs of the graph

#include "csr/arcs.h"
#include "sampling/literature/guides.h"

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
