// traversal/many.cl: up to 64 independent breadth-first searches at once, one bit each (MS-BFS: Then et al., VLDB
// 2014).
//
// Searches from different sources soon visit the same vertices: a row is then read once for all of them.
//
// A level is a push along the queue followed by a settling of the vertices touched; or, where few vertices have many
// arcs, a scatter without a queue and a settling of all vertices; or, when the frontier is large, a pull in which every
// vertex collects from its neighbours until it has all active searches. Small levels run several to a launch
// (bfs_many_fused: one work-group).
//
// layout      traversal/many.h
// launch      per vertex: runs of ITEMS. bfs_many_push: CPUs: MANY_ITEMS queue entries per work-item; TEAM: a
//             work-group (times PARTS) per entry. bfs_many_settle: MANY_ITEMS entries per work-item. bfs_many_fused:
//             exactly one work-group. bfs_many_pull_long (TEAM): any number of groups
// tunables    TEAM (GPUs), ITEMS, MANY_ITEMS, PARTS, LANES (32 or 64), MANY_COUNT (the fused kernel leaves
//             larger frontiers), WIDE_ROW (arcs that a work-group walks together)

#include "traversal/many.h"

__kernel void bfs_many_fill(const int n, const int rows, const uint p, __global BITS *restrict seen,
                            __global BITS *restrict front, __global BITS *restrict next, __global BITS *restrict planes,
                            __global uint *restrict stamp, volatile __global uint *state)
{
    FOR_ITEMS(v, n) {
        if (v < rows)
            for (uint b = 0; b < p; b++)
                planes[(size_t)b * rows + v] = 0;
        seen[v] = 0;
        front[v] = 0;
        next[v] = 0;
        stamp[v] = 0;
    }
    if (get_global_id(0) == 0)
        for (uint k = 0; k < STATE_SIZE; k++)
            state[k] = 0;
}

// Doubles the number of planes: `wider` takes the p existing ones.
__kernel void bfs_many_widen(const int n, const uint p, __global const BITS *restrict planes,
                             __global BITS *restrict wider)
{
    for (uint b = 0; b < 2 * p; b++)
        FOR_ITEMS(v, n) wider[(size_t)b * n + v] = b < p ? planes[(size_t)b * n + v] : 0;
}

// A work-item starts a search: two may start at the same vertex, and in graphs that do not touch several searches may
// share a bit. lane: which bit each has; NULL: 0, 1, ...
__kernel void bfs_many_start(const uint sources, __global const uint *restrict source, __global const uint *restrict lane,
                             __global BITS *restrict seen, __global BITS *restrict front,
                             volatile __global uint *stamp, __global uint *restrict queue,
                             volatile __global uint *state)
{
    const uint i = get_global_id(0);
    if (i >= sources)
        return;
    const uint s = source[i];
    const BITS bit = (BITS)1 << (lane ? lane[i] : i);
    or_into((volatile __global uint *)&seen[s], bit);
    or_into((volatile __global uint *)&front[s], bit);
    or_into(&state[SLOT(0) + ACTIVE], bit);
    if (atomic_xchg(&stamp[s], 0xffffffffu) == 0)   // no level's stamp
        queue[atomic_inc(&state[SLOT(0) + COUNT])] = s;
}

// The frontier's vertex u passes its searches on along arcs e, e + stride, ... before `end`.
inline void hand_on(const uint u, OFFSET e, const OFFSET end, const uint stride, const uint level,
                    __global const int *col_idx, __global const BITS *seen, __global const BITS *front,
                    volatile __global BITS *next, volatile __global uint *stamp, __global uint *next_queue,
                    volatile __global uint *state, const int queueing)
{
    const BITS mine = front[u];
    for (; e < end; e += stride) {
        const uint v = col_idx[e];
        // `seen` is not written in this launch (fused: in this phase); a scatter leaves it to the settling: one
        // lookup less for each arc, and few of the vertices it touches have been seen
        const BITS fresh = queueing ? mine & ~seen[v] : mine;
        if (fresh) {
            or_bits(&next[v], fresh);
            // a stale stamp only leads to the exchange, which decides
            if (queueing && SHARED_LOAD(&stamp[v]) != level + 1 && atomic_xchg(&stamp[v], level + 1) != level + 1)
                next_queue[atomic_inc(&state[SLOT(level + 1) + COUNT])] = v;
        }
    }
}

#define HAND_ON(u, first, stride, queueing) \
    hand_on((u), row_ptr[u] + (first), row_ptr[(u) + 1], (stride), level, col_idx, seen, front, \
            next, stamp, next_queue, state, (queueing))

