// sampling/literature/roots.cl: one root in each component, for trees and for searches that take component after component.
//
// label   int[n]: the component of each vertex
// high, low, root  uint[runs * n], uint[runs * n], int[runs * n], by label: of each component the smallest start priority
//         and the vertex that has it; -1 in root where roots are given, and the priority is 0 there
// launch  padded range over vertices, by runs; given: over runs. ITEMS consecutive ones per work-item

#include "keyed.h"

// The smallest start priority of each component, 32 bits at a time, then its smallest vertex.
__kernel void roots_find(const int n, const ulong seed, const int pass, __global const int *restrict label,
                         volatile __global uint *restrict high, volatile __global uint *restrict low,
                         volatile __global int *restrict root)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const long slot = (long)run * n + label[v];
        const ulong x = start_priority(seed + run, v);
        const uint top = (uint)(x >> 32), rest = (uint)x;
        if (pass == 0) atomic_min(&high[slot], top);
        else if (high[slot] == top) {
            if (pass == 1) atomic_min(&low[slot], rest);
            else if (low[slot] == rest) atomic_min(&root[slot], v);
        }
    }
}

// Roots that are given, or one of the pool: their components have no other. chosen: 1 for each of them.
__kernel void roots_given(const int n, const int runs, const ulong seed, const int given,
                          __global const int *restrict starts, const int pool_size, __global const int *restrict pool,
                          __global const int *restrict label, __global uint *restrict high, __global uint *restrict low,
                          __global int *restrict root, __global int *restrict chosen)
{
    FOR_ITEMS(run, runs) {
        for (int i = 0; i < max(given, 1); i++) {
            const ulong a = keyed_a(keyed_words(seed + run, 0, 0, 0, TAG_DRAW));
            const int v = given ? starts[i] : pool[mul_hi(a, (ulong)pool_size)];
            const long slot = (long)run * n + label[v];
            root[slot] = -1;
            high[slot] = low[slot] = 0;
            chosen[(long)run * n + v] = 1;
        }
    }
}

// Which vertices are roots; how many there are in each run.
__kernel void roots_mark(const int n, __global const int *restrict label, __global const int *restrict root,
                         __global int *restrict chosen)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n)
        if (root[base + label[v]] == v) chosen[base + v] = 1;
}
