// traversal/many_pull.cl: levels of many searches at once that look at every vertex (the rest is in traversal/many.cl).
//
// bfs_many_settle_all   after a scatter: what came in becomes the frontier
// bfs_many_pull         every vertex that lacks an active search collects from its neighbours until it has them all
// bfs_many_pull_long    TEAM: the rows that are too long for one work-item, a work-group each
//
// layout      traversal/many.h
// launch      runs of ITEMS vertices; bfs_many_pull_long: any number of groups
// tunables    TEAM (GPUs), ITEMS, LANES, WIDE_ROW

#include "traversal/many.h"

// The sums of a work-group are added with one atomic each: `count` vertices found, `active` searches among them.
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

// After a scatter: the same for all vertices.
__kernel void bfs_many_settle_all(MANY_ARGUMENTS)
{
    __local uint group_count, group_active[2];
    if (get_local_id(0) == 0) {
        group_count = 0;
        group_active[0] = 0;
        group_active[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    BITS active = 0;
    uint count = 0;
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
    __local uint group_count, group_active[2];
    if (get_local_id(0) == 0) {
        group_count = 0;
        group_active[0] = 0;
        group_active[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const BITS wanted = active_in(state, level);
    BITS active = 0;
    uint count = 0;
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
    __local uint group_count, group_active[2], got[2];
    const uint lid = get_local_id(0), size = get_local_size(0), rows = state[SLOT(level + 1) + REST];
    const BITS wanted = active_in(state, level);
    BITS active = 0;
    uint count = 0;
    if (lid == 0) {
        group_count = 0;
        group_active[0] = 0;
        group_active[1] = 0;
    }
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
