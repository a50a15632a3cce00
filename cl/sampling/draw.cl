// sampling/draw.cl: draws for drve and dhyb, keyed by (seed, step, i); a batch is the first k distinct edges in the
// order of i.
//
// drve   a vertex uniform among all indices (a dead one does not count), then one of its live edges, uniform;
//        so P(e = (u, v)) = (1/n)(1/d(u) + 1/d(v)) with the current degrees
// dhyb   (HYBRID) a coin first: below `threshold` a drve draw, else a slot uniform among all slots of COPRA (a dead
//        one and a header do not count): an edge uniform. The threshold compensates for the misses of the two. The coin
//        has its own Philox block: where it says drve, draw i hits the same edge as draw i of drve.
//
// drawn_vertex int[draws], drawn_slot, drawn_far OFFSET[draws]    what draw i hit: a vertex, one of its slots (-1: it
//                      does not count) and the edge's other slot
// first   int[slots]   at the smaller of an edge's two slots: the first draw that hit it, else INT_MAX
// launch               padded range, ITEMS consecutive draws per work-item (draw_distinct: BLOCK)
// tunables             ITEMS, BLOCK; HYBRID for dhyb; DRAWS are made side by side, step by step, so that their cache
//                      misses overlap (a draw alone waits for one miss after another)

#include "keyed.h"
#include "sampling/copra.h"

#ifndef BLOCK
#define BLOCK 64
#endif

#ifndef HYBRID
#define HYBRID 0
#endif

#ifndef DRAWS
#ifdef KIND_GPU
#define DRAWS 1    // on GPUs other work-items hide the latency
#else
#define DRAWS 16
#endif
#endif

#define NEVER 0x7FFFFFFF

// The vertex whose block contains a slot: the last one whose block begins at or before it.
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

// first_arc() of vertex[k] in the row start[k] .. stop[k] - 1, for all k: the binary searches advance side by side.
static inline void far_arcs(const int count, const int *vertex, const OFFSET *start, const OFFSET *stop, OFFSET *found,
                            __global const int *col_idx)
{
#if FAR_SCAN || DRAWS == 1
    for (int k = 0; k < count; k++)
        found[k] = first_arc(col_idx, start[k], stop[k], vertex[k]);
#else
    OFFSET left[DRAWS], longest = 0;
    for (int k = 0; k < count; k++) {
        found[k] = start[k];
        left[k] = stop[k] - start[k];
        longest = max(longest, left[k]);
    }
    for (; longest > 1; longest -= longest / 2)
        for (int k = 0; k < count; k++) {
            const OFFSET middle = left[k] / 2;
            const OFFSET at = found[k] + middle - (middle > 0);
            found[k] += middle & -(OFFSET)(at < stop[k] && col_idx[at] < vertex[k]);
            left[k] -= middle;
        }
    for (int k = 0; k < count; k++)
        found[k] += left[k] == 1 && col_idx[found[k]] < vertex[k];
#endif
}

__kernel void draw_clear(const long slots, __global int *restrict first)
{
    FOR_ITEMS_LONG(s, slots)
        first[s] = NEVER;
}

