// traversal/search_push.cl (pipelines): one level of breadth-first search from a queue (layout:
// cl/traversal/search_push.cl).
//
// per cycle   one vertex of the queue (its row's bounds, two random reads), then one arc of the block's rows: a random
//             read of its head's distance (and of predecessor and owner if it is reached), two writes if it is new
// bound by    random reads: one to three per arc
// ivdep       safelen(HAZARD), recent.h
// There are no pieces of long rows, and so no bfs_push_long.

#include "fpga/pipeline.h"
#include "fpga/rows.h"
#include "fpga/traversal/reach.h"

PIPELINE void bfs_push(const uint level, const uint shift, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const uint *restrict queue,
                       __global const uint *restrict longs, __global uint *restrict next_queue,
                       __global uint *restrict next_longs, __global uint *restrict distance,
                       __global uint *restrict predecessor, __global uint *restrict owner,
                       __global uint *restrict state)
{
    ulong units = 0, arcs = 0;
    const uint count = state[SLOT(level) + COUNT];
    const uint found = push_level(count, level + 1, shift, row_ptr, col_idx, queue, next_queue, distance, predecessor,
                                  owner, &units, &arcs);
    state[SLOT(level + 1) + COUNT] += found;
    state[SLOT(level + 1) + ARCS] += (uint)units;
    clear_slot(state, level + 2);
}
