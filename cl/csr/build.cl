// csr/build.cl: from a list of arcs to compressed sparse rows, for devices with many work-items (GPUs); CPUs take
// csr/build_buckets.cl.
//
// Count the arcs of each row, turn the counts into offsets, scatter the heads with one cursor per row, sort each row
// (csr/build_sort.cl), and squeeze out duplicates. The scatter leaves a row in the order in which the atomics happened
// to run; sorting makes the bytes the same every time.
//
// tail, head  int[count]       arcs; loops (tail == head) are skipped unless LOOPS
// degree      uint[n]          counted up by rows_count, down to 0 again by rows_scatter
// row_ptr     OFFSET[n + 1]    duplicates included until rows_squeeze
// col         int[arcs]        heads; negative ones are marked
// copies      int[]            arcs that each kept one stands for (COUNTS)
// launch      padded range, ITEMS consecutive arcs or SPAN consecutive rows per work-item; rows_stay and
//             rows_squeeze: one work-group of any size per block
// tunables    BLOCK (arcs that a work-group squeezes), SPAN (rows in a partial sum)

#include "csr/build.h"

#ifndef BLOCK
#define BLOCK 2048
#endif
#ifndef SPAN
#define SPAN 32
#endif

__kernel void rows_count(const long count, const int mirror, __global const int *restrict tail,
                         __global const int *restrict head, volatile __global uint *degree)
{
    FOR_ITEMS_LONG(e, count) {
        const int t = tail[e], h = head[e];
        if (LOOPS || t != h) {
            atomic_inc(&degree[t]);
            if (mirror && t != h)
                atomic_inc(&degree[h]);
        }
    }
}

// Arcs in each run of SPAN rows, and the longest row.
__kernel void rows_sums(const int n, __global const uint *restrict degree, __global long *restrict sums,
                        volatile __global uint *longest)
{
    const long from = (long)get_global_id(0) * SPAN;
    if (from < n) {
        long sum = 0;
        uint most = 0;
        for (long v = from; v < min(from + SPAN, (long)n); v++) {
            sum += degree[v];
            most = max(most, degree[v]);
        }
        sums[get_global_id(0)] = sum;
        // stale is harmless: the word only grows, and most runs need not touch it
        if (most > SHARED_LOAD(longest))
            atomic_max(longest, most);
    }
}

// before[k]: arcs in the rows before run k.
__kernel void rows_offsets(const int n, const long arcs, __global const uint *restrict degree,
                           __global const long *restrict before, __global OFFSET *restrict row_ptr)
{
    const long from = (long)get_global_id(0) * SPAN;
    if (from < n) {
        OFFSET p = (OFFSET)before[get_global_id(0)];
        for (long v = from; v < min(from + SPAN, (long)n); v++) {
            row_ptr[v] = p;
            p += (OFFSET)degree[v];
        }
        if (from + SPAN >= n)
            row_ptr[n] = (OFFSET)arcs;
    }
}

__kernel void rows_scatter(const long count, const int mirror, __global const int *restrict tail,
                           __global const int *restrict head, __global const OFFSET *restrict row_ptr,
                           volatile __global uint *degree, __global int *restrict col)
{
    FOR_ITEMS_LONG(e, count) {
        const int t = tail[e], h = head[e];
        if (LOOPS || t != h) {
            col[row_ptr[t] + (atomic_dec(&degree[t]) - 1)] = h;
            if (mirror && t != h)
                col[row_ptr[h] + (atomic_dec(&degree[h]) - 1)] = t;
        }
    }
}

// Heads that are kept, by blocks of BLOCK arcs.
__kernel void rows_stay(const long arcs, __global const int *restrict col, __global int *restrict stay)
{
    __local int sum;
    const long begin = (long)get_group_id(0) * BLOCK;
    int mine = 0;
    for (long p = begin + get_local_id(0); p < min(begin + BLOCK, arcs); p += get_local_size(0))
        mine += col[p] >= 0;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        stay[get_group_id(0)] = sum;
}

static inline long first_row_at(__global const OFFSET *row_ptr, const int n, const long p)
{
    long low = 0, high = (long)n + 1;   // the first v in 0 .. n + 1 with row_ptr[v] >= p
    while (low < high) {
        const long middle = (low + high) / 2;
        if (row_ptr[middle] < p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Squeezes out duplicates: one work-group per block of arcs, and the offsets that point into it. before[b]: heads
// kept in the blocks before b.
__kernel void rows_squeeze(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col, __global const long *restrict before,
                           __global NEW_OFFSET *restrict new_row_ptr, __global int *restrict new_col,
                           __global int *restrict copies, __local int *restrict sums)
{
    __local int place[BLOCK + 1];
    const int lane = get_local_id(0), lanes = get_local_size(0);
    const long begin = (long)get_group_id(0) * BLOCK;
    const int length = (int)min((long)BLOCK, arcs - begin);
    const long base = before[get_group_id(0)];
    for (int i = lane; i < length; i += lanes)
        place[i] = col[begin + i] >= 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int share = (BLOCK + lanes - 1) / lanes;
    const int from = min(lane * share, length), to = min(from + share, length);
    int sum = 0;
    for (int i = from; i < to; i++)
        sum += place[i];
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        int total = 0;
        for (int k = 0; k < lanes; k++) {
            const int x = sums[k];
            sums[k] = total;
            total += x;
        }
        place[length] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = sums[lane];
    for (int i = from; i < to; i++) {
        const int x = place[i];
        place[i] = sum;
        sum += x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < length; i += lanes)
        if (col[begin + i] >= 0) {
            new_col[base + place[i]] = col[begin + i];
            if (COUNTS) {
                long p = begin + i + 1;   // what is marked repeats the arc before it, also in the next block
                while (p < arcs && col[p] < 0)
                    p++;
                copies[base + place[i]] = (int)(p - begin - i);
            }
        }
    const int last = begin + length == arcs;   // it also writes the offsets after the last arc
    const long end_row = last ? (long)n + 1 : first_row_at(row_ptr, n, begin + length);
    for (long v = first_row_at(row_ptr, n, begin) + lane; v < end_row; v += lanes)
        new_row_ptr[v] = (NEW_OFFSET)(base + place[row_ptr[v] - begin]);
}
