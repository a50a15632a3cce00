// sampling/draw.cl (pipelines): keyed draws for drve and dhyb (layout: cl/sampling/draw.cl), a block of ROW_BLOCK draws
// at a time.
//
//   draw      one Philox block (dhyb: two) per cycle; dhyb's slots find their owners by bisection, a round per step
//   count     the drawn vertices' rows in bursts of UNROLL slots: how many are live
//   pick      the same rows again: which slot is the one drawn
//   far       far.h
//   note      one draw per cycle, from the last to the first: of draws that hit one edge the smallest number is written
//             last. What an iteration reads is either older than the launch or not smaller than its own number: stale
//             or not, the decision is the same (ivdep)
//
// bound by    random reads: a row twice, its bounds, the head's row and its bounds: about 6 per draw
// threshold   2^64 - 1 stands for "always a vertex's edge" (drve); no coin reaches it

#include "fpga/pipeline.h"
#include "keyed.h"
#include "sampling/copra.h"
#include "fpga/rows.h"
#include "fpga/far.h"

#ifndef BLOCK
#define BLOCK 64
#endif
#define NEVER 0x7FFFFFFF
#define ALWAYS 0xFFFFFFFFFFFFFFFFul

PIPELINE void draw_clear(const long slots, __global int *restrict first)
{
    PRAGMA(unroll UNROLL) for (long s = 0; s < slots; s++)
        first[s] = NEVER;
}

PIPELINE void draw_edges(const int begin, const int end, const ulong seed, const int step, const ulong threshold,
                         const int n, const long slots,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const int *restrict edges, __global int *restrict drawn_vertex,
                         __global OFFSET *restrict drawn_slot, __global OFFSET *restrict drawn_far,
                         __global int *restrict first)
{
    Bounds bounds;
    Arcs arcs;
    ulong pick[ROW_BLOCK];
    OFFSET hit[ROW_BLOCK];
    int degree[ROW_BLOCK], by_slot[ROW_BLOCK];
    for (int stop = end; stop > begin; stop -= min(ROW_BLOCK, stop - begin)) {
        const int many = min(ROW_BLOCK, stop - begin), base = stop - many;
        FOR_EACH(i, many) {
            const philox4x32_ctr_t x = keyed_words(seed, step, base + i, 0, TAG_DRAW);
            const ulong bits = keyed_join(x.v[0], x.v[1]);
            const philox4x32_ctr_t coin = keyed_words(seed, step, base + i, 1, TAG_DRAW);
            const int of_slot = threshold != ALWAYS && keyed_join(coin.v[0], coin.v[1]) >= threshold;
            pick[i] = keyed_join(x.v[2], x.v[3]);
            by_slot[i] = of_slot;
            hit[i] = of_slot ? (OFFSET)mul_hi(bits, (ulong)slots) : -1;
            arcs.tail[i] = of_slot ? 0 : (int)keyed_below(bits, n);
        }
        if (threshold != ALWAYS)
            for (int width = n - 1, hop; width > 0; width -= hop) {
                hop = (width + 1) / 2;
                #pragma ivdep
                FOR_EACH(i, many) {   // tail: the last vertex known to have its block begin at or before the slot
                    const int v = arcs.tail[i] + hop;
                    if (by_slot[i] && v < n && slot_of(v, row_ptr[min(v, n - 1)]) - 2 <= hit[i])
                        arcs.tail[i] = v;
                }
            }
        FOR_EACH(i, many) {
            const int v = arcs.tail[i];
            const OFFSET b = slot_of(v, row_ptr[v]), e = slot_of(v, row_ptr[v + 1]);
            SET_BOUNDS(bounds, i, by_slot[i] ? 0 : b, by_slot[i] ? 0 : e);
            // a block's second header, the vertex's own number, looks like a neighbour
            if (by_slot[i] && (hit[i] < b || edges[hit[i]] < 0))
                hit[i] = -1;
        }
        int before = 0;   // live slots of the row in the bursts before this one
        FOR_BURSTS(w, bounds, many) {
            int live = w.first ? 0 : before;
            EACH_WORD(k)
                live += k < w.count && edges[k < w.count ? w.p + k : 0] >= 0;
            before = live;
            degree[w.row] = live;   // right once the row's last burst has been read
        }
        FOR_BURSTS(w, bounds, many) {
            const int wanted = degree[w.row] > 0 ? (int)keyed_below(pick[w.row], degree[w.row]) : -1;
            int live = w.first ? 0 : before, at = -1;
            EACH_WORD(k) {
                const int there = k < w.count && edges[k < w.count ? w.p + k : 0] >= 0;
                at = there && live == wanted ? k : at;
                live += there;
            }
            before = live;
            if (at >= 0)
                hit[w.row] = w.p + at;
        }
        arcs.count = many;
        FOR_EACH(i, many) {
            const int v = arcs.tail[i];
            arcs.head[i] = hit[i] < 0 ? v : edges[hit[i]];
            arcs.rank[i] = hit[i] < 0 ? 0 : hit[i] - 2 * ((OFFSET)v + 1);
        }
        find_ranks(&arcs, row_ptr, col_idx);
        find_far(&arcs, row_ptr, col_idx);
        #pragma ivdep
        for (int i = many - 1; i >= 0; i--) {
            const OFFSET far = hit[i] < 0 ? -1 : far_slot(&arcs, i);
            drawn_vertex[base + i] = arcs.tail[i];
            drawn_slot[base + i] = hit[i];
            drawn_far[base + i] = far;
            if (hit[i] >= 0) {
                const OFFSET at = min(hit[i], far);
                if (first[at] >= begin)   // NEVER, or of this launch; else an earlier launch's draw keeps it
                    first[at] = base + i;
            }
        }
    }
}

PIPELINE void draw_distinct(const int begin, const int end, __global OFFSET *restrict drawn_slot,
                            __global const OFFSET *restrict drawn_far, __global const int *restrict first,
                            __global int *restrict block_count)
{
    int count = 0, inside = 0, block = 0;   // draws of the block so far, number of the block
    #pragma ivdep
    for (int i = begin; i < end; i++) {   // each slot is read and written in one iteration
        const OFFSET slot = drawn_slot[i];
        if (slot >= 0) {
            const int own = first[min(slot, drawn_far[i])] == i;
            count += own;
            if (!own)
                drawn_slot[i] = -1;
        }
        if (++inside == BLOCK || i + 1 == end) {
            block_count[block++] = count;
            count = inside = 0;
        }
    }
}

PIPELINE void draw_forget(const int end, __global const OFFSET *restrict drawn_slot,
                          __global const OFFSET *restrict drawn_far, __global int *restrict first)
{
    #pragma ivdep
    FOR_EACH(i, end)
        if (drawn_slot[i] >= 0)
            first[min(drawn_slot[i], drawn_far[i])] = NEVER;
}
