// sampling/explore.cl: exploration samples (ebfs, edfs): which vertices are visited first from a start.
//
// distance int[n]   ebfs: levels (cl/traversal/search*.cl); the last one is cut to the smallest (priority, vertex)
// visit int[n]      edfs: the vertices in the order of their first visits (sampling/explore_walk.cl)
// launch   padded range, ITEMS consecutive vertices per work-item

#include "keyed.h"

// Vertices of a level, by priority t: counter[0] counts t < low; those with low <= t <= high are listed and counted by
// counter[1], also beyond the capacity. The first counter is summed in the work-group and added once.
__kernel void explore_window(const int n, const ulong seed, __global const int *restrict distance, const int level,
                             const ulong low, const ulong high, const int capacity, volatile __global int *counter,
                             __global ulong *restrict priority, __global int *restrict vertex)
{
    __local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int below = 0;
    FOR_ITEMS(v, n)
        if (distance[v] == level) {
            const ulong t = vertex_priority(seed, v);
            below += t < low;
            if (t >= low && t <= high) {
                const int i = atomic_inc(counter + 1);
                if (i < capacity) {
                    priority[i] = t;
                    vertex[i] = v;
                }
            }
        }
    if (below)
        atomic_add(&sum, below);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && sum)
        atomic_add(counter, sum);
}

// How many vertices each level has, in groups of `each` vertices: the first BINS levels are counted in local memory.
#define BINS 64
__kernel void explore_levels(const int n, const int each, __global const int *restrict distance,
                             volatile __global int *count)
{
    __local int bin[BINS];
    const int lane = get_local_id(0), lanes = get_local_size(0);
    for (int i = lane; i < BINS; i += lanes)
        bin[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long begin = (long)get_group_id(0) * each, end = min(begin + each, (long)n);
    for (long v = begin + lane; v < end; v += lanes) {
        const int d = distance[v];
        if (d >= BINS)
            atomic_inc(&count[d]);
        else if (d >= 0)
            atomic_inc(&bin[d]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < BINS; i += lanes)
        if (bin[i])
            atomic_add(&count[i], bin[i]);
}

// Marks the levels before `level`, and of that level the vertices up to (cutoff, last).
__kernel void explore_cut(const int n, const ulong seed, __global const int *restrict distance, const int level,
                          const ulong cutoff, const int last, __global uchar *restrict live)
{
    FOR_ITEMS(v, n) {
        const int d = distance[v];
        int there = d >= 0 && d < level;
        if (d == level) {
            const ulong t = vertex_priority(seed, v);
            there = t < cutoff || (t == cutoff && v <= last);
        }
        live[v] = there;
    }
}

// Marks the first vertices in an order of visits (sampling/explore_walk.cl), beside zeros.
__kernel void explore_first(const int wanted, __global const int *restrict visit, __global uchar *restrict live)
{
    FOR_ITEMS(i, wanted) live[visit[i]] = 1;
}
