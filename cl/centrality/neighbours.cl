// centrality/neighbours.cl: for each vertex the sum of a value over its neighbours: degrees of neighbours, for the average
// degree of neighbours (Barrat et al., PNAS 101, 2004) and the correlation of degrees (Newman, Phys. Rev. E 67, 2003).
//
// row_ptr, col_idx   the rows; `count` int[arcs]: how often each arc counts (only if COUNTED)
// value              ulong[n]
// sum                ulong[n]   zero before; exact modulo 2^64, so in any order
//
// launch     padded range, one work-item per RUN arcs (csr/arcs.h)
// tunables   RUN

#include "csr/arcs.h"
#include "wide.h"

#ifdef COUNTED
#define TIMES(p) ((ulong)count[p])
#else
#define TIMES(p) 1UL
#endif

__kernel void neighbours_sum(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global const int *restrict count,
                             __global const ulong *restrict value, volatile __global ulong *sum)
{
    int u = -1;
    ulong mine = 0;
    FOR_RUN(p, arcs) {
        const int row = row_after(p, u, n, row_ptr);
        if (row != u) {
            if (mine)
                add_wider(&sum[u], mine);   // a row may span several runs
            mine = 0;
            u = row;
        }
        mine += TIMES(p) * value[col_idx[p]];
    }
    if (mine)
        add_wider(&sum[u], mine);
}
