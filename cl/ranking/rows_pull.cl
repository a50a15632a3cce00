// ranking/rows_pull.cl: a work-item takes one vertex (on CPUs: ITEMS consecutive ones), as in two of the GPU versions
// of the PageRank thesis.
//
// pull            Parallel I: the out-degree is stored beside each in-neighbour, and every arc divides by it
// contribution    Parallel II (listings 5.1 to 5.3): one division per vertex: its contribution is rank / out-degree.
//                 The thesis launches num_nodes work-groups in every second step (listing 5.4), 256 times too many,
//                 and divides by an out-degree of 0; neither is done here.
//
// layout      ranking/pagerank.h; degree int[arcs]: the source's out-degree beside each arc (pull, without WEIGHTED).
//             The program of `pull` has SEND_RANK: a contribution is the rank itself.
// launch      padded range of work-groups of exactly LOCAL
// tunables    ITEMS (1 on GPUs, 2048 on CPUs), UNROLL (arcs whose values are fetched together)

#include "ranking/pagerank.h"

#ifndef UNROLL
#ifdef KIND_GPU
#define UNROLL 8
#else
#define UNROLL 1
#endif
#endif

// A row's sum. The values of UNROLL arcs are fetched before the first is added: left to itself, NVIDIA's compiler
// fetches them one after another, and a long row waits for memory at each arc.
#if UNROLL > 1
#define SUM_ROW(sum, v, value)                                                                  \
    ACC sum = ACC_ZERO;                                                                         \
    do {                                                                                        \
        OFFSET e = row_ptr[v];                                                                  \
        const OFFSET end_ = row_ptr[(v) + 1];                                                   \
        for (; e + UNROLL <= end_; e += UNROLL) {                                               \
            WIDE value_[UNROLL];                                                                \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) value_[i] = value(e + i);        \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) sum = acc_add(sum, value_[i]);   \
        }                                                                                       \
        for (; e < end_; e++) sum = acc_add(sum, value(e));                                     \
    } while (0)
#else
#define SUM_ROW(sum, v, value)                                                                       \
    ACC sum = ACC_ZERO;                                                                              \
    for (OFFSET e = row_ptr[v], end_ = row_ptr[(v) + 1]; e < end_; e++) sum = acc_add(sum, value(e))
#endif
#define CONTRIBUTION(e) ARC(e, col_idx[e])
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
    TALLY_BOX;
    const int rows = state[STOPPED] ? 0 : n;
    Tally tally = TALLY_ZERO;
    FOR_ITEMS(v, rows) {
        SUM_ROW(sum, v, DIVIDED);
        SETTLE(v, sum, tally);
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
}

__kernel void pagerank_contribution(const int n, __global const OFFSET *restrict row_ptr,
                                    __global const int *restrict col_idx, __global const REAL *restrict share,
                                    __global const REAL *restrict contribution, __global ACC *restrict parts,
                                    __global const int *restrict state, VERTEX_ARGS)
{
    TALLY_BOX;
    const int rows = state[STOPPED] ? 0 : n;
    Tally tally = TALLY_ZERO;
    FOR_ITEMS(v, rows) {
        SUM_ROW(sum, v, CONTRIBUTION);
        SETTLE(v, sum, tally);
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
}
