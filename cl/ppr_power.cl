// ppr_power.cl: an iteration of the power method for LANES sources at once, by pulling over the arcs that arrive.
//
// Row v of row_ptr, col_idx holds the sources of the arcs that arrive at v. An index is read once for all lanes, and
// the values that it leads to stand beside each other: at 8 lanes of float that is one sector of 32 bytes.
//
// ppr_runs    CPUs: one work-item takes a run of rows and all lanes, which the compiler keeps in vector registers
// ppr_rows    GPUs: LANES neighbouring work-items take a row, one a lane: no sum crosses lanes, every access is joined
//             up. Rows of more than PIECE arcs come in pieces before (ppr_pieces), and their sums are added here.
// layout      ppr.h; bound int[runs + 1]: the rows of each run, of about the same work; first_piece int[n + 1],
//             piece_row int[pieces], piece_sum ACC[pieces * LANES]: as in pagerank_subgroup.cl
// launch      runs: one work-item a run, groups of 1; rows: one group of LOCAL for ROWS rows; pieces: LANES work-items
//             a piece, groups of LOCAL
// tunables    LOCAL (a multiple of LANES), ROWS, PIECE

#include "ppr.h"

#ifndef ROWS
#define ROWS 128
#endif
#ifndef PIECE
#define PIECE 512
#endif

#ifdef WEIGHTED
#define BRINGS(e, u, l) ((WIDE)value[PLACE(u, l)] * (WIDE)share[e])
#else
#define BRINGS(e, u, l) ((WIDE)value[PLACE(u, l)])
#endif
#define ROW_ARGS                                                                                       \
    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, __global const REAL *restrict share

__kernel void ppr_runs(const int test, const int last, __global const int *restrict bound, ROW_ARGS,
                       __global ACC *restrict parts, __global const int *restrict state, PPR_VERTEX_ARGS)
{
    const int run = get_global_id(0), running = lanes_running(state);
    if (running == 0) {
        for (size_t i = PLACE(bound[run], 0); i < PLACE(bound[run + 1], 0); i++)
            next[i] = value[i];
        return;
    }
    const int look = any_looks(state, test, last), compare = look || running < LANES;
    WIDE flow[LANES];
    int runs[LANES];
    ACC lost[LANES], moved[LANES], other[LANES];
    EACH_LANE(l) {
        flow[l] = damping * ACC_VALUE(sums[l]);
        runs[l] = RUNS_ON(l);
        lost[l] = moved[l] = other[l] = ACC_ZERO;
    }
    for (int v = bound[run]; v < bound[run + 1]; v++) {
        ACC row[LANES];
        EACH_LANE(l) row[l] = ACC_ZERO;
        for (OFFSET e = row_ptr[v], end = row_ptr[v + 1]; e < end; e++) {
            const int u = col_idx[e];
            EACH_LANE(l) row[l] = acc_add(row[l], BRINGS(e, u, l));
        }
        WIDE whole[LANES];   // apart from row, which is to stay in registers
        EACH_LANE(l) whole[l] = ACC_VALUE(row[l]);
        const REAL width = scale[v], up = width == 0 ? (REAL)1 : width, down = 1 / up;
        if (compare) {
            EACH_LANE(l) PPR_SETTLE(v, l, whole[l], flow[l], runs[l], 1, up, down, moved[l], other[l]);
        } else {
            EACH_LANE(l) PPR_SETTLE(v, l, whole[l], flow[l], runs[l], 0, up, down, moved[l], other[l]);
        }
        if (width == 0)
            EACH_LANE(l) lost[l] = acc_add(lost[l], next[PLACE(v, l)]);
    }
    __global ACC *part = parts + (size_t)run * 3 * LANES;
    EACH_LANE(l) part[l] = lost[l];
    if (look) {
        EACH_LANE(l) {
            part[LANES + l] = moved[l];
            part[2 * LANES + l] = other[l];
        }
    }
}