__kernel void draw_edges(const int begin, const int end, const ulong seed, const int step, const ulong threshold,
                         const int n, const long slots,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const int *restrict edges, __global int *restrict drawn_vertex,
                         __global OFFSET *restrict drawn_slot, __global OFFSET *restrict drawn_far,
                         volatile __global int *first)
{
    const int mine = (int)min((long)begin + (long)get_global_id(0) * ITEMS, (long)end);
    const int last = (int)min((long)mine + ITEMS, (long)end);
    for (int i = mine; i < last; i += DRAWS) {
        const int count = min(DRAWS, last - i);
        int vertex[DRAWS], head[DRAWS], degree[DRAWS];
        ulong pick[DRAWS];
        OFFSET slot[DRAWS], start[DRAWS], stop[DRAWS];
        // each step for all draws before the next step, so that their loads overlap
        for (int k = 0; k < count; k++) {
            const philox4x32_ctr_t x = keyed_words(seed, step, i + k, 0, TAG_DRAW);
            const ulong bits = keyed_join(x.v[0], x.v[1]);
            slot[k] = -1;
            degree[k] = 0;
            pick[k] = keyed_join(x.v[2], x.v[3]);
            vertex[k] = keyed_below(bits, n);
#if HYBRID
            const philox4x32_ctr_t coin = keyed_words(seed, step, i + k, 1, TAG_DRAW);
            degree[k] = -(keyed_join(coin.v[0], coin.v[1]) >= threshold);
            if (degree[k] < 0) {
                const OFFSET hit = (OFFSET)mul_hi(bits, (ulong)slots);
                vertex[k] = block_of(hit, n, row_ptr);
                // a block's second header, the vertex's own number, looks like a neighbour
                if (edges[hit] >= 0 && hit >= slot_of(vertex[k], row_ptr[vertex[k]]))
                    slot[k] = hit;
            }
#endif
        }
        for (int k = 0; k < count; k++) {
            start[k] = slot_of(vertex[k], row_ptr[vertex[k]]);   // a removed vertex has no live slot: no need to check
            stop[k] = slot_of(vertex[k], row_ptr[vertex[k] + 1]);
        }
#if HYBRID
        for (int k = 0; k < count; k++)
            if (degree[k] < 0)
                stop[k] = start[k];    // its slot has been chosen already, or was a miss
#endif
        for (int k = 0; k < count; k++)
            for (OFFSET s = start[k]; s < stop[k]; s++)
                degree[k] += edges[s] >= 0;
        for (int k = 0; k < count; k++)
            if (degree[k] > 0) {
                int left = keyed_below(pick[k], degree[k]);
                OFFSET s = start[k];
                while (edges[s] < 0 || left-- > 0)
                    s++;
                slot[k] = s;
            }
        for (int k = 0; k < count; k++) {
            head[k] = slot[k] < 0 ? vertex[k] : edges[slot[k]];
            start[k] = row_ptr[head[k]];
            stop[k] = row_ptr[head[k] + 1];
        }
        OFFSET other[DRAWS];
        far_arcs(count, vertex, start, stop, other, col_idx);
        for (int k = 0; k < count; k++) {
            const int v = vertex[k];
            other[k] = slot[k] < 0 ? -1
                                   : slot_of(head[k], other[k] + copy_rank(row_ptr, col_idx, v,
                                                                           slot[k] - 2 * ((OFFSET)v + 1)));
            drawn_vertex[i + k] = v;
            drawn_slot[i + k] = slot[k];
            drawn_far[i + k] = other[k];
        }
        // read before the atomics, which on a CPU wait for all earlier loads and stores. Stale values are harmless: the
        // words only fall, so if an earlier draw is seen nothing needs to be stored, and else the minimum is taken.
        int seen[DRAWS];
        for (int k = 0; k < count; k++)
            seen[k] = slot[k] < 0 ? -1 : SHARED_LOAD(&first[min(slot[k], other[k])]);
        for (int k = 0; k < count; k++)
            if (seen[k] > i + k)
                atomic_min(&first[min(slot[k], other[k])], i + k);
    }
}

// Keeps the first draw of each edge and counts what is left by blocks of BLOCK draws.
__kernel void draw_distinct(const int begin, const int end, __global OFFSET *restrict drawn_slot,
                            __global const OFFSET *restrict drawn_far, __global const int *restrict first,
                            __global int *restrict block_count)
{
    const int block = get_global_id(0);
    const int from = begin + block * BLOCK;
    if (from < end) {
        int count = 0;
        for (int i = from; i < min(from + BLOCK, end); i++)
            if (drawn_slot[i] >= 0) {
                if (first[min(drawn_slot[i], drawn_far[i])] == i)
                    count++;
                else
                    drawn_slot[i] = -1;
            }
        block_count[block] = count;
    }
}

// Clears `first` for the next batch; the first draw of each edge clears its entry.
__kernel void draw_forget(const int end, __global const OFFSET *restrict drawn_slot,
                          __global const OFFSET *restrict drawn_far, __global int *restrict first)
{
    FOR_ITEMS(i, end)
        if (drawn_slot[i] >= 0)
            first[min(drawn_slot[i], drawn_far[i])] = NEVER;
}
