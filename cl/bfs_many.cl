// bfs_many.cl: up to 64 independent breadth-first searches at once, a bit each (MS-BFS: Then et al., VLDB 2014).
//
// Searches from different sources soon walk over the same vertices: a row is then read once for all of them.
//
// seen          BITS[n]    which searches have reached the vertex
// front, next   BITS[n]    which searches have it in their frontier, and in the next one
// planes        BITS[PLANES n]   bit b of the distances, all searches at once, is plane b: a vertex that some searches reach
//                          in level L is or-ed into the planes where L has a bit, whatever the number of searches;
//                          bfs_many_expand.cl makes distances of them at the end
// stamp         uint[n]    the last level in which a push put the vertex into a queue, plus 1
// queue         uint[n]    vertices with a bit in `front`, in any order (while the frontier is small)
// state         uint[]     COUNT of the frontier, ACTIVE: which searches have one (two words)
//
// A level is a push along the queue followed by a settling of the vertices touched; or, where few vertices have many
// arcs, a scatter without a queue and a settling of all vertices; or, when the frontier is large, a pull in which every
// vertex collects from its neighbours until it has all active searches. Small levels run many to a launch
// (bfs_many_fused: one work-group).
//
// launch      per vertex: runs of ITEMS. bfs_many_push: CPUs: MANY_ITEMS queue entries a work-item; TEAM: a work-group
//             (times PARTS) an entry. bfs_many_settle: MANY_ITEMS entries a work-item. bfs_many_fused: exactly one
//             work-group. bfs_many_pull_long (TEAM): any number of groups
// tunables    TEAM (GPUs), ITEMS, MANY_ITEMS, PARTS, LANES (32 or 64), MANY_COUNT (the fused kernel leaves
//             larger frontiers), WIDE_ROW (arcs that a work-group walks together)

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef LANES
#define LANES 64
#endif
#ifndef MANY_ITEMS
#define MANY_ITEMS 16
#endif
#ifndef PARTS
#define PARTS 4
#endif
#ifndef MANY_COUNT
#define MANY_COUNT 2048
#endif
#ifndef WIDE_ROW
#define WIDE_ROW 256
#endif

#if LANES == 64
#define BITS ulong
#define HALVES 2
#else
#define BITS uint
#define HALVES 1
#endif

// state[]: as in bfs.h three slots take turns, each cleared one level ahead
#define AT_LEVEL 0
#define SLOT(level) (4 + 8 * ((level) % 3u))
#define COUNT 0
#define ACTIVE 1       // and 2
#define REST 3         // long rows that bfs_many_pull left
#define PLACE 4        // places of the queue given away by bfs_many_collect
#define ARCS 5         // arcs that leave the frontier, about
#define STATE_SIZE 28

#ifndef MANY_ARCS      // the fused kernel leaves a frontier with more arcs
#define MANY_ARCS 32768
#endif

void clear_many(volatile __global uint *state, const uint level)
{
    for (uint k = 0; k < 8; k++)
        state[SLOT(level) + k] = 0;
}

inline BITS active_in(volatile __global uint *state, const uint level)
{
#if LANES == 64
    return (ulong)state[SLOT(level) + ACTIVE] | (ulong)state[SLOT(level) + ACTIVE + 1] << 32;
#else
    return state[SLOT(level) + ACTIVE];
#endif
}

// 32-bit atomics on the words of a BITS: the baseline has no 64-bit ones
inline void or_into(volatile __global uint *words, const BITS bits)
{
    if ((uint)bits & ~SHARED_LOAD(&words[0]))   // a stale word lacks bits at most: then the atomic is superfluous
        atomic_or(&words[0], (uint)bits);
#if LANES == 64
    if ((uint)(bits >> 32) & ~SHARED_LOAD(&words[1]))
        atomic_or(&words[1], (uint)(bits >> 32));
#endif
}

__kernel void bfs_many_fill(const int n, const int planes_count, __global BITS *restrict seen,
                            __global BITS *restrict front, __global BITS *restrict next, __global BITS *restrict planes,
                            __global uint *restrict stamp, volatile __global uint *state)
{
    FOR_ITEMS(v, n) {
        for (int b = 0; b < planes_count; b++)
            planes[(size_t)b * n + v] = 0;
        seen[v] = 0;
        front[v] = 0;
        next[v] = 0;
        stamp[v] = 0;
    }
    if (get_global_id(0) == 0)
        for (uint k = 0; k < STATE_SIZE; k++)
            state[k] = 0;
}

