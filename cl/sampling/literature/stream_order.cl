// sampling/literature/stream_order.cl: a graph as a stream: its edges without loops in order of edge priority.
//
// Edges are numbered by (smaller end, larger end, copy); those of all runs side by side are items (run m + number).
//
// low, high, copy, arc  int[m], int[m], uint[m], long[m]: of each edge; arc: its place at the smaller end
// place   int[runs m]: items in order; NULL: as they are
// word    uint[runs m]: a half of the priority (0 the low one, 1 the high one), or 2 the run
// launch  padded range of vertices, or of items; ITEMS consecutive ones per work-item

#include "keyed.h"

// How many edges begin at each vertex; with `low`, which, from begin[v] on.
__kernel void order_edges(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global int *restrict many, __global const long *restrict begin, __global int *restrict low,
                          __global int *restrict high, __global uint *restrict copy, __global long *restrict arc)
{
    FOR_ITEMS(v, n) {
        int k = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            if (col_idx[p] > v) {
                if (low) {
                    const long e = begin[v] + k;
                    low[e] = v;
                    high[e] = col_idx[p];
                    copy[e] = p > row_ptr[v] && col_idx[p - 1] == col_idx[p] ? copy[e - 1] + 1 : 0;
                    arc[e] = p;
                }
                k++;
            }
        if (many) many[v] = k;
    }
}

__kernel void order_words(const long count, const long m, const ulong seed, const int which, __global const int *restrict low,
                        __global const int *restrict high, __global const uint *restrict copy,
                        __global const int *restrict place, __global uint *restrict word)
{
    FOR_ITEMS_LONG(i, count) {
        const long x = place ? place[i] : i;
        const long run = x / m, e = x - run * m;
        const ulong t = which == 2 ? 0 : edge_priority(seed + run, low[e], high[e], copy[e]);
        word[i] = which == 0 ? (uint)t : which == 1 ? (uint)(t >> 32) : (uint)run;
    }
}

// The ends of the edge at each position, and its weight where there are weights.
__kernel void order_ends(const long count, const long m, __global const int *restrict low, __global const int *restrict high,
                         __global const long *restrict arc, __global const ulong *restrict weight,
                         __global const int *restrict place, __global ulong *restrict tail, __global ulong *restrict head,
                         __global ulong *restrict given)
{
    FOR_ITEMS_LONG(i, count) {
        const long e = place[i] % m;
        tail[i] = low[e];
        head[i] = high[e];
        if (given) given[i] = weight[arc[e]];
    }
}

// The place of the edge that came at each time listed: times[j] of run runs[j].
__kernel void order_places(const long count, const long m, __global const int *restrict place,
                           __global const long *restrict arc, __global const int *restrict run,
                           __global const long *restrict time, __global long *restrict out)
{
    FOR_ITEMS_LONG(j, count)
        out[j] = arc[place[run[j] * m + time[j] - 1] % m];
}
