// theses/subgroup.cl: a row is summed by a sub-group: the PageRank thesis's Parallel III without dynamic parallelism.
//
// The thesis launches a child kernel for each long row. Here rows of more than PIECE arcs are cut into pieces, each
// summed by a work-group into piece_sum (pagerank_pieces); then every row is summed by a sub-group: its arcs or, if it
// is long, its pieces (pagerank_subgroup).
//
// A sub-group, depending on the device:       TEAM 0   OpenCL's sub-group functions
//                                             TEAM 32 and HAVE_PTX: a warp, by PTX shuffles
//                                             else     TEAM work-items of a work-group, by local memory and barriers
// layout      ranking/pagerank.h; first_piece int[n + 1]: row v's pieces, none for rows of up to PIECE arcs
//             piece_row int[pieces]: the row of each. Piece k of row v has the arcs from row_ptr[v] + PIECE *
//             (k - first_piece[v]) on.
// launch      work-groups of exactly LOCAL; pieces: one group each; subgroup: one group for ROWS rows
// tunables    TEAM, ROWS (a multiple of LOCAL / TEAM), PIECE

#include "ranking/pagerank.h"

#ifdef HAVE_SUBGROUPS
#if __OPENCL_C_VERSION__ < 300
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#endif
#ifndef TEAM
#define TEAM 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef PIECE
#define PIECE 1024
#endif
#if TEAM == 32 && defined(HAVE_PTX)
#define WARP
#include "ranking/warp.h"
#endif

// A piece of a long row, summed by a work-group.
__kernel void pagerank_pieces(const int pieces, __global const int *restrict piece_row,
                              __global const int *restrict first_piece, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const REAL *restrict share,
                              __global const REAL *restrict contribution, __global const int *restrict state,
                              __global ACC *restrict piece_sum)
{
    __local ACC box[LOCAL];
    const int k = state[STOPPED] ? pieces : get_group_id(0), lane = get_local_id(0);
    ACC sum = ACC_ZERO;
    if (k < pieces) {
        const int v = piece_row[k];
        const OFFSET begin = row_ptr[v] + (OFFSET)PIECE * (k - first_piece[v]),
                     end = min(begin + PIECE, row_ptr[v + 1]);
        for (OFFSET e = begin + lane; e < end; e += LOCAL)
            sum = acc_add(sum, ARC(e, col_idx[e]));
    }
    box[lane] = sum;
    for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_) box[lane] = acc_join(box[lane], box[lane + half_]);
    }
    if (lane == 0 && k < pieces) piece_sum[k] = box[0];
}

__kernel void pagerank_subgroup(const int n, __global const int *restrict first_piece,
                                __global const ACC *restrict piece_sum, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const REAL *restrict share,
                                __global const REAL *restrict contribution, __global ACC *restrict parts,
                                __global const int *restrict state, VERTEX_ARGS)
{
    TALLY_BOX;
#if TEAM != 0 && !defined(WARP)
    __local ACC box[LOCAL];
#endif
#if TEAM == 0
    const int width = get_sub_group_size(), lane = get_sub_group_local_id();
    const int team = get_sub_group_id(), teams = get_num_sub_groups();
#else
    const int width = TEAM, lane = get_local_id(0) & (TEAM - 1), team = get_local_id(0) / TEAM, teams = LOCAL / TEAM;
#endif
    Tally tally = TALLY_ZERO;
    const int rows = state[STOPPED] ? 0 : n;
    // equally many iterations for all work-items, and the compiler can see it: there are barriers in this loop. (The
    // choice stands inside min: as `r < ROWS ? min(...) : rows` Intel's FPGA emulator 2025.0.5 leaves rows out.)
    for (int at = 0; at < ROWS; at += teams) {
        const int r = at + team;
        const int v = (int)min((long)get_group_id(0) * ROWS + (r < ROWS ? r : rows), (long)rows);
        ACC sum = ACC_ZERO;
        if (v < rows) {
            const int first = first_piece[v], last = first_piece[v + 1];
            for (int k = first + lane; k < last; k += width)
                sum = acc_join(sum, piece_sum[k]);
            // a row with pieces has no arcs here. (No if with a loop in either arm: PoCL 5.0's compiler ends the
            // process where a barrier follows one within a loop.)
            const OFFSET begin = row_ptr[v], end = first < last ? begin : row_ptr[v + 1];
            for (OFFSET e = begin + lane; e < end; e += width)
                sum = acc_add(sum, ARC(e, col_idx[e]));
        }
#if TEAM == 0 && defined(HAVE_FP64) && !defined(COMPENSATED)
        sum = sub_group_reduce_add(sum);
#elif TEAM == 0
        ACC whole = ACC_ZERO;
        for (int from = 0; from < width; from++) {
            const ACC one = {sub_group_broadcast(sum.sum, from), sub_group_broadcast(sum.rest, from)};
            whole = acc_join(whole, one);
        }
        sum = whole;
#elif defined(WARP)
        for (int by = 16; by > 0; by /= 2)
            sum = acc_join(sum, shuffle(sum, by));
#else
        const int me = get_local_id(0);
        box[me] = sum;
        for (int half_ = TEAM / 2; half_ > 0; half_ /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < half_) box[me] = acc_join(box[me], box[me + half_]);
        }
        sum = box[me];   // last written by lane 0 itself
#endif
        if (v < rows && lane == 0) SETTLE(v, sum, tally);
#if TEAM != 0 && !defined(WARP)
        barrier(CLK_LOCAL_MEM_FENCE);   // the next row needs the box
#endif
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
}
