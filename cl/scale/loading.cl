// scale/loading.cl: whether the rows of a shard are what the other kernels take for granted, before they run.
//
// fault     int[2]   [0] not 0: something is wrong (the host says what); [1] entries that join a vertex to itself
// launch    loading_offsets: padded range, ITEMS rows each. loading_heads: a work-item takes SPAN consecutive entries,
//           finds the first one's row by binary search, and stays within the arrays whatever row_ptr holds
// tunables  ITEMS, SPAN; OFFSET: type of row_ptr; FULL: also that rows ascend and, with PAIRS, begin at their vertex

#include "scale/rows.h"

#ifndef SPAN
#define SPAN 4096
#endif

#ifndef FULL
#define FULL 1
#endif

#ifndef PAIRS
#define PAIRS 1
#endif

__kernel void loading_offsets(const int rows, const long entries, __global const OFFSET *restrict row_ptr,
                              volatile __global int *fault)
{
    int wrong = 0;
    FOR_ITEMS(r, rows) {
        wrong |= row_ptr[r] > row_ptr[r + 1];
        wrong |= r == 0 && row_ptr[0] != 0;
        wrong |= r == rows - 1 && row_ptr[rows] != entries;
    }
    if (wrong)
        atomic_or(&fault[0], 1);
}

__kernel void loading_heads(const int rows, const int first_row, const int n, const long entries,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            volatile __global int *fault)
{
    const long begin = min((long)get_global_id(0) * SPAN, entries), end = min(begin + SPAN, entries);
    int wrong = 0, loops = 0;
#if FULL
    int row = begin < end ? row_of(row_ptr, begin, 0, rows - 1) : 0;
#endif
    for (long p = begin; p < end; p++) {
        const int head = col_idx[p];
        wrong |= head < 0 || head >= n;
#if FULL
        while (row < rows - 1 && row_ptr[row + 1] <= p)
            row++;
        wrong |= p > row_ptr[row] && col_idx[p - 1] > head;
        wrong |= PAIRS && head < first_row + row;
        loops += head == first_row + row;
#endif
    }
    if (wrong)
        atomic_or(&fault[0], 1);
    if (loops)
        atomic_add(&fault[1], loops);
}
