// sampling/array_frontier.cl (pipelines): array-frontier search on COPRA (layout: cl/sampling/array_frontier.cl),
// thesis Algorithm 5.
//
// A level: the bounds of a block's rows in the frontier (one vertex per cycle), then the frontier's slots one per
// cycle: a random read of the label and, where it is -1, two random writes.
//
// bound by    n cycles per level, and one random read per slot of the frontier
// found       counts a vertex once: a label read while an earlier write to it is still in flight would be a stale -1,
//             so new vertices are compared with the last HAZARD ones found, which are held in registers
// ivdep       safelen(HAZARD): a read sees what was written HAZARD iterations ago

#include "fpga/pipeline.h"
#include "sampling/copra.h"
#include "fpga/rows.h"
#include "fpga/recent.h"

PIPELINE void copra_bfs_clear(const int n, __global int *restrict label, __global int *restrict frontier,
                              __global int *restrict next)
{
    FOR_STREAM(v, n) {
        label[v] = -1;
        frontier[v] = 0;
        next[v] = 0;
    }
}

PIPELINE void copra_bfs_start(const int source, __global int *restrict label, __global int *restrict frontier)
{
    label[source] = source;
    frontier[source] = 1;
}

PIPELINE void copra_bfs_step(const int n, const int source, __global const OFFSET *restrict v_start,
                             __global const OFFSET *restrict v_end, __global const int *restrict edges,
                             __global int *restrict label, __global int *restrict frontier, __global int *restrict next,
                             __global int *restrict found)
{
    Bounds bounds;
    Recent recent = recent_none();
    int added = 0;
    FOR_BLOCKS(base, n, many) {
        int listed = 0;
        #pragma ivdep
        FOR_EACH(i, many) {
            const int v = base + i;
            if (frontier[v]) {
                SET_BOUNDS(bounds, listed, v_start[v], v_end[v]);
                listed++;
                frontier[v] = 0;
            }
        }
        #pragma ivdep safelen(HAZARD)
        FOR_ARCS(w, bounds, listed) {
            const int u = w.count ? edges[w.p] : -1;
            if (u >= 0) {
                const int fresh = label[u] == -1 && !recent_has(&recent, u);
                recent_note(&recent, fresh ? u : -1);
                if (fresh) {
                    label[u] = source;
                    next[u] = 1;
                    added++;
                }
            }
        }
    }
    found[0] += added;
}

// The smallest live vertex that no search has reached, or n.
PIPELINE void copra_bfs_unreached(const int n, __global const OFFSET *restrict v_start,
                                  __global const int *restrict label, __global int *restrict smallest)
{
    int mine = smallest[0];
    FOR_EACH(v, n)
        if (v_start[v] != REMOVED && label[v] == -1)
            mine = min(mine, v);
    smallest[0] = mine;
}
