// anchors.cl: where a vertex of COPRA hangs best when the largest component is looked for, on CPUs.
//
// A vertex's anchors are its two best neighbours that are better than itself: of higher degree, or of equal degree
// and a smaller number. Hung onto its anchor, nearly every vertex of a skewed graph comes to a hub after a step or
// two, and the labels of hubs are in the caches. Degrees are the input's, so anchors are found once a graph; one whose
// edge has gone is passed over.
//
// anchor    uint[n]     place in the vertex's row of the best anchor (low 16 bits) and of the next best (high 16),
//                       NONE: there is none, or too far behind
// label     int[n]      a forest: everybody hangs from a better one; -1: the vertex is not there
// next      int[n]      another neighbour, to be linked after that; the vertex itself if there is none
// launch                FOR_ITEMS over the vertices
// tunables              ITEMS; NEAR: slots looked at for `next`

#include "copra.h"

#define NONE 0xffffu
#ifndef NEAR
#define NEAR 16
#endif

__kernel void anchors_find(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                           __global uint *restrict anchor)
{
    FOR_ITEMS(v, n) {
        const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
        const ulong own = (ulong)(end - begin) << 32 | (uint)~v;
        ulong best = 0, next = 0;
        for (OFFSET p = begin; p < end; p++) {
            const int u = col_idx[p];
            const ulong its = (ulong)(row_ptr[u + 1] - row_ptr[u]) << 32 | (uint)~u;
            const ulong better = its > own ? its : 0;
            next = max(next, min(best, better));
            best = max(best, better);
        }
        // a row goes up: as many stand before u as are smaller
        const int first = ~(int)(uint)best, second = ~(int)(uint)next;
        uint before_first = 0, before_second = 0;
        const OFFSET close = min(end, begin + (OFFSET)NONE);
        for (OFFSET p = begin; p < close; p++) {
            before_first += col_idx[p] < first;
            before_second += col_idx[p] < second;
        }
        if (best == 0 || begin + before_first >= close)
            before_first = NONE;
        if (next == 0 || begin + before_second >= close)
            before_second = NONE;
        anchor[v] = before_second << 16 | before_first;
    }
}

__kernel void anchors_hang(const int n, __global const OFFSET *restrict v_start, __global const OFFSET *restrict v_end,
                           __global const int *restrict edges, __global const uint *restrict anchor,
                           __global int *restrict label, __global int *restrict next)
{
    FOR_ITEMS(v, n) {
        const OFFSET begin = v_start[v];
        if (begin < 0) {
            label[v] = -1;
            next[v] = v;
            continue;
        }
        const uint first = anchor[v] & NONE, second = anchor[v] >> 16;
        const int best = first == NONE ? REMOVED : edges[begin + first];
        const int other = second == NONE ? REMOVED : edges[begin + second];
        const int parent = best >= 0 ? best : other >= 0 ? other : v;
        int link = other;
        if (best < 0 || other < 0) {
            const OFFSET end = min(v_end[v], begin + NEAR);
            for (OFFSET s = begin; s < end; s++)
                link = max(link, edges[s]);
        }
        label[v] = parent;
        next[v] = link < 0 || link == parent ? v : link;
    }
}
