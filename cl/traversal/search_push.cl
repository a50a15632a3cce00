// traversal/search_push.cl: one level of breadth-first search from a queue: the frontier's arcs are followed outwards.
//
// Edge-balanced: rows of up to LONG_ROW arcs are distributed by vertex, longer ones in pieces of LONG_PIECE arcs
// through a separate list (otherwise a hub of 100 000 arcs would hold up the level).
//   TEAM (GPUs)   a work-group takes ROWS rows, scans their lengths in local memory and walks the arcs of all of them
//                 together (block gather: Merrill, Garland, Grimshaw: PPoPP 2012); a piece is one work-group.
//                 Vertices found are gathered in local memory, so that a group reserves its part of the queue at once.
//   otherwise     a work-item takes PUSH_ITEMS rows one after another, or one piece.
//
// layout      traversal/search.h
// launch      bfs_push: ceil(frontier / ROWS) groups, local size a power of two >= ROWS; CPUs: ceil(frontier /
//             PUSH_ITEMS) work-items. bfs_push_long: one group (CPUs: one work-item) per piece
// tunables    TEAM, ROWS, FOUND (entries in local memory), PUSH_ITEMS, LONG_ROW, LONG_PIECE

#include "traversal/search.h"

#ifndef ROWS
#define ROWS 64
#endif
#ifndef FOUND
#define FOUND 2048
#endif
#ifndef PUSH_ITEMS
#define PUSH_ITEMS 64
#endif

#define STATE_ARGUMENTS \
    const uint level, const uint shift, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, \
    __global const uint *restrict queue, __global const uint *restrict longs, __global uint *restrict next_queue, \
    __global uint *restrict next_longs, volatile __global uint *distance, volatile __global uint *predecessor, \
    volatile __global uint *owner, volatile __global uint *state

#ifdef TEAM

// v was found by the group: into local memory, or straight into the queue once that is full.
#define KEEP(v) do { \
        const uint at = atomic_inc(&found_count); \
        if (at < FOUND) { \
            found[at] = (v); \
        } else { \
            next_queue[atomic_inc(&state[SLOT(level + 1) + COUNT])] = (v); \
            units += announce((v), level + 1, shift, row_ptr, next_longs, state); \
        } \
    } while (0)

// The vertices found by the group go into the next queue.
#define PUBLISH() do { \
        barrier(CLK_LOCAL_MEM_FENCE); \
        const uint keep = min(found_count, (uint)FOUND); \
        if (lid == 0) \
            base = keep ? atomic_add(&state[SLOT(level + 1) + COUNT], keep) : 0; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (uint i = lid; i < keep; i += size) { \
            next_queue[base + i] = found[i]; \
            units += announce(found[i], level + 1, shift, row_ptr, next_longs, state); \
        } \
        if (units) \
            atomic_add(&arcs, units); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (lid == 0 && arcs) \
            atomic_add(&state[SLOT(level + 1) + ARCS], arcs); \
    } while (0)

