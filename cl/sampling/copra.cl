// sampling/copra.cl: the Compressed Parallel-Removal Array, a CSR whose entries can be removed (Tariq 2018, thesis
// algorithms 1 to 3).
//
// v_start OFFSET[n]          first neighbour slot of v, or -1 once v is removed
// v_end   OFFSET[n]          one past v's last neighbour slot, or -1
// edges   int[2n + arcs]     -2, v, neighbours of v, -2, v+1, ...: a removed neighbour slot holds -1
// row_ptr, col_idx           the CSR it was made of (sampling/copra.h)
// launch                     padded range; a work-item takes ITEMS consecutive vertices or list entries
//                            (1 on GPUs, as in the thesis)
// tunables                   FAR_SCAN: find owners by walking back to the -2 and the far slot by a scan of the
//                            row in bursts of 16 (64 bytes, which suits FPGAs) instead of by binary search
//
// A slot may be blanked from both of its ends in one launch: those stores are atomic.

#include "sampling/copra.h"

// The vertex whose block contains a slot.
static inline int owner_of(__global const OFFSET *row_ptr, volatile __global int *edges, int n, OFFSET slot)
{
#if FAR_SCAN
    // headers are never written after the build, and a slot that becomes -1 in the meantime is not a header either
    while (SHARED_LOAD(&edges[slot]) != HEADER)
        slot--;
    return SHARED_LOAD(&edges[slot + 1]);
#else
    int low = 0, high = n - 1;   // the last vertex whose block begins at or before the slot
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (slot_of(middle, row_ptr[middle]) <= slot)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
#endif
}

__kernel void copra_build(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                          __global int *restrict edges)
{
    FOR_ITEMS(v, n) {
        const OFFSET start = slot_of(v, row_ptr[v]), end = slot_of(v, row_ptr[v + 1]);
        edges[start - 2] = HEADER;
        edges[start - 1] = v;
        v_start[v] = start;
        v_end[v] = end;
        for (OFFSET s = start; s < end; s++)
            edges[s] = col_idx[s - 2 * ((OFFSET)v + 1)];
    }
}

// Removes listed vertices: each blanks its block and its entry in each neighbour's block (thesis algorithm 1).
__kernel void copra_remove_vertices(const int count, __global const int *restrict list,
                                    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                    __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                                    volatile __global int *edges)
{
    FOR_ITEMS(i, count) {
        const int v = list[i];
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            // a neighbour on the list may blank the same two slots now; both write -1
            if (SHARED_LOAD(&edges[slot_of(v, p)]) != REMOVED) {
                atomic_xchg(&edges[slot_of(v, p)], REMOVED);
                atomic_xchg(&edges[slot_of(col_idx[p], far_arc(row_ptr, col_idx, v, p))], REMOVED);
            }
        }
        v_start[v] = REMOVED;
        v_end[v] = REMOVED;
    }
}

// Undo, first half: listed vertices are live again.
__kernel void copra_restore_vertices(const int count, __global const int *restrict list,
                                     __global const OFFSET *restrict row_ptr,
                                     __global OFFSET *restrict v_start, __global OFFSET *restrict v_end)
{
    FOR_ITEMS(i, count) {
        const int v = list[i];
        v_start[v] = slot_of(v, row_ptr[v]);
        v_end[v] = slot_of(v, row_ptr[v + 1]);
    }
}

// Undo, second half: their edges to live vertices. Only for runs that delete nothing but vertices: in them an
// edge is live iff both of its ends are.
__kernel void copra_restore_blocks(const int count, __global const int *restrict list,
                                   __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                   __global const OFFSET *restrict v_start, volatile __global int *edges)
{
    FOR_ITEMS(i, count) {
        const int v = list[i];
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            if (v_start[u] != REMOVED) {
                atomic_xchg(&edges[slot_of(v, p)], u);
                atomic_xchg(&edges[slot_of(u, far_arc(row_ptr, col_idx, v, p))], v);
            }
        }
    }
}

