// sampling/literature/stage.cl: searches that spread in stages (snowball, ff, rds), one stage kernel for all of them.
//
// All vertices that the last stage brought act at once, on the vertices unseen at the stage's beginning; what is claimed
// twice is seen once. v takes names in increasing number(v, u; ARC): `most` of them (of all neighbours: snowball; of the
// unseen ones: rds), or as many as a threshold on its coin says (ff).
//
// claim   uint[runs * n]: the round in which a vertex was seen; UNSEEN
// parent  int[runs * n]: the smallest of those that claimed it; or NULL
// active, next  uint[runs * n]: run * n + vertex of those that act now, and in the next stage; in any order
// counts  int[3]: entries of `next`, runs that want a start, runs that go on
// seen, fresh  int[runs]: vertices seen, and those of this round
// status  int[runs]: GOING, WANTING (a start), OVER
// last    uint[runs]: the round in which a run was over
// limit   ulong[limits]: floor(2^64 p^j), j = 1, 2, ...
// named   int[runs * arcs]: 1 where an arc was named; or NULL
// launch  act: a work-item per active vertex; judge, begin: per run; keys, came: see walk_note.cl
// variants    METHOD: 0 snowball, 1 ff, 2 rds

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef METHOD
#define METHOD 0
#endif

// no restrict on parameters of functions: Oclgrind does not know what LLVM makes of it

#define GOING 0
#define WANTING 1
#define OVER 2
#define UNSEEN 0xFFFFFFFFu

