// scale/several.cl: which of several rows of its curve, each a sample, have a vertex or an edge of a graph in memory. Samples
// are nested: a number says how many of them, from the largest on, have it.
//
// last              int[n]         the last row that has the vertex, -1: none
// row, time, word   [count]        the rows, ascending, and the last edge deleted before each; 0, 0: none was
// level, arc_level  uchar[]        how many of the samples have a vertex, an arc
// launch            ITEMS consecutive vertices (several_marks: entries) a work-item
// tunables          ITEMS; OFFSET: type of row_ptr

#include "keyed.h"

#ifndef OFFSET
#define OFFSET int
#endif

__kernel void several_levels(const int n, const int count, __global const int *restrict row,
                             __global const int *restrict last, __global uchar *restrict level)
{
    FOR_ITEMS(v, n) {
        int most = 0;
        while (most < count && row[most] <= last[v])
            most++;
        level[v] = (uchar)most;
    }
}

__kernel void several_arcs(const int n, const ulong seed, __global const ulong *restrict time,
                           __global const ulong *restrict word, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const uchar *restrict level,
                           __global uchar *restrict arc_level)
{
    FOR_ITEMS(u, n) {
        for (OFFSET p = row_ptr[u]; p < row_ptr[u + 1]; p++) {
            const int v = col_idx[p];
            int most = min(level[u], level[v]);
            if (most) {
                const uint low = (uint)min(u, v), high = (uint)max(u, v);
                const ulong t = edge_priority(seed, low, high, 0), own = (ulong)low << 32 | high;
                while (most && (t < time[most - 1] || (t == time[most - 1] && own <= word[most - 1])))
                    most--;
            }
            arc_level[p] = (uchar)most;
        }
    }
}

__kernel void several_marks(const long count, const int above, __global const uchar *restrict level,
                            __global uchar *restrict marks)
{
    FOR_ITEMS_LONG(i, count)
        marks[i] = level[i] > above;
}
