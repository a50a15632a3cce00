// traversal/search_fused.cl (pipelines): levels of breadth-first search in one launch (layout and hand-over:
// cl/traversal/search_fused.cl).
//
// A launch costs about 50 us on a board: levels of fewer than FUSE_ARCS arcs follow each other without the host.
// Between two levels the pipeline drains, for about 300 cycles.
// per cycle, bound by, ivdep   as traversal/search_push.cl

#include "fpga/pipeline.h"
#include "fpga/rows.h"
#include "fpga/traversal/reach.h"

#ifndef FUSE_ARCS
#define FUSE_ARCS 32768
#endif

PIPELINE void bfs_fused(uint level, const uint last_level, const uint shift, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global uint *queue, __global uint *longs,
                        __global uint *next_queue, __global uint *next_longs, __global uint *restrict distance,
                        __global uint *restrict predecessor, __global uint *restrict owner,
                        __global uint *restrict state)
{
    const uint start = level;
    uint count = state[SLOT(level) + COUNT], total = 0, side = 0;
    ulong units = 0, arcs = 0;
    while (count > 0 && level < last_level && arcs <= FUSE_ARCS) {
        units = arcs = 0;
        count = push_level(count, level + 1, shift, row_ptr, col_idx, side ? next_queue : queue,
                           side ? queue : next_queue, distance, predecessor, owner, &units, &arcs);
        total += count;
        level++;
        side = 1 - side;
    }
    state[AT_LEVEL] = level;
    state[AT_FOUND] = total;
    if (level != start) {
        clear_slot(state, level);
        state[SLOT(level) + COUNT] = count;
        state[SLOT(level) + ARCS] = (uint)units;
    }
    clear_slot(state, level + 1);
}
