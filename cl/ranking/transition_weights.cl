// ranking/transition_weights.cl: the share of its source that each arc carries, w(u,v) / W(u), where arcs count for several: w is the
// count divided by the largest one, W(u) the sum of w over the row of u, added from left to right. The host makes the
// same bytes (clgraph/ranking/transition_weights.py): divisions and sums in float64 are rounded alike everywhere.
//
// row_ptr           of the graph: its rows are the arcs that leave
// counts            COUNT[arcs]: int, or double where the weights of arcs are only added up, with largest = 1
// out double[n]     W
//
// launch      shares_out: work-groups of LOCAL, each work-item adds ITEMS rows; rows of more than LONG arcs are divided
//             by the whole group and added by one work-item. shares_arcs: RUN consecutive arcs per work-item
// tunables    LOCAL, ITEMS, LONG, RUN; COUNT

#include "csr/arcs.h"

#ifndef REAL
#define REAL float
#endif
#ifndef COUNT
#define COUNT int
#endif
#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef LONG
#define LONG 256
#endif

#ifdef HAVE_FP64
#define WEIGHT(p) ((double)counts[p] / (double)largest)

__kernel void shares_out(const int n, const int largest, __global const OFFSET *restrict row_ptr,
                         __global const COUNT *restrict counts, __global double *restrict out)
{
    const long first = min((long)get_group_id(0) * LOCAL * ITEMS, (long)n);
    const int end = (int)min(first + LOCAL * ITEMS, (long)n), lane = get_local_id(0);
    for (int v = (int)first + lane; v < end; v += LOCAL)
        if (LOCAL == 1 || row_ptr[v + 1] - row_ptr[v] <= LONG) {
            double sum = 0;
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
                sum += WEIGHT(p);
            out[v] = sum;
        }
#if LOCAL > 1
    __local double tile[LOCAL];
    for (int v = (int)first; v < end; v++) {
        const OFFSET last = row_ptr[v + 1], begin = last - row_ptr[v] > LONG ? row_ptr[v] : last;
        double sum = 0;
        for (OFFSET p = begin; p < last; p += LOCAL) {
            tile[lane] = p + lane < last ? WEIGHT(p + lane) : 0.0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = 0; lane == 0 && i < LOCAL; i++)
                sum += tile[i];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lane == 0 && begin < last)
            out[v] = sum;
    }
#endif
}

// by_tail: whether these rows are the graph's own, so that an arc's row is its source; else its head is.
__kernel void shares_arcs(const int n, const long arcs, const int largest, const int by_tail,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const COUNT *restrict counts, __global const double *restrict out,
                          __global REAL *restrict share)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        if (by_tail)
            v = row_after(p, v, n, row_ptr);
        const double whole = out[by_tail ? v : col_idx[p]];
        share[p] = (REAL)(whole > 0 ? WEIGHT(p) / whole : 0.0);
    }
}
#endif
