// traversal/search_pull.cl: one level of breadth-first search from bitmaps: every unvisited vertex looks for a
// neighbour in the frontier.
//
// Rows ascend, so the first hit is the smallest valid predecessor and the scan stops there (Beamer's bottom-up step).
// With -DOWNER the whole row is scanned, for the smallest source among the neighbours in the frontier.
//
// layout      traversal/search.h and traversal/search.cl; row_ptr, col_idx: the in-arcs (of an undirected graph: all
//             arcs). A work-item or a work-group owns whole words of the bitmaps, and its vertices' distances and
//             predecessors.
//   TEAM      (GPUs) one vertex per work-item, which looks at PULL_SHORT arcs; what is left of longer rows goes to
//             bfs_pull_rest, a work-group per row (one work-item alone on a row of 100 000 arcs would hold up the
//             level)
//   otherwise a work-item takes ITEMS consecutive vertices, row by row
// launch      bfs_pull: padded range over vertices (TEAM: local size a multiple of 32, at most 1024) or runs of ITEMS;
//             bfs_pull_rest: any number of groups, which share the rows that the state says are left
// tunables    ITEMS (a multiple of 32), TEAM, PULL_SHORT, BATCH, AHEAD (with HAVE_PREFETCH)

#include "traversal/search.h"

#ifndef PULL_SHORT
#define PULL_SHORT 64
#endif
#ifndef BATCH          // arcs that a work-item of bfs_pull_rest looks at between two barriers
#define BATCH 4
#endif

#ifndef AHEAD          // words between a vertex and those whose rows are fetched meanwhile
#define AHEAD 2
#endif

#define IN(bitmap, v) ((bitmap)[(v) / 32u] >> ((v) % 32u) & 1u)

#define PULL_ARGUMENTS \
    const int n, const uint level, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, \
    __global const uint *restrict front, __global uint *restrict next, __global uint *restrict visited, \
    __global uint *restrict rest, __global uint *restrict distance, __global uint *restrict predecessor, \
    __global uint *restrict owner, volatile __global uint *restrict state

// Looks at arcs begin .. end - 1; returns the index of the first one from the frontier, or `end`.
inline OFFSET look(OFFSET e, const OFFSET end, __global const int *col_idx, __global const uint *front)
{
#ifdef TEAM
    for (; e + 4 <= end; e += 4) {   // four gathers in flight at once
        const uint u0 = col_idx[e], u1 = col_idx[e + 1], u2 = col_idx[e + 2], u3 = col_idx[e + 3];
        const uint hits = IN(front, u0) | IN(front, u1) << 1 | IN(front, u2) << 2 | IN(front, u3) << 3;
        if (hits)
            return e + (31 - clz(hits & -hits));
    }
#endif
    for (; e < end; e++) {
        const uint u = col_idx[e];
        if (IN(front, u))
            return e;
    }
    return end;
}

#ifdef OWNER
// The smallest source among the frontier's arcs in begin .. end - 1; `first` becomes the first such arc.
inline uint look_all(OFFSET e, const OFFSET end, __global const int *col_idx, __global const uint *front,
                     __global const uint *owner, OFFSET *first)
{
    uint best = NONE;
    *first = end;
    for (; e < end; e++) {
        const uint u = col_idx[e];
        if (IN(front, u)) {
            best = min(best, owner[u]);   // u is of an earlier level: no work-item writes its owner now
            if (*first == end)
                *first = e;
        }
    }
    return best;
}
#endif

#ifdef TEAM

