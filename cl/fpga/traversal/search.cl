// traversal/search.cl (pipelines): breadth-first search: start, Algorithm 5, the conversions between queue and bitmaps
// (layout: cl/traversal/search.cl).
//
// per cycle   fill, bitmaps: UNROLL vertices; collect: one; frontier: one vertex to find the frontier's rows, then one
//             of its arcs
// bound by    frontier: n cycles per level, and a random read of a distance for each arc of the frontier; others:
//             streams
// ivdep       frontier: safelen(HAZARD), recent.h: a vertex found is counted once, and the smallest predecessor kept

#include "fpga/pipeline.h"
#include "fpga/rows.h"
#include "fpga/traversal/reach.h"

PIPELINE void bfs_fill(const int n, const uint sources, __global uint *restrict distance,
                       __global uint *restrict predecessor, __global uint *restrict owner,
                       __global uchar *restrict frontier, __global uchar *restrict next, __global uint *restrict state)
{
    FOR_STREAM(v, n) {
        distance[v] = NONE;
        if (predecessor)
            predecessor[v] = NONE;
        if (owner)
            owner[v] = NONE;
        if (frontier) {
            frontier[v] = 0;
            next[v] = 0;
        }
    }
    FOR_EACH(k, STATE_SIZE)
        state[k] = 0;
    state[SLOT(0) + COUNT] = sources;
}

PIPELINE void bfs_start(const uint sources, __global const uint *restrict source, const uint shift,
                        __global const OFFSET *restrict row_ptr, __global uint *restrict distance,
                        __global uint *restrict owner, __global uchar *restrict frontier,
                        __global uint *restrict queue, __global uint *restrict longs, __global uint *restrict state)
{
    uint units = 0;
    #pragma ivdep
    for (uint i = 0; i < sources; i++) {   // no source twice
        const uint s = source[i];
        distance[s] = 0;
        if (owner)
            owner[s] = s;
        if (frontier) {
            frontier[s] = 1;
        } else {
            queue[i] = s;
            units += units_of(row_ptr[s + 1] - row_ptr[s], shift);
        }
    }
    state[SLOT(0) + ARCS] += units;
}

// Algorithm 5: one level of the `frontier` method.
PIPELINE void bfs_frontier(const int n, const uint level, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global uchar *restrict frontier,
                           __global uchar *restrict next, __global uint *restrict distance,
                           __global uint *restrict predecessor, __global uint *restrict owner,
                           __global uint *restrict state)
{
    Bounds bounds;
    int vertex[ROW_BLOCK];
    uint owners[ROW_BLOCK], found = 0;
    Reached reached;
    reached.predecessors = recent_none();
    reached.owners = recent_none();
    FOR_BLOCKS(base, n, many) {
        int listed = 0;
        #pragma ivdep
        FOR_EACH(i, many) {
            const int u = base + i;
            if (frontier[u]) {
                vertex[listed] = u;
                owners[listed] = owner ? owner[u] : NONE;
                SET_BOUNDS(bounds, listed, row_ptr[u], row_ptr[u + 1]);
                listed++;
                frontier[u] = 0;
            }
        }
        #pragma ivdep safelen(HAZARD)
        FOR_ARCS(w, bounds, listed) {
            const int v = w.count ? col_idx[w.p] : -1;
            if (reach(vertex[w.row], owners[w.row], v, level + 1, distance, predecessor, owner, &reached)) {
                next[v] = 1;
                found++;
            }
        }
    }
    state[SLOT(level + 1) + COUNT] += found;
    clear_slot(state, level + 2);
}

PIPELINE void bfs_bitmaps(const int n, const uint level, __global const OFFSET *restrict row_ptr,
                          __global const uint *restrict distance, __global uint *restrict visited,
                          __global uint *restrict front)
{
    uint seen = 0, here = 0;
    for (int base = 0; base < n; base += UNROLL) {
        EACH_WORD(k) {
            const int v = base + k;
            const uint d = v < n ? distance[v] : 0;   // past n: nothing to find
            seen |= (uint)(d != NONE || row_ptr[v] == row_ptr[v + 1]) << (v & 31);
            here |= (uint)(v < n && d == level) << (v & 31);
        }
        if ((base + UNROLL) % 32 == 0 || base + UNROLL >= n) {
            visited[base >> 5] = seen;
            front[base >> 5] = here;
            seen = here = 0;
        }
    }
}

PIPELINE void bfs_collect(const int n, const uint level, const uint shift, __global const OFFSET *restrict row_ptr,
                          __global const uint *restrict front, __global uint *restrict queue,
                          __global uint *restrict longs, __global uint *restrict state)
{
    uint place = 0, units = 0, word = 0;
    FOR_EACH(v, n) {
        if ((v & 31) == 0)
            word = front[v >> 5];
        if (word >> (v & 31) & 1) {
            queue[place++] = v;
            units += units_of(row_ptr[v + 1] - row_ptr[v], shift);
        }
    }
    state[SLOT(level) + PLACE] += place;
    state[SLOT(level) + ARCS] += units;
}
