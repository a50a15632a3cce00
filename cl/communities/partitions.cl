// communities/partitions.cl: what the arcs of each vertex weigh, and those of them that stay in its community, for modularity
// (Newman, Girvan, Phys. Rev. E 69, 2004).
//
// row_ptr, col_idx   the rows; `value`: what each arc counts, int[arcs] (COUNTED) or double[arcs] (WEIGHED), else NULL: 1 each
// community          int[n]
// total, inside      ulong[n] or (WEIGHED) double[n]: sums over each row, of all arcs and of those inside; zero before
// loops              how often a self-loop counts: 2 in undirected graphs, where it is one arc with two ends
//
// launch     count: padded range, one work-item per RUN arcs (csr/arcs.h), sums are exact in any order; weigh: padded range,
//            ITEMS vertices for a work-item, which adds up their rows in order: the same bytes on every device
// tunables   RUN, ITEMS

#include "csr/arcs.h"
#include "wide.h"

#ifdef WEIGHED
__kernel void partitions_weigh(const int n, const int loops, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const double *restrict value,
                               __global const int *restrict community, __global double *restrict total,
                               __global double *restrict inside)
{
    FOR_ITEMS(v, n) {
        double all = 0, same = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            const double weight = u == v && loops == 2 ? value[p] + value[p] : value[p];
            all += weight;
            same += community[u] == community[v] ? weight : 0;
        }
        total[v] = all;
        inside[v] = same;
    }
}
#else

#ifdef COUNTED
#define TIMES(p) ((ulong)value[p])
#else
#define TIMES(p) 1UL
#endif

__kernel void partitions_count(const int n, const long arcs, const int loops, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const int *restrict value,
                               __global const int *restrict community, volatile __global ulong *total,
                               volatile __global ulong *inside)
{
    int u = -1;
    ulong all = 0, same = 0;
    FOR_RUN(p, arcs) {
        const int row = row_after(p, u, n, row_ptr);
        if (row != u) {
            if (all)
                add_wider(&total[u], all);   // a row may span several runs
            if (same)
                add_wider(&inside[u], same);
            all = same = 0;
            u = row;
        }
        const int head = col_idx[p];
        const ulong times = TIMES(p) * (ulong)(head == u ? loops : 1);
        all += times;
        same += community[head] == community[u] ? times : 0;
    }
    if (all)
        add_wider(&total[u], all);
    if (same)
        add_wider(&inside[u], same);
}
#endif
