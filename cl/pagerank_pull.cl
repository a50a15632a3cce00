// pagerank_pull.cl: one work-item a vertex (on CPUs: ITEMS consecutive ones), the PageRank thesis's two GPU versions.
//
// pull            Parallel I: the out-degree stands beside each in-neighbour, and every arc divides by it
// contribution    Parallel II (listings 5.1 to 5.3): one division a vertex, rank / out-degree is what travels.
//                 The thesis launches num_nodes work-groups on every second step (listing 5.4), 256 times too many,
//                 and divides by an out-degree of 0; neither is so here.
//
// layout      pagerank.h; degree int[arcs]: the source's out-degree beside each arc (pull, without WEIGHTED).
//             The program of `pull` has TRAVEL_RANK: what travels is the rank.
// launch      padded range of work-groups of exactly LOCAL
// tunables    ITEMS (1 on GPUs, 2048 on CPUs)

#include "pagerank.h"

__kernel void pagerank_pull(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const int *restrict degree, __global const REAL *restrict share,
                            __global const REAL *restrict travel, __global ACC *restrict parts,
                            __global const int *restrict state, VERTEX_ARGS)
{
    TALLY_BOX;
    const int rows = state[STOPPED] ? 0 : n;
    Tally tally = TALLY_ZERO;
    FOR_ITEMS(v, rows) {
        ACC sum = ACC_ZERO;
        const OFFSET end = row_ptr[v + 1];
        _Pragma("unroll 4") for (OFFSET e = row_ptr[v]; e < end; e++)   // four arcs under way together
        {
#ifdef WEIGHTED
            sum = acc_add(sum, ARC(e, col_idx[e]));
#else
            sum = acc_add(sum, (WIDE)(travel[col_idx[e]] / (REAL)degree[e]));
#endif
        }
        SETTLE(v, sum, tally);
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
}

__kernel void pagerank_contribution(const int n, __global const OFFSET *restrict row_ptr,
                                    __global const int *restrict col_idx, __global const REAL *restrict share,
                                    __global const REAL *restrict travel, __global ACC *restrict parts,
                                    __global const int *restrict state, VERTEX_ARGS)
{
    TALLY_BOX;
    const int rows = state[STOPPED] ? 0 : n;
    Tally tally = TALLY_ZERO;
    FOR_ITEMS(v, rows) {
        ACC sum = ACC_ZERO;
        const OFFSET end = row_ptr[v + 1];
        _Pragma("unroll 4") for (OFFSET e = row_ptr[v]; e < end; e++)   // four arcs under way together
            sum = acc_add(sum, ARC(e, col_idx[e]));
        SETTLE(v, sum, tally);
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
}
