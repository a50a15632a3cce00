// traversal/search_fused.cl: many small levels of breadth-first search in one launch.
//
// A grid of 1000 x 1000 has 2000 levels of at most 1000 vertices: a launch and a read for each would cost more than the
// search. Here one work-group (CPUs: one work-item) goes from level to level by itself while the frontier stays small,
// then hands the frontier back: state[AT_LEVEL] is its level, state[AT_FOUND] how many vertices were found in this
// launch, its slot of counters is filled in, and its vertices are in `queue` if an even number of levels was done, in
// `next_queue` otherwise (and their long rows in `longs` or `next_longs`).
//
//   TEAM (GPUs)  queues in local memory; rows of up to ROW_SERIAL arcs by a work-item each, four gathers in flight at
//                once, longer ones by the whole group. Handed back before a level of more than FUSE_COUNT vertices,
//                FUSE_WIDE longer rows, or longer rows with more than FUSE_ARCS arcs in total.
//   otherwise    a serial queue, plain loads and stores: on a CPU core atomics and barriers cost more than they gain.
//                Handed back before a level of more than FUSE_ARCS arcs or with a long row.
//
// layout      traversal/search.h
// launch      TEAM: exactly one work-group of FUSED_LOCAL work-items (the larger the better); otherwise one work-item
// tunables    TEAM, FUSED_LOCAL, FUSE_COUNT, FUSE_WIDE, FUSE_ARCS, ROW_SERIAL

#include "traversal/search.h"

#ifndef FUSE_COUNT
#define FUSE_COUNT 4096
#endif
#ifndef FUSE_WIDE
#define FUSE_WIDE 64
#endif
#ifndef FUSE_ARCS
#define FUSE_ARCS 32768
#endif
#ifndef ROW_SERIAL
#define ROW_SERIAL 16
#endif

#ifdef TEAM

#ifndef FUSED_LOCAL
#define FUSED_LOCAL 256
#endif

// A vertex of the next level: put it on the list, and on the list of wide rows if its row is one. Looking up its row
// here hides that latency behind the other lookups in flight.
#define FOUND_ONE(v) do { \
        const uint at = atomic_inc(&found[NEXT]); \
        if (at < FUSE_COUNT) \
            lists[1 - side][at] = (v); \
        else   /* no room: we hand back after this level anyway */ \
            (side ? queue : next_queue)[at] = (v); \
        NOTE_WIDE(v, 1 - side, NEXT); \
    } while (0)

#define NOTE_WIDE(v, list, slot) do { \
        const OFFSET degree = row_ptr[(v) + 1] - row_ptr[v]; \
        if (degree > ROW_SERIAL) { \
            const uint place = atomic_inc(&wide_count[slot]); \
            if (place < FUSE_WIDE) \
                wide[list][place] = (v); \
            atomic_add(&wide_arcs[slot], (uint)min(degree, (OFFSET)FUSE_ARCS + 1));   /* 64 times that fits */ \
        } \
    } while (0)

// Counters of three levels take turns, as in `state`: a level reads its own, adds to the next one's and clears the
// third, so that one barrier per level is enough.
#define NOW (level % 3u)
#define NEXT ((level + 1) % 3u)
#define THIRD ((level + 2) % 3u)

