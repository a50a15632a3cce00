// theses/pull.cl: Parallel I of the PageRank thesis: a work-item takes one vertex (on CPUs: ITEMS consecutive ones), and
// every arc divides by the out-degree that is stored beside it.
//
// layout      ranking/pagerank.h with SEND_RANK: a contribution is the rank itself. degree int[arcs]: the source's
//             out-degree beside each arc (without WEIGHTED)
// launch      padded range of work-groups of exactly LOCAL
// tunables    ITEMS (1 on GPUs, 2048 on CPUs), UNROLL (ranking/row_sum.h)

#include "ranking/pagerank.h"
#include "ranking/row_sum.h"

#ifdef WEIGHTED
#define DIVIDED(e) ARC(e, col_idx[e])
#else
#define DIVIDED(e) ((WIDE)(contribution[col_idx[e]] / (REAL)degree[e]))
#endif

__kernel void pagerank_pull(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const int *restrict degree, __global const REAL *restrict share,
                            __global const REAL *restrict contribution, __global ACC *restrict parts,
                            __global const int *restrict state, VERTEX_ARGS)
{
    SUM_AND_SETTLE(DIVIDED);
}
