// sampling/select.cl: the k live vertices or edges of smallest (priority, identity), by threshold, without sorting.
//
// A pass counts the live priorities of a window [low, low + bins << shift) by bins; the host finds the bin of
// the k-th, a second pass collects that bin, the host sorts those few, and a last pass lists everything up to
// the cutoff (priority, position). Priorities are computed from (seed, identity) in each pass: ten rounds of
// Philox cost less than reading eight bytes of memory per vertex or edge.
//
// A vertex's position is its index; an edge's is its slot in the block of its smaller end (so positions ascend as
// (min, max, copy) do).
// launch      padded range, ITEMS consecutive vertices per work-item
// tunables    ITEMS; HAS_COPIES where parallel edges were kept

#include "keyed.h"
#include "sampling/copra.h"

#ifndef HAS_COPIES
#define HAS_COPIES 0
#endif

#define FOR_VERTEX_THINGS(n)                         \
    FOR_ITEMS(v, n)                                  \
        if (v_start[v] != REMOVED)

// Each live edge once: at the slot in its smaller end's block.
#define FOR_EDGE_THINGS(n)                           \
    FOR_ITEMS(v, n)                                  \
        for (OFFSET s = v_start[v]; s < v_end[v]; s++) \
            if (edges[s] > v)

static inline ulong priority_of_edge(ulong seed, int v, OFFSET slot, __global const int *edges,
                                     __global const OFFSET *row_ptr, __global const int *col_idx)
{
    uint copy = 0;
#if HAS_COPIES
    copy = (uint)copy_rank(row_ptr, col_idx, v, slot - 2 * ((OFFSET)v + 1));
#endif
    return edge_priority(seed, v, edges[slot], copy);
}

static inline void count_one(ulong t, ulong low, int shift, int bins, volatile __global int *histogram)
{
    if (t >= low && ((t - low) >> shift) < (ulong)bins)
        atomic_inc(&histogram[(int)((t - low) >> shift)]);
}

static inline int is_chosen(ulong t, OFFSET position, ulong cutoff, OFFSET cutoff_position)
{
    return t < cutoff || (t == cutoff && position <= cutoff_position);
}

__kernel void select_count_vertices(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                    const ulong low, const int shift, const int bins, volatile __global int *histogram)
{
    FOR_VERTEX_THINGS(n)
        count_one(vertex_priority(seed, v), low, shift, bins, histogram);
}

__kernel void select_count_edges(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                 __global const OFFSET *restrict v_end, __global const int *restrict edges,
                                 __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                 const ulong low, const int shift, const int bins, volatile __global int *histogram)
{
    FOR_EDGE_THINGS(n)
        count_one(priority_of_edge(seed, v, s, edges, row_ptr, col_idx), low, shift, bins, histogram);
}

__kernel void select_collect_vertices(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                      const ulong low, const ulong width, const int capacity,
                                      volatile __global int *count, __global ulong *restrict priority,
                                      __global OFFSET *restrict position)
{
    FOR_VERTEX_THINGS(n) {
        const ulong t = vertex_priority(seed, v);
        if (t >= low && t - low < width) {
            const int i = atomic_inc(count);
            if (i < capacity) {
                priority[i] = t;
                position[i] = v;
            }
        }
    }
}

__kernel void select_collect_edges(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                   __global const OFFSET *restrict v_end, __global const int *restrict edges,
                                   __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                   const ulong low, const ulong width, const int capacity,
                                   volatile __global int *count, __global ulong *restrict priority,
                                   __global OFFSET *restrict position)
{
    FOR_EDGE_THINGS(n) {
        const ulong t = priority_of_edge(seed, v, s, edges, row_ptr, col_idx);
        if (t >= low && t - low < width) {
            const int i = atomic_inc(count);
            if (i < capacity) {
                priority[i] = t;
                position[i] = s;
            }
        }
    }
}

// Lists the chosen vertices or edges in any order (no result depends on it). A work-item first counts its own and then
// reserves that many entries at once: one atomic for ITEMS vertices.
__kernel void select_list_vertices(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                   const ulong cutoff, const OFFSET cutoff_position,
                                   volatile __global int *count, __global int *restrict list)
{
    int mine = 0;
    FOR_VERTEX_THINGS(n)
        mine += is_chosen(vertex_priority(seed, v), v, cutoff, cutoff_position);
    if (mine) {
        int i = atomic_add(count, mine);
        FOR_VERTEX_THINGS(n)
            if (is_chosen(vertex_priority(seed, v), v, cutoff, cutoff_position))
                list[i++] = v;
    }
}

__kernel void select_list_edges(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                __global const OFFSET *restrict v_end, __global const int *restrict edges,
                                __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                const ulong cutoff, const OFFSET cutoff_position,
                                volatile __global int *count, __global int *restrict owners,
                                __global OFFSET *restrict list)
{
    int mine = 0;
    FOR_EDGE_THINGS(n)
        mine += is_chosen(priority_of_edge(seed, v, s, edges, row_ptr, col_idx), s, cutoff, cutoff_position);
    if (mine) {
        int i = atomic_add(count, mine);
        FOR_EDGE_THINGS(n)
            if (is_chosen(priority_of_edge(seed, v, s, edges, row_ptr, col_idx), s, cutoff, cutoff_position)) {
                owners[i] = v;
                list[i++] = s;
            }
    }
}