#ifdef TEAM
#define PUSH(queueing) do { \
        const uint i = (uint)get_group_id(0) / PARTS, part = (uint)get_group_id(0) % PARTS; \
        const uint size = get_local_size(0); \
        if (i < state[SLOT(level) + COUNT]) \
            HAND_ON(queue[i], (OFFSET)(part * size + get_local_id(0)), PARTS * size, queueing); \
    } while (0)
#else
#define PUSH(queueing) do { \
        const uint count = state[SLOT(level) + COUNT]; \
        const uint begin = min((uint)get_global_id(0), count / MANY_ITEMS + 1) * MANY_ITEMS; \
        for (uint i = begin; i < min(begin + MANY_ITEMS, count); i++) \
            HAND_ON(queue[i], 0, 1, queueing); \
    } while (0)
#endif

// A small level: the first to touch a vertex puts it into the next queue.
__kernel void bfs_many_push(MANY_ARGUMENTS)
{
    PUSH(1);
    if (get_global_id(0) == 0)
        clear_many(state, level + 2);
}

// A level of few vertices with many arcs: it touches so many that a queue of them is not worth its atomics.
__kernel void bfs_many_scatter(MANY_ARGUMENTS)
{
    PUSH(0);
}

// After a push: the vertices touched take what came in, the old frontier is cleared (front is the next `next`).
__kernel void bfs_many_settle(MANY_ARGUMENTS)
{
    const uint old = state[SLOT(level) + COUNT], count = state[SLOT(level + 1) + COUNT];
    const uint begin = min((uint)get_global_id(0), max(old, count) / MANY_ITEMS + 1) * MANY_ITEMS;
    BITS active = 0;
    ulong arcs = 0;
    for (uint i = begin; i < begin + MANY_ITEMS; i++) {
        if (i < old)
            front[queue[i]] = 0;
        if (i < count) {
            const uint v = next_queue[i];
            active |= settle(v, n, level, next[v], seen, planes);
            arcs += (ulong)(row_ptr[v + 1] - row_ptr[v]);
        }
    }
    if (active) {
        or_into(&state[SLOT(level + 1) + ACTIVE], active);
        add_arcs(arcs, level + 1, state);
    }
}

// The sums of a work-group: `count` vertices found, `active` searches among them; they are added with one atomic each.
#define GROUP_REPORT \
    __local uint group_count, group_active[2]; \
    BITS active = 0; \
    uint count = 0; \
    if (get_local_id(0) == 0) { \
        group_count = 0; \
        group_active[0] = 0; \
        group_active[1] = 0; \
    } \
    barrier(CLK_LOCAL_MEM_FENCE)
#define REPORT() do { \
        if (count) { \
            atomic_add(&group_count, count); \
            atomic_or(&group_active[0], (uint)active); \
            if (HALVES == 2) \
                atomic_or(&group_active[1], (uint)((ulong)active >> 32)); \
        } \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (get_local_id(0) == 0 && group_count) { \
            atomic_add(&state[SLOT(level + 1) + COUNT], group_count); \
            atomic_or(&state[SLOT(level + 1) + ACTIVE], group_active[0]); \
            atomic_or(&state[SLOT(level + 1) + ACTIVE + 1], group_active[1]); \
        } \
    } while (0)

// After a scatter: settles all vertices.
__kernel void bfs_many_settle_all(MANY_ARGUMENTS)
{
    GROUP_REPORT;
    FOR_ITEMS(v, n) {
        const BITS got = next[v] & ~seen[v];
        next[v] = got;
        front[v] = 0;
        if (got) {
            active |= settle(v, n, level, got, seen, planes);
            count++;
        }
    }
    REPORT();
    if (get_global_id(0) == 0)
        clear_many(state, level + 2);
}

// A large level: every vertex that lacks an active search reads its in-arcs (row_ptr, col_idx).
// TEAM: rows of more than WIDE_ROW arcs go to bfs_many_pull_long, through `queue`.
__kernel void bfs_many_pull(MANY_ARGUMENTS)
{
    GROUP_REPORT;
    const BITS wanted = active_in(state, level);
    FOR_ROWS(v, n) {
        const BITS have = seen[v];
        BITS got = 0;
        if (wanted & ~have) {
            OFFSET e = row_ptr[v], end = row_ptr[v + 1];
#ifdef TEAM
            if (end - e > WIDE_ROW) {
                queue[atomic_inc(&state[SLOT(level + 1) + REST])] = v;
                end = e;
            }
#endif
            for (; e < end && wanted & ~(have | got); e++)
                got |= front[col_idx[e]];
            got &= ~have;
        }
        next[v] = got;
        if (got) {
            active |= settle(v, n, level, got, seen, planes);
            count++;
        }
    }
    REPORT();
    if (get_global_id(0) == 0)
        clear_many(state, level + 2);
}

