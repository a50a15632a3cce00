// draw.cl: draws for drve and dhyb, keyed (seed, step, i); the batch is the first k distinct edges in the order of i.
//
// drve   a vertex uniform among all indices (a dead one does not count), then one of its live edges, uniform;
//        so P(e = (u, v)) = (1/n)(1/d(u) + 1/d(v)) with the degrees of now
// dhyb   (HYBRID) a coin first: below `threshold` a drve draw, else a slot uniform among all slots of COPRA (a dead
//        one and a header do not count): an edge uniform. The threshold makes up for the misses of the two. The coin
//        has a Philox block of its own: where it says drve, draw i hits what drve's draw i does.
//
// drawn_vertex int[draws], drawn_slot OFFSET[draws]    what draw i hit; slot -1: it does not count
// first   int[arcs]    at an edge's arc in its smaller end's row: the first draw that hit it, else INT_MAX
// launch               padded range, ITEMS consecutive draws a work-item (draw_distinct: BLOCK)
// tunables             ITEMS, BLOCK; HYBRID for dhyb

#include "keyed.h"
#include "copra.h"

#ifndef BLOCK
#define BLOCK 64
#endif

#ifndef HYBRID
#define HYBRID 0
#endif

#define NEVER 0x7FFFFFFF

// The edge's arc in the row of its smaller end, given one of its slots.
static inline OFFSET edge_of(int v, OFFSET slot, __global const OFFSET *row_ptr, __global const int *col_idx)
{
    const OFFSET p = slot - 2 * ((OFFSET)v + 1);
    return v < col_idx[p] ? p : far_arc(row_ptr, col_idx, v, p);
}

// The vertex in whose block a slot stands: the last one whose block begins at or before it.
static inline int block_of(OFFSET slot, int n, __global const OFFSET *row_ptr)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (slot_of(middle, row_ptr[middle]) - 2 <= slot)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// One of v's live edges, uniform; -1 if it has none.
static inline OFFSET slot_of_vertex(int v, ulong bits, __global const OFFSET *v_start, __global const OFFSET *v_end,
                                    __global const int *edges)
{
    int degree = 0;
    for (OFFSET s = v_start[v]; s < v_end[v]; s++)
        degree += edges[s] >= 0;
    if (degree == 0)
        return -1;
    int left = keyed_below(bits, degree);
    OFFSET slot = v_start[v];
    while (edges[slot] < 0 || left-- > 0)
        slot++;
    return slot;
}

__kernel void draw_clear(const long arcs, __global int *restrict first)
{
    FOR_ITEMS_LONG(p, arcs)
        first[p] = NEVER;
}

__kernel void draw_edges(const int begin, const int end, const ulong seed, const int step, const ulong threshold,
                         const int n, const long slots,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const OFFSET *restrict v_start, __global const OFFSET *restrict v_end,
                         __global const int *restrict edges, __global int *restrict drawn_vertex,
                         __global OFFSET *restrict drawn_slot, volatile __global int *first)
{
    FOR_ITEMS(k, end - begin) {
        const int i = begin + k;
        const philox4x32_ctr_t x = keyed_words(seed, step, i, 0, TAG_DRAW);
        const ulong bits = keyed_join(x.v[0], x.v[1]);
        int v = 0;
        OFFSET slot = -1;
#if HYBRID
        const philox4x32_ctr_t coin = keyed_words(seed, step, i, 1, TAG_DRAW);
        if (keyed_join(coin.v[0], coin.v[1]) >= threshold) {
            slot = (OFFSET)mul_hi(bits, (ulong)slots);
            v = block_of(slot, n, row_ptr);
            // a block's second header, the vertex's own number, looks like a neighbour
            if (edges[slot] < 0 || slot < slot_of(v, row_ptr[v]))
                slot = -1;
        } else
#endif
        {
            v = keyed_below(bits, n);
            slot = slot_of_vertex(v, keyed_join(x.v[2], x.v[3]), v_start, v_end, edges);
        }
        if (slot >= 0)
            atomic_min(&first[edge_of(v, slot, row_ptr, col_idx)], i);
        drawn_vertex[i] = v;
        drawn_slot[i] = slot;
    }
}

// Keeps of each edge its first draw and counts what is left by blocks of BLOCK draws.
__kernel void draw_distinct(const int begin, const int end, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const int *restrict drawn_vertex,
                            __global OFFSET *restrict drawn_slot, __global const int *restrict first,
                            __global int *restrict block_count)
{
    const int block = get_global_id(0);
    const int from = begin + block * BLOCK;
    if (from < end) {
        int count = 0;
        for (int i = from; i < min(from + BLOCK, end); i++)
            if (drawn_slot[i] >= 0) {
                if (first[edge_of(drawn_vertex[i], drawn_slot[i], row_ptr, col_idx)] == i)
                    count++;
                else
                    drawn_slot[i] = -1;
            }
        block_count[block] = count;
    }
}

// Makes `first` clean for the next batch; each edge's first draw is its owner.
__kernel void draw_forget(const int end, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict drawn_vertex, __global const OFFSET *restrict drawn_slot,
                          __global int *restrict first)
{
    FOR_ITEMS(i, end)
        if (drawn_slot[i] >= 0)
            first[edge_of(drawn_vertex[i], drawn_slot[i], row_ptr, col_idx)] = NEVER;
}
