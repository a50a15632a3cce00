// sampling/copra.cl (pipelines): the Compressed Parallel-Removal Array (layout: cl/sampling/copra.cl), thesis
// algorithms 1 to 3.
//
// A removal blanks an edge's slot and the slot of its opposite half. Per block of ROW_BLOCK arcs:
//   near    one arc per cycle: read the slot, blank it, note tail, head and rank of the arc on chip
//   far     far.h: one arc per cycle and round (one round where the heads' rows have up to UNROLL arcs, and one more
//           for each doubling), each a random read
//   blank   one arc per cycle: a random write
// Build, keep and live walk all rows in bursts of UNROLL slots: max(1, ceil(degree / UNROLL)) cycles per vertex.
//
// bound by    removals: random reads and writes of memory (3 per arc removed and more where rows are long);
//             the rest: the stream of slots, 64 bytes per cycle
// ivdep       every store of a launch to one slot stores the same value, and no slot's value affects another slot
//
// FAR_SCAN has no effect here: what is left of a row is always read as one burst.

#include "fpga/pipeline.h"
#include "sampling/copra.h"
#include "fpga/rows.h"
#include "fpga/far.h"

PIPELINE void copra_build(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                          __global int *restrict edges)
{
    Bounds bounds;
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many) {
            const int v = base + i;
            const OFFSET b = row_ptr[v], e = row_ptr[v + 1];
            SET_BOUNDS(bounds, i, b, e);
            v_start[v] = slot_of(v, b);
            v_end[v] = slot_of(v, e);
        }
        #pragma ivdep
        FOR_BURSTS(w, bounds, many) {
            const int v = base + w.row;
            const OFFSET s = slot_of(v, w.p);
            if (w.first) {
                edges[s - 2] = HEADER;
                edges[s - 1] = v;
            }
            EACH_WORD(k)
                if (k < w.count)
                    edges[s + k] = col_idx[w.p + k];
        }
    }
}

// Blanks (or, with `restore`, writes again) the far slots of a block of arcs.
static inline void write_far(Arcs *arcs, const int restore, __global const OFFSET *row_ptr,
                             __global const int *col_idx, __global int *edges)
{
    find_far(arcs, row_ptr, col_idx);
    #pragma ivdep
    FOR_EACH(i, arcs->count)
        edges[far_slot(arcs, i)] = restore ? arcs->tail[i] : REMOVED;
}

// All arcs of the listed vertices, near and far.
static inline void write_rows(const int count, __global const int *list, const int restore,
                              __global const OFFSET *row_ptr, __global const int *col_idx,
                              __global const OFFSET *v_start, __global int *edges)
{
    Bounds bounds;
    Arcs arcs;
    int vertex[ROW_BLOCK];
    FOR_BLOCKS(base, count, many) {
        FOR_EACH(i, many) {
            const int v = list[base + i];
            vertex[i] = v;
            SET_BOUNDS(bounds, i, row_ptr[v], row_ptr[v + 1]);
        }
        int before = -1;
        OFFSET rank = 0;
        Walk w = walk_start(&bounds, many, 1);
        while (w.row < many) {
            arcs.count = 0;
            #pragma ivdep   // the loop counts iterations, not arcs found, which an iteration knows late
            for (int turn = 0; w.row < many && turn < ROW_BLOCK; turn++, walk_on(&w, &bounds, 1)) {
                if (w.count == 0)
                    continue;
                const int v = vertex[w.row], u = col_idx[w.p];
                const OFFSET s = slot_of(v, w.p);
                rank = !w.first && u == before ? rank + 1 : 0;
                before = u;
                if (restore ? v_start[u] != REMOVED : edges[s] != REMOVED) {
                    edges[s] = restore ? u : REMOVED;
                    arcs.tail[arcs.count] = v;
                    arcs.head[arcs.count] = u;
                    arcs.rank[arcs.count] = rank;
                    arcs.count++;
                }
            }
            write_far(&arcs, restore, row_ptr, col_idx, edges);
        }
    }
}

// Removes listed vertices (thesis algorithm 1).
PIPELINE void copra_remove_vertices(const int count, __global const int *restrict list,
                                    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                    __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                                    __global int *restrict edges)
{
    write_rows(count, list, 0, row_ptr, col_idx, v_start, edges);
    #pragma ivdep
    FOR_EACH(i, count) {
        v_start[list[i]] = REMOVED;
        v_end[list[i]] = REMOVED;
    }
}

PIPELINE void copra_restore_vertices(const int count, __global const int *restrict list,
                                     __global const OFFSET *restrict row_ptr,
                                     __global OFFSET *restrict v_start, __global OFFSET *restrict v_end)
{
    #pragma ivdep
    FOR_EACH(i, count) {
        const int v = list[i];
        v_start[v] = slot_of(v, row_ptr[v]);
        v_end[v] = slot_of(v, row_ptr[v + 1]);
    }
}

PIPELINE void copra_restore_blocks(const int count, __global const int *restrict list,
                                   __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                   __global const OFFSET *restrict v_start, __global int *restrict edges)
{
    write_rows(count, list, 1, row_ptr, col_idx, v_start, edges);
}

// Edges given by one of their slots and its owner: both slots.
static inline void write_pairs(Arcs *arcs, const int restore, __global const OFFSET *row_ptr,
                               __global const int *col_idx, __global int *edges)
{
    #pragma ivdep
    FOR_EACH(i, arcs->count) {   // rank holds the arc's position
        const int u = col_idx[arcs->rank[i]];
        arcs->head[i] = u;
        edges[slot_of(arcs->tail[i], arcs->rank[i])] = restore ? u : REMOVED;
    }
    find_ranks(arcs, row_ptr, col_idx);
    write_far(arcs, restore, row_ptr, col_idx, edges);
}

