// sampling/exact.cl: reduction sampling without a loop (drv and dre): what is left at a threshold of keyed
// priorities.
//
// Every vertex (drv) or edge (dre) has a priority, and they are deleted by increasing priority. "Alive at T" are those
// with key >= T, the key being the upper 32 bits of the priority, clamped to 1 .. TOP - 1. A probe labels the
// components alive at T inside the component followed so far (by components/finder.cl); the few left in the last
// bracket go to the host, which takes them one by one by their full priorities.
//
// key     uint[n] of vertices, or uint[arcs] of edges (both arcs of an edge the same)
// inside  int[n]  labels at the lower end of the bracket; the followed component has label `root` there
// launch  padded range, ITEMS consecutive vertices (or list entries) a work-item

#include "keyed.h"
#include "sampling/copra.h"

#ifndef HAS_COPIES
#define HAS_COPIES 0
#endif

#define TOP 0xFFFFFFFFu

static inline uint key_of(ulong priority)
{
    return clamp((uint)(priority >> 32), 1u, TOP - 1u);
}

__kernel void exact_vertex_keys(const int n, const ulong seed, __global uint *restrict key)
{
    FOR_ITEMS(v, n)
        key[v] = key_of(vertex_priority(seed, v));
}

// Each arc computes its edge's key: twice the arithmetic, but no search for the other arc.
__kernel void exact_edge_keys(const int n, const ulong seed, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global uint *restrict key)
{
    FOR_ITEMS(v, n) {
        uint copy = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
#if HAS_COPIES
            copy = p > row_ptr[v] && col_idx[p - 1] == u ? copy + 1 : 0;
#endif
            key[p] = key_of(edge_priority(seed, min(u, v), max(u, v), copy));
        }
    }
}

// Which vertices a probe considers: those inside, and for drv those alive at `threshold` (0: whatever their keys). With
// `begun`, what is connected at a higher threshold, whose labels are `known`, is connected from the start.
__kernel void exact_mask(const int n, __global const int *restrict inside, const int root,
                         __global const uint *restrict key, const uint threshold, __global const int *restrict known,
                         const int begun, __global int *restrict label)
{
    FOR_ITEMS(v, n) {
        const int there = inside[v] == root && (threshold == 0 || key[v] >= threshold);
        const int own = begun && known[v] >= 0 ? known[v] : v;
        label[v] = there ? own : -1;
    }
}

// Listed vertices are alive whatever their keys.
__kernel void exact_revive(const int count, __global const int *restrict list, __global int *restrict label)
{
    FOR_ITEMS(i, count)
        label[list[i]] = list[i];
}

// Listed arcs get a key.
__kernel void exact_set_keys(const int count, __global const OFFSET *restrict arcs,
                             __global const uint *restrict keys, __global uint *restrict key)
{
    FOR_ITEMS(i, count)
        key[arcs[i]] = keys[i];
}

__kernel void exact_gather(const int count, __global const int *restrict places, __global const int *restrict values,
                           __global int *restrict out)
{
    FOR_ITEMS(i, count)
        out[i] = values[places[i]];
}

// The vertices inside with low <= key < high; `count` goes on counting beyond the capacity.
__kernel void exact_collect_vertices(const int n, __global const uint *restrict key, const uint low, const uint high,
                                     __global const int *restrict inside, const int root, const int capacity,
                                     volatile __global int *count, __global int *restrict list)
{
    FOR_ITEMS(v, n)
        if (key[v] >= low && key[v] < high && inside[v] == root) {
            const int i = atomic_inc(count);
            if (i < capacity)
                list[i] = v;
        }
}

// The edges inside with low <= key < high: tail and arc, in the row of the smaller end.
__kernel void exact_collect_edges(const int n, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global const uint *restrict key,
                                  const uint low, const uint high, __global const int *restrict inside, const int root,
                                  const int capacity, volatile __global int *count, __global int *restrict tail,
                                  __global OFFSET *restrict arc)
{
    FOR_ITEMS(v, n)
        if (inside[v] == root)
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
                if (key[p] >= low && key[p] < high && col_idx[p] > v) {
                    const int i = atomic_inc(count);
                    if (i < capacity) {
                        tail[i] = v;
                        arc[i] = p;
                    }
                }
}

// The arcs alive at `threshold` in the component `root`.
__kernel void exact_live_arcs(const int n, __global const OFFSET *restrict row_ptr, __global const uint *restrict key,
                              const uint threshold, __global const int *restrict label, const int root,
                              __global uchar *restrict live)
{
    FOR_ITEMS(v, n) {
        const int there = label[v] == root;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            live[p] = there && key[p] >= threshold;   // a live arc does not leave its component
    }
}
