// ranking/contribution.cl: a work-item takes one vertex (on CPUs: ITEMS consecutive ones), with one division a vertex.
//
// Parallel II of the PageRank thesis (listings 5.1 to 5.3): a vertex's contribution is rank / out-degree. The thesis
// launches num_nodes work-groups in every second step (listing 5.4), 256 times too many, and divides by an out-degree of
// 0; neither is done here.
//
// layout      ranking/pagerank.h
// launch      padded range of work-groups of exactly LOCAL
// tunables    ITEMS (1 on GPUs, 2048 on CPUs), UNROLL (ranking/row_sum.h)

#include "ranking/pagerank.h"
#include "ranking/row_sum.h"

#define CONTRIBUTION(e) ARC(e, col_idx[e])

__kernel void pagerank_contribution(const int n, __global const OFFSET *restrict row_ptr,
                                    __global const int *restrict col_idx, __global const REAL *restrict share,
                                    __global const REAL *restrict contribution, __global ACC *restrict parts,
                                    __global const int *restrict state, VERTEX_ARGS)
{
    SUM_AND_SETTLE(CONTRIBUTION);
}
