// ranking/runs.cl: the plan of variant "auto" on CPUs: one work-item takes a run of slices, all lanes in lockstep.
//
// The WIDTH sums of a slice are independent, so that the compiler can keep them in vector registers and gather (the sum
// of a single row is one long chain of additions, and each short row ends in a mispredicted branch).
//
// layout      ranking/pagerank.h, ranking/sell.h; bound int[runs + 1]: the slices of each run, about the same work in
//             each
// launch      one work-item per run, work-groups of 1
// tunables    WIDTH (8: the doubles of a 64-byte register), HOT 65535

#include "ranking/pagerank.h"
#include "ranking/sell.h"

// for (each lane l): unrolled, so that arrays of WIDTH become registers
#define LANES(l) _Pragma("unroll") for (int l = 0; l < WIDTH; l++)

#define SUM_SLICE(sum, s)                                                                                          \
    ACC sum[WIDTH];                                                                                                \
    LANES(l) sum[l] = ACC_ZERO;                                                                                    \
    for (OFFSET e = (OFFSET)hot_begin[s] * WIDTH, end_ = (OFFSET)hot_begin[s + 1] * WIDTH; e < end_; e += WIDTH)   \
        LANES(l) sum[l] = acc_add(sum[l], HOT_ARC(__global REAL, contribution, e + l));                            \
    for (OFFSET e = (OFFSET)cold_begin[s] * WIDTH, end_ = (OFFSET)cold_begin[s + 1] * WIDTH; e < end_; e += WIDTH) \
        LANES(l) sum[l] = acc_add(sum[l], COLD_ARC(e + l));

// The pieces of long rows.
__kernel void pagerank_run_pieces(__global const int *restrict bound, SLICE_ARGS,
                                  __global const int *restrict piece_place,
                                  __global const REAL *restrict contribution, __global const int *restrict state,
                                  __global ACC *restrict piece_sum)
{
    const int run = get_global_id(0);
    if (state[STOPPED]) return;
    for (int s = bound[run]; s < bound[run + 1]; s++) {
        SUM_SLICE(sum, s)
        LANES(l) {
            const int to = piece_place[s * WIDTH + l];
            if (to >= 0) piece_sum[to] = sum[l];
        }
    }
}

// All rows.
__kernel void pagerank_runs(const int n, __global const int *restrict bound, SLICE_ARGS,
                            __global const int *restrict first_piece, __global const ACC *restrict piece_sum,
                            __global const REAL *restrict contribution, __global ACC *restrict parts,
                            __global const int *restrict state, VERTEX_ARGS)
{
    const int run = get_global_id(0);
    if (state[STOPPED]) return;
    ACC dangling_mass[WIDTH], moved[WIDTH], other[WIDTH];
    for (int l = 0; l < WIDTH; l++)
        dangling_mass[l] = moved[l] = other[l] = ACC_ZERO;
    for (int s = bound[run]; s < bound[run + 1]; s++) {
        SUM_SLICE(sum, s)
        ACC whole[WIDTH];   // separate from sum, so that sum stays in registers
        LANES(l) whole[l] = sum[l];
        const int v = s * WIDTH, lanes = min(WIDTH, n - v);
        if (first_piece[v] != first_piece[v + lanes]) {
            for (int l = 0; l < lanes; l++)
                for (int k = first_piece[v + l]; k < first_piece[v + l + 1]; k++)
                    whole[l] = acc_join(whole[l], piece_sum[k]);
        }
        for (int l = 0; l < lanes; l++)
            settle(v + l, whole[l], dangling_mass + l, moved + l, other + l, VERTEX_PASS);
    }
    for (int l = 1; l < WIDTH; l++) {
        dangling_mass[0] = acc_join(dangling_mass[0], dangling_mass[l]);
        moved[0] = acc_join(moved[0], moved[l]);
        other[0] = norm_join(other[0], other[l]);
    }
    parts[3 * run] = dangling_mass[0];
    parts[3 * run + 1] = moved[0];
    parts[3 * run + 2] = other[0];
}
