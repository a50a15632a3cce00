// sampling/explore.cl: exploration samples (ebfs, edfs): which vertices are visited first from a start.
//
// distance int[n]   ebfs: levels (cl/traversal/search*.cl); the last one is cut to the smallest (priority, vertex)
// visit int[n]      edfs: the vertices in the order of their first visits (sampling/explore_walk.cl)
// launch   padded range, ITEMS consecutive vertices per work-item
//
// RUNS     many breadth-first runs side by side, each a work-item, which is serial: many of them fill a device, and none
//          waits for another. A run goes from its start level by level; where the target ends in a level, that is put in
//          order of the priorities (of one run, the first ones are selected instead).
//
// inside int[whole]  the vertices of the input's largest component, ascending: one of them is the start (`given`, if it
//                    is no -1)
// target int[]       sizes wanted, decreasing
// area int[]         6n ints a work-item: key ulong[n]; end int[n]; queue int[n]; seen int[n]; sorted int[n]
// member, count, next, launch   as in sampling/replicates.cl
//
// The same for depth-first runs, of which a launch does all: visit int[runs][wanted] has the order of their first visits

#include "keyed.h"

#ifndef RUNS

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

#else

#include "sampling/replicates.h"

// Puts names[0 .. count-1], vertices, in order of their priorities; equal ones by vertex.
static inline void sort_names(__global int *names, const int count, const ulong seed, __global ulong *key,
                              __global int *end, __global int *sorted)
{
    int bits = 1;
    while (2 << bits <= count)
        ++bits;
    const int shift = 64 - bits;
    for (int b = 0; b < 1 << bits; ++b)
        end[b] = 0;
    for (int i = 0; i < count; ++i) {
        key[names[i]] = vertex_priority(seed, names[i]);
        ++end[key[names[i]] >> shift];
    }
    sort_places(1 << bits, end);
    for (int i = 0; i < count; ++i)
        sorted[end[key[names[i]] >> shift]++] = names[i];
    sort_buckets(1 << bits, end, sorted, key);
    for (int i = 0; i < count; ++i)
        names[i] = sorted[i];
}

__kernel void explore_runs(const int n, const ulong seed, const int runs, __global const OFFSET *restrict row_ptr,
                                 __global const int *restrict col_idx, __global const int *restrict inside,
                                 const int whole, const int given, const int targets,
                                 __global const int *restrict target, __global int *area, __global int *next,
                                 __global uint *restrict member, __global int *restrict count)
{
    __global int *mine = area + (size_t)get_global_id(0) * 6 * n;
    __global ulong *key = (__global ulong *)mine;
    __global int *end = mine + 2 * (size_t)n;
    __global int *queue = mine + 3 * (size_t)n;
    __global int *seen = mine + 4 * (size_t)n;
    const int words = (n + 31) / 32;
    for (int run = atomic_inc(next); run < runs; run = atomic_inc(next)) {
        const philox4x32_ctr_t drawn = keyed_words(seed + run, 0, 0, 0, TAG_DRAW);
        const int begin = given >= 0 ? given : inside[keyed_below(keyed_join(drawn.v[0], drawn.v[1]), whole)];
        for (int v = 0; v < n; ++v)
            seen[v] = 0;
        seen[begin] = 1;
        queue[0] = begin;
        int first = 0, last = 1, level = 1;   // the level is queue[first .. last-1]
        for (int k = targets - 1; k >= 0; --k) {
            const int wanted = min(target[k], whole);
            while (last < wanted) {
                int behind = last;
                for (int i = first; i < last; ++i) {
                    const int v = queue[i];
                    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p) {
                        const int u = col_idx[p];
                        if (seen[u]) continue;
                        seen[u] = 1;
                        queue[behind++] = u;
                    }
                }
                first = last;
                last = behind;
                ++level;
            }
            if (wanted < last) sort_names(queue + first, last - first, seed + run, key, end, mine + 5 * (size_t)n);
            const size_t slot = (size_t)run * targets + k;
            __global uint *in = member + slot * words;
            int arcs = 0;
            for (int w = 0; w < words; ++w)
                in[w] = 0;
            for (int i = 0; i < wanted; ++i)
                in[queue[i] >> 5] |= 1u << (queue[i] & 31);
            for (int i = 0; i < wanted; ++i)
                for (OFFSET p = row_ptr[queue[i]]; p < row_ptr[queue[i] + 1]; ++p)
                    arcs += (in[col_idx[p] >> 5] >> (col_idx[p] & 31)) & 1u;
            count[3 * slot] = wanted;
            count[3 * slot + 1] = arcs / 2;
            count[3 * slot + 2] = level;
        }
        if (run == 0) count[3 * runs * targets] = whole;
    }
}

// The bits of the vertices that are visited first. Launch: visits x runs; all of `member` is 0.
__kernel void explore_members(const int n, const int wanted, const int targets, __global const int *restrict target,
                              __global const int *restrict visit, volatile __global uint *member)
{
    const int i = get_global_id(0);
    const size_t run = get_global_id(1);
    if (i >= wanted)
        return;
    const int v = visit[run * wanted + i];
    for (int k = 0; k < targets && i < target[k]; ++k)
        atomic_or(&member[(run * targets + k) * ((n + 31) / 32) + (v >> 5)], 1u << (v & 31));
}

// Their number, that of the edges among them, and whether a walk was needed. Launch: vertices x samples of all runs; all of
// `count` is 0.
__kernel void explore_counts(const int n, const int whole, const int targets, __global const int *restrict target,
                             __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const uint *restrict member, volatile __global int *count)
{
    const size_t slot = get_global_id(1);
    const int v = get_global_id(0), wanted = target[slot % targets];
    __global const uint *in = member + slot * ((n + 31) / 32);
    if (v == 0) {
        count[3 * slot] = min(wanted, whole);
        count[3 * slot + 2] = wanted < whole;
        if (slot == 0)
            count[3 * get_global_size(1)] = whole;
    }
    if (v >= n || !(in[v >> 5] >> (v & 31) & 1))
        return;
    int edges = 0;
    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p)
        edges += col_idx[p] > v && (in[col_idx[p] >> 5] >> (col_idx[p] & 31) & 1);
    if (edges)
        atomic_add(&count[3 * slot + 1], edges);
}

#endif
