// ranking/fixed_integers.cl: the rows of ranking/fixed.cl for float32 ranks: each term is cut to a multiple of 2^-62 (all
// of them add up to 1, or a little more), and the sums of whole numbers do not depend on their order.
//
// x        VALUE[n]       x(u) / W(u) as a float, or with READY as a whole number; with HAS_SHARES x(u)
// windows as in ranking/fixed_windows.cl; long rows are cut into pieces of PIECE entries:
// before   int[longs + 1] pieces of the long rows before each          sums   long[pieces]
// piece_begins OFFSET[pieces] where each begins among the entries; piece_counts int[pieces]: its length
// launch   fixed_whole_windows, fixed_whole_pieces: a work-group of WIDTH a window, or a piece; the others: padded ranges,
//          ITEMS each
// tunables SPAN, WIDTH (a multiple of 8), ITEMS, PIECE, READY (CPUs: a gathered value is added as it is); what changes
//          the sums: HAS_SHARES, HAS_P, HAS_Q; OFFSET

#include "ranking/fixed.h"

#ifndef SPAN
#define SPAN 512
#endif

#ifndef WIDTH
#define WIDTH 256
#endif

#ifndef PIECE
#define PIECE 8192
#endif

#define TILE (2 * SPAN)
#define TEAM 4    // work-items that add up a row of a window
#define JOIN 16   // work-items that add up the sums of a piece, at most WIDTH
#define AHEAD 8   // values of a piece that a work-item fetches at once

#if HAS_SHARES
#define HELD long
#define FETCH(e) ((long)((double)x[col_idx[e]] * shares[e] * 0x1p62))
#define WHOLE(value) (value)
#elif READY
#define HELD long
#define FETCH(e) (x[col_idx[e]])
#define WHOLE(value) (value)
#else
#define HELD float
#define FETCH(e) (x[col_idx[e]])
#define WHOLE(value) ((long)((value) * 0x1p62f))
#endif

#define NEXT_WHOLE(row, sum) NEXT(row, (double)(sum) * 0x1p-62)

__kernel void fixed_whole_rows(const int rows, __global const OFFSET *restrict row_ptr, TERM_ARGS, NEXT_ARGS)
{
    FOR_ITEMS(r, rows) {
        long sum = 0;
        for (OFFSET e = row_ptr[r]; e < row_ptr[r + 1]; e++)
            sum += WHOLE(FETCH(e));
        NEXT_WHOLE(r, sum);
    }
}

__kernel void fixed_whole_windows(__global const int *restrict window, __global const OFFSET *restrict begins,
                                  __global const OFFSET *restrict row_ptr, TERM_ARGS, NEXT_ARGS)
{
    __local HELD terms[TILE];
    __local long sums[2 * WIDTH];
    const int lid = get_local_id(0), lane = lid & (TEAM - 1);
    const long w = get_group_id(0);
    const int first = window[3 * w], kept = window[3 * w + 1], count = window[3 * w + 2];
    const OFFSET begin = begins[w];
    int r = first + lid / TEAM;
    int from = r < kept ? (int)(row_ptr[r] - begin) : 0, to = r < kept ? (int)(row_ptr[r + 1] - begin) : 0;
    for (int k = 0; k < (TILE + WIDTH - 1) / WIDTH; k++) {
        const int i = lid + k * WIDTH;
        if (i < count)
            terms[i] = FETCH(begin + i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int side = 0;
    for (int base = first; base < kept; base += WIDTH / TEAM) {
        long sum = 0;
        for (int i = from + lane; i < to; i += TEAM)
            sum += WHOLE(terms[i]);
        sums[side + lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0 && r < kept) {
            for (int k = 1; k < TEAM; k++)
                sum += sums[side + lid + k];
            NEXT_WHOLE(r, sum);
        }
        side ^= WIDTH;   // the other half was read before the barrier
        r += WIDTH / TEAM;
        from = r < kept ? (int)(row_ptr[r] - begin) : 0;
        to = r < kept ? (int)(row_ptr[r + 1] - begin) : 0;
    }
}

__kernel void fixed_whole_counts(const int longs, __global const int *restrict listed,
                                 __global const OFFSET *restrict row_ptr, __global int *restrict piece_counts)
{
    FOR_ITEMS(i, longs)
        piece_counts[i] = (int)((row_ptr[listed[i] + 1] - row_ptr[listed[i]] + PIECE - 1) / PIECE);
}

__kernel void fixed_whole_cuts(const int longs, __global const int *restrict listed,
                               __global const OFFSET *restrict row_ptr, __global const int *restrict before,
                               __global OFFSET *restrict piece_begins, __global int *restrict piece_counts)
{
    FOR_ITEMS(i, longs)
        for (int k = before[i]; k < before[i + 1]; k++) {
            piece_begins[k] = row_ptr[listed[i]] + (OFFSET)(k - before[i]) * PIECE;
            piece_counts[k] = (int)min((OFFSET)PIECE, (OFFSET)(row_ptr[listed[i] + 1] - piece_begins[k]));
        }
}

__kernel void fixed_whole_pieces(__global const OFFSET *restrict piece_begins, __global const int *restrict piece_counts,
                                 TERM_ARGS, __global long *restrict sums)
{
    __local long held[WIDTH];
    const int k = get_group_id(0), lid = get_local_id(0), count = piece_counts[k];
    const OFFSET begin = piece_begins[k];
    long sum = 0;
    int e = lid;
    for (; e + (AHEAD - 1) * WIDTH < count; e += AHEAD * WIDTH) {
        HELD value[AHEAD];
        for (int i = 0; i < AHEAD; i++)
            value[i] = FETCH(begin + e + i * WIDTH);
        for (int i = 0; i < AHEAD; i++)
            sum += WHOLE(value[i]);
    }
    for (; e < count; e += WIDTH)
        sum += WHOLE(FETCH(begin + e));
    held[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < JOIN)
        for (int j = lid + JOIN; j < WIDTH; j += JOIN)
            sum += held[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < JOIN)
        held[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        for (int j = 1; j < JOIN; j++)
            sum += held[j];
        sums[k] = sum;
    }
}

__kernel void fixed_whole_longs(const int longs, __global const int *restrict listed,
                                __global const int *restrict before, __global const long *restrict sums, NEXT_ARGS)
{
    FOR_ITEMS(i, longs) {
        long sum = 0;
        for (int k = before[i]; k < before[i + 1]; k++)
            sum += sums[k];
        NEXT_WHOLE(listed[i], sum);
    }
}