__kernel void bfs_push(STATE_ARGUMENTS)
{
    __local OFFSET first[ROWS];
    __local uint who[ROWS], ends[ROWS], found[FOUND], found_count, base, arcs;
    const uint lid = get_local_id(0), size = get_local_size(0);
    const uint frontier = state[SLOT(level) + COUNT], row = (uint)get_group_id(0) * ROWS + lid;
    uint units = 0, degree = 0;
    if (lid < ROWS && row < frontier) {
        const uint u = queue[row];
        first[lid] = row_ptr[u];
        who[lid] = u;
        const OFFSET arcs_of_u = row_ptr[u + 1] - row_ptr[u];
        degree = arcs_of_u > LONG_ROW ? 0 : (uint)arcs_of_u;   // long rows are bfs_push_long's
    }
    if (lid < ROWS)
        ends[lid] = degree;
    if (lid == 0) {
        found_count = 0;
        arcs = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < ROWS; step <<= 1) {
        const uint before = lid < ROWS && lid >= step ? ends[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < ROWS)
            ends[lid] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint total = ends[ROWS - 1];
    for (uint a = lid; a < total; a += size) {
        uint low = 0, high = ROWS - 1;   // the row that arc a belongs to: the first that ends after it
        while (low < high) {
            const uint middle = (low + high) / 2;
            if (ends[middle] > a)
                high = middle;
            else
                low = middle + 1;
        }
        const uint v = col_idx[first[low] + (a - (low ? ends[low - 1] : 0))];
        if (reach(who[low], v, level + 1, distance, predecessor, owner))
            KEEP(v);
    }
    PUBLISH();
    if (get_global_id(0) == 0)
        clear_slot((__global uint *)state, level + 2);
}

__kernel void bfs_push_long(STATE_ARGUMENTS)
{
    __local uint found[FOUND], found_count, base, arcs;
    const uint lid = get_local_id(0), size = get_local_size(0), piece = get_group_id(0);
    uint units = 0;
    if (lid == 0) {
        found_count = 0;
        arcs = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (piece < state[SLOT(level) + LONGS]) {
        const uint u = longs[2 * (size_t)piece];
        const OFFSET begin = row_ptr[u] + (OFFSET)longs[2 * (size_t)piece + 1] * LONG_PIECE;
        const OFFSET end = min(begin + LONG_PIECE, row_ptr[u + 1]);
        for (OFFSET e = begin + lid; e < end; e += size) {
            const uint v = col_idx[e];
            if (reach(u, v, level + 1, distance, predecessor, owner))
                KEEP(v);
        }
    }
    PUBLISH();
}

#else

#define BUFFER 128

// The vertices found by a work-item get their positions in the next queue; returns their arcs.
uint publish(const uint *found, const uint count, const uint level, const uint shift, __global const OFFSET *row_ptr,
             __global uint *next_queue, __global uint *next_longs, volatile __global uint *state)
{
    uint units = 0;
    const uint base = atomic_add(&state[SLOT(level + 1) + COUNT], count);
    for (uint i = 0; i < count; i++) {
        next_queue[base + i] = found[i];
        units += announce(found[i], level + 1, shift, row_ptr, next_longs, state);
    }
    return units;
}

#define FOLLOW(u, begin, end) \
    for (OFFSET e = (begin); e < (end); e++) { \
        const uint v = col_idx[e]; \
        if (reach((u), v, level + 1, distance, predecessor, owner)) { \
            found[count++] = v; \
            if (count == BUFFER) { \
                units += publish(found, count, level, shift, row_ptr, next_queue, next_longs, state); \
                count = 0; \
            } \
        } \
    }

#define PUBLISH_REST() do { \
        if (count) \
            units += publish(found, count, level, shift, row_ptr, next_queue, next_longs, state); \
        if (units) \
            atomic_add(&state[SLOT(level + 1) + ARCS], units); \
    } while (0)

__kernel void bfs_push(STATE_ARGUMENTS)
{
    uint found[BUFFER], count = 0, units = 0;
    const uint frontier = state[SLOT(level) + COUNT];
    const uint begin = min((uint)get_global_id(0), frontier / PUSH_ITEMS + 1) * PUSH_ITEMS;
    for (uint i = begin; i < min(begin + PUSH_ITEMS, frontier); i++) {
        const uint u = queue[i];
        if (row_ptr[u + 1] - row_ptr[u] <= LONG_ROW)
            FOLLOW(u, row_ptr[u], row_ptr[u + 1])
    }
    PUBLISH_REST();
    if (get_global_id(0) == 0)
        clear_slot((__global uint *)state, level + 2);
}

__kernel void bfs_push_long(STATE_ARGUMENTS)
{
    uint found[BUFFER], count = 0, units = 0;
    const uint piece = get_global_id(0);
    if (piece < state[SLOT(level) + LONGS]) {
        const uint u = longs[2 * (size_t)piece];
        const OFFSET begin = row_ptr[u] + (OFFSET)longs[2 * (size_t)piece + 1] * LONG_PIECE;
        FOLLOW(u, begin, min(begin + LONG_PIECE, row_ptr[u + 1]))
    }
    PUBLISH_REST();
}

#endif