__kernel void bfs_pull(PULL_ARGUMENTS)
{
    __local uint bits[32], left_count, base, found;
    __local uint left[1024];
    const int lid = get_local_id(0), v = get_global_id(0);
    const int words = n / 32 + (n % 32 != 0);
    if (lid < 32)
        bits[lid] = 0;
    if (lid == 0) {
        left_count = 0;
        found = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v < n && !IN(visited, v)) {
        const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
#ifdef OWNER
        const int whole = end - begin <= PULL_SHORT;
        OFFSET hit = end;
        const uint best = whole ? look_all(begin, end, col_idx, front, owner, &hit) : NONE;
        const OFFSET stop = whole ? end : begin;
#else
        const OFFSET stop = min(end, begin + PULL_SHORT), hit = look(begin, stop, col_idx, front);
#endif
        if (hit < stop) {
            distance[v] = level + 1;
#ifdef PREDECESSOR
            predecessor[v] = col_idx[hit];
#endif
#ifdef OWNER
            owner[v] = best;
#endif
            atomic_or(&bits[lid / 32], 1u << (lid % 32));
        } else if (stop < end) {
            left[atomic_inc(&left_count)] = v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all have read the group's words of `visited`
    const int word = v / 32 - lid / 32 + lid;   // the group's words, one per work-item
    if (lid < (int)get_local_size(0) / 32 && word < words) {
        const uint now = bits[lid];
        next[word] = now;
        if (now) {
            visited[word] |= now;
            atomic_add(&found, popcount(now));
        }
    }
    if (lid == 0)
        base = left_count ? atomic_add(&state[SLOT(level + 1) + REST], left_count) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < (int)left_count)
        rest[base + lid] = left[lid];
    if (lid == 0 && found)
        atomic_add(&state[SLOT(level + 1) + COUNT], found);
    if (get_global_id(0) == 0)
        clear_slot((__global uint *)state, level + 2);
}

__kernel void bfs_pull_rest(PULL_ARGUMENTS)
{
    __local uint first, best;
    const uint lid = get_local_id(0), size = get_local_size(0);
    const uint rows = state[SLOT(level + 1) + REST];
    for (uint i = get_group_id(0); i < rows; i += get_num_groups(0)) {
        const uint v = rest[i];
        const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
        if (lid == 0) {
            first = NONE;
            best = NONE;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#ifdef OWNER
        for (OFFSET e = begin + lid; e < end; e += size) {
            const uint u = col_idx[e];
            if (IN(front, u)) {
                atomic_min(&best, owner[u]);
                atomic_min(&first, (uint)(e - begin));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        for (OFFSET chunk = begin + PULL_SHORT; chunk < end; chunk += BATCH * size) {
            for (uint k = 0; k < BATCH; k++) {
                const OFFSET e = chunk + k * size + lid;
                if (e < end) {
                    const uint u = col_idx[e];
                    if (IN(front, u))
                        atomic_min(&first, (uint)(e - begin));
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint so_far = first;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (so_far != NONE)   // the same for the whole group
                break;
        }
#endif
        if (lid == 0 && first != NONE) {
            distance[v] = level + 1;
#ifdef PREDECESSOR
            predecessor[v] = col_idx[begin + first];
#endif
#ifdef OWNER
            owner[v] = best;
#endif
            atomic_or(&next[v / 32], 1u << (v % 32));
            atomic_or(&visited[v / 32], 1u << (v % 32));
            atomic_inc(&state[SLOT(level + 1) + COUNT]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

__kernel void bfs_pull(PULL_ARGUMENTS)
{
    const int words = n / 32 + (n % 32 != 0);
    const int begin_word = min((int)get_global_id(0), words / (ITEMS / 32) + 1) * (ITEMS / 32);
    uint found = 0;
    for (int w = begin_word; w < min(begin_word + ITEMS / 32, words); w++) {
        uint now = 0;
#ifdef HAVE_PREFETCH
        // rows begin in cache lines of their own, and the branch that waits for one keeps the next ones from being read
        for (uint soon = w + AHEAD < words ? ~visited[w + AHEAD] : 0; soon; soon &= soon - 1)
            PREFETCH(&col_idx[row_ptr[32 * (w + AHEAD) + (31 - clz(soon & -soon))]]);
#endif
        for (uint left = ~visited[w]; left; left &= left - 1) {
            const uint bit = 31 - clz(left & -left), v = 32 * w + bit;
            const OFFSET end = row_ptr[v + 1];
#ifdef OWNER
            OFFSET hit;
            const uint best = look_all(row_ptr[v], end, col_idx, front, owner, &hit);
#else
            const OFFSET hit = look(row_ptr[v], end, col_idx, front);
#endif
            if (hit < end) {
                distance[v] = level + 1;
#ifdef PREDECESSOR
                predecessor[v] = col_idx[hit];
#endif
#ifdef OWNER
                owner[v] = best;
#endif
                now |= 1u << bit;
            }
        }
        next[w] = now;
        if (now) {
            visited[w] |= now;
            found += popcount(now);
        }
    }
    if (found)
        atomic_add(&state[SLOT(level + 1) + COUNT], found);
    if (get_global_id(0) == 0)
        clear_slot((__global uint *)state, level + 2);
}

#endif