// How many of the descending limits are above x.
static inline int limits_above(ulong x, int limits, __global const ulong *limit)
{
    int low = 0, high = limits;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (limit[middle] > x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Whether the entry p of v's row is a name: the first of parallel ones, and open to be taken.
static inline int is_name(OFFSET p, OFFSET begin, uint round, __global const int *col_idx,
                          __global uint *mine)
{
    if (p > begin && col_idx[p] == col_idx[p - 1]) return 0;
#if METHOD == 0
    return 1;
#else
    return SHARED_LOAD(mine + col_idx[p]) >= round;   // claimed in this round or not: unseen at its beginning
#endif
}

// The largest number among the `wanted` smallest of v's names.
static inline ulong names_until(ulong seed, int v, OFFSET begin, OFFSET end, int wanted, uint round,
                                __global const int *col_idx, __global uint *mine)
{
    int all = 0;
    for (OFFSET p = begin; p < end; p++)
        all += is_name(p, begin, round, col_idx, mine);
    if (all <= wanted) return NONE;
    ulong low = 0;
    int need = wanted;
    for (int shift = 60; shift >= 0; shift -= 4) {   // four more bits at a time
        int count[16];
        for (int i = 0; i < 16; i++)
            count[i] = 0;
        for (OFFSET p = begin; p < end; p++)
            if (is_name(p, begin, round, col_idx, mine)) {
                const ulong x = arc_number(seed, v, col_idx[p]);
                if (x >= low && ((x - low) >> shift) < 16) count[(int)((x - low) >> shift)]++;
            }
        int bin = 0;
        while (bin < 15 && need > count[bin])
            need -= count[bin++];
        if (need == count[bin] || shift == 0) return low + (((ulong)bin + 1) << shift) - 1;
        low += (ulong)bin << shift;
    }
    return low;
}

static inline void take_names(const int n, ulong seed, int run, int v, int wanted, uint round,
                              __global const OFFSET *row_ptr, __global const int *col_idx,
                              __global uint *claim, volatile __global int *parent, __global uint *next,
                              volatile __global int *counts, volatile __global int *seen, volatile __global int *fresh,
                              volatile __global int *named)
{
    const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
    __global uint *mine = claim + (long)run * n;
    const ulong until = wanted ? names_until(seed, v, begin, end, wanted, round, col_idx, mine) : 0;
    for (OFFSET p = begin; wanted && p < end; p++)
        if (is_name(p, begin, round, col_idx, mine)) {
            const int u = col_idx[p];
            if (until == NONE || arc_number(seed, v, u) <= until) {
                if (named) atomic_or(&named[(long)run * row_ptr[n] + p], 1);
                if (SHARED_LOAD(mine + u) >= round) {
                    if (atomic_min((volatile __global uint *)(mine + u), round) == UNSEEN) {
                        next[atomic_inc(&counts[0])] = (uint)run * (uint)n + (uint)u;
                        atomic_inc(&seen[run]);
                        atomic_inc(&fresh[run]);
                    }
                    if (parent) atomic_min(&parent[(long)run * n + u], v);
                }
            }
        }
}

// back_ptr, back_idx: the reversed rows of directed ff, else NULL; its limits are limit[limits], ...
__kernel void stage_act(const int n, const ulong seed, const int actors, const uint round, const int most,
                        const int limits, const int back_limits, __global const ulong *restrict limit,
                        __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                        __global const OFFSET *restrict back_ptr, __global const int *restrict back_idx,
                        __global const uint *restrict active, __global const int *restrict status,
                        __global uint *claim, volatile __global int *parent, __global uint *next,
                        volatile __global int *counts, volatile __global int *seen, volatile __global int *fresh,
                        volatile __global int *named)
{
    const int i = (int)min((long)get_global_id(0), (long)actors);
    if (i < actors) {
        const int run = (int)(active[i] / (uint)n), v = (int)(active[i] - (uint)run * (uint)n);
        if (status[run] == GOING) {
            int wanted = most;
#if METHOD == 1
            const philox4x32_ctr_t coin = keyed_words(seed + run, v, 0, 0, TAG_COIN);
            wanted = limits_above(keyed_a(coin), limits, limit);
#endif
            take_names(n, seed + run, run, v, wanted, round, row_ptr, col_idx, claim, parent, next, counts, seen, fresh,
                       named);
#if METHOD == 1
            if (back_ptr)
                take_names(n, seed + run, run, v, limits_above(keyed_b(coin), back_limits, limit + limits), round,
                           back_ptr, back_idx, claim, parent, next, counts, seen, fresh, 0);
#endif
        }
    }
}

__kernel void stage_judge(const int runs, const uint round, const uint rounds, __global const int *restrict target,
                          __global const int *restrict seen, __global int *restrict fresh,
                          __global int *restrict status, __global uint *restrict last,
                          volatile __global int *restrict counts)
{
    FOR_ITEMS(run, runs) {
        if (status[run] == GOING) {
            const int done = seen[run] >= target[run] || round >= rounds;
            const int now = done ? OVER : fresh[run] ? GOING : rounds == UNSEEN ? WANTING : OVER;
            if (done) last[run] = round;
            status[run] = now;
            if (now != OVER) atomic_inc(&counts[now == WANTING ? 1 : 2]);
        }
        fresh[run] = 0;
    }
}

// Starts, of the runs that want some: given ones; or a vertex of the pool, then the first unseen of the queue: `initial` in
// all in the beginning, later one at a time. counts[1]: how many runs have to wait for more of the queue. order: not NULL: stage_exact.cl's.
__kernel void stage_begin(const int n, const int runs, const ulong seed, const uint round, const int initial,
                          const int given, __global const int *restrict starts, const int pool_size,
                          __global const int *restrict pool, const int room, __global const int *restrict queue,
                          __global const int *restrict length, __global int *restrict place,
                          __global const int *restrict target, __global int *restrict seen, __global int *restrict tries,
                          __global int *restrict status, __global uint *restrict last, __global uint *restrict claim,
                          __global int *restrict parent, __global uint *restrict next, __global int *restrict order,
                          volatile __global int *counts)
{
    FOR_ITEMS(run, runs) {
        if (status[run] == WANTING) {
            __global uint *mine = claim + (long)run * n;
            const int beginning = tries[run] == 0, pooled = beginning && pool_size > 0;
            const int wanted = !beginning ? 1 : given > 0 ? given : initial;
            const philox4x32_ctr_t x = keyed_words(seed + run, 0, 0, 0, TAG_DRAW);
            const int drawn = pooled ? pool[mul_hi(keyed_a(x), (ulong)pool_size)] : -1;
            int open = pooled, end = max(length[run], 0);
            const int listed = beginning && given > 0;
            for (int q = place[run]; q < end && open < wanted; q++) {   // are there enough?
                const int u = queue[(long)run * room + q];
                open += mine[u] == UNSEEN && u != drawn;
            }
            if (listed || open >= wanted || (length[run] >= 0 && length[run] < room && open > 0)) {
                int set = 0, q = place[run];
                while (set < wanted) {
                    int u = -1;
                    if (listed) u = starts[set];
                    else if (set == 0 && pooled) u = drawn;
                    else
                        while (q < end && u < 0) {
                            const int candidate = queue[(long)run * room + q++];
                            if (mine[candidate] == UNSEEN) u = candidate;
                        }
                    set = u < 0 ? wanted : set + 1;
                    if (u >= 0 && mine[u] == UNSEEN) {
                        mine[u] = order ? (uint)seen[run] : round;
                        if (parent) parent[(long)run * n + u] = -1;
                        if (order) order[(long)run * n + seen[run]] = u;
                        else next[atomic_inc(&counts[0])] = (uint)run * (uint)n + (uint)u;
                        seen[run]++;
                    }
                }
                place[run] = q;
                tries[run]++;
                const int done = seen[run] >= target[run];
                status[run] = done ? OVER : GOING;
                if (done) last[run] = round;
                else atomic_inc(&counts[2]);
            }
            else atomic_inc(&counts[1]);
        }
    }
}

// Start priorities of the vertices not seen.
__kernel void stage_start_keys(const int n, const ulong seed, __global const uint *restrict claim,
                               __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n)
        key[(long)run * n + v] = claim[(long)run * n + v] == UNSEEN ? start_priority(seed + run, v) : NONE;
}

// Keys that cut the last stage to its smallest priorities; of a queue: in order of arrival.
__kernel void stage_keys(const int n, const ulong seed, __global const uint *restrict claim,
                         __global const uint *restrict last, const int queued, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const uint when = claim[(long)run * n + v];
        const ulong rank = queued ? when : when < last[run] ? 0 : vertex_priority(seed + run, v);
        key[(long)run * n + v] = when == UNSEEN ? NONE : rank;
    }
}

// When the vertices listed came: the round, and the priority within it.
__kernel void stage_came(const int n, const ulong seed, __global const long *restrict offset,
                         __global const int *restrict list, __global const uint *restrict claim,
                         __global uint *restrict round, __global ulong *restrict priority)
{
    const int run = (int)get_global_id(1);
    const long at = offset[run] + (long)get_global_id(0);
    if (at < offset[run + 1]) {
        round[at] = claim[(long)run * n + list[at]];
        priority[at] = vertex_priority(seed + run, list[at]);
    }
}
