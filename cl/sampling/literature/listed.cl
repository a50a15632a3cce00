// sampling/literature/listed.cl: values of the vertices that each of many runs has taken (smallest.cl lists them).
//
// offset  long[runs + 1], list int[offset[runs]]: run r's vertices are list[offset[r]], ...
// launch  met, list: a work-item per BLOCK vertices, by runs; gather: over the entries of the longest list, by runs;
//         mark: over the entries of one list, ITEMS consecutive ones per work-item
// tunables    BLOCK

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef BLOCK
#define BLOCK 256
#endif

// Whether a vertex has a visit, in whatever part of the walk: mostly there is but one, or one in the first parts.
static inline int is_met(long slot, long step, int parts, __global const int *visits)
{
    int met = visits[slot] != 0;
    for (int b = 1; b < parts && !met; b++)
        met = visits[b * step + slot] != 0;
    return met;
}

// How many vertices of each block have a visit.
__kernel void listed_met(const int n, const int blocks, const int parts, __global const int *restrict visits,
                         __global int *restrict count)
{
    const int run = (int)get_global_id(1), block = (int)get_global_id(0);
    const long base = (long)run * n, step = (long)get_global_size(1) * n;
    if (block < blocks) {
        const int first = block * BLOCK, end = (int)min((long)first + BLOCK, (long)n);
        int many = 0;
        for (int v = first; v < end; v++)
            many += is_met(base + v, step, parts, visits);
        count[(long)run * blocks + block] = many;
    }
}

// These vertices, from before[block] on.
__kernel void listed_list(const int n, const int blocks, const int parts, __global const int *restrict visits,
                          __global const long *restrict before, __global int *restrict list)
{
    const int run = (int)get_global_id(1), block = (int)get_global_id(0);
    const long base = (long)run * n, step = (long)get_global_size(1) * n;
    if (block < blocks) {
        const int first = block * BLOCK, end = (int)min((long)first + BLOCK, (long)n);
        long place = before[(long)run * blocks + block];
        const long stop = before[(long)run * blocks + block + 1];
        // no branch on what is hard to foresee: a vertex without visits is written over by the next one
        for (int v = first; v < end && place < stop; v++) {
            list[place] = v;
            place += is_met(base + v, step, parts, visits);
        }
    }
}

// out[b][at] = value[b][run][v] of the vertices listed.
__kernel void listed_gather(const int n, const int parts, const int longest, const long many,
                            __global const long *restrict offset, __global const int *restrict list,
                            __global const int *restrict value, __global int *restrict out)
{
    const int run = (int)get_global_id(1), runs = (int)get_global_size(1);
    FOR_ITEMS(i, longest) {
        const long at = offset[run] + i;
        if (at < offset[run + 1])
            for (int b = 0; b < parts; b++)
                out[b * many + at] = value[((long)b * runs + run) * n + list[at]];
    }
}

// A mark for each vertex that one run has taken.
__kernel void listed_mark(const int many, const long first, __global const int *restrict list,
                          __global uchar *restrict mark)
{
    FOR_ITEMS(i, many) mark[list[first + i]] = 1;
}