// Removes edges given by one of their slots (thesis algorithm 2). The owner is found by bisection among the rows, all
// edges of a block side by side, one step per round (walking back to the -2 would wait for memory at every step).
PIPELINE void copra_remove_edges(const int count, __global const OFFSET *restrict slots, const int n,
                                 __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                 __global int *restrict edges)
{
    Arcs arcs;
    OFFSET slot[ROW_BLOCK];
    FOR_BLOCKS(base, count, many) {
        arcs.count = many;
        FOR_EACH(i, many) {
            slot[i] = slots[base + i];
            arcs.tail[i] = 0;
        }
        // tail: the last vertex known to begin at or before the slot; the next `width` ones are open
        for (int width = n - 1, hop; width > 0; width -= hop) {
            hop = (width + 1) / 2;
            #pragma ivdep
            FOR_EACH(i, many) {
                const int v = arcs.tail[i] + hop;
                if (v < n && slot_of(v, row_ptr[min(v, n - 1)]) <= slot[i])
                    arcs.tail[i] = v;
            }
        }
        FOR_EACH(i, many)
            arcs.rank[i] = slot[i] - 2 * ((OFFSET)arcs.tail[i] + 1);
        write_pairs(&arcs, 0, row_ptr, col_idx, edges);
    }
}

static inline void write_listed(const int count, const int restore, __global const int *vertices,
                                __global const OFFSET *slots, __global const OFFSET *row_ptr,
                                __global const int *col_idx, __global int *edges)
{
    Arcs arcs;
    FOR_BLOCKS(base, count, many) {
        arcs.count = 0;
        FOR_EACH(i, many)
            if (slots[base + i] >= 0) {
                const int v = vertices[base + i];
                arcs.tail[arcs.count] = v;
                arcs.rank[arcs.count] = slots[base + i] - 2 * ((OFFSET)v + 1);
                arcs.count++;
            }
        write_pairs(&arcs, restore, row_ptr, col_idx, edges);
    }
}

// Removes drawn pairs of a vertex and one of its live edges (thesis algorithm 3); slot -1 marks a draw that does not
// count.
PIPELINE void copra_remove_vertex_edges(const int count, __global const int *restrict vertices,
                                        __global const OFFSET *restrict slots,
                                        __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                        __global int *restrict edges)
{
    write_listed(count, 0, vertices, slots, row_ptr, col_idx, edges);
}

PIPELINE void copra_restore_vertex_edges(const int count, __global const int *restrict vertices,
                                         __global const OFFSET *restrict slots,
                                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                         __global int *restrict edges)
{
    write_listed(count, 1, vertices, slots, row_ptr, col_idx, edges);
}

PIPELINE void copra_remove_pairs(const int count, __global const OFFSET *restrict slots,
                                 __global const OFFSET *restrict far, __global int *restrict edges)
{
    #pragma ivdep
    FOR_EACH(i, count)
        if (slots[i] >= 0) {
            edges[slots[i]] = REMOVED;
            edges[far[i]] = REMOVED;
        }
}

PIPELINE void copra_restore_pairs(const int count, __global const int *restrict vertices,
                                  __global const OFFSET *restrict slots, __global const OFFSET *restrict far,
                                  __global const int *restrict col_idx, __global int *restrict edges)
{
    #pragma ivdep
    FOR_EACH(i, count)
        if (slots[i] >= 0) {
            const int v = vertices[i];
            edges[slots[i]] = col_idx[slots[i] - 2 * ((OFFSET)v + 1)];
            edges[far[i]] = v;
        }
}

// Removes every vertex whose label is not `keep`; adds the live slots removed (two per edge) to `removed`.
PIPELINE void copra_keep_component(const int n, const int keep, __global const int *restrict label,
                                   __global OFFSET *restrict v_start, __global OFFSET *restrict v_end,
                                   __global int *restrict edges, __global int *restrict removed)
{
    Bounds bounds;
    int gone = 0;
    FOR_BLOCKS(base, n, many) {
        int listed = 0;   // a row that stays takes no iteration below
        #pragma ivdep
        FOR_EACH(i, many) {
            const int v = base + i;
            const OFFSET b = v_start[v], e = v_end[v];
            if (b != REMOVED && label[v] != keep) {
                SET_BOUNDS(bounds, listed, b, e);
                listed++;
                v_start[v] = REMOVED;
                v_end[v] = REMOVED;
            }
        }
        #pragma ivdep
        FOR_BURSTS(w, bounds, listed) {
            EACH_WORD(k)
                if (k < w.count) {
                    gone += edges[w.p + k] != REMOVED;
                    edges[w.p + k] = REMOVED;
                }
        }
    }
    removed[0] += gone;
}

PIPELINE void copra_live_vertices(const int n, __global const OFFSET *restrict v_start, __global uchar *restrict live)
{
    FOR_STREAM(v, n)
        live[v] = v_start[v] != REMOVED;
}

PIPELINE void copra_live_arcs(const int n, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict edges, __global uchar *restrict live_arc)
{
    Bounds bounds;
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many)
            SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
        FOR_BURSTS(w, bounds, many) {
            EACH_WORD(k)
                if (k < w.count)
                    live_arc[w.p + k] = edges[slot_of(base + w.row, w.p + k)] != REMOVED;
        }
    }
}
