// sampling/explore.cl: exploration samples (ebfs, edfs): which vertices are visited first from a start.
//
// distance int[n]   ebfs: levels (cl/traversal/search*.cl); the last one is cut to the smallest (priority, vertex)
// seen     int[n]   edfs: position in the order of first visits, -1: not visited yet
// cursor   int[n]   edfs: how much of a vertex's row (as ordered by sampling/explore_order.cl) has been read
// stack    int[n]   edfs: the path from the start to the current vertex
// state    int[2]   edfs: length of the path, vertices visited; so that another launch can continue the walk
// launch   padded range, ITEMS consecutive vertices per work-item; explore_walk: one work-group of LANES work-items,
//          which read as many neighbours at once: a depth-first walk is bound by memory latency alone
// tunables LANES 1 on CPUs, 32 on GPUs

#include "keyed.h"

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef LANES
#define LANES 1
#endif

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

// Marks the first vertices in the order of visits.
__kernel void explore_first(const int n, __global const int *restrict seen, const int wanted,
                            __global uchar *restrict live)
{
    FOR_ITEMS(v, n)
        live[v] = seen[v] >= 0 && seen[v] < wanted;
}

__kernel void explore_start(const int start, __global int *restrict seen, __global int *restrict stack,
                            __global int *restrict state)
{
    if (get_global_id(0) == 0) {
        seen[start] = 0;
        stack[0] = start;
        state[0] = 1;
        state[1] = 1;
    }
}

// At most `steps` steps of the walk, until `wanted` vertices are visited: to the next unvisited neighbour, or back.
// Every work-item keeps the same `depth`, `count` and `v`; the first one writes, and a barrier publishes it.
__kernel void explore_walk(const int steps, const int wanted, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict order, __global int *seen, __global int *cursor,
                           __global int *stack, __global int *restrict state)
{
    int depth = state[0], count = state[1];
    int v = depth ? stack[depth - 1] : 0;
#if LANES == 1
    for (int i = 0; i < steps && depth && count < wanted; i++) {
        const OFFSET row = row_ptr[v];
        const int degree = (int)(row_ptr[v + 1] - row);
        int c = cursor[v];
        while (c < degree && seen[order[row + c]] >= 0)
            c++;
        cursor[v] = c;
        if (c < degree) {
            v = order[row + c];
            seen[v] = count++;
            stack[depth++] = v;
        } else if (--depth) {
            v = stack[depth - 1];
        }
    }
    state[0] = depth;
    state[1] = count;
#else
    __local int nearest, next;
    const int lane = get_local_id(0);
    for (int i = 0; i < steps && depth && count < wanted; i++) {
        const OFFSET row = row_ptr[v];
        const int degree = (int)(row_ptr[v + 1] - row);
        const int c = cursor[v];
        if (lane == 0)
            nearest = LANES;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all have read the cursor
        const int u = c + lane < degree ? order[row + c + lane] : -1;
        const int is_new = u >= 0 && seen[u] < 0;
        if (is_new)
            atomic_min(&nearest, lane);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int found = nearest;
        if (lane == found)
            next = u;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all have read `nearest` and `seen`; `next` is set
        if (lane == 0)
            cursor[v] = min(c + found, degree);
        if (found < LANES) {
            v = next;
            if (lane == 0) {
                seen[v] = count;
                stack[depth] = v;
            }
            count++;
            depth++;
        } else if (c + LANES >= degree && --depth) {
            v = stack[depth - 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);   // all have read the state, even if there was no step to take
    if (lane == 0) {
        state[0] = depth;
        state[1] = count;
    }
#endif
}