// Removes edges given by one of their slots, all of them live and distinct: the slot, and the owner's entry in
// the neighbour's block (thesis algorithm 2).
__kernel void copra_remove_edges(const int count, __global const OFFSET *restrict slots, const int n,
                                 __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                 volatile __global int *edges)
{
    FOR_ITEMS(i, count) {
        const OFFSET slot = slots[i];
        const int v = owner_of(row_ptr, edges, n, slot);
        const OFFSET p = slot - 2 * ((OFFSET)v + 1);
        atomic_xchg(&edges[slot], REMOVED);
        atomic_xchg(&edges[slot_of(col_idx[p], far_arc(row_ptr, col_idx, v, p))], REMOVED);
    }
}

// Removes drawn pairs of a vertex and one of its live edges (thesis algorithm 3); slot -1 marks a draw that
// does not count (a dead vertex, an edge drawn before).
__kernel void copra_remove_vertex_edges(const int count, __global const int *restrict vertices,
                                        __global const OFFSET *restrict slots,
                                        __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                        volatile __global int *edges)
{
    FOR_ITEMS(i, count) {
        if (slots[i] < 0)
            continue;
        const int v = vertices[i];
        const OFFSET p = slots[i] - 2 * ((OFFSET)v + 1);
        atomic_xchg(&edges[slots[i]], REMOVED);
        atomic_xchg(&edges[slot_of(col_idx[p], far_arc(row_ptr, col_idx, v, p))], REMOVED);
    }
}

// Removes distinct edges both of whose slots are known; slot -1 marks a draw that does not count. No slot is written
// twice, so the stores are plain: with atomic ones a CPU would wait for one cache miss after the other.
__kernel void copra_remove_pairs(const int count, __global const OFFSET *restrict slots,
                                 __global const OFFSET *restrict far, __global int *restrict edges)
{
    FOR_ITEMS(i, count)
        if (slots[i] >= 0) {
            edges[slots[i]] = REMOVED;
            edges[far[i]] = REMOVED;
        }
}

// Undo of copra_remove_pairs, given the owners of `slots`.
__kernel void copra_restore_pairs(const int count, __global const int *restrict vertices,
                                  __global const OFFSET *restrict slots, __global const OFFSET *restrict far,
                                  __global const int *restrict col_idx, __global int *restrict edges)
{
    FOR_ITEMS(i, count)
        if (slots[i] >= 0) {
            const int v = vertices[i];
            edges[slots[i]] = col_idx[slots[i] - 2 * ((OFFSET)v + 1)];
            edges[far[i]] = v;
        }
}

// Undo of copra_remove_vertex_edges and of copra_remove_edges.
__kernel void copra_restore_vertex_edges(const int count, __global const int *restrict vertices,
                                         __global const OFFSET *restrict slots,
                                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                         volatile __global int *edges)
{
    FOR_ITEMS(i, count) {
        if (slots[i] < 0)
            continue;
        const int v = vertices[i];
        const OFFSET p = slots[i] - 2 * ((OFFSET)v + 1);
        const int u = col_idx[p];
        atomic_xchg(&edges[slots[i]], u);
        atomic_xchg(&edges[slot_of(u, far_arc(row_ptr, col_idx, v, p))], v);
    }
}

// Removes every vertex whose label is not `keep`. No live edge joins two components, so each block has one
// owner and nothing outside it is written. `removed` counts the live slots removed (two per edge).
__kernel void copra_keep_component(const int n, const int keep, __global const int *restrict label,
                                   __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                                   __global int *restrict edges, volatile __global int *removed)
{
    int gone = 0;
    FOR_ITEMS(v, n) {
        if (v_start[v] != REMOVED && label[v] != keep) {
            for (OFFSET s = v_start[v]; s < v_end[v]; s++) {
                gone += edges[s] != REMOVED;
                edges[s] = REMOVED;
            }
            v_start[v] = REMOVED;
            v_end[v] = REMOVED;
        }
    }
    if (gone)
        atomic_add(removed, gone);
}

// What is left, for the host: live[v], and live_arc[p] for each arc p of the CSR.
__kernel void copra_live_vertices(const int n, __global const OFFSET *restrict v_start, __global uchar *restrict live)
{
    FOR_ITEMS(v, n)
        live[v] = v_start[v] != REMOVED;
}

__kernel void copra_live_arcs(const int n, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict edges, __global uchar *restrict live_arc)
{
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            live_arc[p] = edges[slot_of(v, p)] != REMOVED;
}
