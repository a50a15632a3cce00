// ranking/fixed_windows.cl: the rows of ranking/fixed.cl on GPUs: terms are gathered side by side into local memory and
// added there, in the same shape (cf. CSR-stream: Greathouse & Daga, SC'14).
//
// A window takes the rows r with row_ptr[r] + r from w SPAN to (w + 1) SPAN - 1: at most SPAN rows, and at most 2 SPAN
// entries besides a last row of more than SPAN entries. Such long rows have a work-group of their own each.
//
// starts  int[windows + 1]   the first row of each window, and the number of rows
// filled  uchar[windows]     whether a window has a row that is not long; only such windows are launched:
// window  int[3]             of each its first row, the row behind its last that is not long, and its entries
// begins  OFFSET             of each its first entry
// listed  int[]              the long rows
// launch  fixed_window_rows, fixed_long_rows: a work-group of WIDTH a window, or a long row; the others: padded ranges,
//         ITEMS each
// tunables SPAN, WIDTH (a multiple of 32); what changes the sums as in ranking/fixed.cl; OFFSET

#include "ranking/fixed.h"

#ifndef SPAN
#define SPAN 1024
#endif

#ifndef WIDTH
#define WIDTH 256
#endif

#define TILE (2 * SPAN)
#define TEAM 8   // work-items that add up a row of a window: each is 4 of the 32 lanes (lid >> 3 is a row's number)

__kernel void fixed_starts(const int rows, const long windows, __global const OFFSET *restrict row_ptr,
                           __global int *restrict starts)
{
    FOR_ITEMS_LONG(w, windows + 1) {
        int low = 0, high = rows;   // the first row with row_ptr[row] + row >= w SPAN
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if ((long)row_ptr[middle] + middle < w * SPAN)
                low = middle + 1;
            else
                high = middle;
        }
        starts[w] = low;
    }
}

__kernel void fixed_longs(const int rows, __global const OFFSET *restrict row_ptr, volatile __global int *restrict count,
                          __global int *restrict listed)
{
    FOR_ITEMS(r, rows)
        if (row_ptr[r + 1] - row_ptr[r] > SPAN)
            listed[atomic_inc(count)] = r;
}

// The row behind a window's last one that is not long.
static inline int end_of(const int first, const int last, __global const OFFSET *restrict row_ptr)
{
    return last - (last > first && row_ptr[last] - row_ptr[last - 1] > SPAN);
}

__kernel void fixed_filled(const long windows, __global const int *restrict starts, __global const OFFSET *restrict row_ptr,
                           __global uchar *restrict filled)
{
    FOR_ITEMS_LONG(w, windows)
        filled[w] = end_of(starts[w], starts[w + 1], row_ptr) > starts[w];
}

// before: filled windows before each one.
__kernel void fixed_listed(const long windows, __global const int *restrict starts, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict before, __global int *restrict window,
                           __global OFFSET *restrict begins)
{
    FOR_ITEMS_LONG(w, windows)
        if (before[w + 1] > before[w]) {
            const int first = starts[w], last = end_of(first, starts[w + 1], row_ptr);
            const long at = before[w];
            window[3 * at] = first;
            window[3 * at + 1] = last;
            window[3 * at + 2] = (int)(row_ptr[last] - row_ptr[first]);
            begins[at] = row_ptr[first];
        }
}

__kernel void fixed_window_rows(__global const int *restrict window, __global const OFFSET *restrict begins,
                                __global const OFFSET *restrict row_ptr, TERM_ARGS, NEXT_ARGS)
{
    __local double terms[TILE], sums[WIDTH];
    const int lid = get_local_id(0), lane = lid & (TEAM - 1);
    const long w = get_group_id(0);
    const int first = window[3 * w], kept = window[3 * w + 1], count = window[3 * w + 2];
    const OFFSET begin = begins[w];
    for (int i = lid; i < count; i += WIDTH)
        terms[i] = TERM(begin + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int base = first; base < kept; base += WIDTH / TEAM) {
        const int r = base + (lid >> 3);
        const int from = r < kept ? (int)(row_ptr[r] - begin) : 0, to = r < kept ? (int)(row_ptr[r + 1] - begin) : 0;
        double lanes[4] = {0, 0, 0, 0};   // lane, lane + 8, + 16, + 24
        for (int i = from + lane; i < to; i += 32)
            for (int k = 0; k < 4; k++)
                if (i + k * TEAM < to)
                    lanes[k] += terms[i + k * TEAM];
        sums[lid] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
        for (int half_ = TEAM / 2; half_ > 0; half_ /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < half_)
                sums[lid] += sums[lid + half_];
        }
        if (lane == 0 && r < kept)
            NEXT(r, sums[lid]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// While 32 work-items add up one tile, the others gather the next.
__kernel void fixed_long_rows(__global const int *restrict listed, __global const OFFSET *restrict row_ptr, TERM_ARGS,
                              NEXT_ARGS)
{
    __local double terms[2 * TILE], lanes[32];
    const int lid = get_local_id(0), r = listed[get_group_id(0)];
    const long stop = row_ptr[r + 1];
    double sum = 0;
    int side = 0;
    for (long part = row_ptr[r]; part < stop; part += PART) {
        const long end = min(part + PART, stop);
        double own = 0;
        for (long tile = part; tile < end; tile += TILE) {
            __local double *here = terms + side * TILE;
            const int count = (int)min((long)TILE, end - tile);
            for (int i = lid; i < count; i += WIDTH)
                here[i] = TERM(tile + i);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < 32)
                for (int i = lid; i < count; i += 32)
                    own += here[i];
            side ^= 1;
        }
        if (lid < 32)
            lanes[lid] = own;
        for (int half_ = 16; half_ > 0; half_ /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < half_)
                lanes[lid] += lanes[lid + half_];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            sum += lanes[0];
    }
    if (lid == 0)
        NEXT(r, sum);
}
