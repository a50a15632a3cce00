// sampling/literature/ust_cut.cl: a part of a spanning tree: the branches to the root from the vertices in order of
// priority, until there are enough vertices.
//
// A vertex comes with the first vertex of its subtree, and those that come with one another in order of depth. Both are
// made by pointer doubling: after k rounds first[v] is that of the descendants nearer than 2^k.
//
// place   int[runs * n]: all vertices of all runs, run after run, ascending by priority; run * n + vertex
// first   int[runs * n]: rank in that order; depth int[runs * n]
// launch  padded range over vertices, by runs; rank, words: over all entries

#include "keyed.h"

// 32 bits of each priority (shift 0, 32), or the run (64), of entries in the order of `place` (NULL: as they are).
__kernel void cut_words(const int many, const int n, const ulong seed, const int shift, __global const int *restrict place,
                        __global uint *restrict word)
{
    FOR_ITEMS(i, many) {
        const int at = place ? place[i] : i, run = at / n;
        word[i] = shift == 64 ? (uint)run : (uint)(vertex_priority(seed + run, at - run * n) >> shift);
    }
}

__kernel void cut_rank(const int many, const int n, __global const int *restrict place, __global int *restrict first)
{
    FOR_ITEMS(i, many) first[place[i]] = i - i / n * n;
}

__kernel void cut_begin(const int n, __global const int *restrict next, __global int *restrict jump,
                        __global int *restrict depth)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        jump[base + v] = next[base + v];
        depth[base + v] = next[base + v] != v;
    }
}

__kernel void cut_climb(const int n, __global const int *restrict jump, __global const int *restrict depth,
                        __global int *restrict further, __global int *restrict deeper,
                        volatile __global int *restrict first, volatile __global int *restrict going)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        const int up = jump[base + v];
        further[base + v] = jump[base + up];
        deeper[base + v] = depth[base + v] + depth[base + up];
        // what a neighbour's value in this round adds would come in a later one
        if (up != v) atomic_min(&first[base + up], SHARED_LOAD(first + base + v));
        if (depth[base + up]) atomic_inc(going);
    }
}

__kernel void cut_keys(const int n, __global const int *restrict first, __global const int *restrict depth,
                       __global ulong *restrict key)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) key[base + v] = (ulong)first[base + v] << 32 | (ulong)depth[base + v];
}
