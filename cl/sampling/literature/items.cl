// sampling/literature/items.cl: words of keys by which the vertices of all runs are sorted, and their ranks.
//
// Vertices of all runs side by side are items (run n + vertex).
//
// place   int[many]: items in an order; NULL: as they are. given int[many], value ulong[many]: of each item
// label   int[n]: the component of each vertex; high, low uint[runs * n], by label: see roots.cl
// launch  padded range over all items, ITEMS consecutive ones per work-item

#include "keyed.h"

// 32 bits of what items are sorted by: of each one's priority (0, 1), its run (2), its component's priority (3, 4), of `value`
// (5, 6), its degree, the largest first (7), or `given` (8).
__kernel void items_words(const int many, const int n, const ulong seed, const int which, const int longest,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict label,
                          __global const uint *restrict high, __global const uint *restrict low,
                          __global const ulong *restrict value, __global const int *restrict given,
                          __global const int *restrict place, __global uint *restrict word)
{
    FOR_ITEMS(i, many) {
        const int at = place ? place[i] : i, run = at / n, v = at - run * n;
        if (which < 2) word[i] = (uint)(vertex_priority(seed + run, (uint)v) >> (32 * which));
        else if (which == 2) word[i] = (uint)run;
        else if (which < 5) word[i] = (which == 3 ? low : high)[(long)run * n + label[v]];
        else if (which < 7) word[i] = (uint)(value[at] >> (32 * (which - 5)));
        else word[i] = which == 7 ? (uint)(longest - (int)(row_ptr[v + 1] - row_ptr[v])) : (uint)given[at];
    }
}

// The position of each item in an order, modulo `length`.
__kernel void items_rank(const int many, const int length, __global const int *restrict place, __global int *restrict rank)
{
    FOR_ITEMS(i, many) rank[place[i]] = i - i / length * length;
}