// Some arcs, for one lane; four in flight at a time.
static inline ACC ppr_arcs(OFFSET e, OFFSET end, int l, __global const int *restrict col_idx,
                           __global const REAL *restrict share, __global const REAL *restrict value)
{
    ACC sum = ACC_ZERO;
    for (; e + 4 <= end; e += 4) {
        const int a = col_idx[e], b = col_idx[e + 1], c = col_idx[e + 2], d = col_idx[e + 3];
        const WIDE from_a = BRINGS(e, a, l), from_b = BRINGS(e + 1, b, l);
        const WIDE from_c = BRINGS(e + 2, c, l), from_d = BRINGS(e + 3, d, l);
        sum = acc_add(acc_add(acc_add(acc_add(sum, from_a), from_b), from_c), from_d);
    }
    for (; e < end; e++)
        sum = acc_add(sum, BRINGS(e, col_idx[e], l));
    return sum;
}

__kernel void ppr_pieces(const int pieces, __global const int *restrict piece_row, __global const int *restrict first_piece,
                         ROW_ARGS, __global const REAL *restrict value, __global const int *restrict state,
                         __global ACC *restrict piece_sum)
{
    const int k = get_global_id(0) / LANES, l = (int)get_global_id(0) - k * LANES;
    if (k >= pieces || !RUNS_ON(l)) return;
    const int v = piece_row[k];
    const OFFSET begin = row_ptr[v] + (OFFSET)PIECE * (k - first_piece[v]), end = min(begin + PIECE, row_ptr[v + 1]);
    piece_sum[(size_t)k * LANES + l] = ppr_arcs(begin, end, l, col_idx, share, value);
}

__kernel void ppr_rows(const int n, const int test, const int last, __global const int *restrict first_piece,
                       __global const ACC *restrict piece_sum, ROW_ARGS, __global ACC *restrict parts,
                       __global const int *restrict state, PPR_VERTEX_ARGS)
{
    TALLY_BOX;
    const int lid = get_local_id(0), team = lid / LANES, l = lid - team * LANES;
    const int runs = RUNS_ON(l), look = test || STATE(ITERATIONS, l) + 1 >= last;
    const WIDE flow = damping * ACC_VALUE(sums[l]);
    ACC lost = ACC_ZERO, moved = ACC_ZERO, other = ACC_ZERO;
    for (int r = team; r < ROWS; r += LOCAL / LANES) {
        const int v = (int)min((long)get_group_id(0) * ROWS + r, (long)n);
        if (v < n) {
            ACC row = ACC_ZERO;
            if (runs) {
                const int first = first_piece[v], past = first_piece[v + 1];
                if (first == past) row = ppr_arcs(row_ptr[v], row_ptr[v + 1], l, col_idx, share, value);
                for (int k = first; k < past; k++)
                    row = acc_join(row, piece_sum[(size_t)k * LANES + l]);
            }
            const REAL width = scale[v], up = width == 0 ? (REAL)1 : width, down = 1 / up;
            PPR_SETTLE(v, l, ACC_VALUE(row), flow, runs, look || !runs, up, down, moved, other);
            if (width == 0) lost = acc_add(lost, next[PLACE(v, l)]);
        }
    }
    box_lost[lid] = lost;
    box_moved[lid] = moved;
    box_other[lid] = other;
    for (int half_ = LOCAL / 2; half_ >= LANES; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_) {
            box_lost[lid] = acc_join(box_lost[lid], box_lost[lid + half_]);
            box_moved[lid] = acc_join(box_moved[lid], box_moved[lid + half_]);
            box_other[lid] = norm_join(box_other[lid], box_other[lid + half_]);
        }
    }
    if (lid < LANES) {   // lane lid's own words
        __global ACC *part = parts + (size_t)get_group_id(0) * 3 * LANES + lid;
        part[0] = box_lost[lid];
        if (look) {
            part[LANES] = box_moved[lid];
            part[2 * LANES] = box_other[lid];
        }
    }
}