__kernel void bfs_many_pull_long(MANY_ARGUMENTS)
{
    __local uint got[2];
    GROUP_REPORT;
    const uint lid = get_local_id(0), size = get_local_size(0), rows = state[SLOT(level + 1) + REST];
    const BITS wanted = active_in(state, level);
    for (uint i = get_group_id(0); i < rows; i += get_num_groups(0)) {
        const uint v = queue[i];
        const OFFSET end = row_ptr[v + 1];
        const BITS have = seen[v];
        BITS mine = 0, all = 0;
        if (lid < 2)
            got[lid] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (OFFSET chunk = row_ptr[v]; chunk < end && wanted & ~(have | all); chunk += 4 * size) {
            for (OFFSET e = chunk + lid; e < min(chunk + 4 * (OFFSET)size, end); e += size)
                mine |= front[col_idx[e]];
            if ((uint)mine)
                atomic_or(&got[0], (uint)mine);
            if (HALVES == 2 && (uint)((ulong)mine >> 32))
                atomic_or(&got[1], (uint)((ulong)mine >> 32));
            barrier(CLK_LOCAL_MEM_FENCE);
            all = (BITS)(got[0] | (ulong)got[1] << 32);   // the same for the whole group
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        all &= ~have;
        barrier(CLK_GLOBAL_MEM_FENCE);   // all have read seen[v]
        if (lid == 0 && all) {
            next[v] = all;
            active |= settle(v, n, level, all, seen, planes);
            count++;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    REPORT();
}

// From pull to push: a queue of the frontier, and a cleared `next`.
__kernel void bfs_many_collect(MANY_ARGUMENTS)
{
    uint count = 0;
    ulong arcs = 0;
    FOR_ITEMS(v, n) {
        next[v] = 0;
        if (front[v]) {
            count++;
            arcs += (ulong)(row_ptr[v + 1] - row_ptr[v]);
        }
    }
    if (count) {
        add_arcs(arcs, level, state);
        uint place = atomic_add(&state[SLOT(level) + PLACE], count);
        FOR_ITEMS(v, n) {
            if (front[v])
                queue[place++] = v;
        }
    }
}

// Level after level by one work-group, until the frontier is empty, has more than MANY_COUNT vertices or MANY_ARCS
// arcs, or is at `last`. The arrays come in pairs: they have swapped roles if an odd number of levels was done.
// state[AT_LEVEL]: the level reached.
__kernel void bfs_many_fused(const int n, uint level, const uint last, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global BITS *seen, __global BITS *front,
                             __global BITS *next, volatile __global uint *stamp, __global uint *queue,
                             __global uint *next_queue, __global BITS *planes, volatile __global uint *state)
{
    const uint lid = get_local_id(0), size = get_local_size(0);
    __local uint wide;   // rows of this level that the whole group walks
    uint count = state[SLOT(level) + COUNT], arcs = state[SLOT(level) + ARCS];
    if (lid == 0)
        wide = 0;
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    // the same for the whole group: the values it depends on are written before the last barrier
    while (count > 0 && count <= MANY_COUNT && arcs <= MANY_ARCS && level < last) {
        for (uint i = lid; i < count; i += size) {
            const uint u = queue[i];
            if (size > 1 && row_ptr[u + 1] - row_ptr[u] > WIDE_ROW)
                atomic_inc(&wide);
            else
                HAND_ON(u, 0, 1, 1);
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        if (wide) {
            for (uint i = 0; i < count; i++) {
                const uint u = queue[i];
                if (row_ptr[u + 1] - row_ptr[u] > WIDE_ROW)
                    HAND_ON(u, (OFFSET)lid, size, 1);
            }
        }
        if (lid == 0)
            clear_many(state, level + 2);
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        const uint found = state[SLOT(level + 1) + COUNT];
        if (lid == 0)
            wide = 0;
        BITS active = 0;
        ulong mine = 0;
        for (uint i = lid; i < max(count, found); i += size) {
            if (i < count)
                front[queue[i]] = 0;
            if (i < found) {
                const uint v = next_queue[i];
                active |= settle(v, n, level, next[v], seen, planes);
                mine += (ulong)(row_ptr[v + 1] - row_ptr[v]);
            }
        }
        if (active) {
            or_into(&state[SLOT(level + 1) + ACTIVE], active);
            add_arcs(mine, level + 1, state);
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        __global BITS *bits = front;
        front = next;
        next = bits;
        __global uint *list = queue;
        queue = next_queue;
        next_queue = list;
        count = found;
        level++;
        arcs = state[SLOT(level) + ARCS];
    }
    if (lid == 0)
        state[AT_LEVEL] = level;
}
