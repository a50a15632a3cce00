// sampling/literature/listed.cl: values of the vertices that each of many runs has taken (smallest.cl lists them).
//
// offset  long[runs + 1], list int[offset[runs]]: run r's vertices are list[offset[r]], ...
// launch  visited: padded range over vertices, by runs; gather: over the entries of the longest list, by runs;
//         mark: over the entries of one list. ITEMS consecutive ones per work-item

#include "keyed.h"
#include "sampling/literature/clock.h"

// Keys that take the vertices with a visit (in whatever part of the walk) or a first visit.
__kernel void listed_visited(const int n, const int parts, __global const int *restrict visits,
                             __global const ulong *restrict first, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1), runs = (int)get_global_size(1);
    FOR_ITEMS(v, n) {
        int any = first && first[(long)run * n + v] != NONE;
        for (int b = 0; b < parts && !any; b++)
            any = visits[((long)b * runs + run) * n + v] != 0;
        key[(long)run * n + v] = any ? (first ? first[(long)run * n + v] : 0) : NONE;
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