// `queue` and `next_queue` take turns from level to level, like the two local lists: list 1 belongs to next_queue.
// The size is fixed in advance because NVIDIA's compiler allows 256 work-items only where it is not.
__attribute__((reqd_work_group_size(FUSED_LOCAL, 1, 1)))
__kernel void bfs_fused(uint level, const uint last_level, const uint shift, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global uint *queue, __global uint *longs,
                        __global uint *next_queue, __global uint *next_longs, volatile __global uint *distance,
                        volatile __global uint *predecessor, volatile __global uint *owner,
                        volatile __global uint *state)
{
    __local uint lists[2][FUSE_COUNT], wide[2][FUSE_WIDE], found[3], wide_count[3], wide_arcs[3];
    const uint lid = get_local_id(0), size = get_local_size(0), start = level;
    uint count = state[SLOT(level) + COUNT], side = 0, total = 0;
    if (lid < 3) {
        found[lid] = 0;
        wide_count[lid] = 0;
        wide_arcs[lid] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < min(count, (uint)FUSE_COUNT); i += size) {
        const uint v = queue[i];
        lists[0][i] = v;
        NOTE_WIDE(v, 0, NOW);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // every condition is the same for the whole group: count and level are, and what comes from local memory is read
    // after the barrier that ends the level which wrote it
    while (count > 0 && count <= FUSE_COUNT && level < last_level && wide_count[NOW] <= FUSE_WIDE
           && wide_arcs[NOW] <= FUSE_ARCS) {
        const uint wides = wide_count[NOW];
        if (lid == 0) {
            found[THIRD] = 0;
            wide_count[THIRD] = 0;
            wide_arcs[THIRD] = 0;
        }
        for (uint i = lid; i < count; i += size) {
            const uint u = lists[side][i];
            const OFFSET begin = row_ptr[u], end = row_ptr[u + 1];
            if (end - begin > ROW_SERIAL)
                continue;
            for (OFFSET e = begin; e < end; e += 4) {
                uint v[4], fresh[4];   // four of each step in flight at once
                for (int k = 0; k < 4; k++)
                    v[k] = col_idx[min(e + k, end - 1)];
                for (int k = 0; k < 4; k++)
                    fresh[k] = SHARED_LOAD(&distance[v[k]]) > level;   // stale: the atomic decides
#if defined(PREDECESSOR) && !defined(OWNER)
                // the last arc may be in there more than once: only its first occurrence finds NONE
                for (int k = 0; k < 4; k++)
                    fresh[k] = fresh[k] ? atomic_min(&predecessor[v[k]], u) == NONE : 0;
                for (int k = 0; k < 4; k++)
                    if (fresh[k])
                        SHARED_STORE(&distance[v[k]], level + 1);
#else
                for (int k = 0; k < 4; k++)
                    fresh[k] = fresh[k] && reach(u, v[k], level + 1, distance, predecessor, owner);
#endif
                for (int k = 0; k < 4; k++)
                    if (fresh[k])
                        FOUND_ONE(v[k]);
            }
        }
        for (uint w = 0; w < wides; w++) {
            const uint u = wide[side][w];
            for (OFFSET e = row_ptr[u] + lid; e < row_ptr[u + 1]; e += size) {
                const uint v = col_idx[e];
                if (reach(u, v, level + 1, distance, predecessor, owner))
                    FOUND_ONE(v);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        count = found[NEXT];
        total += count;
        level++;
        side = 1 - side;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // hand back; the slot of `level` may hold the counters of an older level
    if (lid == 0) {
        state[AT_LEVEL] = level;
        state[AT_FOUND] = total;
        if (level != start) {
            clear_slot((__global uint *)state, level);
            state[SLOT(level) + COUNT] = count;
        }
        clear_slot((__global uint *)state, level + 1);
        found[0] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (level != start) {
        __global uint *out = side ? next_queue : queue, *out_longs = side ? next_longs : longs;
        uint units = 0;
        for (uint i = lid; i < count; i += size) {
            const uint v = i < FUSE_COUNT ? lists[side][i] : out[i];
            out[i] = v;
            units += announce(v, level, shift, row_ptr, out_longs, state);
        }
        if (units)
            atomic_add(&found[0], units);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            state[SLOT(level) + ARCS] = found[0];
    }
}

#else

// A frontier's vertices lie far apart (in a grid each on its own page): prefetch what comes next well in advance.
// Halves the time of a grid.
#ifdef HAVE_PREFETCH
#define AHEAD(list, i, count) do { \
        if ((i) + 24 < (count)) \
            PREFETCH(&row_ptr[(list)[(i) + 24]]); \
        if ((i) + 16 < (count)) \
            PREFETCH(&col_idx[row_ptr[(list)[(i) + 16]]]); \
        if ((i) + 8 < (count)) { \
            const uint w = (list)[(i) + 8]; \
            for (OFFSET e = row_ptr[w]; e < min(row_ptr[w] + 8, row_ptr[w + 1]); e++) { \
                PREFETCH(&distance[col_idx[e]]); \
                PREFETCH(&predecessor[col_idx[e]]); \
                PREFETCH(&row_ptr[col_idx[e]]); \
            } \
        } \
    } while (0)
#else
#define AHEAD(list, i, count)
#endif

__kernel void bfs_fused(uint level, const uint last_level, const uint shift, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global uint *queue, __global uint *longs,
                        __global uint *next_queue, __global uint *next_longs, __global uint *distance,
                        __global uint *predecessor, __global uint *owner, volatile __global uint *state)
{
    if (get_global_id(0) != 0)
        return;
    __global uint *here = queue, *there = next_queue;
    const uint start = level;
    uint count = state[SLOT(level) + COUNT], total = 0;
    ulong arcs = 0;
    int long_row = 0;   // the host calls this kernel only for frontiers that are small enough
    while (count > 0 && level < last_level && arcs <= FUSE_ARCS && !long_row) {
        const uint next = level + 1;
        uint found = 0;
        arcs = 0;
        for (uint i = 0; i < count; i++) {
            const uint u = here[i];
            AHEAD(here, i, count);
            for (OFFSET e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
                const uint v = col_idx[e], d = distance[v];
                if (d < next)
                    continue;
                if (d == NONE) {
                    const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
                    distance[v] = next;
                    there[found++] = v;
                    arcs += (ulong)degree;
                    long_row |= degree > LONG_ROW;
#ifdef PREDECESSOR
                    predecessor[v] = u;
                } else if (u < predecessor[v]) {
                    predecessor[v] = u;
#endif
                }
#ifdef OWNER
                owner[v] = min(owner[v], owner[u]);
#endif
            }
        }
        __global uint *swap = here;
        here = there;
        there = swap;
        count = found;
        total += count;
        level = next;
    }
    state[AT_LEVEL] = level;
    state[AT_FOUND] = total;
    if (level != start) {
        uint units = 0;
        clear_slot((__global uint *)state, level);
        state[SLOT(level) + COUNT] = count;
        if (long_row || arcs > FUSE_ARCS) {
            for (uint i = 0; i < count; i++)
                units += announce(here[i], level, shift, row_ptr, here == queue ? longs : next_longs, state);
        } else {
            units = count;
        }
        state[SLOT(level) + ARCS] = units;
    }
    clear_slot((__global uint *)state, level + 1);
}

#endif