// One work-item starts all searches: two may start at one vertex.
__kernel void bfs_many_start(const uint sources, __global const uint *restrict source, __global BITS *restrict seen,
                             __global BITS *restrict front, __global uint *restrict queue,
                             volatile __global uint *state)
{
    if (get_global_id(0) != 0)
        return;
    uint count = 0;
    BITS all = 0;
    for (uint i = 0; i < sources; i++) {
        const uint s = source[i];
        if (!seen[s])
            queue[count++] = s;
        seen[s] |= (BITS)1 << i;
        front[s] |= (BITS)1 << i;
        all |= (BITS)1 << i;
    }
    state[SLOT(0) + COUNT] = count;
    or_into(&state[SLOT(0) + ACTIVE], all);
}

// The frontier's vertex u hands its searches on along arcs e, e + stride, ... before `end`.
inline void hand_on(const uint u, OFFSET e, const OFFSET end, const uint stride, const uint level,
                    __global const int *col_idx, __global const BITS *seen, __global const BITS *front,
                    volatile __global uint *next, volatile __global uint *stamp, __global uint *next_queue,
                    volatile __global uint *state, const int queueing)
{
    const BITS mine = front[u];
    for (; e < end; e += stride) {
        const uint v = col_idx[e];
        const BITS fresh = mine & ~seen[v];   // `seen` is not written in this launch (fused: in this phase)
        if (fresh) {
            or_into(&next[(size_t)v * HALVES], fresh);
            // a stale stamp only leads to the exchange, which decides
            if (queueing && SHARED_LOAD(&stamp[v]) != level + 1 && atomic_xchg(&stamp[v], level + 1) != level + 1)
                next_queue[atomic_inc(&state[SLOT(level + 1) + COUNT])] = v;
        }
    }
}

#define HAND_ON(u, first, stride, queueing) \
    hand_on((u), row_ptr[u] + (first), row_ptr[(u) + 1], (stride), level, col_idx, seen, front, \
            (volatile __global uint *)next, stamp, next_queue, state, (queueing))

// What came in at v becomes its frontier of `level` + 1; returns it.
inline BITS settle(const uint v, const int n, const uint level, const BITS fresh, __global BITS *seen,
                   __global BITS *planes)
{
    seen[v] |= fresh;
    for (uint b = 0; (level + 1) >> b; b++)
        if ((level + 1) >> b & 1)
            planes[(size_t)b * n + v] |= fresh;
    return fresh;
}

// Notes arcs of the frontier of `level`: enough for the choice between the ways to go on. It stops in time to fit.
inline void add_arcs(const ulong arcs, const uint level, volatile __global uint *state)
{
    if (arcs && SHARED_LOAD(&state[SLOT(level) + ARCS]) < 1u << 30)   // stale: a little more is added
        atomic_add(&state[SLOT(level) + ARCS], (uint)min(arcs, (ulong)(1u << 20)));
}

#define MANY_ARGUMENTS \
    const int n, const uint level, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, \
    __global BITS *seen, __global BITS *front, __global BITS *next, volatile __global uint *stamp, \
    __global uint *queue, __global uint *next_queue, __global BITS *restrict planes, volatile __global uint *state

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

// A small level: whoever is touched first enters the next queue.
__kernel void bfs_many_push(MANY_ARGUMENTS)
{
    PUSH(1);
    if (get_global_id(0) == 0)
        clear_many(state, level + 2);
}

// A level of few vertices with many arcs: touches so many that a queue of them is not worth its atomics.
__kernel void bfs_many_scatter(MANY_ARGUMENTS)
{
    PUSH(0);
    if (get_global_id(0) == 0)
        clear_many(state, level + 2);
}

// After a push: the vertices touched take what came in, the old frontier is wiped (front is the next `next`).
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

// The sums of a work-group go out in one atomic each: `count` vertices found, `active` searches among them.
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
        const BITS got = next[v];
        front[v] = 0;
        if (got) {
            active |= settle(v, n, level, got, seen, planes);
            count++;
        }
    }
    REPORT();
}

// A large level: every vertex that lacks an active search looks at the arcs that arrive (row_ptr, col_idx).
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
    FOR_ITEMS(v, n) {
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
        barrier(CLK_GLOBAL_MEM_FENCE);   // everybody has read seen[v]
        if (lid == 0 && all) {
            next[v] = all;
            active |= settle(v, n, level, all, seen, planes);
            count++;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    REPORT();
}

// From pull to push: a queue of the frontier, and a clean `next`.
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
// arcs, or is at `last`. The arrays come back as pairs: they have changed places if an odd number of levels was done.
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
    // the same for the whole group: what these come from is written before the last barrier
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
