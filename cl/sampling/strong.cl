// sampling/strong.cl: the largest STRONG component of what is left in COPRA, for samples of directed graphs.
//
// COPRA holds the undirected view; way[p] says for arc p of row v, to u, which arcs of the directed graph it
// represents: WAY_OUT v -> u, WAY_IN u -> v, or both. Where parallel arcs were kept, each is an edge of its own in the
// view; of the copies between two vertices those from the smaller to the larger one come first (as in
// Graph.undirected). The live arcs are packed at the front of the view's rows, once by tails and once by heads; the
// components in them are found by components/strong.cl.
//
// out_end, in_end OFFSET[n]   one past v's live out-arcs, in-arcs; its row begins at row_ptr[v]
// launch                      padded range, ITEMS consecutive vertices per work-item
// tunables                    ITEMS; HAS_COPIES where parallel edges were kept; ARC_OFFSET, type of arc_ptr

#include "sampling/copra.h"

#ifndef HAS_COPIES
#define HAS_COPIES 0
#endif
#ifndef ARC_OFFSET
#define ARC_OFFSET int
#endif

#define WAY_OUT 1
#define WAY_IN 2

// How many arcs u -> v the directed graph has; its rows ascend.
static inline ARC_OFFSET arcs_between(int u, int v, __global const ARC_OFFSET *arc_ptr, __global const int *arc_idx)
{
    ARC_OFFSET low = arc_ptr[u], high = arc_ptr[u + 1];
    const ARC_OFFSET end = high;
    while (low < high) {
        const ARC_OFFSET middle = low + (high - low) / 2;
        if (arc_idx[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    ARC_OFFSET count = 0;
    while (low + count < end && arc_idx[low + count] == v)
        count++;
    return count;
}

__kernel void strong_ways(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const ARC_OFFSET *restrict arc_ptr, __global const int *restrict arc_idx,
                          __global uchar *restrict way)
{
    FOR_ITEMS(v, n) {
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
#if HAS_COPIES
            const int rises = v < u;
            const int up = copy_rank(row_ptr, col_idx, v, p) < arcs_between(min(u, v), max(u, v), arc_ptr, arc_idx);
            way[p] = up == rises ? WAY_OUT : WAY_IN;
#else
            way[p] = (arcs_between(v, u, arc_ptr, arc_idx) > 0 ? WAY_OUT : 0) |
                     (arcs_between(u, v, arc_ptr, arc_idx) > 0 ? WAY_IN : 0);
#endif
        }
    }
}

__kernel void strong_live_rows(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict edges,
                               __global const uchar *restrict way, __global OFFSET *restrict out_end,
                               __global int *restrict out_idx, __global OFFSET *restrict in_end,
                               __global int *restrict in_idx)
{
    FOR_ITEMS(v, n) {
        OFFSET out = row_ptr[v], in = out;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = edges[slot_of(v, p)];
            if (u != REMOVED) {
                if (way[p] & WAY_OUT)
                    out_idx[out++] = u;
                if (way[p] & WAY_IN)
                    in_idx[in++] = u;
            }
        }
        out_end[v] = out;
        in_end[v] = in;
    }
}

// A removed vertex has no arcs and was labelled as a component of its own, although it is none.
__kernel void strong_absent(const int n, __global const OFFSET *restrict v_start, __global int *restrict label)
{
    FOR_ITEMS(v, n)
        if (v_start[v] == REMOVED)
            label[v] = -1;
}

// Removes every vertex whose label is not `keep`, and the edges of the others to such vertices: unlike in
// copra_keep_component, live edges may join two labels. Each work-item blanks only slots of its own blocks. `removed`
// counts the live slots removed (two per edge).
__kernel void strong_keep(const int n, const int keep, __global const int *restrict label,
                          __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                          __global int *restrict edges, volatile __global int *removed)
{
    int gone = 0;
    FOR_ITEMS(v, n) {
        if (v_start[v] == REMOVED)
            continue;
        const int goes = label[v] != keep;
        for (OFFSET s = v_start[v]; s < v_end[v]; s++) {
            const int u = edges[s];
            if (u != REMOVED && (goes || label[u] != keep)) {
                edges[s] = REMOVED;
                gone++;
            }
        }
        if (goes) {
            v_start[v] = REMOVED;
            v_end[v] = REMOVED;
        }
    }
    if (gone)
        atomic_add(removed, gone);
}
