// theses/serial.cl: listing 3.1 of the PageRank thesis: one thread walks all rows (one work-item here; the thesis's tables
// time it on a CPU).
//
// layout      ranking/pagerank.h
// launch      one work-item (LOCAL 1)

#include "ranking/pagerank.h"

__kernel void pagerank_serial(const int n, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx,
                              __global const REAL *restrict share, __global const REAL *restrict contribution,
                              __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)
{
    if (get_global_id(0) != 0 || state[STOPPED]) return;
    Tally tally = TALLY_ZERO;
    for (int v = 0; v < n; v++) {
        ACC sum = ACC_ZERO;
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++)
            sum = acc_add(sum, ARC(e, col_idx[e]));
        SETTLE(v, sum, tally);
    }
    parts[0] = tally.dangling_mass;
    parts[1] = tally.moved;
    parts[2] = tally.other;
}
