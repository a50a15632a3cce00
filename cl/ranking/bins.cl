// ranking/bins.cl: the plan of variant "auto" on GPUs: a warp's worth of work-items takes a slice, one row per lane.
//
// Arcs from the hottest sources are gathered from a copy of their values in local memory: 12 000 sources of an RMAT
// graph account for a third of its arcs, and local memory gathers ten times faster than L2. The rest come through L1
// and L2. All rows of a slice are about equally long, and none is longer than LONG_ROW: long ones are cut into pieces
// (pagerank_bin_pieces; a piece has arcs from one segment of HOT sources, which its work-group holds, or from none),
// whose sums are added up in blocks of BLOCK (pagerank_bin_blocks), and these row by row (pagerank_bins).
//
// layout      ranking/pagerank.h, ranking/sell.h; HOT + 1 values fit in local memory; for pieces, group g takes the
//             slices from bound[3 g] to bound[3 g + 1], whose arcs come from the sources bound[3 g + 2] (the number of
//             the first one; -1: cold ones). first_block int[n + 1]: row v's blocks; block_piece int[blocks + 1]: their
//             pieces
// launch      as many work-groups of LOCAL as the device runs at a time; each loops over slices, adjacent slices going
//             to different groups, so that long and short ones spread evenly
// tunables    WIDTH 32 (lanes that run in lockstep), HOT, LOCAL, UNROLL

#include "ranking/pagerank.h"
#include "ranking/sell.h"
#include "ranking/group.h"

#ifndef UNROLL
#define UNROLL 8
#endif
#ifndef HOT
#define HOT 1024
#endif

// for (each slice s of this team): strided by all teams of all groups
#define FOR_SLICES(s, slices)                                                                                  \
    for (int s = (get_local_id(0) / WIDTH) * get_num_groups(0) + get_group_id(0); s < (slices);                \
         s += LOCAL / WIDTH * get_num_groups(0))

// The values of up to HOT sources from number `from` on.
#define TAKE_HOT(from)                                                                                                 \
    for (int i = get_local_id(0); i < HOT && (from) + i < n; i += LOCAL) values[i + 1] = contribution[(from) + i + 1]; \
    if (get_local_id(0) == 0) values[0] = 0;                                                                           \
    barrier(CLK_LOCAL_MEM_FENCE)

// A lane's row: UNROLL arcs at a time, so that their values are fetched together.
#define ARCS_OF(sum, begin, s, arc)                                                                  \
    do {                                                                                             \
        OFFSET e = (OFFSET)begin[s] * WIDTH + lane;                                                  \
        const OFFSET stop_ = (OFFSET)begin[(s) + 1] * WIDTH;                                         \
        for (; e + (UNROLL - 1) * WIDTH < stop_; e += UNROLL * WIDTH) {                              \
            WIDE value_[UNROLL];                                                                     \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) value_[i] = arc(e + i * WIDTH);       \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) sum = acc_add(sum, value_[i]);        \
        }                                                                                            \
        for (; e < stop_; e += WIDTH) sum = acc_add(sum, arc(e));                                    \
    } while (0)
#define LOCAL_ARC(e) HOT_ARC(__local REAL, values, e)
#define SUM_ROW(sum, s)                       \
    ACC sum = ACC_ZERO;                       \
    ARCS_OF(sum, hot_begin, s, LOCAL_ARC);    \
    ARCS_OF(sum, cold_begin, s, COLD_ARC)

OF_GROUP
__kernel void pagerank_bin_pieces(const int n, __global const int *restrict bound, SLICE_ARGS,
                                  __global const int *restrict piece_place, __global const REAL *restrict contribution,
                                  __global const int *restrict state, __global ACC *restrict piece_sum)
{
    __local REAL values[HOT + 1];
    const int group = get_group_id(0), lane = get_local_id(0) & (WIDTH - 1), from = bound[3 * group + 2];
    const int end_ = state[STOPPED] ? 0 : bound[3 * group + 1];
    TAKE_HOT((from < 0 ? n : from));
    for (int s = bound[3 * group] + (int)get_local_id(0) / WIDTH; s < end_; s += LOCAL / WIDTH) {
        SUM_ROW(sum, s);
        const int to = piece_place[s * WIDTH + lane];
        if (to >= 0) piece_sum[to] = sum;
    }
}

__kernel void pagerank_bin_blocks(const int blocks, __global const int *restrict block_piece,
                                  __global const ACC *restrict piece_sum, __global const int *restrict state,
                                  __global ACC *restrict block_sum)
{
    const int b = get_global_id(0);
    if (b < blocks && !state[STOPPED]) {
        ACC sum = ACC_ZERO;
        for (int k = block_piece[b]; k < block_piece[b + 1]; k++)
            sum = acc_join(sum, piece_sum[k]);
        block_sum[b] = sum;
    }
}

OF_GROUP
__kernel void pagerank_bins(const int n, SLICE_ARGS, __global const int *restrict first_block,
                            __global const ACC *restrict block_sum, __global const REAL *restrict contribution,
                            __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)
{
    __local REAL values[HOT + 1];
    GROUP_BOX;
    const int rows = state[STOPPED] ? 0 : n, slices = rows / WIDTH + ((rows & (WIDTH - 1)) != 0);
    const int lane = get_local_id(0) & (WIDTH - 1);
    Tally tally = TALLY_ZERO;
    TAKE_HOT(0);
    FOR_SLICES(s, slices) {
        const int head = s * WIDTH, tail = n - head < WIDTH ? n : head + WIDTH;
        const int v = head + lane;
        const REAL before = v < n ? rank[v] : 0, inv = v < n ? inverse[v] : 0;   // fetched while the arcs are summed
        const int has_blocks = first_block[head] != first_block[tail];
        SUM_ROW(sum, s);
        if (has_blocks && v < n) {
            const int last = first_block[v + 1];
            for (int b = first_block[v]; b < last; b++)
                sum = acc_join(sum, block_sum[b]);
        }
        if (v < n) settle_with(v, sum, before, inv, &tally.dangling_mass, &tally.moved, &tally.other, VERTEX_PASS);
    }
    GROUP_SUM(tally.dangling_mass, acc_join);
    GROUP_SUM(tally.moved, acc_join);
    GROUP_SUM(tally.other, norm_join);
    if (get_local_id(0) == 0) {
        parts[3 * get_group_id(0)] = tally.dangling_mass;
        parts[3 * get_group_id(0) + 1] = tally.moved;
        parts[3 * get_group_id(0) + 2] = tally.other;
    }
}
