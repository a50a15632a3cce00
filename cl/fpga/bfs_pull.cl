// bfs_pull.cl (pipelines): one level of breadth-first search from bitmaps (layout: cl/bfs_pull.cl).
//
// The frontier's bitmap stands on chip where it fits (LOCAL_WORDS). Then nothing is read at random: the rows of the
// vertices not yet visited stream by, and UNROLL heads a cycle are looked up on chip (the compiler makes as many copies of
// the bitmap as that takes ports). A row's owner is one vertex, so that no two turns write to one word.
//
// per cycle   one vertex to find the unvisited rows, then up to UNROLL arcs of one row
// bound by    the stream of arcs, 64 bytes a cycle; where the bitmap does not fit, a random read an arc
// EARLY_OUT   1: the rest of a row is passed over after its first hit, at the cost of waiting for that hit
// There are no pieces of long rows, and so no bfs_pull_rest.

#include "pipeline.h"
#include "rows.h"
#include "reach.h"

#define BIT(word, v) ((word) >> ((v) & 31) & 1u)

PIPELINE void bfs_pull(const int n, const uint level, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const uint *restrict front,
                       __global uint *restrict next, __global uint *restrict visited, __global uint *restrict rest,
                       __global uint *restrict distance, __global uint *restrict predecessor,
                       __global uint *restrict owner, __global uint *restrict state)
{
    __local uint here[LOCAL_WORDS];
    Bounds bounds;
    uint words[ROW_BLOCK / 32], found = 0;
    const int count = (n >> 5) + ((n & 31) != 0), fits = count <= LOCAL_WORDS;
    if (fits)
        FOR_EACH(i, count)
            here[i] = front[i];
    FOR_BLOCKS(base, n, many) {
        uint word = 0;
        FOR_EACH(i, many) {
            const int v = base + i;
            if ((v & 31) == 0) {
                word = visited[v >> 5];
                words[i >> 5] = word;
            }
            const int open = !BIT(word, v);
            SET_BOUNDS(bounds, i, open ? row_ptr[v] : 0, open ? row_ptr[v + 1] : 0);
        }
        uint now = 0, best = NONE, first = NONE;
        #pragma ivdep
        FOR_BURSTS(w, bounds, many) {
            const int v = base + w.row;
            if (w.first)
                first = best = NONE;
            #pragma unroll
            for (int k = UNROLL - 1; k >= 0; k--)
                if (k < w.count) {
                    const uint u = col_idx[w.p + k];
                    if (BIT(fits ? here[u >> 5] : front[u >> 5], u)) {
                        if (owner)
                            best = min(best, owner[u]);   // u is of an earlier level: its owner is final
                        first = min(first, u);            // rows ascend: the first is the smallest
                    }
                }
            if (EARLY_OUT && first != NONE && !owner)
                w.last = 1;
            if (w.last) {
                if (first != NONE) {
                    distance[v] = level + 1;
                    if (predecessor)
                        predecessor[v] = first;
                    if (owner)
                        owner[v] = best;
                    now |= 1u << (v & 31);
                    found++;
                }
                if ((v & 31) == 31 || v + 1 == n) {
                    next[v >> 5] = now;
                    visited[v >> 5] = words[w.row >> 5] | now;
                    now = 0;
                }
            }
        }
    }
    state[SLOT(level + 1) + COUNT] += found;
    clear_slot(state, level + 2);
}
